#include "testkit/lake.h"

#include <algorithm>

#include "base/assert.h"

namespace highwater::testkit {

namespace {

constexpr std::uint64_t records_in_object = 10;

template <typename T>
T must(Result<T> result) {
    ASSERT(result.ok());
    return *std::move(result);
}

catalog::Table make_table(const catalog::TableId& id, const std::string& name,
                          const std::string& location) {
    model::Schema schema;
    schema.columns = {
        {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2, .name = "value", .type = model::ColumnType::float64}};
    schema.time_column = "time";
    catalog::Table table;
    table.id = id;
    table.name = name;
    table.location = location;
    table.schemas = {{1, schema, 0}};
    return table;
}

std::string prefix_of(const catalog::Table& table, model::Hour hour) {
    const auto prefix = table.pattern.render(hour);
    ASSERT(prefix.has_value());
    return *prefix;
}

}  // namespace

Lake::Lake() = default;

catalog::Generation Lake::head() {
    return must(catalog.head());
}

std::string Lake::batch_of(const catalog::Generation& generation) {
    return "batch-" + std::to_string(generation.number);
}

catalog::Table Lake::table(const catalog::TableId& id) {
    const auto view = must(catalog.load_view({{}, std::nullopt, true}));
    for (const catalog::Table& table : view.tables) {
        if (table.id == id) return table;
    }
    ASSERT(!"the table is there");
    return {};
}

std::optional<catalog::Partition> Lake::find_partition(const catalog::TableId& table,
                                                       std::int64_t hour) {
    const model::HourRange range{{hour}, {hour + 1}};
    const auto view = must(catalog.load_view({{{table, {range}}}, std::nullopt, true}));
    if (view.partitions.empty()) return std::nullopt;
    return *view.partitions.front();
}

catalog::Partition Lake::partition(const catalog::TableId& table, std::int64_t hour) {
    const auto found = find_partition(table, hour);
    ASSERT(found.has_value());
    return *found;
}

catalog::Generation Lake::commit(catalog::Operation operation, std::vector<catalog::Table> tables,
                                 std::vector<catalog::Partition> partitions) {
    const auto view = must(catalog.load_view({{}, std::nullopt, true}));
    catalog::Commit commit;
    commit.operation = operation;
    commit.batch = "batch-" + std::to_string(view.generation.number + 1);
    commit.idempotency_key = commit.batch;
    commit.publication = digest_of(commit.batch);
    commit.time = clock.now();
    commit.basis.epoch = view.generation.epoch;
    for (const catalog::Table& known : view.tables) {
        const auto is_of = [&](const auto& partition) { return partition.key.table == known.id; };
        const bool is_named =
            std::ranges::find(tables, known.id, &catalog::Table::id) != tables.end();
        if (!is_named && std::ranges::none_of(partitions, is_of)) continue;
        commit.basis.tables.push_back({known.id, known.incarnation, known.current().version});
    }
    for (catalog::Partition& partition : partitions) {
        const auto before = find_partition(partition.key.table, partition.key.hour.since_epoch);
        catalog::Basis::PartitionBasis basis{partition.key, "", 0, 0};
        if (before) basis = {partition.key, before->root, before->incarnation, before->changed};
        commit.basis.partitions.push_back(basis);
        partition.inventory = catalog::inventory_of(partition);
    }
    commit.locations = catalog::locations_of(tables, partitions);
    commit.tables = std::move(tables);
    commit.partitions = std::move(partitions);
    const auto outcome = must(catalog.commit(commit));
    ASSERT(outcome.kind == catalog::CommitOutcome::Kind::committed);
    return outcome.record->generation;
}

catalog::TableId Lake::create_table(const std::string& name,
                                    const std::optional<std::string>& location) {
    const catalog::TableId id{env::make_uuid(random)};
    commit(catalog::Operation::create_table,
           {make_table(id, name, location.value_or("/lake/" + name))}, {});
    return id;
}

catalog::RegisteredObject Lake::put_object(const std::string& root, model::Hour hour,
                                           const std::string& prefix) {
    const std::string number = std::to_string(++objects_);
    const Bytes bytes = "object " + number + Bytes(objects_ % 7, '.');
    catalog::RegisteredObject object;
    object.path = prefix + "/part-" +
                  std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number +
                  ".parquet";
    object.size_bytes = bytes.size();
    object.record_count = records_in_object;
    object.sha256 = digest_of(bytes);
    object.row_fingerprint = digest_of("rows of " + bytes);
    object.min_time = model::start_of(hour);
    object.max_time = model::end_of(hour) - std::chrono::seconds(objects_ % 60 + 1);
    object.identity = must(object::put_new(store, {root, object.path}, bytes));
    return object;
}

catalog::Partition Lake::next_state(const catalog::TableId& table, std::int64_t hour) {
    if (auto before = find_partition(table, hour)) {
        if (before->retired) ++before->incarnation;
        before->retired = false;
        before->declared_empty.reset();
        return *std::move(before);
    }
    catalog::Partition partition;
    partition.key = {table, {hour}};
    partition.root = this->table(table).location;
    return partition;
}

catalog::Generation Lake::publish(const catalog::TableId& table,
                                  const std::vector<std::int64_t>& hours, std::size_t files) {
    const catalog::Table state = this->table(table);
    std::vector<catalog::Partition> partitions;
    for (const std::int64_t hour : hours) {
        catalog::Partition partition = next_state(table, hour);
        partition.objects.clear();
        for (std::size_t i = 0; i < files; ++i) {
            partition.objects.push_back(
                put_object(partition.root, {hour}, prefix_of(state, {hour})));
            partition.objects.back().schema_version = state.current().version;
        }
        partitions.push_back(std::move(partition));
    }
    return commit(catalog::Operation::publish, {}, std::move(partitions));
}

catalog::Generation Lake::publish(const catalog::TableId& table, std::int64_t hour,
                                  std::size_t files) {
    return publish(table, std::vector{hour}, files);
}

catalog::Generation Lake::correct(const catalog::TableId& table, std::int64_t hour) {
    catalog::Partition next = partition(table, hour);
    ASSERT(!next.objects.empty());
    next.objects.erase(next.objects.begin());
    next.objects.push_back(put_object(next.root, {hour}, prefix_of(this->table(table), {hour})));
    return commit(catalog::Operation::correct, {}, {next});
}

catalog::Generation Lake::declare_empty(const catalog::TableId& table, std::int64_t hour,
                                        const std::string& reason) {
    catalog::Partition next = next_state(table, hour);
    next.objects.clear();
    next.declared_empty = reason;
    return commit(catalog::Operation::publish, {}, {next});
}

catalog::Generation Lake::unpublish(const catalog::TableId& table, std::int64_t hour) {
    catalog::Partition next = partition(table, hour);
    next.objects.clear();
    next.declared_empty.reset();
    next.retired = true;
    return commit(catalog::Operation::unpublish, {}, {next});
}

void Lake::copy(catalog::Partition& partition, const std::string& root) {
    for (catalog::RegisteredObject& object : partition.objects) {
        const Bytes bytes = must(object::get(store, {partition.root, object.path}, 1 << 20));
        object.identity = must(object::put_new(store, {root, object.path}, bytes));
    }
    partition.root = root;
    ++partition.incarnation;
}

catalog::Generation Lake::relocate_hour(const catalog::TableId& table, std::int64_t hour,
                                        const std::string& root) {
    catalog::Partition next = partition(table, hour);
    copy(next, root);
    next.has_own_root = true;
    return commit(catalog::Operation::relocate, {}, {next});
}

catalog::Generation Lake::relocate_table(const catalog::TableId& table,
                                         const std::string& location) {
    catalog::Table next = this->table(table);
    next.location = location;
    ++next.incarnation;
    std::vector<catalog::Partition> partitions;
    for (const auto& held :
         must(catalog.load_view({{{table, {}}}, std::nullopt, true})).partitions) {
        if (held->retired || held->has_own_root) continue;
        partitions.push_back(*held);
        copy(partitions.back(), location);
    }
    return commit(catalog::Operation::relocate, {next}, std::move(partitions));
}

catalog::Generation Lake::add_column(const catalog::TableId& table, const std::string& name) {
    catalog::Table next = this->table(table);
    catalog::SchemaVersion version = next.current();
    ++version.version;
    version.schema = must(model::add_column(
        version.schema,
        {.id = 0, .name = name, .type = model::ColumnType::int64, .nullable = true}));
    next.schemas.push_back(version);
    return commit(catalog::Operation::add_column, {next}, {});
}

catalog::Generation Lake::drop_table(const catalog::TableId& table) {
    catalog::Table next = this->table(table);
    next.dropped = true;
    ++next.incarnation;
    return commit(catalog::Operation::drop_table, {next}, {});
}

}  // namespace highwater::testkit
