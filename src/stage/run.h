#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "parquet/rows.h"

namespace highwater::stage {

/// A row as it waits in a run: its length in 4 bytes, then its cells in column order, each a byte
/// (1: null) and the value. Runs live only as long as the process that wrote them.
void append_run_row(const parquet::RowBatch& batch, std::size_t row, Bytes& bytes);

/// What `take_run_row` needs at least to know how long a row is.
constexpr std::size_t run_prefix_size = 4;

/// The size of the row that `bytes` begins with, its prefix included. Requires: run_prefix_size
/// bytes.
std::size_t run_row_size(BytesView bytes);

/// Appends the row that `bytes` begins with to `batch` and takes it off `bytes`.
///
/// Errors: corrupt  the bytes are no such row.
Result<void> take_run_row(BytesView& bytes, parquet::RowBatch& batch);

}  // namespace highwater::stage
