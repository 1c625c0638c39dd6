// Goal: a cache file of a released format is read for ever, and written as it was. The bytes are
// those of docs/formats/cache-file.md.

#include <gtest/gtest.h>

#include "base/hex.h"
#include "cache/file.h"
#include "cache/memory_disk.h"
#include "cache/packed_entry.h"
#include "cache/snapshot_editor.h"
#include "env/simulated_clock.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

using testkit::IsOk;

const catalog::TableId table_id{Uuid{
    {0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF}}};
constexpr std::int64_t first = 496'000;
const std::string path = "/data/cache";

catalog::Table make_table() {
    catalog::Table table;
    table.id = table_id;
    table.name = "metrics";
    table.location = "/lake/metrics";
    table.created = table.changed = 1;
    model::Schema schema;
    schema.columns = {
        {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2,
         .name = "price",
         .type = model::ColumnType::decimal,
         .nullable = true,
         .decimal_precision = 10,
         .decimal_scale = 2}};
    schema.time_column = "time";
    table.schemas = {{1, schema, 1}};
    return table;
}

catalog::Generation generation(std::uint64_t number) {
    return {{1, 0x00C0FFEE}, number, digest_of("generation " + std::to_string(number))};
}

catalog::Partition make_partition(std::int64_t hour, std::uint64_t changed) {
    catalog::Partition partition;
    partition.key = {table_id, {hour}};
    partition.root = "/lake/metrics";
    partition.changed = changed;
    return partition;
}

catalog::RegisteredObject make_object(const std::string& name, model::Hour hour) {
    catalog::RegisteredObject object;
    object.path = *model::PathPattern::make_default().render(hour) + "/" + name;
    object.size_bytes = object.identity.size_bytes = 470;
    object.record_count = 47;
    object.sha256 = digest_of("a");
    object.row_fingerprint = digest_of("b");
    object.min_time = model::start_of(hour);
    object.max_time = model::end_of(hour) - std::chrono::seconds(1);
    object.identity.mtime_ns = object.identity.ctime_ns = 1'785'664'800'000'000'000;
    object.identity.inode = 11;
    return object;
}

/// With everything that an entry can have.
catalog::Partition make_full_partition() {
    catalog::Partition partition = make_partition(first, 2);
    partition.has_own_root = true;
    partition.root = "/lake/attic";
    partition.incarnation = 2;
    partition.objects = {make_object("a.parquet", {first}), make_object("b.parquet", {first})};
    catalog::RegisteredObject& bare = partition.objects[1];
    bare.sha256.reset();
    bare.row_fingerprint.reset();
    bare.min_time.reset();
    bare.max_time.reset();
    bare.derived_by_gate = true;
    bare.size_bytes = 471;  // Not the size that was audited.
    partition.digest_policy = catalog::DigestPolicy::never;
    partition.inventory = catalog::inventory_of(partition);
    return partition;
}

Listing make_listing(const catalog::Partition& partition) {
    Listing listing{3, {}};
    const auto& object = partition.objects.at(0);
    listing.entries.push_back({object.path, object.identity, object::Entry::Kind::object});
    listing.entries.push_back({object.path + ".link", {}, object::Entry::Kind::other});
    return listing;
}

std::shared_ptr<const Snapshot> make_base() {
    SnapshotEditor editor(nullptr);
    editor.put_table(make_table());
    editor.put(make_full_partition(), make_listing(make_full_partition()));
    catalog::Partition empty = make_partition(first + 1, 2);
    empty.declared_empty = "nothing was measured";
    empty.inventory = catalog::inventory_of(empty);
    editor.put(empty, Listing{3, {}});
    catalog::Partition retired = make_partition(first + 300, 3);
    retired.retired = true;
    retired.inventory = catalog::inventory_of(retired);
    editor.put(retired, std::nullopt);
    return editor.finish(generation(3), time_from_ns(1'785'664'800'000'000'001));
}

/// One hour corrected, one known to have changed, one new and not applied, one forgotten.
std::shared_ptr<const Snapshot> make_next(const std::shared_ptr<const Snapshot>& base) {
    SnapshotEditor editor(base);
    catalog::Partition corrected = make_partition(first, 5);
    corrected.incarnation = 2;
    corrected.objects = {make_object("c.parquet", {first})};
    corrected.inventory = catalog::inventory_of(corrected);
    editor.put(corrected, make_listing(corrected));
    editor.add_generation(4, generation(4).chain);
    editor.end({table_id, {first + 1}}, 4);
    editor.end({table_id, {first + 2}}, 4);
    editor.erase({table_id, {first + 300}});
    return editor.finish(generation(6), time_from_ns(1'785'664'860'000'000'000));
}

class CacheFileGoldenTest : public ::testing::Test {
protected:
    CacheFileGoldenTest() {
        auto read =
            testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/cache-file.hex");
        EXPECT_THAT(read, IsOk());
        if (read.ok()) golden = *std::move(read);
    }

    std::map<std::string, Bytes> golden;
    env::SimulatedClock clock{Time()};
    MemoryDisk disk;
};

TEST_F(CacheFileGoldenTest, AnEntryIsWrittenAndReadAsReleased) {
    const catalog::Partition partition = make_full_partition();
    const Bytes packed = pack(partition, make_listing(partition));
    EXPECT_EQ(format_hex(packed), format_hex(golden["entry"]));
    const auto unpacked = unpack(partition.key, golden["entry"]);
    ASSERT_THAT(unpacked, IsOk());
    EXPECT_EQ(unpacked->partition, partition);
    EXPECT_EQ(unpacked->listing, make_listing(partition));
}

TEST_F(CacheFileGoldenTest, AFileIsWrittenAsReleased) {
    File file(disk, clock, path);
    const auto base = make_base();
    ASSERT_THAT(file.store(base), IsOk());
    EXPECT_EQ(format_hex(disk.read(path, 0, 1 << 20)->bytes), format_hex(golden["base"]));
    ASSERT_THAT(file.store(make_next(base)), IsOk());
    EXPECT_EQ(format_hex(disk.read(path, 0, 1 << 20)->bytes),
              format_hex(golden["base"] + golden["change"]));
}

TEST_F(CacheFileGoldenTest, AFileIsReadAsReleased) {
    ASSERT_THAT(disk.write(path, 0, golden["base"] + golden["change"]), IsOk());
    const auto loaded = File(disk, clock, path).load();
    ASSERT_THAT(loaded, IsOk());
    ASSERT_NE(*loaded, nullptr);
    const auto expected = make_next(make_base());
    EXPECT_EQ((*loaded)->seen(), expected->seen());
    EXPECT_EQ((*loaded)->as_of(), expected->as_of());
    EXPECT_EQ((*loaded)->completed(), 4u);
    EXPECT_EQ((*loaded)->find_generation(4), generation(4));
    EXPECT_EQ(*(*loaded)->find_table("metrics")->table, make_table());
    for (const std::int64_t hour : {first, first + 1, first + 2, first + 300}) {
        const catalog::PartitionKey key{table_id, {hour}};
        EXPECT_EQ((*loaded)->find_hour(key), expected->find_hour(key)) << hour;
        const Entry entry = std::get<Entry>((*loaded)->find(key));
        const Entry wanted = std::get<Entry>(expected->find(key));
        ASSERT_EQ(entry.partition != nullptr, wanted.partition != nullptr) << hour;
        EXPECT_TRUE(!entry.partition || *entry.partition == *wanted.partition) << hour;
        EXPECT_EQ(entry.listing, wanted.listing) << hour;
    }
}

}  // namespace
}  // namespace highwater::cache
