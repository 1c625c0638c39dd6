#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"
#include "env/clock.h"
#include "read/plan.h"

namespace highwater::engine {

/// How an engine may find the files of some hours without a catalog, or with its list.
enum class PlanningMethod : std::uint8_t {
    duckdb_pattern,   // A pattern over the whole table and a condition on its folders' names.
    duckdb_list,      // The plan's list.
    arrow_discovery,  // Discovery beneath the prefixes of the hours.
};

std::string_view to_text(PlanningMethod method);

struct PlanningOptions {
    std::string directory;  // For temporary files; it must be there.
    std::size_t warmups = 2;
    std::size_t repeats = 20;
    EngineLimits limits;
};

/// What one method took, and proof that it finds the same rows as the others.
struct PlanningCost {
    PlanningMethod method = PlanningMethod::duckdb_list;
    std::vector<Duration> samples;   // From the call to the final list of files; in order of time.
    std::uint64_t listed_files = 0;  // Each time.
    std::uint64_t files = 0;         // With rows, in the end.
    std::uint64_t rows = 0;
};

/// Measures how long `method` takes to plan a read of the planned hours, `options.repeats` times on
/// an engine that is already open, then reads the rows once.
///
/// Errors: unsupported  `duckdb_pattern` needs a path pattern with folders of the form name=value;
///         those of Engine.
Result<PlanningCost> measure_planning(PlanningMethod method, const read::PlannedTable& table,
                                      const PlanningOptions& options, env::Clock& clock,
                                      std::stop_token stop);

}  // namespace highwater::engine
