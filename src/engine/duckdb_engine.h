#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "env/clock.h"

namespace highwater::engine {

/// What DuckDB finds when it is given a pattern in place of a list, as its users would.
struct RawFacts {
    std::vector<std::string> patterns;  // One for each planned hour, as DuckDB reads them.
    std::vector<FileFacts> files;       // In name order.
    std::optional<Error> failure;       // It gave no answer at all.

    friend bool operator==(const RawFacts&, const RawFacts&) = default;
};

/// DuckDB, given exactly the planned files. Each call opens one of its own and closes it.
///
/// Tables in nanoseconds are `unsupported`: DuckDB reads times that are adjusted to UTC in
/// microseconds and drops the rest. So are columns whose names differ in case alone.
/// Lifetime: `clock` outlives it.
class DuckDb final : public Engine {
public:
    /// Temporary files go into `directory`, which must be there.
    DuckDb(env::Clock& clock, std::string directory, const EngineLimits& limits = {});

    std::string_view name() const override { return "duckdb"; }
    Result<ResultTable> select_rows(const read::PlannedTable& table, const Scan& scan,
                                    std::stop_token stop) override;
    Result<EngineFacts> gather_facts(const read::PlannedTable& table,
                                     std::stop_token stop) override;

    /// Reads what lies under the prefixes of the planned hours, whoever put it there: what a reader
    /// without a catalog would get. Never an answer, only a fact about the pattern.
    ///
    /// Errors: cancelled, exhausted, unavailable, unsupported.
    Result<RawFacts> read_pattern(const read::PlannedTable& table, std::stop_token stop);

private:
    env::Clock& clock_;
    std::string directory_;
    EngineLimits limits_;
};

/// Why DuckDB cannot show a table of this schema as it is, if it cannot.
///
/// Errors: unsupported.
Result<void> verify_duckdb_schema(const model::Schema& schema);

}  // namespace highwater::engine
