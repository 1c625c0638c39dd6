#include "parquet/rows.h"

#include <algorithm>
#include <bit>
#include <compare>

#include "base/assert.h"

namespace highwater::parquet {

namespace {

int sign_of(std::strong_ordering ordering) {
    return ordering < 0 ? -1 : ordering > 0 ? 1 : 0;
}

/// 16 little-endian bytes in two's complement, as numbers.
int compare_decimals(BytesView left, BytesView right) {
    const auto top = [](BytesView bytes) { return static_cast<signed char>(bytes.back()); };
    if (top(left) != top(right)) return top(left) < top(right) ? -1 : 1;
    for (std::size_t i = decimal_size_bytes - 1; i-- > 0;) {
        const auto a = static_cast<unsigned char>(left[i]);
        const auto b = static_cast<unsigned char>(right[i]);
        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

std::int64_t ns_per(model::TimeUnit unit) {
    switch (unit) {
        case model::TimeUnit::millisecond: return 1'000'000;
        case model::TimeUnit::microsecond: return 1'000;
        case model::TimeUnit::nanosecond: return 1;
    }
    return 1;
}

void add_cell(model::RowFingerprint& fingerprint, const model::Column& column, model::TimeUnit unit,
              const Cells& cells, std::size_t row) {
    using model::ColumnType;
    switch (column.type) {
        case ColumnType::boolean:
            return fingerprint.add_bool(column.id, cells.integer_at(row) != 0);
        case ColumnType::uint64:
            return fingerprint.add_uint(column.id,
                                        static_cast<std::uint64_t>(cells.integer_at(row)));
        case ColumnType::float32:
        case ColumnType::float64: return fingerprint.add_double(column.id, cells.floating_at(row));
        case ColumnType::string: return fingerprint.add_string(column.id, cells.bytes_at(row));
        case ColumnType::binary: return fingerprint.add_binary(column.id, cells.bytes_at(row));
        case ColumnType::date: return fingerprint.add_date(column.id, cells.integer_at(row));
        case ColumnType::timestamp:
            return fingerprint.add_timestamp_ns(column.id, cells.integer_at(row) * ns_per(unit));
        case ColumnType::decimal:
            return fingerprint.add_decimal(column.id, cells.bytes_at(row), column.decimal_scale);
        default: return fingerprint.add_int(column.id, cells.integer_at(row));
    }
}

}  // namespace

Storage storage_of(model::ColumnType type) {
    using model::ColumnType;
    switch (type) {
        case ColumnType::float32:
        case ColumnType::float64: return Storage::floating;
        case ColumnType::string:
        case ColumnType::binary:
        case ColumnType::decimal: return Storage::bytes;
        default: return Storage::integer;
    }
}

void Cells::append_integer(std::int64_t value) {
    ASSERT(storage_of(type_) == Storage::integer);
    is_null_.push_back(0);
    words_.push_back(static_cast<std::uint64_t>(value));
}

void Cells::append_floating(double value) {
    ASSERT(storage_of(type_) == Storage::floating);
    is_null_.push_back(0);
    words_.push_back(std::bit_cast<std::uint64_t>(value));
}

void Cells::append_bytes(BytesView value) {
    ASSERT(storage_of(type_) == Storage::bytes);
    ASSERT(type_ != model::ColumnType::decimal || value.size() == decimal_size_bytes);
    is_null_.push_back(0);
    bytes_.append(value);
    words_.push_back(bytes_.size());
}

void Cells::append_null() {
    is_null_.push_back(1);
    words_.push_back(storage_of(type_) == Storage::bytes ? bytes_.size() : 0);
}

void Cells::append_from(const Cells& other, std::size_t row) {
    if (other.is_null(row)) return append_null();
    switch (storage_of(type_)) {
        case Storage::integer: return append_integer(other.integer_at(row));
        case Storage::floating: return append_floating(other.floating_at(row));
        case Storage::bytes: return append_bytes(other.bytes_at(row));
    }
}

void Cells::clear() {
    is_null_.clear();
    words_.clear();
    bytes_.clear();
}

std::int64_t Cells::integer_at(std::size_t row) const {
    return static_cast<std::int64_t>(words_[row]);
}

double Cells::floating_at(std::size_t row) const {
    return std::bit_cast<double>(words_[row]);
}

BytesView Cells::bytes_at(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : words_[row - 1];
    return BytesView(bytes_).substr(begin, words_[row] - begin);
}

std::size_t RowBatch::size_bytes() const {
    std::size_t size = 0;
    for (const Cells& cells : columns) size += cells.size_bytes();
    return size;
}

RowBatch make_batch(const model::Schema& schema) {
    RowBatch batch;
    batch.columns.reserve(schema.columns.size());
    for (const model::Column& column : schema.columns) batch.columns.emplace_back(column.type);
    return batch;
}

void append_row(RowBatch& to, const RowBatch& from, std::size_t row) {
    ASSERT(to.columns.size() == from.columns.size());
    for (std::size_t i = 0; i < to.columns.size(); ++i) {
        to.columns[i].append_from(from.columns[i], row);
    }
}

int compare_cells(const Cells& left, std::size_t left_row, const Cells& right,
                  std::size_t right_row) {
    ASSERT(left.type() == right.type());
    const bool left_null = left.is_null(left_row);
    const bool right_null = right.is_null(right_row);
    if (left_null || right_null) return static_cast<int>(right_null) - static_cast<int>(left_null);
    switch (storage_of(left.type())) {
        case Storage::integer: {
            const std::int64_t a = left.integer_at(left_row);
            const std::int64_t b = right.integer_at(right_row);
            if (left.type() != model::ColumnType::uint64) return sign_of(a <=> b);
            return sign_of(static_cast<std::uint64_t>(a) <=> static_cast<std::uint64_t>(b));
        }
        case Storage::floating:
            return sign_of(
                std::strong_order(left.floating_at(left_row), right.floating_at(right_row)));
        case Storage::bytes: break;
    }
    const BytesView a = left.bytes_at(left_row);
    const BytesView b = right.bytes_at(right_row);
    if (left.type() == model::ColumnType::decimal) return compare_decimals(a, b);
    return sign_of(a <=> b);
}

std::optional<Time> to_time(std::int64_t value, model::TimeUnit unit) {
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(value, ns_per(unit), &ns)) return std::nullopt;
    return time_from_ns(ns);
}

bool add_row(model::RowFingerprint& fingerprint, const model::Schema& schema, const RowBatch& batch,
             std::size_t row) {
    for (const Cells& cells : batch.columns) {
        if (cells.type() != model::ColumnType::timestamp || cells.is_null(row)) continue;
        if (!to_time(cells.integer_at(row), schema.unit)) return false;
    }
    fingerprint.begin_row();
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        if (batch.columns[i].is_null(row)) continue;
        add_cell(fingerprint, schema.columns[i], schema.unit, batch.columns[i], row);
    }
    fingerprint.end_row();
    return true;
}

}  // namespace highwater::parquet
