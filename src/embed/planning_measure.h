#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cache/metadata_cache.h"
#include "catalog/catalog.h"
#include "embed/planning_cost.h"
#include "embed/reader.h"
#include "env/clock.h"
#include "object/store.h"
#include "read/request.h"

namespace highwater::embed {

/// What a measurement uses. Borrowed: all of it outlives the call.
struct PlanningParts {
    object::Store& store;
    catalog::Catalog& catalog;
    cache::MetadataCache& cache;
    env::Clock& clock;
    std::function<object::Ledger()> ledger;
    std::string spill;
    std::stop_token stop;
};

constexpr std::size_t planning_runs_max = 10'000;

/// Finds the files of `request` by each method, `runs` times: the own plan, the same with identity
/// checks, a direct listing, DuckDB's pattern and list, Arrow's discovery.
///
/// Errors: those of Reader::settle; precondition_failed when the request is refused or a method
/// does
///         not find the planned files; invalid_argument (runs); cancelled.
Result<std::vector<PlanningCost>> measure_planning(const PlanningParts& parts,
                                                   const read::Request& request, std::size_t runs);

}  // namespace highwater::embed
