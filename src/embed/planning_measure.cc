#include "embed/planning_measure.h"

#include <fmt/format.h>

#include "base/try.h"
#include "engine/planning.h"
#include "read/verify.h"

namespace highwater::embed {

namespace {

std::uint64_t requests_of(const object::Ledger& ledger) {
    return ledger.catalog_round_trips + ledger.lists + ledger.heads + ledger.gets;
}

std::uint64_t files_of(const read::Plan& plan) {
    std::uint64_t files = 0;
    for (const auto& table : plan.tables) files += table.files.size();
    return files;
}

/// Runs `method` again and again; it returns how many files it found.
template <typename Method>
Result<PlanningCost> measure(const PlanningParts& parts, std::string name, std::size_t runs,
                             Method method) {
    PlanningCost cost;
    cost.method = std::move(name);
    for (std::size_t run = 0; run < runs; ++run) {
        if (parts.stop.stop_requested()) return Error(Code::cancelled, "interrupted");
        const object::Ledger spent = parts.ledger();
        const Duration start = parts.clock.steady();
        cost.files = TRY(method());
        cost.samples.push_back(parts.clock.steady() - start);
        const object::Ledger ledger = parts.ledger().since(spent);
        cost.requests = requests_of(ledger);
        cost.listed_objects = ledger.listed_objects;
        cost.bytes_read = ledger.bytes_read;
    }
    return cost;
}

Result<read::Plan> plan_of(Reader& reader, const read::Request& request) {
    auto settled = TRY(reader.settle(request));
    if (settled.serve) return std::move(settled.serve->plan);
    return Error(Code::precondition_failed,
                 "there is no plan to measure: " + read::format_refusal(settled.refusals.front()));
}

/// An engine's way to the same files, with proof that they hold the same rows; nothing when this
/// engine cannot find files of this table so.
Result<std::optional<PlanningCost>> measure_engine(const PlanningParts& parts,
                                                   engine::PlanningMethod method,
                                                   const read::PlannedTable& table,
                                                   std::size_t runs) {
    const engine::PlanningOptions options{
        .directory = parts.spill, .warmups = 2, .repeats = runs, .limits = {}};
    const auto measured = engine::measure_planning(method, table, options, parts.clock, parts.stop);
    if (!measured.ok() && measured.error().code() == Code::unsupported) {
        return std::optional<PlanningCost>();
    }
    if (!measured.ok()) return measured.error();
    std::uint64_t rows = 0;
    for (const auto& file : table.files) rows += file.record_count;
    if (measured->rows != rows) {
        return Error(Code::precondition_failed,
                     fmt::format("{} finds {} rows, planned are {}", engine::to_text(method),
                                 measured->rows, rows));
    }
    PlanningCost cost;
    cost.method = std::string(engine::to_text(method));
    cost.samples = measured->samples;
    cost.listed_objects = measured->listed_files;
    cost.files = measured->files;
    return std::optional(std::move(cost));
}

}  // namespace

Result<std::vector<PlanningCost>> measure_planning(const PlanningParts& parts,
                                                   const read::Request& request, std::size_t runs) {
    if (runs == 0 || runs > planning_runs_max) {
        return Error(Code::invalid_argument,
                     fmt::format("measure 1 to {} runs", planning_runs_max));
    }
    const auto reader_of = [&parts](cache::MetadataCache& cache) {
        return Reader({.store = parts.store,
                       .catalog = parts.catalog,
                       .cache = cache,
                       .clock = parts.clock,
                       .ledger = parts.ledger,
                       .stop = parts.stop});
    };
    Reader reader = reader_of(parts.cache);
    const read::Plan plan = TRY(plan_of(reader, request));
    std::vector<PlanningCost> costs;
    costs.push_back(TRY(measure(parts, "own plan", runs, [&]() -> Result<std::uint64_t> {
        return files_of(TRY(plan_of(reader, request)));
    })));
    costs.push_back(
        TRY(measure(parts, "own plan, identities checked", runs, [&]() -> Result<std::uint64_t> {
            const read::Plan planned = TRY(plan_of(reader, request));
            const auto check = read::verify_before(parts.store, planned, parts.clock);
            if (check.refusals.empty()) return files_of(planned);
            return Error(Code::precondition_failed, read::format_refusal(check.refusals.front()));
        })));
    read::Request listing = request;
    listing.on_stale = read::OnStale::direct_listing;
    costs.push_back(TRY(measure(parts, "direct listing", runs, [&]() -> Result<std::uint64_t> {
        // A cold cache, so that the catalog and the listing are all there is to plan from.
        cache::MetadataCache cold({parts.catalog, parts.store, parts.clock}, nullptr);
        Reader lister = reader_of(cold);
        return files_of(TRY(plan_of(lister, listing)));
    })));
    if (plan.tables.size() != 1) return costs;
    for (const auto method :
         {engine::PlanningMethod::duckdb_list, engine::PlanningMethod::duckdb_pattern,
          engine::PlanningMethod::arrow_discovery}) {
        auto cost = TRY(measure_engine(parts, method, plan.tables.front(), runs));
        if (cost) costs.push_back(*std::move(cost));
    }
    return costs;
}

}  // namespace highwater::embed
