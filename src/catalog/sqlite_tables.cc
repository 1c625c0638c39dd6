#include "catalog/sqlite_tables.h"

#include "base/try.h"
#include "catalog/seals.h"

namespace highwater::catalog {

namespace {

using Row = SqliteQuery::Row;

Error damaged(const Table& table, const std::string& why) {
    return {Code::corrupt, "catalog: table '" + table.name + "' as of generation " +
                               std::to_string(table.changed) + " " + why};
}

/// A state as its row says it, without schemas, and what it must add up to.
struct TableRow {
    std::int64_t id = 0;
    Table table;
    Digest seal;
};

// ?1 is the generation number.
const std::string tables_at =
    "SELECT t.id, t.uuid, s.added, s.name, s.location, s.incarnation, s.created, s.dropped, "
    "s.pattern, s.pattern_date, s.digest FROM tables t JOIN table_states s ON s.table_id = t.id "
    "WHERE s.added <= ?1 AND (s.removed IS NULL OR s.removed > ?1) ";
const std::string every_table_at = tables_at + "ORDER BY t.uuid";
const std::string one_table_at = tables_at + "AND t.uuid = ?2";
const std::string changed_tables_at =
    tables_at + "AND t.id IN (SELECT table_id FROM table_states WHERE added > ?2) ORDER BY t.uuid";

Result<TableRow> take_table(SqliteQuery& query) {
    TableRow row;
    row.id = query.take_int64();
    row.table.id = {query.take_uuid()};
    row.table.changed = query.take_uint64();
    row.table.name = query.take_text();
    row.table.location = query.take_text();
    row.table.incarnation = query.take_uint64();
    row.table.created = query.take_uint64();
    row.table.dropped = query.take_bool();
    const std::string pattern = query.take_text();
    const auto date = query.take_optional(&SqliteQuery::take_text);
    row.seal = query.take_digest();
    TRY(query.verify("table '" + row.table.name + "'"));
    auto parsed = model::PathPattern::parse(pattern, date);
    if (!parsed) return damaged(row.table, "has a pattern that is none");
    row.table.pattern = *std::move(parsed);
    return row;
}

Result<void> load_columns(SqliteConnection& connection, const TableRow& row,
                          SchemaVersion& schema) {
    SqliteQuery query = TRY(connection.prepare(
        "SELECT id, name, type, nullable, decimal_precision, decimal_scale FROM columns "
        "WHERE table_id = ? AND version = ? ORDER BY id"));
    query.bind(row.id).bind(schema.version);
    while (TRY(query.next()) == Row::found) {
        model::Column column;
        column.id = query.take_int32();
        column.name = query.take_text();
        const auto type = model::parse_column_type(query.take_text());
        column.nullable = query.take_bool();
        column.decimal_precision = query.take_int32();
        column.decimal_scale = query.take_int32();
        TRY(query.verify("a column of table '" + row.table.name + "'"));
        if (!type) return damaged(row.table, "has a column of no known type");
        column.type = *type;
        schema.schema.columns.push_back(std::move(column));
    }
    return {};
}

Result<void> load_schemas(SqliteConnection& connection, TableRow& row) {
    SqliteQuery query =
        TRY(connection.prepare("SELECT version, since, time_column, unit FROM schemas "
                               "WHERE table_id = ? AND since <= ? ORDER BY version"));
    query.bind(row.id).bind(row.table.changed);
    while (TRY(query.next()) == Row::found) {
        SchemaVersion schema;
        schema.version = query.take_uint32();
        schema.since = query.take_uint64();
        schema.schema.time_column = query.take_text();
        const auto unit = model::parse_time_unit(query.take_text());
        TRY(query.verify("a schema of table '" + row.table.name + "'"));
        if (!unit) return damaged(row.table, "has no known unit of time");
        schema.schema.unit = *unit;
        TRY(load_columns(connection, row, schema));
        row.table.schemas.push_back(std::move(schema));
    }
    return {};
}

Result<std::vector<Table>> load_all(SqliteConnection& connection, SqliteQuery query) {
    std::vector<TableRow> rows;
    while (TRY(query.next()) == Row::found) rows.push_back(TRY(take_table(query)));
    std::vector<Table> tables;
    for (TableRow& row : rows) {
        TRY(load_schemas(connection, row));
        if (row.table.schemas.empty() || row.seal != seal_of(row.table)) {
            return damaged(row.table, "is not as it was committed");
        }
        if (!tables.empty() && tables.back().id == row.table.id) {
            return damaged(row.table, "is in two states at once");
        }
        tables.push_back(std::move(row.table));
    }
    return tables;
}

Result<std::int64_t> ensure_table_row(SqliteConnection& connection, const TableId& table) {
    SqliteQuery query =
        TRY(connection.prepare("INSERT INTO tables (uuid) VALUES (?) ON CONFLICT DO NOTHING"));
    TRY(query.bind(table.value).run());
    const auto row = TRY(find_table_row(connection, table));
    if (!row) return Error(Code::corrupt, "catalog: a new table is not there");
    return *row;
}

Result<void> insert_schema(SqliteConnection& connection, std::int64_t table,
                           const SchemaVersion& schema) {
    SqliteQuery version = TRY(connection.prepare("INSERT INTO schemas VALUES (?, ?, ?, ?, ?)"));
    version.bind(table).bind(schema.version).bind(schema.since);
    version.bind(schema.schema.time_column).bind(model::to_text(schema.schema.unit));
    TRY(version.run());
    for (const model::Column& column : schema.schema.columns) {
        SqliteQuery query =
            TRY(connection.prepare("INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
        query.bind(table).bind(schema.version).bind(std::int64_t{column.id}).bind(column.name);
        query.bind(model::to_text(column.type)).bind(column.nullable);
        query.bind(std::int64_t{column.decimal_precision}).bind(std::int64_t{column.decimal_scale});
        TRY(query.run());
    }
    return {};
}

}  // namespace

Result<std::optional<std::int64_t>> find_table_row(SqliteConnection& connection,
                                                   const TableId& table) {
    SqliteQuery query = TRY(connection.prepare("SELECT id FROM tables WHERE uuid = ?"));
    query.bind(table.value);
    if (TRY(query.next()) == Row::end) return std::optional<std::int64_t>();
    const std::int64_t row = query.take_int64();
    TRY(query.verify("the number of a table"));
    return std::optional(row);
}

Result<std::vector<Table>> load_tables(SqliteConnection& connection, std::uint64_t at) {
    SqliteQuery query = TRY(connection.prepare(every_table_at));
    query.bind(at);
    return load_all(connection, std::move(query));
}

Result<std::optional<Table>> find_table(SqliteConnection& connection, const TableId& table,
                                        std::uint64_t at) {
    SqliteQuery query = TRY(connection.prepare(one_table_at));
    query.bind(at).bind(table.value);
    std::vector<Table> tables = TRY(load_all(connection, std::move(query)));
    if (tables.empty()) return std::optional<Table>();
    return std::optional(std::move(tables.front()));
}

Result<std::vector<Table>> load_changed_tables(SqliteConnection& connection, std::uint64_t since,
                                               std::uint64_t at) {
    SqliteQuery query = TRY(connection.prepare(changed_tables_at));
    query.bind(at).bind(since);
    return load_all(connection, std::move(query));
}

Result<std::vector<TableId>> load_touched_tables(SqliteConnection& connection,
                                                 std::uint64_t number) {
    SqliteQuery query = TRY(
        connection.prepare("SELECT t.uuid FROM table_states s JOIN tables t ON t.id = s.table_id "
                           "WHERE s.added = ? ORDER BY t.uuid"));
    query.bind(number);
    std::vector<TableId> tables;
    while (TRY(query.next()) == Row::found) tables.push_back({query.take_uuid()});
    TRY(query.verify("a table of generation " + std::to_string(number)));
    return tables;
}

Result<void> insert_table(SqliteConnection& connection, const Table& table) {
    const std::int64_t row = TRY(ensure_table_row(connection, table.id));
    SqliteQuery before = TRY(connection.prepare(
        "UPDATE table_states SET removed = ? WHERE table_id = ? AND removed IS NULL"));
    TRY(before.bind(table.changed).bind(row).run());
    SqliteQuery query = TRY(
        connection.prepare("INSERT INTO table_states VALUES (?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)"));
    query.bind(row).bind(table.changed).bind(table.name).bind(table.location);
    query.bind(table.incarnation).bind(table.created).bind(table.dropped);
    query.bind(table.pattern.text()).bind(table.pattern.fixed_date()).bind(seal_of(table));
    TRY(query.run());
    for (const SchemaVersion& schema : table.schemas) {
        if (schema.since == table.changed) TRY(insert_schema(connection, row, schema));
    }
    return {};
}

}  // namespace highwater::catalog
