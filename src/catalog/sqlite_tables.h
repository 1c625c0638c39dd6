#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/sqlite_connection.h"
#include "catalog/table.h"

namespace highwater::catalog {

// The rows of tables, their states and schemas. Within a transaction of the caller.
// Errors of all: those of SqliteConnection::error; corrupt, naming the table.

/// The number that other rows know a table by.
Result<std::optional<std::int64_t>> find_table_row(SqliteConnection& connection,
                                                   const TableId& table);

/// Every table as of generation number `at`, in id order.
Result<std::vector<Table>> load_tables(SqliteConnection& connection, std::uint64_t at);

/// One table as of generation number `at`.
Result<std::optional<Table>> find_table(SqliteConnection& connection, const TableId& table,
                                        std::uint64_t at);

/// The tables that were created or changed after generation number `since`, as of `at`.
Result<std::vector<Table>> load_changed_tables(SqliteConnection& connection, std::uint64_t since,
                                               std::uint64_t at);

/// The tables that generation `number` itself touched, in order.
Result<std::vector<TableId>> load_touched_tables(SqliteConnection& connection,
                                                 std::uint64_t number);

/// Adds the state that `table` is in from generation number `table.changed` on.
Result<void> insert_table(SqliteConnection& connection, const Table& table);

}  // namespace highwater::catalog
