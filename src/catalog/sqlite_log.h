#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/commit_rules.h"
#include "catalog/sqlite_connection.h"

namespace highwater::catalog {

// The rows of generations. Within a transaction of the caller.
// Errors of all: those of SqliteConnection::error; corrupt, naming the generation.

/// The newest generation, in the epoch that the catalog is in now.
Result<Generation> load_head(SqliteConnection& connection);

/// Generation `number`, as it was committed; 0 in the epoch that the catalog is in now.
/// Requires: number <= the head's.
Result<Generation> load_generation(SqliteConnection& connection, std::uint64_t number);

/// When generation `number` was committed. Requires: 0 < number <= the head's.
Result<Time> load_time(SqliteConnection& connection, std::uint64_t number);

Result<std::optional<GenerationRecord>> find_record(SqliteConnection& connection,
                                                    const Catalog::By& by);

/// Records with numbers in (after, ...], at most `limit`, each linked to the one before.
Result<std::vector<GenerationRecord>> load_records(SqliteConnection& connection,
                                                   std::uint64_t after, std::size_t limit);

/// As find_record, but only what tells a repetition.
Result<std::optional<KnownCommit>> find_known(SqliteConnection& connection, const Catalog::By& by);

/// Adds the row of a record, not what it touched.
Result<void> insert_record(SqliteConnection& connection, const GenerationRecord& record);

}  // namespace highwater::catalog
