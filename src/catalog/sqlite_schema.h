#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "catalog/generation.h"
#include "catalog/sqlite_connection.h"

namespace highwater::catalog {

/// The version of the tables below, kept in the database as its user_version.
constexpr std::int64_t schema_version = 1;

/// The statements that make the tables of an empty catalog.
///
/// Source: docs/formats/catalog-sqlite.md
std::string_view schema_sql();

/// Makes the tables of an empty catalog in an empty database, all or nothing.
///
/// Errors: already_exists  there is a catalog, which is untouched; denied  another database;
///         those of SqliteConnection::error; outcome_unknown.
Result<void> make_schema(SqliteConnection& connection, const Epoch& epoch);

/// Checks that the database is a catalog that this build can read.
///
/// Errors: corrupt      not a catalog, or one whose creation was cut short
///         unsupported  made by a newer version
Result<void> verify_schema(SqliteConnection& connection);

}  // namespace highwater::catalog
