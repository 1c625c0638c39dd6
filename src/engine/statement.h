#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "engine/duckdb_session.h"

namespace highwater::engine {

/// A parse tree takes a thousand times the memory of its text.
constexpr std::size_t sql_size_max = std::size_t{256} << 10U;

/// Checks that `sql` is one SELECT that reads nothing but `tables` (in lower case), its own common
/// table expressions, and functions that make rows from their arguments alone (range,
/// generate_series, unnest, repeat, json_each, json_tree): no file by its name, no other function
/// that stands in place of a table, no list of what the session has.
///
/// Looks at the statement as DuckDB's parser understands it; nothing is bound, opened or run.
/// Errors: invalid_argument  no such statement; exhausted  larger than `sql_size_max`;
///         denied            it reads something else.
Result<void> verify_statement(Session& session, const std::string& sql,
                              const std::set<std::string>& tables);

/// `text` with A-Z as a-z, as DuckDB compares names.
std::string fold_case(std::string text);

}  // namespace highwater::engine
