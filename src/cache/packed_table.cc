#include "cache/packed_table.h"

#include <algorithm>
#include <optional>

namespace highwater::cache {

namespace {

constexpr unsigned is_dropped = 1U << 0U;
constexpr unsigned has_fixed_date = 1U << 1U;
constexpr unsigned table_flags = (1U << 2U) - 1;

constexpr std::size_t schema_size_min = 5;
constexpr std::size_t column_size_min = 6;

std::uint32_t read_u32(PackedReader& in) {
    const std::uint64_t value = in.read_unsigned();
    if (value > UINT32_MAX) in.fail();
    return static_cast<std::uint32_t>(value);
}

std::int32_t read_i32(PackedReader& in) {
    const std::int64_t value = in.read_signed();
    if (value < INT32_MIN || value > INT32_MAX) in.fail();
    return static_cast<std::int32_t>(value);
}

void add_column(PackedWriter& out, const model::Column& column) {
    out.add_signed(column.id);
    out.add_text(column.name);
    out.add_byte(static_cast<std::uint8_t>(column.type));
    out.add_byte(column.nullable ? 1 : 0);
    out.add_signed(column.decimal_precision);
    out.add_signed(column.decimal_scale);
}

model::Column read_column(PackedReader& in) {
    model::Column column;
    column.id = read_i32(in);
    column.name = in.read_text();
    const std::uint8_t type = in.read_byte();
    if (type > static_cast<std::uint8_t>(model::ColumnType::decimal)) in.fail();
    column.type = static_cast<model::ColumnType>(type);
    const std::uint8_t nullable = in.read_byte();
    if (nullable > 1) in.fail();
    column.nullable = nullable == 1;
    column.decimal_precision = read_i32(in);
    column.decimal_scale = read_i32(in);
    return column;
}

void add_schema(PackedWriter& out, const catalog::SchemaVersion& version) {
    out.add_unsigned(version.version);
    out.add_unsigned(version.since);
    out.add_text(version.schema.time_column);
    out.add_byte(static_cast<std::uint8_t>(version.schema.unit));
    out.add_unsigned(version.schema.columns.size());
    for (const model::Column& column : version.schema.columns) add_column(out, column);
}

catalog::SchemaVersion read_schema(PackedReader& in) {
    catalog::SchemaVersion version;
    version.version = read_u32(in);
    version.since = in.read_unsigned();
    version.schema.time_column = in.read_text();
    const std::uint8_t unit = in.read_byte();
    if (unit > static_cast<std::uint8_t>(model::TimeUnit::nanosecond)) in.fail();
    version.schema.unit = static_cast<model::TimeUnit>(unit);
    const std::size_t columns = in.read_count(column_size_min);
    for (std::size_t i = 0; i < columns; ++i) version.schema.columns.push_back(read_column(in));
    return version;
}

}  // namespace

void add_generation(PackedWriter& out, const catalog::Generation& generation) {
    out.add_unsigned(generation.epoch.ordinal);
    out.add_unsigned(generation.epoch.random);
    out.add_unsigned(generation.number);
    out.add_digest(generation.chain);
}

catalog::Generation read_generation(PackedReader& in) {
    catalog::Generation generation;
    generation.epoch.ordinal = read_u32(in);
    generation.epoch.random = in.read_unsigned();
    generation.number = in.read_unsigned();
    generation.chain = in.read_digest();
    return generation;
}

void add_table_id(PackedWriter& out, const catalog::TableId& id) {
    const auto& bytes = id.value.bytes;
    out.add_raw({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

catalog::TableId read_table_id(PackedReader& in) {
    catalog::TableId id;
    const BytesView raw = in.read_raw(id.value.bytes.size());
    std::ranges::copy(raw, id.value.bytes.begin());
    return id;
}

void add_table(PackedWriter& out, const catalog::Table& table) {
    const auto& fixed_date = table.pattern.fixed_date();
    unsigned flags = 0;
    if (table.dropped) flags |= is_dropped;
    if (fixed_date) flags |= has_fixed_date;
    out.add_byte(static_cast<std::uint8_t>(flags));
    out.add_text(table.name);
    out.add_text(table.location);
    out.add_unsigned(table.incarnation);
    out.add_unsigned(table.created);
    out.add_unsigned(table.changed);
    out.add_text(table.pattern.text());
    if (fixed_date) out.add_text(*fixed_date);
    out.add_unsigned(table.schemas.size());
    for (const catalog::SchemaVersion& version : table.schemas) add_schema(out, version);
}

catalog::Table read_table(PackedReader& in, const catalog::TableId& id) {
    catalog::Table table;
    table.id = id;
    const unsigned flags = in.read_byte();
    if (flags > table_flags) in.fail();
    table.dropped = (flags & is_dropped) != 0;
    table.name = in.read_text();
    table.location = in.read_text();
    table.incarnation = in.read_unsigned();
    table.created = in.read_unsigned();
    table.changed = in.read_unsigned();
    const std::string text(in.read_text());
    std::optional<std::string_view> fixed_date;
    if (flags & has_fixed_date) fixed_date = in.read_text();
    const std::size_t schemas = in.read_count(schema_size_min);
    for (std::size_t i = 0; i < schemas; ++i) table.schemas.push_back(read_schema(in));
    if (schemas == 0) in.fail();
    if (in.failed()) return table;
    auto pattern = model::PathPattern::parse(text, fixed_date);
    if (pattern.ok()) {
        table.pattern = *std::move(pattern);
    } else {
        in.fail();
    }
    return table;
}

}  // namespace highwater::cache
