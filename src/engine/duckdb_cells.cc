#include "engine/duckdb_cells.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "base/try.h"
#include "engine/cell_text.h"

namespace highwater::engine {

namespace {

using model::ColumnType;
using model::TimeUnit;
using parquet::Cells;

constexpr std::int32_t integer_128_digits = 39;

/// What a chunk's columns, and the values within nested ones, are read through.
struct Values {
    explicit Values(duckdb_vector from)
        : vector(from),
          data(duckdb_vector_get_data(from)),
          validity(duckdb_vector_get_validity(from)) {}

    bool is_null(idx_t row) const {
        return validity != nullptr && !duckdb_validity_row_is_valid(validity, row);
    }

    template <typename T>
    T at(idx_t row) const {
        return static_cast<const T*>(data)[row];
    }

    BytesView bytes_at(idx_t row) const {
        auto* text = static_cast<duckdb_string_t*>(data) + row;
        return {duckdb_string_t_data(text), duckdb_string_t_length(*text)};
    }

    duckdb_vector vector;
    void* data;
    std::uint64_t* validity;
};

/// A logical type that is destroyed with its owner.
class LogicalType {
public:
    explicit LogicalType(duckdb_logical_type type) : type_(type) {}
    ~LogicalType() { duckdb_destroy_logical_type(&type_); }
    LogicalType(const LogicalType&) = delete;
    LogicalType& operator=(const LogicalType&) = delete;

