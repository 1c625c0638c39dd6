#include "catalog/partition.h"

#include <numeric>

#include "base/canonical.h"

namespace highwater::catalog {

namespace {

void add_optional(CanonicalWriter& writer, const std::optional<Digest>& digest) {
    digest ? writer.add_digest(*digest) : writer.add_absent();
}

void add_optional(CanonicalWriter& writer, const std::optional<Time>& time) {
    time ? writer.add_signed(to_ns(*time)) : writer.add_absent();
}

}  // namespace

std::uint64_t Partition::record_count() const {
    return std::accumulate(objects.begin(), objects.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const RegisteredObject& object) {
                               return sum + object.record_count;
                           });
}

Digest inventory_of(const Partition& partition) {
    CanonicalWriter writer("highwater.inventory", 1);
    writer.add_text(format_uuid(partition.key.table.value));
    writer.add_signed(partition.key.hour.since_epoch);
    writer.add_list_size(partition.objects.size());
    for (const RegisteredObject& object : partition.objects) {
        writer.add_text(object.path).add_unsigned(object.size_bytes);
        writer.add_unsigned(object.record_count).add_unsigned(object.schema_version);
        add_optional(writer, object.sha256);
        add_optional(writer, object.row_fingerprint);
        add_optional(writer, object.min_time);
        add_optional(writer, object.max_time);
    }
    partition.declared_empty ? writer.add_text(*partition.declared_empty) : writer.add_absent();
    return writer.digest();
}

Digest inventory_of(const std::vector<std::shared_ptr<const Partition>>& partitions) {
    CanonicalWriter writer("highwater.inventories", 1);
    writer.add_list_size(partitions.size());
    for (const auto& partition : partitions) writer.add_digest(partition->inventory);
    return writer.digest();
}

std::string_view to_text(DigestPolicy policy) {
    switch (policy) {
        case DigestPolicy::always: return "always";
        case DigestPolicy::never: return "never";
    }
    return "unknown";
}

}  // namespace highwater::catalog
