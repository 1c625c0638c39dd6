#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/commit_rules.h"
#include "catalog/sqlite_connection.h"

namespace highwater::catalog {

// The rows of partitions, their objects and the names that these made known. Within a transaction
// of the caller. Errors of all: those of SqliteConnection::error; corrupt, naming the partition.

/// Appends the states as of generation number `at` of the partitions of `table` in `hours`, in hour
/// order. Cost: O(what is appended) with `is_head`, when `at` is the head; else O(states ever).
Result<void> append_partitions(SqliteConnection& connection, const TableId& table,
                               const model::HourRange& hours, std::uint64_t at, bool is_head,
                               std::vector<std::shared_ptr<const Partition>>& out);

/// The newest state, as far as a commit is judged by it.
Result<std::optional<PartitionState>> find_newest(SqliteConnection& connection,
                                                  const PartitionKey& key);

/// The partitions that generation `number` touched, in key order.
Result<std::vector<PartitionKey>> load_touched_partitions(SqliteConnection& connection,
                                                          std::uint64_t number);

/// What happened to partitions after generation number `since`, in key order.
Result<std::vector<PartitionChange>> load_changed_partitions(SqliteConnection& connection,
                                                             std::uint64_t since);

/// Adds the state that a partition is in from generation number `partition.changed` on.
Result<void> insert_partition(SqliteConnection& connection, const Partition& partition);

Result<std::optional<NameRecord>> find_name(SqliteConnection& connection, const TableId& table,
                                            const std::string& path);
Result<void> put_name(SqliteConnection& connection, const NameRecord& name);

}  // namespace highwater::catalog
