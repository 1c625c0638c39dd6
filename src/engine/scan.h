#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "model/schema.h"

namespace highwater::engine {

/// A condition whose column is known and whose literal fits it: whole numbers as the column's kind
/// of integer, times exactly in the table's unit.
struct ResolvedCondition {
    const model::Column* column = nullptr;
    Comparison comparison = Comparison::equal;
    Literal literal;
};

/// A scan that can be run. Lifetime: points into the schema it was resolved with.
struct ResolvedScan {
    std::vector<const model::Column*> columns;
    std::vector<ResolvedCondition> conditions;
    std::vector<ResultColumn> result;  // Those of `columns`, then "filename" if it was asked for.
};

/// Finds what `scan` names in `schema`.
///
/// Errors: invalid_argument  a column that is not there, or asked for twice; a literal of another
/// kind
///                           than its column, NaN, or one that its column cannot hold.
Result<ResolvedScan> resolve_scan(const Scan& scan, const model::Schema& schema);

/// `time` in whole units, rounded up: a stored time is before `time` iff it is below the result.
std::int64_t ceil_to_unit(Time time, model::TimeUnit unit);

}  // namespace highwater::engine
