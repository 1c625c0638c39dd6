#include "catalog/table_json.h"

#include "base/canonical.h"
#include "base/try.h"

namespace highwater::catalog {

namespace {

Error broken(std::string_view member) {
    return Error(Code::corrupt, "a table record without a valid " + std::string(member));
}

Result<std::string> text_of(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    if (member == nullptr || member->find_string() == nullptr) return broken(name);
    return *member->find_string();
}

Result<std::uint64_t> count_of(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    if (member == nullptr || !member->has_uint64()) return broken(name);
    return member->as_uint64();
}

Result<const Json::Array*> list_of(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    if (member == nullptr || member->find_array() == nullptr) return broken(name);
    return member->find_array();
}

Json schema_json(const SchemaVersion& version) {
    Json columns = Json::array();
    for (const auto& column : version.schema.columns) {
        columns.push_back(Json::object(
            {{"id", std::int64_t{column.id}}, {"column", model::format_column(column)}}));
    }
    return Json::object({{"version", std::uint64_t{version.version}},
                         {"since_generation", version.since},
                         {"time_column", version.schema.time_column},
                         {"unit", model::to_text(version.schema.unit)},
                         {"columns", std::move(columns)}});
}

Result<SchemaVersion> parse_schema(const Json& json) {
    SchemaVersion version;
    version.version = static_cast<std::uint32_t>(TRY(count_of(json, "version")));
    version.since = TRY(count_of(json, "since_generation"));
    version.schema.time_column = TRY(text_of(json, "time_column"));
    const auto unit = model::parse_time_unit(TRY(text_of(json, "unit")));
    if (!unit) return broken("unit");
    version.schema.unit = *unit;
    for (const Json& member : *TRY(list_of(json, "columns"))) {
        auto column = model::parse_column(TRY(text_of(member, "column")));
        if (!column.ok()) return broken("column");
        column->id = static_cast<std::int32_t>(TRY(count_of(member, "id")));
        version.schema.columns.push_back(*std::move(column));
    }
    if (!model::verify_schema(version.schema).ok()) return broken("schema");
    return version;
}

Result<model::PathPattern> parse_pattern(const Json& json) {
    const std::string text = TRY(text_of(json, "pattern"));
    const Json* fixed = json.find("fixed_date");
    std::optional<std::string> date;
    if (fixed != nullptr) date = TRY(text_of(json, "fixed_date"));
    auto pattern = model::PathPattern::parse(text, date);
    if (!pattern.ok()) return broken("pattern");
    return pattern;
}

}  // namespace

Json to_json(const Table& table) {
    Json schemas = Json::array();
    for (const auto& version : table.schemas) schemas.push_back(schema_json(version));
    Json json = Json::object({{"name", table.name},
                              {"table_id", format_uuid(table.id.value)},
                              {"location", table.location},
                              {"pattern", table.pattern.text()},
                              {"incarnation", table.incarnation},
                              {"created_generation", table.created},
                              {"changed_generation", table.changed},
                              {"is_dropped", table.dropped},
                              {"schemas", std::move(schemas)}});
    if (table.pattern.fixed_date()) json.set("fixed_date", *table.pattern.fixed_date());
    return json;
}

Result<Table> parse_table(const Json& json) {
    Table table;
    table.name = TRY(text_of(json, "name"));
    auto id = parse_uuid(TRY(text_of(json, "table_id")));
    if (!id.ok()) return broken("table_id");
    table.id = {*id};
    table.location = TRY(text_of(json, "location"));
    table.pattern = TRY(parse_pattern(json));
    table.incarnation = TRY(count_of(json, "incarnation"));
    table.created = TRY(count_of(json, "created_generation"));
    table.changed = TRY(count_of(json, "changed_generation"));
    const Json* dropped = json.find("is_dropped");
    if (dropped == nullptr || dropped->find_bool() == nullptr) return broken("is_dropped");
    table.dropped = *dropped->find_bool();
    for (const Json& member : *TRY(list_of(json, "schemas"))) {
        table.schemas.push_back(TRY(parse_schema(member)));
    }
    if (table.schemas.empty()) return broken("schemas");
    return table;
}

Digest digest_of_change(Operation operation, const Table& table) {
    CanonicalWriter writer("highwater.table-change", 1);
    writer.add_text(to_text(operation)).add_text(format_uuid(table.id.value));
    writer.add_text(table.name).add_text(table.location).add_unsigned(table.incarnation);
    writer.add_text(table.pattern.text()).add_bool(table.dropped);
    const model::Schema& schema = table.current().schema;
    writer.add_unsigned(table.current().version).add_text(schema.time_column);
    writer.add_text(model::to_text(schema.unit)).add_list_size(schema.columns.size());
    for (const auto& column : schema.columns) {
        writer.add_signed(column.id).add_text(model::format_column(column));
    }
    return writer.digest();
}

}  // namespace highwater::catalog
