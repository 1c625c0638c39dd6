#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace highwater::model {

/// The unit that a table's times are stored in.
enum class TimeUnit : std::uint8_t { millisecond, microsecond, nanosecond };

/// What a column holds. Timestamps are UTC-adjusted in the table's unit.
enum class ColumnType : std::uint8_t {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    string,  // UTF-8
    binary,
    date,       // days since 1970-01-01
    timestamp,  // in the table's unit, UTC
    decimal,    // up to 38 digits, with precision and scale
};

constexpr std::size_t column_name_size_max = 255;

/// One column. Its id is its Parquet field id and never changes or returns.
struct Column {
    std::int32_t id = 0;  // >= 1
    std::string name;     // 1..255 bytes of UTF-8, no control character; not "hour", not "filename"
    ColumnType type = ColumnType::float64;
    bool nullable = true;
    std::int32_t decimal_precision = 0;  // 1..38 for decimal, else 0
    std::int32_t decimal_scale = 0;      // 0..precision

    friend bool operator==(const Column&, const Column&) = default;
};

/// The columns of a table at one schema version, in table order (ids ascend).
struct Schema {
    std::vector<Column> columns;
    std::string time_column;  // A timestamp column that is not nullable.
    TimeUnit unit = TimeUnit::microsecond;

    /// The column of exactly that name, or nullptr.
    const Column* find(std::string_view name) const;

    friend bool operator==(const Schema&, const Schema&) = default;
};

constexpr std::size_t columns_max = 1'000;

/// True when a file's `from` may be read as a table's `to` without changing any value: the same
/// type, or a narrower integer or float of the same kind (int32 as int64, float32 as float64).
/// Nothing else is: a timestamp needs the same unit.
bool is_lossless(ColumnType from, ColumnType to);

std::string_view to_text(ColumnType type);
std::string_view to_text(TimeUnit unit);

/// The inverse of to_text; "decimal(10,2)" is a type of its own: see parse_column.
std::optional<ColumnType> parse_column_type(std::string_view text);
std::optional<TimeUnit> parse_time_unit(std::string_view text);

/// "name:type" or "name:type!" (not nullable), as the command line writes columns; a decimal with
/// precision and scale, "price:decimal(10,2)". The id is 0: it is given by the column's place.
///
/// Errors: invalid_argument  another form, a name that is not valid or reserved, an unknown type.
Result<Column> parse_column(std::string_view text);
std::string format_column(const Column& column);

/// Checks what `Schema` requires: ids positive and ascending, names unique, valid and not
/// reserved, the time column there, a timestamp, not nullable, at most `columns_max` columns.
/// Names are compared without regard to the case of ASCII letters, as SQL does.
///
/// Errors: invalid_argument, naming the column.
Result<void> verify_schema(const Schema& schema);

/// `schema` with one more nullable column under the next free id.
///
/// Errors: invalid_argument  the name is taken, reserved or not valid; or the column is not
/// nullable.
Result<Schema> add_column(const Schema& schema, Column column);

}  // namespace highwater::model
