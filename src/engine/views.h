#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb_session.h"
#include "model/hour.h"
#include "read/plan.h"

namespace highwater::engine {

/// Unpublished hours next to each other that a view must not be asked for.
struct Gap {
    std::string table;
    model::HourRange hours;
};

/// "table cpu: the hours 2026-10-06T10 to 2026-10-06T11 were never published"
std::string format_gap(const Gap& gap);

/// More gaps of one table than this are joined with what lies between them.
constexpr std::size_t gaps_max = 64;

/// Makes views over planned tables and knows which unpublished hours lie between their rows.
///
/// Each gap is a branch of its table's view: two rows that bound its times, beside values of which
/// the optimizer knows nothing. Where a statement's conditions exclude the gap, the optimizer
/// proves the branch empty and drops it from the plan; where the branch is still in the plan, the
/// statement reaches into the gap, or it cannot be told that it does not.
class Views {
public:
    /// Adds the view of one table: the columns of its current schema, then "hour", the start of
    /// each row's hour; rows with times in the plan's range, of exactly `files`.
    ///
    /// Errors: those of the session; unsupported (verify_duckdb_schema).
    Result<void> add(Session& session, const read::PlannedTable& table,
                     const std::vector<std::string>& files);

    /// Errors: precondition_failed  `sql` reaches into a gap; the message names it.
    Result<void> verify_avoids_gaps(Session& session, const std::string& sql) const;

private:
    Result<std::string> add_gap(Session& session, const read::PlannedTable& table, const Gap& gap);

    std::map<std::string, Gap>
        gaps_;  // By the name of the relation that bounds it, as plans say it.
};

}  // namespace highwater::engine
