#include "manifest/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "testkit/commits.h"

namespace highwater::manifest {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr model::Hour nine{497'577};  // 2026-10-06T09

InventoryEntry entry(const std::string& path, std::uint64_t size) {
    return {.hour = nine, .path = path, .size_bytes = size};
}

TEST(DiffTest, TellsWhatCameWentAndChanged) {
    const Inventory before = {entry("a", 1), entry("b", 1), entry("d", 1)};
    const Inventory after = {entry("b", 2), entry("c", 1), entry("d", 1)};
    const InventoryDiff diff = diff_inventories(before, after);
    EXPECT_THAT(diff.added, ElementsAre(entry("c", 1)));
    EXPECT_THAT(diff.removed, ElementsAre(entry("a", 1)));
    EXPECT_THAT(diff.changed, ElementsAre(InventoryChange{entry("b", 1), entry("b", 2)}));
    EXPECT_EQ(diff.unchanged, 1U);
    EXPECT_FALSE(diff.is_empty());
    EXPECT_TRUE(diff_inventories(before, before).is_empty());
}

TEST(DiffTest, HoursComeBeforePaths) {
    InventoryEntry later = entry("a", 1);
    later.hour = model::next(nine);
    const InventoryDiff diff = diff_inventories({entry("z", 1)}, {entry("z", 1), later});
    EXPECT_THAT(diff.added, ElementsAre(later));
    EXPECT_EQ(diff.unchanged, 1U);
}

TEST(DiffTest, WhatOneSideDoesNotKnowIsNoDifference) {
    InventoryEntry counted = entry("a", 1);
    counted.record_count = 7;
    InventoryEntry digested = counted;
    digested.sha256 = highwater::digest_of("a");
    EXPECT_TRUE(diff_inventories({entry("a", 1)}, {digested}).is_empty());
    EXPECT_TRUE(diff_inventories({digested}, {counted}).is_empty());
    InventoryEntry other = digested;
    other.record_count = 8;
    EXPECT_THAT(diff_inventories({digested}, {other}).changed, SizeIs(1));
    other = digested;
    other.sha256 = highwater::digest_of("b");
    EXPECT_THAT(diff_inventories({digested}, {other}).changed, SizeIs(1));
}

// The seed's reference gate, with its own names and numbers: manifest and objects are compared as
// sets of paths and sizes.
bool can_publish(const std::map<std::string, std::uint64_t>& manifest_files,
                 const std::map<std::string, std::uint64_t>& object_files,
                 const std::string& catalog_generation, const std::string& requested_generation) {
    const auto inventory_of = [](const auto& files) {
        Inventory inventory;
        for (const auto& [path, size] : files) inventory.push_back(entry(path, size));
        return inventory;
    };
    return diff_inventories(inventory_of(manifest_files), inventory_of(object_files)).is_empty() &&
           catalog_generation == requested_generation;
}

TEST(DiffTest, DecidesAsTheSeedDoes) {
    const std::map<std::string, std::uint64_t> expected_files = {
        {"hour=09/telemetry-47.parquet", 470},
        {"hour=09/telemetry-48.parquet", 480},
    };
    std::map<std::string, std::uint64_t> observed_files = {{"hour=09/telemetry-47.parquet", 470}};
    EXPECT_FALSE(can_publish(expected_files, observed_files, "telemetry-46", "telemetry-47"));
    observed_files["hour=09/telemetry-48.parquet"] = 480;
    EXPECT_TRUE(can_publish(expected_files, observed_files, "telemetry-47", "telemetry-47"));
}

TEST(DiffTest, ListsWhatManifestsAndPartitionsName) {
    const auto table = testkit::make_table("logs", "/lake/logs");
    const auto partition = testkit::make_partition(table, nine, {"bb", "a"});
    const Inventory registered = make_inventory(partition);
    ASSERT_THAT(registered, SizeIs(2));
    EXPECT_EQ(registered[0].path, "hour=2026-10-06T09/a.parquet");
    EXPECT_EQ(registered[0].sha256, partition.objects[0].sha256);

    Manifest manifest;
    manifest.partitions.push_back({nine, {}, {}, {}});
    for (const auto& object : {partition.objects[1], partition.objects[0]}) {
        manifest.partitions[0].objects.push_back(
            {object.path, object.size_bytes, object.record_count, object.sha256, {}, {}, {}});
    }
    EXPECT_EQ(make_inventory(manifest), registered);
}

TEST(DiffTest, IsTextForPeopleAndPrograms) {
    InventoryEntry known = entry("a", 1);
    known.record_count = 7;
    known.sha256 = Digest();
    const Json json = to_json(diff_inventories({known}, {entry("a", 2), entry("b", 3)}));
    EXPECT_EQ(format_json(json),
              R"({"added":[{"hour":"2026-10-06T09","path":"b","size_bytes":3}],"removed":[],)"
              R"("changed":[{"before":{"hour":"2026-10-06T09","path":"a","size_bytes":1,)"
              R"("record_count":7,"sha256":")" +
                  std::string(64, '0') +
                  R"("},"after":{"hour":"2026-10-06T09","path":"a","size_bytes":2}}],)"
                  R"("unchanged":0})");
}

}  // namespace
}  // namespace highwater::manifest
