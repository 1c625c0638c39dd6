#include "engine/duckdb_sql.h"

#include <fmt/format.h>

namespace highwater::engine {

namespace {

std::string quote(std::string_view text, char mark) {
    std::string quoted(1, mark);
    for (const char character : text) {
        if (character == mark) quoted += mark;
        quoted += character;
    }
    return quoted + mark;
}

}  // namespace

std::string quote_literal(std::string_view text) {
    return quote(text, '\'');
}

std::string quote_identifier(std::string_view name) {
    return quote(name, '"');
}

std::string quote_list(const std::vector<std::string>& texts) {
    std::string list = "[";
    for (const std::string& text : texts) {
        if (list.size() > 1) list += ',';
        list += quote_literal(text);
    }
    return list + "]";
}

std::string sql_type(const model::Column& column) {
    using model::ColumnType;
    switch (column.type) {
        case ColumnType::boolean: return "BOOLEAN";
        case ColumnType::int8: return "TINYINT";
        case ColumnType::int16: return "SMALLINT";
        case ColumnType::int32: return "INTEGER";
        case ColumnType::int64: return "BIGINT";
        case ColumnType::uint8: return "UTINYINT";
        case ColumnType::uint16: return "USMALLINT";
        case ColumnType::uint32: return "UINTEGER";
        case ColumnType::uint64: return "UBIGINT";
        case ColumnType::float32: return "FLOAT";
        case ColumnType::float64: return "DOUBLE";
        case ColumnType::string: return "VARCHAR";
        case ColumnType::binary: return "BLOB";
        case ColumnType::date: return "DATE";
        case ColumnType::timestamp: return "TIMESTAMP WITH TIME ZONE";
        case ColumnType::decimal:
            return fmt::format("DECIMAL({},{})", column.decimal_precision, column.decimal_scale);
    }
    return "VARCHAR";
}

std::string sql_time(Time time) {
    auto micros = std::chrono::floor<std::chrono::microseconds>(time);
    if (micros < time) micros += std::chrono::microseconds(1);
    return fmt::format("make_timestamptz({})", micros.time_since_epoch().count());
}

std::string sql_read_files(const std::vector<std::string>& paths, const model::Schema& schema) {
    std::string columns;
    for (const model::Column& column : schema.columns) {
        if (!columns.empty()) columns += ',';
        const std::string name = quote_literal(column.name);
        columns += fmt::format("{}: {{name: {}, type: {}, default_value: NULL}}", name, name,
                               quote_literal(sql_type(column)));
    }
    return fmt::format(
        "read_parquet({}, filename = true, hive_partitioning = false, schema = MAP {{{}}})",
        quote_list(paths), columns);
}

}  // namespace highwater::engine
