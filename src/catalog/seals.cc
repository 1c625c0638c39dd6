#include "catalog/seals.h"

#include "base/canonical.h"

namespace highwater::catalog {

namespace {

void add_schema(CanonicalWriter& writer, const SchemaVersion& version) {
    writer.add_unsigned(version.version).add_unsigned(version.since);
    writer.add_text(version.schema.time_column).add_text(model::to_text(version.schema.unit));
    writer.add_list_size(version.schema.columns.size());
    for (const model::Column& column : version.schema.columns) {
        writer.add_signed(column.id).add_text(column.name).add_text(model::to_text(column.type));
        writer.add_bool(column.nullable);
        writer.add_signed(column.decimal_precision).add_signed(column.decimal_scale);
    }
}

void add_identity(CanonicalWriter& writer, const object::Identity& identity) {
    writer.add_unsigned(identity.size_bytes).add_signed(identity.mtime_ns);
    writer.add_signed(identity.ctime_ns).add_unsigned(identity.inode);
    writer.add_unsigned(identity.version);
}

void add_key(CanonicalWriter& writer, const PartitionKey& key) {
    writer.add_text(format_uuid(key.table.value)).add_signed(key.hour.since_epoch);
}

}  // namespace

Digest seal_of(const Table& table) {
    CanonicalWriter writer("highwater.table", 1);
    writer.add_text(format_uuid(table.id.value)).add_text(table.name).add_text(table.location);
    writer.add_unsigned(table.incarnation).add_unsigned(table.created);
    writer.add_unsigned(table.changed).add_bool(table.dropped);
    writer.add_text(table.pattern.text());
    const auto& date = table.pattern.fixed_date();
    date ? writer.add_text(*date) : writer.add_absent();
    writer.add_list_size(table.schemas.size());
    for (const SchemaVersion& version : table.schemas) add_schema(writer, version);
    return writer.digest();
}

Digest seal_of(const Partition& partition) {
    CanonicalWriter writer("highwater.partition", 1);
    add_key(writer, partition.key);
    writer.add_text(partition.root).add_bool(partition.has_own_root);
    writer.add_unsigned(partition.incarnation).add_unsigned(partition.changed);
    writer.add_bool(partition.retired).add_text(to_text(partition.digest_policy));
    // The inventory covers what the objects are; what it leaves out of them follows.
    writer.add_digest(partition.inventory).add_list_size(partition.objects.size());
    for (const RegisteredObject& object : partition.objects) {
        writer.add_bool(object.derived_by_gate);
        add_identity(writer, object.identity);
    }
    return writer.digest();
}

Digest seal_of(const GenerationRecord& record) {
    CanonicalWriter writer("highwater.record", 1);
    writer.add_unsigned(record.generation.epoch.ordinal);
    writer.add_unsigned(record.generation.epoch.random);
    writer.add_unsigned(record.generation.number).add_digest(record.generation.chain);
    writer.add_digest(record.parent_chain).add_text(to_text(record.operation));
    writer.add_text(record.batch).add_text(record.idempotency_key);
    writer.add_digest(record.publication).add_digest(record.locations);
    writer.add_list_size(record.manifests.size());
    for (const Digest& manifest : record.manifests) writer.add_digest(manifest);
    writer.add_signed(to_ns(record.time)).add_list_size(record.partitions.size());
    for (const PartitionKey& key : record.partitions) add_key(writer, key);
    writer.add_list_size(record.tables.size());
    for (const TableId& table : record.tables) writer.add_text(format_uuid(table.value));
    return writer.digest();
}

}  // namespace highwater::catalog
