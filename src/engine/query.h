#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "env/clock.h"
#include "read/plan.h"

namespace highwater::engine {

struct QueryOptions {
    std::string directory;  // For temporary files; it must be there.
    EngineLimits limits;
    Duration timeout = std::chrono::minutes(5);
};

/// Runs one SELECT in SQL (DuckDB's) over the tables of a plan, in a DuckDB of its own that can
/// reach nothing else.
///
/// Each table is a view under its name: the columns of its schema and "hour" (the start of the
/// row's hour, in UTC), rows with times in the plan's range. Hours that were left out by permission
/// are not zero rows: a statement whose conditions do not exclude them fails and names them.
///
/// Files are opened by the engine; the caller checks their identities before and after, and hands
/// out no row before the second check has passed. Counts may come from the files' own metadata,
/// which is right as long as those checks hold.
/// Errors:
///   invalid_argument     not exactly one SELECT, with parameters, or wrong SQL
///   denied               it reads anything but the tables
///   precondition_failed  it reaches into unpublished hours; the message names them
///   not_found, corrupt   a planned file is not there, or broken
///   unsupported          a table that DuckDB cannot show as it is
///   exhausted            memory, temporary space, rows or size of the answer; the message says
///   which cancelled            `stop` was requested, or it took longer than the timeout
///   unavailable          the machine
Result<ResultTable> run_query(const read::Plan& plan, const std::string& sql,
                              const QueryOptions& options, env::Clock& clock, std::stop_token stop);

}  // namespace highwater::engine
