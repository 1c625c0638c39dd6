#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "catalog/commit_rules.h"
#include "model/object_path.h"

namespace highwater::catalog {

namespace {

Error broken(const std::string& what) {
    return {Code::invalid_argument, what};
}

Result<void> verify_hour(model::Hour hour) {
    if (model::hour_min <= hour && hour <= model::hour_max) return {};
    return broken("hour " + std::to_string(hour.since_epoch) + " since 1970 is out of range");
}

std::string name_of(const PartitionKey& key) {
    return "hour " + model::format_hour(key.hour) + " of table " + format_uuid(key.table.value);
}

Result<void> verify_schemas(const Table& table) {
    if (table.schemas.empty()) return broken("table '" + table.name + "' has no schema");
    std::uint32_t version = 0;
    for (const SchemaVersion& schema : table.schemas) {
        if (schema.version != ++version) {
            return broken("the schema versions of table '" + table.name + "' are not 1, 2, 3 ...");
        }
        TRY(model::verify_schema(schema.schema).within("table '" + table.name + "'"));
    }
    return {};
}

Result<void> verify_tables(const std::vector<Table>& tables) {
    std::set<TableId> seen;
    for (const Table& table : tables) {
        TRY(verify_table_name(table.name));
        if (!seen.insert(table.id).second) return broken("table '" + table.name + "' twice");
        if (table.location.empty()) return broken("table '" + table.name + "' has no location");
        if (table.incarnation == 0) return broken("table '" + table.name + "': incarnation 0");
        TRY(verify_schemas(table));
    }
    for (auto table = tables.begin(); table != tables.end(); ++table) {
        for (auto other = tables.begin(); other != table; ++other) {
            if (table->dropped || other->dropped) continue;
            if (table->name == other->name) return broken("two tables '" + table->name + "'");
            if (!is_overlapping(table->location, other->location)) continue;
            return broken("tables '" + table->name + "' and '" + other->name +
                          "' have overlapping locations");
        }
    }
    return {};
}

Result<void> verify_objects(const Partition& partition) {
    const std::string* before = nullptr;
    for (const RegisteredObject& object : partition.objects) {
        TRY(model::verify_object_path(object.path).within(name_of(partition.key)));
        if (before && *before >= object.path) {
            return broken(name_of(partition.key) + ": objects are not in path order, once each: '" +
                          format_quoted(object.path) + "'");
        }
        before = &object.path;
    }
    return {};
}

Result<void> verify_partition(const Partition& partition) {
    const bool has_objects = !partition.objects.empty();
    const bool has_reason = partition.declared_empty.has_value();
    if (partition.root.empty()) return broken(name_of(partition.key) + " has no root");
    if (partition.incarnation == 0) return broken(name_of(partition.key) + ": incarnation 0");
    if (has_reason && partition.declared_empty->empty()) {
        return broken(name_of(partition.key) + " is declared empty without a reason");
    }
    if (partition.retired && (has_objects || has_reason)) {
        return broken(name_of(partition.key) + " is retired and yet has objects or a reason");
    }
    if (!partition.retired && has_objects == has_reason) {
        return broken(name_of(partition.key) + " needs objects or a reason why there are none");
    }
    TRY(verify_objects(partition));
    if (partition.inventory == inventory_of(partition)) return {};
    return broken(name_of(partition.key) + ": the inventory digest is not that of its objects");
}

Result<void> verify_partitions(const std::vector<Partition>& partitions) {
    std::set<PartitionKey> seen;
    std::set<std::pair<TableId, std::string_view>> paths;
    for (const Partition& partition : partitions) {
        TRY(verify_hour(partition.key.hour));
        if (!seen.insert(partition.key).second) return broken(name_of(partition.key) + " twice");
        TRY(verify_partition(partition));
        for (const RegisteredObject& object : partition.objects) {
            if (paths.emplace(partition.key.table, object.path).second) continue;
            return broken("object '" + format_quoted(object.path) + "' in two hours");
        }
    }
    return {};
}

/// Every partition that is named, and its table, must have been looked at.
Result<void> verify_basis(const Commit& commit) {
    std::set<TableId> tables;
    for (const auto& table : commit.basis.tables) {
        if (!tables.insert(table.id).second) {
            return broken("the basis has table " + format_uuid(table.id.value) + " twice");
        }
    }
    for (const Table& table : commit.tables) tables.insert(table.id);
    std::set<PartitionKey> partitions;
    for (const auto& partition : commit.basis.partitions) {
        TRY(verify_hour(partition.key.hour));
        if (!partitions.insert(partition.key).second) {
            return broken("the basis has " + name_of(partition.key) + " twice");
        }
    }
    for (const Partition& partition : commit.partitions) {
        if (!partitions.contains(partition.key)) {
            return broken("the basis lacks " + name_of(partition.key));
        }
        if (!tables.contains(partition.key.table)) {
            return broken("the basis lacks the table of " + name_of(partition.key));
        }
    }
    return {};
}

}  // namespace

Result<void> verify_commit(const Commit& commit) {
    TRY(verify_batch(commit.batch));
    TRY(verify_batch(commit.idempotency_key));
    if (commit.tables.empty() && commit.partitions.empty()) {
        return broken("a commit names at least one table or partition");
    }
    TRY(verify_tables(commit.tables));
    TRY(verify_partitions(commit.partitions));
    TRY(verify_basis(commit));
    if (commit.locations == locations_of(commit.tables, commit.partitions)) return {};
    return broken("the locations digest is not that of the tables and partitions named");
}

}  // namespace highwater::catalog
