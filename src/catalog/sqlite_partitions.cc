#include "catalog/sqlite_partitions.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "catalog/seals.h"
#include "catalog/sqlite_tables.h"

namespace highwater::catalog {

namespace {

using Row = SqliteQuery::Row;

std::string name_of(const PartitionKey& key) {
    const bool is_hour = model::hour_min <= key.hour && key.hour <= model::hour_max;
    return "hour " +
           (is_hour ? model::format_hour(key.hour) : std::to_string(key.hour.since_epoch)) +
           " of table " + format_uuid(key.table.value);
}

Error damaged(const Partition& partition, const std::string& why) {
    return {Code::corrupt, "catalog: " + name_of(partition.key) + ", registered by generation " +
                               std::to_string(partition.changed) + ", " + why};
}

std::optional<DigestPolicy> parse_policy(std::string_view text) {
    for (const auto policy : {DigestPolicy::always, DigestPolicy::never}) {
        if (to_text(policy) == text) return policy;
    }
    return std::nullopt;
}

constexpr std::array<std::pair<KnownName::State, std::string_view>, 4> states{{
    {KnownName::State::live, "live"},
    {KnownName::State::tombstoned, "tombstoned"},
    {KnownName::State::deleting, "deleting"},
    {KnownName::State::deleted, "deleted"},
}};

std::optional<KnownName::State> parse_state(std::string_view text) {
    for (const auto& [state, known] : states) {
        if (known == text) return state;
    }
    return std::nullopt;
}

std::string_view to_text(KnownName::State state) {
    return std::ranges::find(states, state, &decltype(states)::value_type::first)->second;
}

/// A state as its row says it, without objects, and what it must add up to.
struct PartitionRow {
    std::int64_t id = 0;
    Partition partition;
    Digest seal;
};

const std::string partitions_of =
    "SELECT id, hour, added, root, has_own_root, incarnation, retired, declared_empty, "
    "digest_policy, inventory, digest FROM partitions "
    "WHERE table_id = ?1 AND hour >= ?2 AND hour < ?3 ";
const std::string newest_partitions = partitions_of + "AND removed IS NULL ORDER BY hour";
const std::string partitions_at =
    partitions_of + "AND added <= ?4 AND (removed IS NULL OR removed > ?4) ORDER BY hour";

Result<PartitionRow> take_partition(SqliteQuery& query, const TableId& table) {
    PartitionRow row;
    row.id = query.take_int64();
    Partition& partition = row.partition;
    partition.key = {table, {query.take_int64()}};
    partition.changed = query.take_uint64();
    partition.root = query.take_text();
    partition.has_own_root = query.take_bool();
    partition.incarnation = query.take_uint64();
    partition.retired = query.take_bool();
    partition.declared_empty = query.take_optional(&SqliteQuery::take_text);
    const auto policy = parse_policy(query.take_text());
    partition.inventory = query.take_digest();
    row.seal = query.take_digest();
    TRY(query.verify(name_of(partition.key)));
    if (!policy) return damaged(partition, "has an unknown digest policy");
    partition.digest_policy = *policy;
    return row;
}

RegisteredObject take_object(SqliteQuery& query) {
    RegisteredObject object;
    object.path = query.take_text();
    object.size_bytes = query.take_uint64();
    object.record_count = query.take_uint64();
    object.schema_version = query.take_uint32();
    object.sha256 = query.take_optional(&SqliteQuery::take_digest);
    object.row_fingerprint = query.take_optional(&SqliteQuery::take_digest);
    object.min_time = query.take_optional(&SqliteQuery::take_time);
    object.max_time = query.take_optional(&SqliteQuery::take_time);
    object.derived_by_gate = query.take_bool();
    object.identity.size_bytes = query.take_uint64();
    object.identity.mtime_ns = query.take_int64();
    object.identity.ctime_ns = query.take_int64();
    object.identity.inode = query.take_uint64();
    object.identity.version = query.take_uint64();
    return object;
}

Result<void> load_objects(SqliteConnection& connection, PartitionRow& row) {
    SqliteQuery query = TRY(connection.prepare(
        "SELECT path, size_bytes, record_count, schema_version, sha256, row_fingerprint, "
        "min_time_ns, max_time_ns, derived_by_gate, identity_size_bytes, identity_mtime_ns, "
        "identity_ctime_ns, identity_inode, identity_version FROM objects "
        "WHERE partition_id = ? ORDER BY path"));
    query.bind(row.id);
    while (TRY(query.next()) == Row::found) row.partition.objects.push_back(take_object(query));
    return query.verify("an object of " + name_of(row.partition.key));
}

Result<void> insert_object(SqliteConnection& connection, std::int64_t partition,
                           const RegisteredObject& object) {
    SqliteQuery query = TRY(connection.prepare(
        "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    query.bind(partition).bind(object.path).bind(object.size_bytes).bind(object.record_count);
    query.bind(object.schema_version).bind(object.sha256).bind(object.row_fingerprint);
    query.bind(object.min_time).bind(object.max_time).bind(object.derived_by_gate);
    query.bind(object.identity.size_bytes).bind(object.identity.mtime_ns);
    query.bind(object.identity.ctime_ns).bind(object.identity.inode);
    return query.bind(object.identity.version).run();
}

Result<std::int64_t> get_table_row(SqliteConnection& connection, const TableId& table) {
    const auto row = TRY(find_table_row(connection, table));
    if (row) return *row;
    return Error(Code::corrupt, "catalog: no table " + format_uuid(table.value));
}

}  // namespace

Result<void> append_partitions(SqliteConnection& connection, const TableId& table,
                               const model::HourRange& hours, std::uint64_t at, bool is_head,
                               std::vector<std::shared_ptr<const Partition>>& out) {
    const auto table_row = TRY(find_table_row(connection, table));
    if (!table_row) return {};
    SqliteQuery query = TRY(connection.prepare(is_head ? newest_partitions : partitions_at));
    query.bind(*table_row).bind(hours.from.since_epoch).bind(hours.to.since_epoch);
    if (!is_head) query.bind(at);
    std::optional<PartitionKey> before;
    while (TRY(query.next()) == Row::found) {
        PartitionRow row = TRY(take_partition(query, table));
        TRY(load_objects(connection, row));
        const Partition& partition = row.partition;
        if (partition.inventory != inventory_of(partition)) {
            return damaged(partition, "has other objects than were committed");
        }
        if (row.seal != seal_of(partition)) return damaged(partition, "is not as committed");
        if (before == partition.key) return damaged(partition, "is in two states at once");
        before = partition.key;
        out.push_back(std::make_shared<const Partition>(std::move(row.partition)));
    }
    return {};
}

Result<std::optional<PartitionState>> find_newest(SqliteConnection& connection,
                                                  const PartitionKey& key) {
    SqliteQuery query =
        TRY(connection.prepare("SELECT p.root, p.incarnation, p.added, p.retired FROM tables t "
                               "JOIN partitions p ON p.table_id = t.id "
                               "WHERE t.uuid = ? AND p.hour = ? AND p.removed IS NULL"));
    query.bind(key.table.value).bind(key.hour.since_epoch);
    if (TRY(query.next()) == Row::end) return std::optional<PartitionState>();
    PartitionState state;
    state.root = query.take_text();
    state.incarnation = query.take_uint64();
    state.changed = query.take_uint64();
    state.retired = query.take_bool();
    TRY(query.verify(name_of(key)));
    return std::optional(std::move(state));
}

Result<std::vector<PartitionKey>> load_touched_partitions(SqliteConnection& connection,
                                                          std::uint64_t number) {
    SqliteQuery query = TRY(connection.prepare(
        "SELECT t.uuid, p.hour FROM partitions p JOIN tables t ON t.id = p.table_id "
        "WHERE p.added = ? ORDER BY t.uuid, p.hour"));
    query.bind(number);
    std::vector<PartitionKey> keys;
    while (TRY(query.next()) == Row::found) {
        const TableId table{query.take_uuid()};
        keys.push_back({table, {query.take_int64()}});
    }
    TRY(query.verify("a partition of generation " + std::to_string(number)));
    return keys;
}

Result<std::vector<PartitionChange>> load_changed_partitions(SqliteConnection& connection,
                                                             std::uint64_t since) {
    // Left alone, SQLite would take the index by hour, for the grouping, and read all of it.
    SqliteQuery query = TRY(connection.prepare(
        "SELECT t.uuid, p.hour, min(p.added), max(p.added) "
        "FROM partitions p INDEXED BY partitions_added JOIN tables t ON t.id = p.table_id "
        "WHERE p.added > ? GROUP BY p.table_id, p.hour ORDER BY t.uuid, p.hour"));
    query.bind(since);
    std::vector<PartitionChange> changes;
    while (TRY(query.next()) == Row::found) {
        const TableId table{query.take_uuid()};
        const model::Hour hour{query.take_int64()};
        const std::uint64_t first = query.take_uint64();
        changes.push_back({{table, hour}, first, query.take_uint64()});
    }
    TRY(query.verify("a change since generation " + std::to_string(since)));
    return changes;
}

Result<void> insert_partition(SqliteConnection& connection, const Partition& partition) {
    const std::int64_t table = TRY(get_table_row(connection, partition.key.table));
    SqliteQuery before = TRY(connection.prepare(
        "UPDATE partitions SET removed = ? WHERE table_id = ? AND hour = ? AND removed IS NULL"));
    before.bind(partition.changed).bind(table).bind(partition.key.hour.since_epoch);
    TRY(before.run());
    SqliteQuery query = TRY(connection.prepare(
        "INSERT INTO partitions VALUES (NULL, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)"));
    query.bind(table).bind(partition.key.hour.since_epoch).bind(partition.changed);
    query.bind(partition.root).bind(partition.has_own_root).bind(partition.incarnation);
    query.bind(partition.retired).bind(partition.declared_empty);
    query.bind(to_text(partition.digest_policy)).bind(partition.inventory);
    TRY(query.bind(seal_of(partition)).run());
    const std::int64_t row = sqlite3_last_insert_rowid(connection.handle());
    for (const RegisteredObject& object : partition.objects) {
        TRY(insert_object(connection, row, object));
    }
    return {};
}

Result<std::optional<NameRecord>> find_name(SqliteConnection& connection, const TableId& table,
                                            const std::string& path) {
    SqliteQuery query = TRY(connection.prepare(
        "SELECT n.root, n.size_bytes, n.sha256, n.state, n.registered FROM tables t "
        "JOIN names n ON n.table_id = t.id WHERE t.uuid = ? AND n.path = ?"));
    query.bind(table.value).bind(path);
    if (TRY(query.next()) == Row::end) return std::optional<NameRecord>();
    NameRecord record{.table = table, .name = {.path = path, .root = {}, .sha256 = {}}};
    record.name.root = query.take_text();
    record.name.size_bytes = query.take_uint64();
    record.name.sha256 = query.take_optional(&SqliteQuery::take_digest);
    const auto state = parse_state(query.take_text());
    record.registered = query.take_uint64();
    TRY(query.verify("the known name '" + format_quoted(path) + "'"));
    if (!state)
        return Error(Code::corrupt, "catalog: '" + format_quoted(path) + "': no such state");
    record.name.state = *state;
    return std::optional(std::move(record));
}

Result<void> put_name(SqliteConnection& connection, const NameRecord& name) {
    const std::int64_t table = TRY(get_table_row(connection, name.table));
    SqliteQuery query =
        TRY(connection.prepare("INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?, ?, ?, ?)"));
    query.bind(table).bind(name.name.path).bind(name.name.root).bind(name.name.size_bytes);
    query.bind(name.name.sha256).bind(to_text(name.name.state)).bind(name.registered);
    return query.run();
}

}  // namespace highwater::catalog
