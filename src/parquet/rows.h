#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "model/row_fingerprint.h"
#include "model/schema.h"

namespace highwater::parquet {

/// How the values of a column type are kept in memory.
enum class Storage : std::uint8_t {
    integer,   // boolean, all integers, date, timestamp; uint64 as the same 64 bits
    floating,  // float32 (widened exactly) and float64
    bytes,     // string, binary; decimal as 16 little-endian bytes of the unscaled integer
};

Storage storage_of(model::ColumnType type);

constexpr std::size_t decimal_size_bytes = 16;

/// The cells of one column, in row order. A value type.
class Cells {
public:
    explicit Cells(model::ColumnType type) : type_(type) {}

    model::ColumnType type() const { return type_; }
    std::size_t size() const { return is_null_.size(); }
    /// Memory that the values take, without what is reserved.
    std::size_t size_bytes() const { return is_null_.size() + words_.size() * 8 + bytes_.size(); }

    /// Requires: the storage of the type is what the name says.
    void append_integer(std::int64_t value);
    void append_floating(double value);
    void append_bytes(BytesView value);
    void append_null();
    /// Requires: `other` has the same type, row < other.size().
    void append_from(const Cells& other, std::size_t row);
    void clear();

    /// Requires: row < size(), and for the values: not null, the storage as the name says.
    bool is_null(std::size_t row) const { return is_null_[row] != 0; }
    std::int64_t integer_at(std::size_t row) const;
    double floating_at(std::size_t row) const;
    BytesView bytes_at(std::size_t row) const;

    friend bool operator==(const Cells&, const Cells&) = default;

private:
    model::ColumnType type_;
    std::vector<std::uint8_t> is_null_;
    std::vector<std::uint64_t> words_;  // The value's bits, or where it ends in bytes_.
    Bytes bytes_;
};

/// Rows of one schema: a column of cells for each of its columns, in its order. Timestamps are in
/// the schema's unit.
struct RowBatch {
    std::vector<Cells> columns;

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
    std::size_t size_bytes() const;

    friend bool operator==(const RowBatch&, const RowBatch&) = default;
};

/// An empty batch for `schema`.
RowBatch make_batch(const model::Schema& schema);

/// Requires: both batches are of one schema.
void append_row(RowBatch& to, const RowBatch& from, std::size_t row);

/// A total order of the cells of one type: null first, then by value; floats as IEEE 754
/// totalOrder, bytes as unsigned, decimals (of one scale) as numbers. Negative, zero or positive.
int compare_cells(const Cells& left, std::size_t left_row, const Cells& right,
                  std::size_t right_row);

/// The instant that a timestamp cell stands for; nothing when it is outside the range of Time.
std::optional<Time> to_time(std::int64_t value, model::TimeUnit unit);

/// Adds one row to a fingerprint. False, and nothing is added, when a timestamp is outside the
/// range of Time.
[[nodiscard]] bool add_row(model::RowFingerprint& fingerprint, const model::Schema& schema,
                           const RowBatch& batch, std::size_t row);

}  // namespace highwater::parquet
