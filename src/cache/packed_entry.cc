#include "cache/packed_entry.h"

#include <algorithm>
#include <string>

#include "cache/packed.h"

namespace highwater::cache {

namespace {

using catalog::Partition;
using catalog::RegisteredObject;

// Of a partition.
constexpr unsigned has_own_root = 1U << 0U;
constexpr unsigned is_retired = 1U << 1U;
constexpr unsigned has_reason = 1U << 2U;
constexpr unsigned has_digests_never = 1U << 3U;
constexpr unsigned has_listing = 1U << 4U;
constexpr unsigned partition_flags = (1U << 5U) - 1;

// Of an object.
constexpr unsigned has_sha256 = 1U << 0U;
constexpr unsigned has_fingerprint = 1U << 1U;
constexpr unsigned has_min_time = 1U << 2U;
constexpr unsigned has_max_time = 1U << 3U;
constexpr unsigned is_derived = 1U << 4U;
constexpr unsigned has_other_size = 1U << 5U;  // The audited size is not the registered one.
constexpr unsigned is_listed = 1U << 6U;       // The listing has just this object.
constexpr unsigned object_flags = (1U << 7U) - 1;

constexpr std::size_t object_size_min = 10;
constexpr std::size_t entry_size_min = 8;

std::uint64_t bits(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

std::uint64_t bits(Time time) {
    return bits(to_ns(time));
}

/// What the next object is likely to be near to.
struct Previous {
    std::string path;
    object::Identity identity;
    std::uint64_t time = 0;
};

void add_path(PackedWriter& out, const std::string& path, Previous& previous) {
    const auto [end, ignored] = std::ranges::mismatch(path, previous.path);
    const auto shared = static_cast<std::size_t>(end - path.begin());
    out.add_unsigned(shared);
    out.add_text(BytesView(path).substr(shared));
    previous.path = path;
}

std::string read_path(PackedReader& in, Previous& previous) {
    const std::uint64_t shared = in.read_unsigned();
    if (shared > previous.path.size()) in.fail();
    if (in.failed()) return {};
    std::string path = previous.path.substr(0, shared);
    path += in.read_text();
    // The one spelling shares all that can be shared, and paths ascend.
    if (path <= previous.path) in.fail();
    if (path.size() > shared && previous.path.size() > shared &&
        path[shared] == previous.path[shared]) {
        in.fail();
    }
    previous.path = path;
    return path;
}

/// All but the size.
void add_identity(PackedWriter& out, const object::Identity& identity, Previous& previous) {
    const object::Identity& before = previous.identity;
    out.add_distance(bits(identity.mtime_ns), bits(before.mtime_ns));
    out.add_distance(bits(identity.ctime_ns), bits(identity.mtime_ns));
    out.add_distance(identity.inode, before.inode);
    out.add_distance(identity.version, before.version);
    previous.identity = identity;
}

object::Identity read_identity(PackedReader& in, std::uint64_t size_bytes, Previous& previous) {
    const object::Identity& before = previous.identity;
    object::Identity identity;
    identity.size_bytes = size_bytes;
    identity.mtime_ns = static_cast<std::int64_t>(in.read_distance(bits(before.mtime_ns)));
    identity.ctime_ns = static_cast<std::int64_t>(in.read_distance(bits(identity.mtime_ns)));
    identity.inode = in.read_distance(before.inode);
    identity.version = in.read_distance(before.version);
    previous.identity = identity;
    return identity;
}

void add_object(PackedWriter& out, const RegisteredObject& object, bool listed,
                Previous& previous) {
    const bool other_size = object.identity.size_bytes != object.size_bytes;
    unsigned flags = 0;
    if (object.sha256) flags |= has_sha256;
    if (object.row_fingerprint) flags |= has_fingerprint;
    if (object.min_time) flags |= has_min_time;
    if (object.max_time) flags |= has_max_time;
    if (object.derived_by_gate) flags |= is_derived;
    if (other_size) flags |= has_other_size;
    if (listed) flags |= is_listed;
    out.add_byte(static_cast<std::uint8_t>(flags));
    add_path(out, object.path, previous);
    out.add_unsigned(object.size_bytes);
    out.add_unsigned(object.record_count);
    out.add_unsigned(object.schema_version);
    if (object.sha256) out.add_digest(*object.sha256);
    if (object.row_fingerprint) out.add_digest(*object.row_fingerprint);
    for (const auto& time : {object.min_time, object.max_time}) {
        if (!time) continue;
        out.add_distance(bits(*time), previous.time);
        previous.time = bits(*time);
    }
    if (other_size) out.add_unsigned(object.identity.size_bytes);
    add_identity(out, object.identity, previous);
}

std::optional<Time> read_time(PackedReader& in, Previous& previous) {
    previous.time = in.read_distance(previous.time);
    return time_from_ns(static_cast<std::int64_t>(previous.time));
}

RegisteredObject read_object(PackedReader& in, bool& listed, Previous& previous) {
    const unsigned flags = in.read_byte();
    if (flags > object_flags) in.fail();
    RegisteredObject object;
    object.path = read_path(in, previous);
    object.size_bytes = in.read_unsigned();
    object.record_count = in.read_unsigned();
    const std::uint64_t version = in.read_unsigned();
    if (version > UINT32_MAX) in.fail();
    object.schema_version = static_cast<std::uint32_t>(version);
    if (flags & has_sha256) object.sha256 = in.read_digest();
    if (flags & has_fingerprint) object.row_fingerprint = in.read_digest();
    if (flags & has_min_time) object.min_time = read_time(in, previous);
    if (flags & has_max_time) object.max_time = read_time(in, previous);
    object.derived_by_gate = (flags & is_derived) != 0;
    std::uint64_t audited_size = object.size_bytes;
    if (flags & has_other_size) {
        audited_size = in.read_unsigned();
        if (audited_size == object.size_bytes) in.fail();
    }
    object.identity = read_identity(in, audited_size, previous);
    listed = (flags & is_listed) != 0;
    return object;
}

object::Entry entry_of(const RegisteredObject& object) {
    return {object.path, object.identity, object::Entry::Kind::object};
}

/// The entries that are not just what is registered, and which objects have one that is.
struct Differences {
    std::vector<bool> listed;
    std::vector<const object::Entry*> others;
};

Differences compare(const Partition& partition, const std::optional<Listing>& listing) {
    Differences differences;
    differences.listed.assign(partition.objects.size(), false);
    if (!listing) return differences;
    std::size_t at = 0;
    for (const object::Entry& entry : listing->entries) {
        while (at < partition.objects.size() && partition.objects[at].path < entry.path) ++at;
        if (at < partition.objects.size() && entry_of(partition.objects[at]) == entry) {
            differences.listed[at] = true;
        } else {
            differences.others.push_back(&entry);
        }
    }
    return differences;
}

void add_others(PackedWriter& out, const Listing& listing, const Differences& differences) {
    out.add_unsigned(listing.started);
    out.add_unsigned(differences.others.size());
    Previous previous;
    for (const object::Entry* entry : differences.others) {
        out.add_byte(static_cast<std::uint8_t>(entry->kind));
        add_path(out, entry->path, previous);
        out.add_unsigned(entry->identity.size_bytes);
        add_identity(out, entry->identity, previous);
    }
}

object::Entry read_other(PackedReader& in, Previous& previous) {
    const std::uint8_t kind = in.read_byte();
    if (kind > static_cast<std::uint8_t>(object::Entry::Kind::other)) in.fail();
    object::Entry entry;
    entry.kind = static_cast<object::Entry::Kind>(kind);
    entry.path = read_path(in, previous);
    const std::uint64_t size_bytes = in.read_unsigned();
    entry.identity = read_identity(in, size_bytes, previous);
    return entry;
}

/// Both in path order: what the objects say by themselves, and what was written beside them.
Listing read_listing(PackedReader& in, const Partition& partition,
                     const std::vector<bool>& listed) {
    Listing listing;
    listing.started = in.read_unsigned();
    const std::size_t count = in.read_count(entry_size_min);
    std::vector<object::Entry> others;
    Previous previous;
    for (std::size_t i = 0; i < count; ++i) others.push_back(read_other(in, previous));
    std::vector<object::Entry> registered;
    for (std::size_t i = 0; i < partition.objects.size(); ++i) {
        if (listed[i]) registered.push_back(entry_of(partition.objects[i]));
    }
    listing.entries.reserve(others.size() + registered.size());
    std::ranges::merge(registered, others, std::back_inserter(listing.entries), {},
                       &object::Entry::path, &object::Entry::path);
    const auto twice = std::ranges::adjacent_find(
        listing.entries,
        [](const auto& left, const auto& right) { return left.path == right.path; });
    if (twice != listing.entries.end()) in.fail();
    return listing;
}

void read_flags(PackedReader& in, unsigned flags, Partition& partition) {
    if (flags > partition_flags) in.fail();
    partition.has_own_root = (flags & has_own_root) != 0;
    partition.retired = (flags & is_retired) != 0;
    partition.digest_policy = (flags & has_digests_never) != 0 ? catalog::DigestPolicy::never
                                                               : catalog::DigestPolicy::always;
}

}  // namespace

Bytes pack(const Partition& partition, const std::optional<Listing>& listing) {
    const Differences differences = compare(partition, listing);
    PackedWriter out;
    unsigned flags = 0;
    if (partition.has_own_root) flags |= has_own_root;
    if (partition.retired) flags |= is_retired;
    if (partition.declared_empty) flags |= has_reason;
    if (partition.digest_policy == catalog::DigestPolicy::never) flags |= has_digests_never;
    if (listing) flags |= has_listing;
    out.add_byte(static_cast<std::uint8_t>(flags));
    out.add_text(partition.root);
    out.add_unsigned(partition.incarnation);
    out.add_unsigned(partition.changed);
    out.add_digest(partition.inventory);
    if (partition.declared_empty) out.add_text(*partition.declared_empty);
    out.add_unsigned(partition.objects.size());
    Previous previous;
    for (std::size_t i = 0; i < partition.objects.size(); ++i) {
        add_object(out, partition.objects[i], differences.listed[i], previous);
    }
    if (listing) add_others(out, *listing, differences);
    return std::move(out).take();
}

Result<Unpacked> unpack(const catalog::PartitionKey& key, BytesView bytes) {
    PackedReader in(bytes);
    Unpacked unpacked;
    Partition& partition = unpacked.partition;
    partition.key = key;
    const unsigned flags = in.read_byte();
    read_flags(in, flags, partition);
    partition.root = in.read_text();
    partition.incarnation = in.read_unsigned();
    partition.changed = in.read_unsigned();
    partition.inventory = in.read_digest();
    if (flags & has_reason) partition.declared_empty = std::string(in.read_text());
    const std::size_t count = in.read_count(object_size_min);
    partition.objects.reserve(count);
    std::vector<bool> listed(count);
    Previous previous;
    for (std::size_t i = 0; i < count; ++i) {
        bool is_in_listing = false;
        partition.objects.push_back(read_object(in, is_in_listing, previous));
        listed[i] = is_in_listing;
        if (is_in_listing && (flags & has_listing) == 0) in.fail();
    }
    if (flags & has_listing) unpacked.listing = read_listing(in, partition, listed);
    if (in.is_done()) return unpacked;
    return Error(Code::corrupt,
                 "hour " + std::to_string(key.hour.since_epoch) + ": not an entry of the cache");
}

}  // namespace highwater::cache
