#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/json.h"
#include "engine/result.h"
#include "model/schema.h"
#include "parquet/rows.h"

namespace highwater::engine {

/// One cell as text, the same on every machine: true, -7, 0.1 (the shortest that reads back the
/// same), NaN, Infinity, text as it is, bytes in hexadecimal, 2026-10-06, 2026-10-06T09:00:00.250Z
/// (without Z when it is no instant), 12.50. Requires: not null.
std::string format_cell(const ResultColumn& column, const parquet::Cells& cells, std::size_t row);

/// One cell as a JSON value: null, booleans, numbers (decimals too, with all their digits), JSON
/// documents as they are, all else as `format_cell` in a string; also NaN and the infinities.
std::string format_json_cell(const ResultColumn& column, const parquet::Cells& cells,
                             std::size_t row);

/// "2026-10-06"; any day of 32 bits, years beyond 9999 with a sign.
std::string format_date(std::int64_t days);

/// As base/time.h writes it, for all 64 bits. The two ends of the range of microseconds that the
/// engines use are "infinity" and "-infinity".
std::string format_timestamp(std::int64_t value, model::TimeUnit unit, bool is_utc);

/// `unscaled`: 16 little-endian bytes, two's complement.
std::string format_decimal(BytesView unscaled, std::int32_t scale);

std::string format_float(double value, bool is_float32);

}  // namespace highwater::engine
