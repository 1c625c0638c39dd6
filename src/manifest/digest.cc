#include <algorithm>

#include "base/canonical.h"
#include "manifest/manifest.h"

namespace highwater::manifest {

namespace {

void add_optional(CanonicalWriter& writer, const std::optional<std::string>& text) {
    text ? writer.add_text(*text) : writer.add_absent();
}

void add_optional(CanonicalWriter& writer, const std::optional<Digest>& digest) {
    digest ? writer.add_digest(*digest) : writer.add_absent();
}

void add_optional(CanonicalWriter& writer, const std::optional<Time>& time) {
    time ? writer.add_signed(to_ns(*time)) : writer.add_absent();
}

void add_base(CanonicalWriter& writer, const std::optional<catalog::GenerationRef>& base) {
    if (!base) {
        writer.add_absent();
    } else if (const auto* batch = std::get_if<catalog::BatchRef>(&*base)) {
        writer.add_text("batch:" + batch->batch);
    } else {
        writer.add_text(catalog::format_token(std::get<catalog::Token>(*base)));
    }
}

template <typename Item, typename Key>
std::vector<const Item*> in_order(const std::vector<Item>& items, Key Item::* key) {
    std::vector<const Item*> ordered;
    ordered.reserve(items.size());
    for (const Item& item : items) ordered.push_back(&item);
    std::ranges::sort(
        ordered, [&](const Item* left, const Item* right) { return left->*key < right->*key; });
    return ordered;
}

/// Each hour has a digest of its own, so that the bytes in memory are those of one hour.
Digest digest_of(const PartitionClaim& partition) {
    CanonicalWriter writer("highwater.manifest.hour", format_version);
    writer.add_signed(partition.hour.since_epoch);
    add_optional(writer, partition.location);
    writer.add_list_size(partition.objects.size());
    for (const ObjectClaim* object : in_order(partition.objects, &ObjectClaim::path)) {
        writer.add_text(object->path);
        writer.add_unsigned(object->size_bytes).add_unsigned(object->record_count);
        add_optional(writer, object->sha256);
        add_optional(writer, object->min_time);
        add_optional(writer, object->max_time);
        add_optional(writer, object->row_fingerprint);
    }
    add_optional(writer, partition.declared_empty);
    return writer.digest();
}

}  // namespace

Digest digest_of(const Manifest& manifest) {
    CanonicalWriter writer("highwater.manifest", format_version);
    writer.add_text(manifest.table).add_text(manifest.batch_generation);
    add_optional(writer, manifest.idempotency_key);
    add_base(writer, manifest.base_generation);
    manifest.schema_version ? writer.add_unsigned(*manifest.schema_version) : writer.add_absent();
    writer.add_list_size(manifest.partitions.size());
    for (const PartitionClaim* partition : in_order(manifest.partitions, &PartitionClaim::hour)) {
        writer.add_digest(digest_of(*partition));
    }
    return writer.digest();
}

Digest digest_of(const Publication& publication) {
    std::vector<Digest> digests;
    digests.reserve(publication.manifests.size());
    for (const Manifest& manifest : publication.manifests) digests.push_back(digest_of(manifest));
    std::ranges::sort(digests);
    CanonicalWriter writer("highwater.publication", format_version);
    writer.add_list_size(digests.size());
    for (const Digest& digest : digests) writer.add_digest(digest);
    return writer.digest();
}

}  // namespace highwater::manifest
