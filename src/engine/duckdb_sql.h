#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/schema.h"

namespace highwater::engine {

// Pieces of SQL as DuckDB reads it. What comes from outside is quoted here and nowhere else.

/// 'it''s'
std::string quote_literal(std::string_view text);

/// "a ""name"""
std::string quote_identifier(std::string_view name);

/// ['a','b']
std::string quote_list(const std::vector<std::string>& texts);

/// DuckDB's name of a column's type.
std::string sql_type(const model::Column& column);

/// The first instant of whole microseconds that is not before `time`, as a literal.
std::string sql_time(Time time);

/// read_parquet over exactly `paths`, as a table of the columns of `schema` and, under the name
/// "filename", where each row was read. Columns are found by name and cast to their type; one that
/// a file lacks is null. Nothing is taken from the names of folders.
std::string sql_read_files(const std::vector<std::string>& paths, const model::Schema& schema);

}  // namespace highwater::engine
