#include "model/row_fingerprint.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace highwater::model {

namespace {

/// What every row begins with, so that no other digest is ever that of a row.
constexpr std::string_view row_domain = "row/1";

constexpr std::uint64_t the_nan = 0x7FF8'0000'0000'0000U;
constexpr std::size_t decimal_size_bytes = 16;

template <typename Integer>
void append_little_endian(Bytes& out, Integer value) {
    static_assert(std::endian::native == std::endian::little);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void RowFingerprint::begin_row() {
    ASSERT(row_.empty());
    row_ = row_domain;
    last_column_id_ = 0;
}

void RowFingerprint::begin_cell(std::int32_t column_id, char tag) {
    ASSERT(!row_.empty());
    ASSERT(column_id > last_column_id_);
    last_column_id_ = column_id;
    append_little_endian(row_, column_id);
    row_ += tag;
}

void RowFingerprint::add_number(std::int32_t column_id, char tag, std::uint64_t value) {
    begin_cell(column_id, tag);
    append_little_endian(row_, value);
}

void RowFingerprint::add_bytes(std::int32_t column_id, char tag, BytesView value) {
    add_number(column_id, tag, value.size());
    row_ += value;
}

void RowFingerprint::add_bool(std::int32_t column_id, bool value) {
    begin_cell(column_id, 'b');
    row_ += value ? '\1' : '\0';
}

void RowFingerprint::add_int(std::int32_t column_id, std::int64_t value) {
    add_number(column_id, 'i', static_cast<std::uint64_t>(value));
}

void RowFingerprint::add_uint(std::int32_t column_id, std::uint64_t value) {
    constexpr std::uint64_t int_max = std::numeric_limits<std::int64_t>::max();
    add_number(column_id, value <= int_max ? 'i' : 'u', value);
}

void RowFingerprint::add_double(std::int32_t column_id, double value) {
    add_number(column_id, 'f', std::isnan(value) ? the_nan : std::bit_cast<std::uint64_t>(value));
}

void RowFingerprint::add_string(std::int32_t column_id, std::string_view value) {
    add_bytes(column_id, 's', value);
}

void RowFingerprint::add_binary(std::int32_t column_id, BytesView value) {
    add_bytes(column_id, 'x', value);
}

void RowFingerprint::add_date(std::int32_t column_id, std::int64_t days) {
    add_number(column_id, 'd', static_cast<std::uint64_t>(days));
}

void RowFingerprint::add_timestamp_ns(std::int32_t column_id, std::int64_t ns) {
    add_number(column_id, 't', static_cast<std::uint64_t>(ns));
}

void RowFingerprint::add_decimal(std::int32_t column_id, BytesView unscaled, std::int32_t scale) {
    ASSERT(unscaled.size() == decimal_size_bytes);
    begin_cell(column_id, 'm');
    row_ += unscaled;
    append_little_endian(row_, scale);
}

void RowFingerprint::end_row() {
    ASSERT(!row_.empty());
    sum_ += digest_of(row_);
    ++rows_;
    row_.clear();
}

}  // namespace highwater::model
