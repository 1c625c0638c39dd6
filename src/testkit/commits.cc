#include "testkit/commits.h"

#include <algorithm>

#include "base/assert.h"
#include "base/canonical.h"
#include "base/try.h"

namespace highwater::testkit {

using catalog::Partition;
using catalog::Table;

Table make_table(const std::string& name, const std::string& location) {
    Table table;
    const Digest digest = digest_of(name);
    std::copy_n(digest.bytes.begin(), table.id.value.bytes.size(), table.id.value.bytes.begin());
    table.name = name;
    table.location = location;
    model::Schema schema;
    schema.time_column = "time";
    schema.columns = {
        {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2, .name = "value", .type = model::ColumnType::float64}};
    table.schemas = {{1, schema, 0}};
    return table;
}

Table with_column(Table table, const std::string& name) {
    auto schema = model::add_column(table.current().schema, {.id = 0, .name = name});
    ASSERT(schema.ok());
    table.schemas.push_back({table.current().version + 1, *std::move(schema), 0});
    return table;
}

catalog::RegisteredObject make_object(const std::string& path, std::string_view content) {
    catalog::RegisteredObject object;
    object.path = path;
    object.size_bytes = content.size();
    object.record_count = content.size() / 2 + 1;
    object.sha256 = digest_of(content);
    object.row_fingerprint = digest_of("rows of " + std::string(content));
    object.min_time = time_from_ns(static_cast<std::int64_t>(content.size()));
    object.max_time = time_from_ns(static_cast<std::int64_t>(content.size()) + 7);
    object.derived_by_gate = content.size() % 2 == 0;
    object.identity = {.size_bytes = content.size(), .mtime_ns = 3, .ctime_ns = 4, .inode = 5};
    return object;
}

Partition make_partition(const Table& table, model::Hour hour,
                         const std::vector<std::string>& contents) {
    Partition partition;
    partition.key = {table.id, hour};
    partition.root = table.location;
    const auto prefix = table.pattern.render(hour);
    ASSERT(prefix.has_value());
    for (const std::string& content : contents) {
        partition.objects.push_back(make_object(*prefix + "/" + content + ".parquet", content));
    }
    std::ranges::sort(partition.objects, {}, &catalog::RegisteredObject::path);
    if (contents.empty()) partition.declared_empty = "nothing was measured";
    partition.inventory = inventory_of(partition);
    return partition;
}

Partition retired(Partition partition) {
    partition.retired = true;
    partition.objects.clear();
    partition.declared_empty.reset();
    partition.inventory = inventory_of(partition);
    return partition;
}

Result<catalog::Commit> make_commit(catalog::Catalog& catalog, catalog::Operation operation,
                                    const std::string& batch, std::vector<Table> tables,
                                    std::vector<Partition> partitions) {
    catalog::ViewRequest request{.scopes = {}, .at = {}, .with_dropped = true};
    for (const Partition& partition : partitions) {
        const model::Hour hour = partition.key.hour;
        request.scopes.push_back({partition.key.table, {{hour, model::next(hour)}}});
    }
    const catalog::View view = TRY(catalog.load_view(request));

    catalog::Commit commit;
    commit.operation = operation;
    commit.batch = batch;
    commit.idempotency_key = batch;
    commit.basis.epoch = view.generation.epoch;
    for (const Table& table : view.tables) {
        const bool is_named = std::ranges::count(tables, table.id, &Table::id) > 0;
        const bool is_used = std::ranges::any_of(partitions, [&](const Partition& partition) {
            return partition.key.table == table.id;
        });
        if (!is_named && !is_used) continue;
        commit.basis.tables.push_back({table.id, table.incarnation, table.current().version});
    }
    for (const Partition& partition : partitions) {
        const auto found = std::ranges::find(view.partitions, partition.key,
                                             [](const auto& present) { return present->key; });
        commit.basis.partitions.push_back({partition.key, partition.root, 0, 0});
        if (found == view.partitions.end()) continue;
        commit.basis.partitions.back() = {partition.key, (*found)->root, (*found)->incarnation,
                                          (*found)->changed};
    }
    commit.tables = std::move(tables);
    commit.partitions = std::move(partitions);
    renew_digests(commit);
    return commit;
}

void renew_digests(catalog::Commit& commit) {
    CanonicalWriter writer("highwater.test", 1);
    writer.add_text(commit.batch).add_text(commit.idempotency_key);
    for (Partition& partition : commit.partitions) {
        partition.inventory = inventory_of(partition);
        writer.add_digest(partition.inventory);
    }
    commit.publication = writer.digest();
    commit.manifests = {commit.publication};
    commit.locations = locations_of(commit.tables, commit.partitions);
}

}  // namespace highwater::testkit
