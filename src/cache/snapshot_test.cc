#include "cache/snapshot.h"

#include <gmock/gmock.h>

#include "cache/snapshot_editor.h"
#include "testkit/lake.h"

namespace highwater::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

const catalog::TableId table_id{Uuid{{1}}};

catalog::Generation generation(std::uint64_t number) {
    return {{1, 7}, number, digest_of(std::to_string(number))};
}

catalog::Table make_table(std::uint64_t changed = 1) {
    catalog::Table table;
    table.id = table_id;
    table.name = "metrics";
    table.location = "/lake/metrics";
    table.changed = changed;
    table.schemas = {{1, {}, 1}};
    return table;
}

catalog::RegisteredObject make_object(const std::string& path) {
    catalog::RegisteredObject object;
    object.path = path;
    object.size_bytes = 5;
    return object;
}

catalog::Partition make_partition(std::int64_t hour, std::uint64_t changed) {
    catalog::Partition partition;
    partition.key = {table_id, {hour}};
    partition.root = "/lake/metrics";
    partition.changed = changed;
    partition.objects.push_back(make_object("hour/" + std::to_string(hour)));
    partition.inventory = catalog::inventory_of(partition);
    return partition;
}

Listing listing(std::uint64_t started) {
    return {started, {}};
}

class SnapshotTest : public ::testing::Test {
protected:
    SnapshotTest() { editor.put_table(make_table()); }

    std::shared_ptr<const Snapshot> finish(std::uint64_t seen) {
        return editor.finish(generation(seen), Time());
    }

    SnapshotEditor editor{nullptr};
};

TEST_F(SnapshotTest, AnEmptyOneHasSeenWhatItSays) {
    const auto snapshot = finish(3);
    EXPECT_EQ(snapshot->seen(), generation(3));
    EXPECT_EQ(snapshot->completed(), 3u);
    EXPECT_TRUE(snapshot->published_range(table_id).is_empty());
    EXPECT_THAT(snapshot->list_hours(table_id, {{-10}, {10}}), IsEmpty());
}

TEST_F(SnapshotTest, AnHourWithoutAnEntryWasNeverPublished) {
    const auto found = finish(3)->find({table_id, {5}});
    ASSERT_TRUE(std::holds_alternative<Entry>(found));
    EXPECT_EQ(std::get<Entry>(found).state, Entry::State::never_published);
    EXPECT_EQ(std::get<Entry>(found).valid, (Interval{0, 3}));
}

TEST_F(SnapshotTest, ATableThatIsNotHeldIsAMiss) {
    const auto found = finish(3)->find({{}, {5}});
    ASSERT_TRUE(std::holds_alternative<Miss>(found));
    EXPECT_EQ(std::get<Miss>(found), Miss::unknown_table);
}