    duckdb_logical_type get() const { return type_; }
    duckdb_type id() const { return duckdb_get_type_id(type_); }

private:
    duckdb_logical_type type_;
};

/// Takes a text that DuckDB allocated.
std::string take_text(char* text) {
    std::string taken = text == nullptr ? "" : text;
    duckdb_free(text);
    return taken;
}

bool is_nested(duckdb_type id) {
    switch (id) {
        case DUCKDB_TYPE_LIST:
        case DUCKDB_TYPE_ARRAY:
        case DUCKDB_TYPE_STRUCT:
        case DUCKDB_TYPE_MAP:
        case DUCKDB_TYPE_UNION: return true;
        default: return false;
    }
}

/// Our type for DuckDB's, if there is one; strings for what is shown as text or JSON.
std::optional<ColumnType> find_type(duckdb_type id) {
    switch (id) {
        case DUCKDB_TYPE_BOOLEAN: return ColumnType::boolean;
        case DUCKDB_TYPE_TINYINT: return ColumnType::int8;
        case DUCKDB_TYPE_SMALLINT: return ColumnType::int16;
        case DUCKDB_TYPE_INTEGER: return ColumnType::int32;
        case DUCKDB_TYPE_BIGINT: return ColumnType::int64;
        case DUCKDB_TYPE_UTINYINT: return ColumnType::uint8;
        case DUCKDB_TYPE_USMALLINT: return ColumnType::uint16;
        case DUCKDB_TYPE_UINTEGER: return ColumnType::uint32;
        case DUCKDB_TYPE_UBIGINT: return ColumnType::uint64;
        case DUCKDB_TYPE_FLOAT: return ColumnType::float32;
        case DUCKDB_TYPE_DOUBLE: return ColumnType::float64;
        case DUCKDB_TYPE_BLOB: return ColumnType::binary;
        case DUCKDB_TYPE_DATE: return ColumnType::date;
        case DUCKDB_TYPE_DECIMAL:
        case DUCKDB_TYPE_HUGEINT:
        case DUCKDB_TYPE_UHUGEINT: return ColumnType::decimal;
        case DUCKDB_TYPE_TIMESTAMP:
        case DUCKDB_TYPE_TIMESTAMP_TZ:
        case DUCKDB_TYPE_TIMESTAMP_S:
        case DUCKDB_TYPE_TIMESTAMP_MS:
        case DUCKDB_TYPE_TIMESTAMP_NS: return ColumnType::timestamp;
        case DUCKDB_TYPE_VARCHAR:
        case DUCKDB_TYPE_SQLNULL:
        case DUCKDB_TYPE_TIME:
        case DUCKDB_TYPE_TIME_NS:
        case DUCKDB_TYPE_TIME_TZ:
        case DUCKDB_TYPE_INTERVAL:
        case DUCKDB_TYPE_UUID:
        case DUCKDB_TYPE_ENUM: return ColumnType::string;
        default: break;
    }
    if (is_nested(id)) return ColumnType::string;
    return std::nullopt;
}

// ---- text of the types that we have no type for -----------------------------------------------

std::string format_time_of_day(std::int64_t value, std::int64_t per_second) {
    const std::int64_t seconds = value / per_second;
    const std::int64_t ns = value % per_second * (1'000'000'000 / per_second);
    std::string text =
        fmt::format("{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60, seconds % 60);
    if (ns == 0) return text;
    if (ns % 1'000 == 0) return text + fmt::format(".{:06}", ns / 1'000);
    return text + fmt::format(".{:09}", ns);
}

std::string format_time_tz(duckdb_time_tz value) {
    const duckdb_time_tz_struct parts = duckdb_from_time_tz(value);
    const std::int64_t micros = duckdb_to_time(parts.time).micros;
    const int zone = std::abs(parts.offset);
    std::string text = format_time_of_day(micros, 1'000'000);
    text +=
        fmt::format("{}{:02}:{:02}", parts.offset < 0 ? '-' : '+', zone / 3'600, zone / 60 % 60);
    return zone % 60 == 0 ? text : text + fmt::format(":{:02}", zone % 60);
}

/// ISO 8601; each part may be negative.
std::string format_interval(duckdb_interval value) {
    std::string text = "P";
    if (value.months != 0) text += fmt::format("{}M", value.months);
    if (value.days != 0) text += fmt::format("{}D", value.days);
    if (value.micros != 0 || text.size() == 1) {
        const std::int64_t fraction = std::abs(value.micros % 1'000'000);
        text += value.micros < 0 ? "T-" : "T";
        text += fmt::format("{}", std::abs(value.micros / 1'000'000));
        if (fraction != 0) text += fmt::format(".{:06}", fraction);
        text += "S";
    }
    return text;
}

std::string format_uuid_bits(duckdb_hugeint value) {
    // The top bit is flipped, so that 128-bit integers sort as UUIDs do.
    const auto high = static_cast<std::uint64_t>(value.upper) ^ (std::uint64_t{1} << 63U);
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, high >> 16U & 0xFFFF,
                       high & 0xFFFF, value.lower >> 48U, value.lower & 0xFFFF'FFFF'FFFF);
}

std::string format_enum(const Values& values, idx_t row, duckdb_logical_type type) {
    idx_t index = 0;
    switch (duckdb_enum_internal_type(type)) {
        case DUCKDB_TYPE_UTINYINT: index = values.at<std::uint8_t>(row); break;
        case DUCKDB_TYPE_USMALLINT: index = values.at<std::uint16_t>(row); break;
        default: index = values.at<std::uint32_t>(row); break;
    }
    return take_text(duckdb_enum_dictionary_value(type, index));
}

// ---- cells of our types -----------------------------------------------------------------------

std::array<char, parquet::decimal_size_bytes> to_decimal_bytes(std::uint64_t low,
                                                               std::uint64_t high) {
    std::array<char, parquet::decimal_size_bytes> bytes{};
    std::memcpy(bytes.data(), &low, sizeof(low));
    std::memcpy(bytes.data() + sizeof(low), &high, sizeof(high));
    return bytes;
}

void append_decimal(Cells& cells, std::uint64_t low, std::uint64_t high) {
    const auto bytes = to_decimal_bytes(low, high);
    cells.append_bytes({bytes.data(), bytes.size()});
}

void append_decimal(Cells& cells, std::int64_t value) {
    append_decimal(cells, static_cast<std::uint64_t>(value), value < 0 ? ~std::uint64_t{0} : 0);
}

void append_decimal(Cells& cells, const Values& values, idx_t row, duckdb_logical_type type) {
    switch (duckdb_decimal_internal_type(type)) {
        case DUCKDB_TYPE_SMALLINT: return append_decimal(cells, values.at<std::int16_t>(row));
        case DUCKDB_TYPE_INTEGER: return append_decimal(cells, values.at<std::int32_t>(row));
        case DUCKDB_TYPE_BIGINT: return append_decimal(cells, values.at<std::int64_t>(row));
        default: {
            const auto value = values.at<duckdb_hugeint>(row);
            return append_decimal(cells, value.lower, static_cast<std::uint64_t>(value.upper));
        }
    }
}

Result<void> append_unsigned_128(Cells& cells, duckdb_uhugeint value) {
    if ((value.upper >> 63U) != 0) {
        return Error(Code::invalid_argument,
                     "an unsigned 128-bit integer is too large to be shown: cast it to VARCHAR");
    }
    append_decimal(cells, value.lower, value.upper);
    return {};
}

Result<void> append_seconds(Cells& cells, std::int64_t seconds) {
    std::int64_t value = 0;
    if (__builtin_mul_overflow(seconds, std::int64_t{1'000}, &value)) {
        return Error(Code::invalid_argument, "a timestamp is out of range: cast it to VARCHAR");
    }
    cells.append_integer(value);
    return {};
}

Result<std::string> format_nested(const Values& values, idx_t row, duckdb_logical_type type);

/// The types whose value is one integer.
std::optional<std::int64_t> find_integer(const Values& values, idx_t row, duckdb_type id) {
    switch (id) {
        case DUCKDB_TYPE_BOOLEAN: return values.at<bool>(row) ? 1 : 0;
        case DUCKDB_TYPE_TINYINT: return values.at<std::int8_t>(row);
        case DUCKDB_TYPE_SMALLINT: return values.at<std::int16_t>(row);
        case DUCKDB_TYPE_DATE:
        case DUCKDB_TYPE_INTEGER: return values.at<std::int32_t>(row);
        case DUCKDB_TYPE_UTINYINT: return values.at<std::uint8_t>(row);
        case DUCKDB_TYPE_USMALLINT: return values.at<std::uint16_t>(row);
        case DUCKDB_TYPE_UINTEGER: return values.at<std::uint32_t>(row);
        case DUCKDB_TYPE_BIGINT:
        case DUCKDB_TYPE_UBIGINT:
        case DUCKDB_TYPE_TIMESTAMP:
        case DUCKDB_TYPE_TIMESTAMP_TZ:
        case DUCKDB_TYPE_TIMESTAMP_MS:
        case DUCKDB_TYPE_TIMESTAMP_NS: return values.at<std::int64_t>(row);
        default: return std::nullopt;
    }
}

/// The types that are shown as text of our own making.
std::optional<std::string> find_text(const Values& values, idx_t row, duckdb_logical_type type) {
    switch (duckdb_get_type_id(type)) {
        case DUCKDB_TYPE_TIME: return format_time_of_day(values.at<std::int64_t>(row), 1'000'000);
        case DUCKDB_TYPE_TIME_NS:
            return format_time_of_day(values.at<std::int64_t>(row), 1'000'000'000);
        case DUCKDB_TYPE_TIME_TZ: return format_time_tz(values.at<duckdb_time_tz>(row));
        case DUCKDB_TYPE_INTERVAL: return format_interval(values.at<duckdb_interval>(row));
        case DUCKDB_TYPE_UUID: return format_uuid_bits(values.at<duckdb_hugeint>(row));
        case DUCKDB_TYPE_ENUM: return format_enum(values, row, type);
        default: return std::nullopt;
    }
}

Result<void> append_value(Cells& cells, const Values& values, idx_t row, duckdb_logical_type type) {
    const duckdb_type id = duckdb_get_type_id(type);
    if (const auto integer = find_integer(values, row, id)) {
        cells.append_integer(*integer);
        return {};
    }
    switch (id) {
        case DUCKDB_TYPE_TIMESTAMP_S: return append_seconds(cells, values.at<std::int64_t>(row));
        case DUCKDB_TYPE_FLOAT:
            cells.append_floating(static_cast<double>(values.at<float>(row)));
            return {};
        case DUCKDB_TYPE_DOUBLE: cells.append_floating(values.at<double>(row)); return {};
        case DUCKDB_TYPE_VARCHAR:
        case DUCKDB_TYPE_BLOB: cells.append_bytes(values.bytes_at(row)); return {};
        case DUCKDB_TYPE_DECIMAL: append_decimal(cells, values, row, type); return {};
        case DUCKDB_TYPE_HUGEINT: {
            const auto value = values.at<duckdb_hugeint>(row);
            append_decimal(cells, value.lower, static_cast<std::uint64_t>(value.upper));
            return {};
        }
        case DUCKDB_TYPE_UHUGEINT:
            return append_unsigned_128(cells, values.at<duckdb_uhugeint>(row));
        default: break;
    }
    const auto text = find_text(values, row, type);
    cells.append_bytes(text ? *text : TRY(format_nested(values, row, type)));
    return {};
}

// ---- nested values as JSON ----------------------------------------------------------------------

Result<std::string> format_element(const Values& values, idx_t row, duckdb_logical_type type) {
    if (values.is_null(row)) return std::string("null");
    if (is_nested(duckdb_get_type_id(type))) return format_nested(values, row, type);
    const ResultColumn column = TRY(describe_column("", type));
    Cells cells(column.type);
    TRY(append_value(cells, values, row, type));
    return format_json_cell(column, cells, 0);
}

std::string quote(std::string text) {
    return format_json(Json(std::move(text)));
}

Result<std::string> format_list(duckdb_vector child, duckdb_logical_type type, idx_t from,
                                idx_t count) {
    const Values elements(child);
    std::string text = "[";
    for (idx_t i = 0; i < count; ++i) {
        if (i > 0) text += ',';
        text += TRY(format_element(elements, from + i, type));
    }
    return text + "]";
}

Result<std::string> format_struct(const Values& values, idx_t row, duckdb_logical_type type) {
    std::string text = "{";
    for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
        if (i > 0) text += ',';
        const LogicalType member(duckdb_struct_type_child_type(type, i));
        text += quote(take_text(duckdb_struct_type_child_name(type, i))) + ":";
        text += TRY(format_element(Values(duckdb_struct_vector_get_child(values.vector, i)), row,
                                   member.get()));
    }
    return text + "}";
}

/// [{"key":...,"value":...},...]: JSON's own members would have to be text and unique.
Result<std::string> format_map(const Values& values, idx_t row, duckdb_logical_type type) {
    const LogicalType key(duckdb_map_type_key_type(type));
    const LogicalType value(duckdb_map_type_value_type(type));
    const duckdb_vector entries = duckdb_list_vector_get_child(values.vector);
    const Values keys(duckdb_struct_vector_get_child(entries, 0));
    const Values members(duckdb_struct_vector_get_child(entries, 1));
    const auto extent = values.at<duckdb_list_entry>(row);
    std::string text = "[";
    for (idx_t i = extent.offset; i < extent.offset + extent.length; ++i) {
        if (i > extent.offset) text += ',';
        text += "{\"key\":" + TRY(format_element(keys, i, key.get()));
        text += ",\"value\":" + TRY(format_element(members, i, value.get())) + "}";
    }
    return text + "]";
}

/// {"<tag>":value}. The tag is the first child, the members follow.
Result<std::string> format_union(const Values& values, idx_t row, duckdb_logical_type type) {
    const Values tags(duckdb_struct_vector_get_child(values.vector, 0));
    const idx_t tag = tags.at<std::uint8_t>(row);
    const LogicalType member(duckdb_union_type_member_type(type, tag));
    const Values members(duckdb_struct_vector_get_child(values.vector, tag + 1));
    return "{" + quote(take_text(duckdb_union_type_member_name(type, tag))) + ":" +
           TRY(format_element(members, row, member.get())) + "}";
}

Result<std::string> format_nested(const Values& values, idx_t row, duckdb_logical_type type) {
    switch (duckdb_get_type_id(type)) {
        case DUCKDB_TYPE_LIST: {
            const LogicalType child(duckdb_list_type_child_type(type));
            const auto extent = values.at<duckdb_list_entry>(row);
            return format_list(duckdb_list_vector_get_child(values.vector), child.get(),
                               extent.offset, extent.length);
        }
        case DUCKDB_TYPE_ARRAY: {
            const LogicalType child(duckdb_array_type_child_type(type));
            const idx_t size = duckdb_array_type_array_size(type);
            return format_list(duckdb_array_vector_get_child(values.vector), child.get(),
                               row * size, size);
        }
        case DUCKDB_TYPE_MAP: return format_map(values, row, type);
        case DUCKDB_TYPE_UNION: return format_union(values, row, type);
        default: return format_struct(values, row, type);
    }
}

}  // namespace

Result<ResultColumn> describe_column(const char* name, duckdb_logical_type type) {
    const duckdb_type id = duckdb_get_type_id(type);
    ResultColumn column{.name = name == nullptr ? "" : name};
    const auto shown = find_type(id);
    if (!shown) {
        return Error(Code::invalid_argument,
                     "column " + format_quoted(column.name) +
                         " has a type that cannot be shown: cast it to VARCHAR");
    }
    column.type = *shown;
    column.is_json = is_nested(id);
    column.is_utc = id == DUCKDB_TYPE_TIMESTAMP_TZ || column.type != ColumnType::timestamp;
    if (id == DUCKDB_TYPE_TIMESTAMP_S || id == DUCKDB_TYPE_TIMESTAMP_MS) {
        column.unit = TimeUnit::millisecond;
    } else if (id == DUCKDB_TYPE_TIMESTAMP_NS) {
        column.unit = TimeUnit::nanosecond;
    }
    if (id == DUCKDB_TYPE_DECIMAL) {
        column.decimal_precision = duckdb_decimal_width(type);
        column.decimal_scale = duckdb_decimal_scale(type);
    } else if (column.type == ColumnType::decimal) {
        column.decimal_precision = integer_128_digits;
    }
    return column;
}

Result<Cells> read_cells(duckdb_data_chunk chunk, std::uint64_t index, const ResultColumn& column) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, index);
    const LogicalType type(duckdb_vector_get_column_type(vector));
    const Values values(vector);
    const idx_t rows = duckdb_data_chunk_get_size(chunk);
    const bool is_all_null = type.id() == DUCKDB_TYPE_SQLNULL;
    Cells cells(column.type);
    for (idx_t row = 0; row < rows; ++row) {
        if (is_all_null || values.is_null(row)) {
            cells.append_null();
        } else {
            TRY(append_value(cells, values, row, type.get()));
        }
    }
    return cells;
}

}  // namespace highwater::engine
