#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "model/schema.h"
#include "parquet/inspect.h"
#include "parquet/rows.h"

namespace highwater::parquet {

/// How the values of one column of a file become cells of a table's column.
struct CellPlan {
    FileColumn from;  // Without a type: each value becomes a null.
    model::ColumnType to = model::ColumnType::float64;
    model::TimeUnit unit = model::TimeUnit::microsecond;  // Of the schema; timestamps only.
    std::chrono::minutes local_zone{0};
    bool truncate_times = false;
};

// Each appends one value, after checking that it is one of the type that the file declares.
//
// Errors: corrupt           it is not (out of range of its type, not UTF-8).
//         invalid_argument  a time that the schema's unit cannot say.

Result<void> append_integer(const CellPlan& plan, std::int64_t value, Cells& cells);
Result<void> append_bytes(const CellPlan& plan, BytesView value, Cells& cells);
/// `value` is the three words of an INT96 timestamp: nanoseconds of the day (low, high), Julian
/// day.
Result<void> append_int96(const CellPlan& plan, const std::array<std::uint32_t, 3>& value,
                          Cells& cells);

/// `value` in the unit `to`, `zone` subtracted: floored when `truncate`, else only if it is exact.
///
/// Errors: invalid_argument  not exact, or out of range.
Result<std::int64_t> convert_time(std::int64_t value, model::TimeUnit from, model::TimeUnit to,
                                  std::chrono::minutes zone, bool truncate);

/// 16 little-endian bytes of the big-endian two's complement number `value`; nothing when it takes
/// more, or more than `precision` decimal digits.
std::optional<std::array<char, decimal_size_bytes>> decode_decimal(BytesView value,
                                                                   std::int32_t precision);

}  // namespace highwater::parquet
