#pragma once

#include <cstdint>

#include "base/result.h"
#include "engine/result.h"
#include "parquet/rows.h"

// Handles of DuckDB's C interface, which pass through here without its header.
struct _duckdb_data_chunk;
struct _duckdb_logical_type;

namespace highwater::engine {

/// How a column of DuckDB's type `type` is shown. Types of our own are kept; 128-bit integers
/// become decimals; times of day, intervals, UUIDs and enums become text; lists, structs, maps and
/// unions become JSON.
///
/// Errors: invalid_argument  any other type; the message advises a cast.
Result<ResultColumn> describe_column(const char* name, _duckdb_logical_type* type);

/// Reads column `index` of a chunk, every row.
///
/// Requires: `column` is what describe_column said of it.
/// Errors: invalid_argument  a value that the column cannot show.
Result<parquet::Cells> read_cells(_duckdb_data_chunk* chunk, std::uint64_t index,
                                  const ResultColumn& column);

}  // namespace highwater::engine
