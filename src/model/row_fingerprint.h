#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/digest.h"

namespace highwater::model {

/// The name of the algorithm below, stored beside every fingerprint.
constexpr std::string_view row_fingerprint_algorithm = "rows-sha256-sum/1";

/// Adds up the row fingerprint of a table's rows: the sum modulo 2^256 of SHA-256 over each row's
/// canonical typed encoding. Equal for the same multiset of rows in any order and any files.
///
/// A row is `begin_row`, then its non-null cells in ascending column id, then `end_row`. A null
/// cell adds nothing, so that a nullable column added later leaves older rows as they were.
/// Integers of all widths encode alike by value, so do float32 and float64 (float32 widened
/// exactly); every NaN is one NaN; -0.0 stays different from 0.0; timestamps are nanoseconds
/// whatever the table's unit; decimals are the unscaled integer and the scale.
///
/// Requires: that order of calls, column ids >= 1.
/// Not thread-safe; sums from several threads are added up with DigestSum.
/// Cost: 0.2 us for a row of five numbers; no allocation beyond the longest row so far.
/// Source: docs/formats/row-fingerprint.md
class RowFingerprint {
public:
    void begin_row();
    void add_bool(std::int32_t column_id, bool value);
    void add_int(std::int32_t column_id, std::int64_t value);
    void add_uint(std::int32_t column_id, std::uint64_t value);  // As add_int up to 2^63 - 1.
    void add_double(std::int32_t column_id, double value);
    void add_string(std::int32_t column_id, std::string_view value);
    void add_binary(std::int32_t column_id, BytesView value);
    void add_date(std::int32_t column_id, std::int64_t days);
    void add_timestamp_ns(std::int32_t column_id, std::int64_t ns);
    /// Requires: `unscaled` is 16 little-endian bytes, two's complement.
    void add_decimal(std::int32_t column_id, BytesView unscaled, std::int32_t scale);
    void end_row();

    /// Over the rows that have ended.
    const DigestSum& sum() const { return sum_; }
    std::uint64_t rows() const { return rows_; }

private:
    void begin_cell(std::int32_t column_id, char tag);
    void add_number(std::int32_t column_id, char tag, std::uint64_t value);
    void add_bytes(std::int32_t column_id, char tag, BytesView value);

    Bytes row_;  // Empty between rows.
    std::int32_t last_column_id_ = 0;
    DigestSum sum_;
    std::uint64_t rows_ = 0;
};

}  // namespace highwater::model
