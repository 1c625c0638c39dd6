#include "cache/packed_entry.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

const catalog::PartitionKey key{{}, {500'000}};

rc::Gen<Digest> any_digest() {
    return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                        [](std::uint64_t seed) { return digest_of(std::to_string(seed)); });
}

template <typename T>
rc::Gen<std::optional<T>> maybe(rc::Gen<T> gen) {
    return rc::gen::oneOf(
        rc::gen::just(std::optional<T>()),
        rc::gen::map(std::move(gen), [](T value) { return std::optional(value); }));
}

object::Identity any_identity() {
    return {.size_bytes = *rc::gen::arbitrary<std::uint64_t>(),
            .mtime_ns = *rc::gen::arbitrary<std::int64_t>(),
            .ctime_ns = *rc::gen::arbitrary<std::int64_t>(),
            .inode = *rc::gen::arbitrary<std::uint64_t>(),
            .version = *rc::gen::arbitrary<std::uint64_t>()};
}

std::set<std::string> any_paths() {
    const auto character = rc::gen::element('a', 'b', '/', '\xC3');
    return *rc::gen::container<std::set<std::string>>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(character)));
}

catalog::Partition any_partition() {
    catalog::Partition partition;
    partition.key = key;
    partition.root = *rc::gen::arbitrary<std::string>();
    partition.has_own_root = *rc::gen::arbitrary<bool>();
    partition.incarnation = *rc::gen::arbitrary<std::uint64_t>();
    partition.changed = *rc::gen::arbitrary<std::uint64_t>();
    partition.retired = *rc::gen::arbitrary<bool>();
    partition.declared_empty = *maybe(rc::gen::arbitrary<std::string>());
    partition.inventory = *any_digest();
    if (*rc::gen::arbitrary<bool>()) partition.digest_policy = catalog::DigestPolicy::never;
    const auto time = rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                                   [](std::int64_t ns) { return time_from_ns(ns); });
    for (const std::string& path : any_paths()) {
        catalog::RegisteredObject object;
        object.path = path;
        object.size_bytes = *rc::gen::arbitrary<std::uint64_t>();
        object.record_count = *rc::gen::arbitrary<std::uint64_t>();
        object.schema_version = *rc::gen::arbitrary<std::uint32_t>();
        object.sha256 = *maybe(any_digest());
        object.row_fingerprint = *maybe(any_digest());
        object.min_time = *maybe(time);
        object.max_time = *maybe(time);
        object.derived_by_gate = *rc::gen::arbitrary<bool>();
        object.identity = any_identity();
        partition.objects.push_back(object);
    }
    return partition;
}

/// Some registered objects as they are, some with another identity, and some that nobody
/// registered.
Listing any_listing(const catalog::Partition& partition) {
    Listing listing{*rc::gen::arbitrary<std::uint64_t>(), {}};
    std::set<std::string> others = any_paths();
    for (const auto& object : partition.objects) {
        if (others.erase(object.path) == 0) {
            listing.entries.push_back({object.path, object.identity, object::Entry::Kind::object});
        }
    }
    for (const std::string& path : others) {
        const bool is_other = *rc::gen::arbitrary<bool>();
        listing.entries.push_back(
            {path, any_identity(),
             is_other ? object::Entry::Kind::other : object::Entry::Kind::object});
    }
    std::ranges::sort(listing.entries, {}, &object::Entry::path);
    return listing;
}

TEST(PackedEntryTest, EveryEntryComesBack) {
    EXPECT_TRUE(rc::check([] {
        const catalog::Partition partition = any_partition();
        std::optional<Listing> listing;
        if (*rc::gen::arbitrary<bool>()) listing = any_listing(partition);
        const auto unpacked = unpack(key, pack(partition, listing));
        RC_ASSERT(unpacked.ok());
        RC_ASSERT(unpacked->partition == partition);
        RC_ASSERT(unpacked->listing == listing);
    }));
}

TEST(PackedEntryTest, AnEntryThatIsCutShortIsCorrupt) {
    EXPECT_TRUE(rc::check([] {
        const catalog::Partition partition = any_partition();
        const Bytes bytes = pack(partition, any_listing(partition));
        const auto size = *rc::gen::inRange<std::size_t>(0, bytes.size());
        RC_ASSERT(!unpack(key, BytesView(bytes).substr(0, size)).ok());
        RC_ASSERT(!unpack(key, bytes + "x").ok());
    }));
}

TEST(PackedEntryTest, AFlippedByteIsCorruptOrAnotherEntry) {
    EXPECT_TRUE(rc::check([] {
        const catalog::Partition partition = any_partition();
        const Listing listing = any_listing(partition);
        Bytes bytes = pack(partition, listing);
        const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
        bytes[at] = static_cast<char>(bytes[at] ^ *rc::gen::inRange(1, 256));
        const auto unpacked = unpack(key, bytes);
        if (!unpacked.ok()) return;
        RC_ASSERT(unpacked->partition != partition || unpacked->listing != listing);
    }));
}

TEST(PackedEntryTest, AnObjectAsRegisteredCostsNothingInItsListing) {
    catalog::Partition partition;
    partition.key = key;
    partition.root = "/lake/t";
    for (int i = 0; i < 100; ++i) {
        catalog::RegisteredObject object;
        object.path = "hour=2027-01-15T08/part-" + std::to_string(1000 + i) + ".parquet";
        object.sha256 = object.row_fingerprint = digest_of(object.path);
        object.identity = {.size_bytes = 1'000'000, .mtime_ns = 1'790'000'000'000'000'000 + i};
        object.size_bytes = object.identity.size_bytes;
        object.record_count = 10'000;
        partition.objects.push_back(object);
    }
    Listing listing{1, {}};
    for (const auto& object : partition.objects) {
        listing.entries.push_back({object.path, object.identity, object::Entry::Kind::object});
    }
    const std::size_t alone = pack(partition, std::nullopt).size();
    EXPECT_LE(pack(partition, listing).size(), alone + 2);
    EXPECT_LE(alone, 100u * 110u);
}

TEST(PackedEntryTest, UnknownFlagsAreCorrupt) {
    catalog::Partition partition;
    partition.key = key;
    Bytes bytes = pack(partition, std::nullopt);
    ASSERT_THAT(unpack(key, bytes), IsOk());
    bytes[0] = static_cast<char>(bytes[0] | 0x20);
    EXPECT_THAT(unpack(key, bytes), FailsWith(Code::corrupt));
    EXPECT_THAT(unpack(key, ""), FailsWith(Code::corrupt));
}

}  // namespace
}  // namespace highwater::cache