TEST_F(SnapshotTest, HoursAreFoundOnBothSidesOfEveryChunk) {
    const std::vector<std::int64_t> hours = {-257, -256, -1, 0, 255, 256, 257, 100'000};
    for (const std::int64_t hour : hours) editor.put(make_partition(hour, 2), listing(2));
    const auto snapshot = finish(3);
    for (const std::int64_t hour : hours) {
        const auto found = snapshot->find({table_id, {hour}});
        ASSERT_TRUE(std::holds_alternative<Entry>(found)) << hour;
        EXPECT_EQ(*std::get<Entry>(found).partition, make_partition(hour, 2));
        EXPECT_EQ(
            snapshot->find_hour({table_id, {hour + 2}}).state == Entry::State::never_published,
            std::ranges::find(hours, hour + 2) == hours.end());
    }
    EXPECT_EQ(snapshot->published_count(), hours.size());
    EXPECT_EQ(snapshot->published_range(table_id), (model::HourRange{{-257}, {100'001}}));
    EXPECT_THAT(
        snapshot->list_hours(table_id, {{-256}, {256}}),
        ElementsAre(Field(&HeldHour::hour, model::Hour{-256}),
                    Field(&HeldHour::hour, model::Hour{-1}), Field(&HeldHour::hour, model::Hour{0}),
                    Field(&HeldHour::hour, model::Hour{255})));
}

TEST_F(SnapshotTest, RetiredHoursDoNotStretchThePublishedRange) {
    catalog::Partition retired = make_partition(9, 2);
    retired.objects.clear();
    retired.retired = true;
    retired.inventory = catalog::inventory_of(retired);
    editor.put(retired, std::nullopt);
    EXPECT_TRUE(finish(3)->published_range(table_id).is_empty());
    SnapshotEditor next(finish(3));
    next.put_table(make_table());
    next.put(retired, std::nullopt);
    next.put(make_partition(7, 4), listing(4));
    EXPECT_EQ(next.finish(generation(4), Time())->published_range(table_id),
              (model::HourRange{{7}, {8}}));
}

TEST_F(SnapshotTest, AnEntryIsValidFromTheLastChangeOfItsHourOrTable) {
    editor.put_table(make_table(6));
    editor.put(make_partition(1, 4), listing(7));
    editor.put(make_partition(2, 7), listing(7));
    const auto snapshot = finish(8);
    EXPECT_EQ(snapshot->find_hour({table_id, {1}}).valid, (Interval{6, 8}));
    EXPECT_EQ(snapshot->find_hour({table_id, {2}}).valid, (Interval{7, 8}));
    EXPECT_EQ(snapshot->find_table("metrics")->valid, (Interval{6, 8}));
}

TEST_F(SnapshotTest, WhatIsNotAppliedEndsEntriesAndCompletion) {
    editor.put(make_partition(1, 2), listing(2));
    editor.put(make_partition(300, 2), listing(2));
    SnapshotEditor next(finish(4));
    next.add_generation(5, digest_of("5"));
    next.end({table_id, {1}}, 5);
    next.end({table_id, {2}}, 5);
    const auto snapshot = next.finish(generation(9), Time());
    EXPECT_EQ(snapshot->find_hour({table_id, {1}}).valid, (Interval{2, 5}));
    EXPECT_EQ(snapshot->find_hour({table_id, {2}}).valid, (Interval{0, 5}));
    EXPECT_EQ(snapshot->find_hour({table_id, {300}}).valid, (Interval{2, 9}));
    EXPECT_EQ(snapshot->completed(Layer::registrations), 5u);
    EXPECT_EQ(snapshot->find_generation(5)->chain, digest_of("5"));
    EXPECT_FALSE(snapshot->find_generation(4).has_value());  // No entry ends there.
    EXPECT_FALSE(snapshot->find_generation(6).has_value());
}

TEST_F(SnapshotTest, AListingThatBeganBeforeTheLastChangeDoesNotCount) {
    editor.put(make_partition(1, 4), listing(3));
    editor.put(make_partition(2, 4), listing(4));
    const auto snapshot = finish(6);
    EXPECT_FALSE(snapshot->find_hour({table_id, {1}}).is_listed);
    EXPECT_TRUE(snapshot->find_hour({table_id, {2}}).is_listed);
    EXPECT_EQ(snapshot->completed(Layer::registrations), 6u);
    EXPECT_EQ(snapshot->completed(Layer::listings), 3u);
    EXPECT_EQ(snapshot->completed(), 3u);
}

TEST_F(SnapshotTest, AnEntryThatDisagreesWithItsRegistrationIsIncomplete) {
    catalog::Partition short_of_one = make_partition(1, 2);
    short_of_one.objects.push_back(make_object("hour/2"));
    short_of_one.inventory = catalog::inventory_of(short_of_one);
    short_of_one.objects.pop_back();
    editor.put(short_of_one, listing(2));
    catalog::Partition empty = make_partition(2, 2);
    empty.objects.clear();  // Neither objects nor a reason, although its digest is its own.
    empty.inventory = catalog::inventory_of(empty);
    editor.put(empty, listing(2));
    const auto snapshot = finish(3);
    for (const std::int64_t hour : {1, 2}) {
        const auto found = snapshot->find({table_id, {hour}});
        ASSERT_TRUE(std::holds_alternative<Miss>(found)) << hour;
        EXPECT_EQ(std::get<Miss>(found), Miss::incomplete);
    }
}

TEST_F(SnapshotTest, BytesThatAreNoEntryAreIncomplete) {
    Slot slot{.hour = {1}, .from = 2, .state = Entry::State::published, .packed = nullptr};
    slot.packed = std::make_shared<const Bytes>("rubbish");
    editor.put_slot(table_id, slot);
    const auto found = finish(3)->find({table_id, {1}});
    ASSERT_TRUE(std::holds_alternative<Miss>(found));
    EXPECT_EQ(std::get<Miss>(found), Miss::incomplete);
}

TEST_F(SnapshotTest, OldOnesStayAsTheyWereAndShareWhatDidNotChange) {
    editor.put(make_partition(1, 2), listing(2));
    editor.put(make_partition(300, 2), listing(2));
    const auto before = finish(3);
    SnapshotEditor next(before);
    next.put_table(make_table());
    next.put(make_partition(1, 4), listing(4));
    const auto after = next.finish(generation(4), Time());
    EXPECT_EQ(before->find_hour({table_id, {1}}).valid, (Interval{2, 3}));
    EXPECT_EQ(after->find_hour({table_id, {1}}).valid, (Interval{4, 4}));
    const auto chunk = [](const Snapshot& snapshot, std::size_t at) {
        return snapshot.parts().tables.at(table_id)->chunks.at(at).second;
    };
    EXPECT_EQ(chunk(*before, 1), chunk(*after, 1));
    EXPECT_NE(chunk(*before, 0), chunk(*after, 0));
}

TEST_F(SnapshotTest, AnErasedHourIsOneThatWasNeverPublished) {
    editor.put(make_partition(1, 2), listing(2));
    SnapshotEditor next(finish(3));
    next.erase({table_id, {1}});
    next.erase({table_id, {2}});
    const auto snapshot = next.finish(generation(3), Time());
    EXPECT_EQ(snapshot->find_hour({table_id, {1}}).state, Entry::State::never_published);
    EXPECT_TRUE(snapshot->parts().tables.at(table_id)->chunks.empty());
}

TEST_F(SnapshotTest, TheNameIsThatOfTheTableThatHasItNow) {
    catalog::Table dropped = make_table(2);
    dropped.dropped = true;
    editor.put_table(dropped);
    catalog::Table heir = make_table(3);
    heir.id.value.bytes[0] = 2;
    editor.put_table(heir);
    const auto snapshot = finish(3);
    EXPECT_EQ(snapshot->find_table("metrics")->table->id, heir.id);
    EXPECT_TRUE(snapshot->find_table(table_id)->table->dropped);
    EXPECT_EQ(snapshot->tables().size(), 2u);
}

TEST(ChunkTest, EveryHourHasOneChunk) {
    EXPECT_EQ(chunk_of({-257}), -2);
    EXPECT_EQ(chunk_of({-256}), -1);
    EXPECT_EQ(chunk_of({-1}), -1);
    EXPECT_EQ(chunk_of({0}), 0);
    EXPECT_EQ(chunk_of({255}), 0);
    EXPECT_EQ(chunk_of({256}), 1);
}

}  // namespace
}  // namespace highwater::cache
