#include "engine/prove.h"

#include <algorithm>
#include <utility>

namespace highwater::engine {

namespace {

TableFacts describe_table(const read::PlannedTable& table,
                          const std::vector<object::Name>& known_others) {
    TableFacts facts;
    facts.table = table.table.name;
    for (const read::PlannedHour& hour : table.hours) facts.hours.push_back(hour.hour);
    for (const read::PlannedFile& file : table.files) {
        facts.expected.push_back({file.name, file.hour, file.record_count, file.row_fingerprint});
    }
    std::ranges::sort(facts.expected, {}, &ExpectedFile::name);
    facts.known_others = known_others;
    std::ranges::sort(facts.known_others);
    return facts;
}

}  // namespace

Result<Proof> prove(const read::Plan& plan, DuckDb& duckdb, ArrowDataset& arrow,
                    const std::vector<object::Name>& known_others, std::stop_token stop) {
    Proof proof;
    proof.facts.generation = plan.generation;
    for (const read::PlannedTable& table : plan.tables) {
        TableFacts facts = describe_table(table, known_others);
        for (Engine* const engine : {static_cast<Engine*>(&duckdb), static_cast<Engine*>(&arrow)}) {
            auto found = engine->gather_facts(table, stop);
            if (found.ok()) {
                facts.engines.push_back(*std::move(found));
            } else if (found.error().code() == Code::cancelled) {
                return found.error();
            } else {
                facts.failures.push_back({std::string(engine->name()), found.error()});
            }
        }
        auto raw = duckdb.read_pattern(table, stop);
        if (raw.ok()) {
            facts.raw = *std::move(raw);
        } else if (raw.error().code() == Code::cancelled) {
            return raw.error();
        }
        proof.facts.tables.push_back(std::move(facts));
    }
    proof.verdict = judge(proof.facts);
    return proof;
}

}  // namespace highwater::engine
