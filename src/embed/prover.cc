#include "embed/prover.h"

#include <algorithm>
#include <set>

#include "base/try.h"
#include "engine/prove.h"
#include "read/verify.h"

namespace highwater::embed {

namespace {

/// The paths beneath the planned hours' prefixes that the plan does not name, by root.
Result<std::vector<object::Name>> list_others(object::Store& store,
                                              const read::PlannedTable& table) {
    std::set<object::Name> planned;
    std::set<std::string> roots{table.table.location};
    for (const auto& file : table.files) {
        planned.insert(file.name);
        roots.insert(file.name.root);
    }
    std::vector<object::Name> others;
    for (const auto& hour : table.hours) {
        const auto prefix = table.table.pattern.render(hour.hour);
        if (!prefix) return Error(Code::corrupt, "no prefix for a planned hour");
        for (const auto& root : roots) {
            for (auto& entry : TRY(object::list_all(store, root, *prefix))) {
                object::Name name{root, std::move(entry.path)};
                if (!planned.contains(name)) others.push_back(std::move(name));
            }
        }
    }
    return others;
}

}  // namespace

Result<std::vector<object::Name>> Prover::find_known_others(const read::PlannedTable& table) {
    std::vector<object::Name> others = TRY(list_others(parts_.store, table));
    if (others.empty()) return others;
    std::vector<std::string> paths;
    for (const auto& other : others) paths.push_back(other.path);
    std::ranges::sort(paths);
    paths.erase(std::ranges::unique(paths).begin(), paths.end());
    std::set<std::string> known;
    for (const auto& name : TRY(parts_.catalog.find_names(table.table.id, paths))) {
        if (name.state != catalog::KnownName::State::deleted) known.insert(name.path);
    }
    const Time now = parts_.clock.now();
    for (const auto& intent : TRY(parts_.journal.load_intents(table.table.id))) {
        if (intent.expires > now) known.insert(intent.paths.begin(), intent.paths.end());
    }
    std::erase_if(others, [&](const auto& other) { return !known.contains(other.path); });
    return others;
}

Result<Proved> Prover::prove(const read::Request& request) {
    Proved proved;
    const Settled settled = TRY(parts_.reader.settle(request));
    proved.why = settled.why;
    proved.refusals = settled.refusals;
    if (!settled.serve) return proved;
    const read::Plan& plan = settled.serve->plan;
    const read::Check before = read::verify_before(parts_.store, plan, parts_.clock);
    proved.refusals = before.refusals;
    if (!proved.refusals.empty()) return proved;

    std::vector<object::Name> known_others;
    for (const auto& table : plan.tables) {
        for (auto& name : TRY(find_known_others(table))) known_others.push_back(std::move(name));
    }
    engine::DuckDb duckdb(parts_.clock, parts_.spill);
    engine::ArrowDataset arrow(parts_.spill);
    auto proof = TRY(engine::prove(plan, duckdb, arrow, known_others, parts_.stop));
    const read::Check after = read::verify_after(parts_.store, plan, before, parts_.clock);
    proved.refusals = after.refusals;
    if (proved.refusals.empty()) proved.proof = std::move(proof);
    return proved;
}

}  // namespace highwater::embed
