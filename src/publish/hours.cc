#include "publish/hours.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"

namespace highwater::publish {

namespace {

std::vector<std::uint32_t> order_by_path(const std::vector<manifest::ObjectClaim>& objects) {
    std::vector<std::uint32_t> order(objects.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto path = [&](std::uint32_t i) -> std::string_view { return objects[i].path; };
    if (!std::ranges::is_sorted(order, {}, path)) std::ranges::sort(order, {}, path);
    return order;
}

template <typename Value>
bool agrees(const std::optional<Value>& claimed, const std::optional<Value>& registered) {
    return !claimed || claimed == registered;
}

/// True when what is registered is known to be what lies there and what is claimed.
bool is_unchanged(const manifest::ObjectClaim& claim, const object::Entry& entry,
                  const catalog::RegisteredObject& object) {
    return entry.kind == object::Entry::Kind::object && entry.identity == object.identity &&
           entry.identity.size_bytes == object.size_bytes &&
           claim.size_bytes == object.size_bytes && claim.record_count == object.record_count &&
           agrees(claim.sha256, object.sha256) && agrees(claim.min_time, object.min_time) &&
           agrees(claim.max_time, object.max_time) &&
           agrees(claim.row_fingerprint, object.row_fingerprint);
}

}  // namespace

const manifest::PartitionClaim& claim_of(const manifest::Publication& publication,
                                         const NamedHour& hour) {
    return publication.manifests[hour.manifest].partitions[hour.partition];
}

const catalog::Table* find_table(const catalog::View& view, std::string_view name) {
    const auto found = std::ranges::find_if(view.tables, [&](const catalog::Table& table) {
        return table.name == name && !table.dropped;
    });
    return found == view.tables.end() ? nullptr : &*found;
}

std::shared_ptr<const catalog::Partition> find_partition(const catalog::View& view,
                                                         const catalog::PartitionKey& key) {
    const auto found = std::ranges::lower_bound(
        view.partitions, key, {},
        [](const std::shared_ptr<const catalog::Partition>& partition) { return partition->key; });
    if (found == view.partitions.end() || (*found)->key != key) return nullptr;
    return *found;
}

std::vector<NamedHour> make_named_hours(const manifest::Publication& publication,
                                        const catalog::View& view) {
    std::vector<NamedHour> hours;
    for (std::size_t i = 0; i < publication.manifests.size(); ++i) {
        const manifest::Manifest& manifest = publication.manifests[i];
        const catalog::Table* const table = find_table(view, manifest.table);
        ASSERT(table);
        for (std::size_t j = 0; j < manifest.partitions.size(); ++j) {
            const manifest::PartitionClaim& claim = manifest.partitions[j];
            const auto prefix = table->pattern.render(claim.hour);
            ASSERT(prefix);
            const catalog::PartitionKey key{table->id, claim.hour};
            hours.push_back(
                {.manifest = i,
                 .partition = j,
                 .key = key,
                 .root = claim.location.value_or(table->location),
                 .prefix = *prefix,
                 .schema_version = manifest.schema_version.value_or(table->current().version),
                 .by_path = order_by_path(claim.objects),
                 .current = find_partition(view, key)});
        }
    }
    std::ranges::sort(hours, {}, &NamedHour::key);
    return hours;
}

std::uint32_t version_of(const NamedHour& hour, const Match& match) {
    if (match.registered == no_index) return hour.schema_version;
    return hour.current->objects[match.registered].schema_version;
}

HourMatch match_hour(const NamedHour& hour, const manifest::PartitionClaim& claim,
                     const Listing& listing, const Options& options) {
    static const std::vector<catalog::RegisteredObject> nothing;
    const auto& registered = hour.is_published() ? hour.current->objects : nothing;
    HourMatch match;
    match.claims.reserve(hour.by_path.size());
    PathCursor known(registered, {});
    // Digests that nobody verified when they were registered do not pass for verified ones.
    const bool may_keep = hour.is_published() && !options.rehash &&
                          (options.digest_policy == catalog::DigestPolicy::never ||
                           hour.current->digest_policy == catalog::DigestPolicy::always);
    std::uint32_t entry = 0;
    const auto entries = static_cast<std::uint32_t>(listing.entries.size());
    for (const std::uint32_t index : hour.by_path) {
        const manifest::ObjectClaim& object = claim.objects[index];
        while (entry < entries && listing.entries[entry].path < object.path) {
            match.extras.push_back(entry++);
        }
        Match pair{.claim = index, .registered = known.find(object.path)};
        if (entry < entries && listing.entries[entry].path == object.path) pair.entry = entry++;
        pair.is_kept =
            may_keep && pair.entry != no_index && pair.registered != no_index &&
            is_unchanged(object, listing.entries[pair.entry], registered[pair.registered]);
        match.claims.push_back(pair);
    }
    while (entry < entries) match.extras.push_back(entry++);
    return match;
}

}  // namespace highwater::publish
