#include "cache/file.h"

#include <gtest/gtest.h>

#include "cache/memory_disk.h"
#include "cache/refresh.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;
const std::string path = "/data/cache";

class FileTest : public ::testing::Test {
protected:
    FileTest() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1});
        refresh();
    }

    void refresh() {
        auto refreshed = cache::refresh({lake.catalog, lake.store, lake.clock}, snapshot, {});
        ASSERT_THAT(refreshed, IsOk());
        snapshot = refreshed->snapshot;
    }

    /// Stores one more generation.
    void store_next(File& file) {
        lake.correct(table, first);
        refresh();
        ASSERT_THAT(file.store(snapshot), IsOk());
    }

    File open(const FileLimits& limits = {}) { return {disk, lake.clock, path, limits}; }

    Bytes bytes() { return disk.read(path, 0, 1 << 30)->bytes; }
    void set_bytes(BytesView bytes) { ASSERT_THAT(disk.write(path, 0, bytes), IsOk()); }

    void expect_discarded(Discarded::Reason reason) {
        File file = open();
        const auto loaded = file.load();
        ASSERT_THAT(loaded, IsOk());
        EXPECT_EQ(*loaded, nullptr);
        ASSERT_TRUE(file.discarded().has_value());
        EXPECT_EQ(to_text(file.discarded()->reason), to_text(reason));
        // The cache starts empty, and the file is made anew.
        ASSERT_THAT(file.store(snapshot), IsOk());
        EXPECT_FALSE(file.discarded().has_value());
        EXPECT_EQ((*open().load())->seen(), snapshot->seen());
    }

    testkit::Lake lake;
    catalog::TableId table;
    std::shared_ptr<const Snapshot> snapshot;
    MemoryDisk disk;
};

TEST_F(FileTest, NoFileIsNoSnapshot) {
    File file = open();
    const auto loaded = file.load();
    ASSERT_THAT(loaded, IsOk());
    EXPECT_EQ(*loaded, nullptr);
    EXPECT_FALSE(file.discarded().has_value());
}

TEST_F(FileTest, WhatWasStoredIsLoaded) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    store_next(file);
    disk.crash();

    const auto loaded = open().load();

    ASSERT_THAT(loaded, IsOk());
    EXPECT_EQ((*loaded)->seen(), snapshot->seen());
    EXPECT_EQ((*loaded)->completed(), snapshot->completed());
    const auto found = (*loaded)->find({table, {first}});
    ASSERT_TRUE(std::holds_alternative<Entry>(found));
    EXPECT_EQ(*std::get<Entry>(found).partition, lake.partition(table, first));
}

TEST_F(FileTest, EachStoreAppendsWhatChanged) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    const Bytes before = bytes();
    store_next(file);
    EXPECT_TRUE(bytes().starts_with(before));
    EXPECT_GT(bytes().size(), before.size());
    // The same again changes nothing.
    const Bytes after = bytes();
    EXPECT_EQ(*file.store(snapshot), snapshot);
    EXPECT_EQ(bytes(), after);
}

TEST_F(FileTest, AReaderTakesInWhatAnotherAppended) {
    File writer = open();
    ASSERT_THAT(writer.store(snapshot), IsOk());
    File reader = open();
    const auto before = *reader.load();
    EXPECT_EQ(*reader.load(), before);  // Nothing new: the same snapshot.
    store_next(writer);
    EXPECT_EQ((*reader.load())->seen(), snapshot->seen());
}

TEST_F(FileTest, TheHigherSeenGenerationWins) {
    File writer = open();
    const auto old = snapshot;
    store_next(writer);
    File late = open();
    const auto stored = late.store(old);
    ASSERT_THAT(stored, IsOk());
    EXPECT_EQ((*stored)->seen(), snapshot->seen());
    EXPECT_EQ((*open().load())->seen(), snapshot->seen());
}

TEST_F(FileTest, ALongLogIsCompacted) {
    File file = open({.log_bytes_min = 1});
    ASSERT_THAT(file.store(snapshot), IsOk());
    File reader = open();
    ASSERT_THAT(reader.load(), IsOk());
    std::size_t largest = 0;
    bool shrank = false;
    for (int i = 0; i < 20; ++i) {
        const std::size_t before = bytes().size();
        store_next(file);
        shrank |= bytes().size() < before;
        largest = std::max(largest, bytes().size());
        ASSERT_EQ((*reader.load())->seen(), snapshot->seen());
    }
    EXPECT_TRUE(shrank);
    EXPECT_LT(largest, 6'000u);
    EXPECT_EQ((*open().load())->seen(), snapshot->seen());
}

TEST_F(FileTest, AShortLogIsNotCompacted) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    for (int i = 0; i < 20; ++i) {
        const std::size_t before = bytes().size();
        store_next(file);
        ASSERT_GT(bytes().size(), before);
    }
}

TEST_F(FileTest, ARecordThatWasNotFinishedIsCutOff) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    const auto before = snapshot->seen();
    const std::size_t size = bytes().size();
    store_next(file);
    const Bytes whole = bytes();
    for (std::size_t cut = size; cut < whole.size(); cut += 7) {
        set_bytes(BytesView(whole).substr(0, cut));
        File reopened = open();
        ASSERT_EQ((*reopened.load())->seen(), before) << cut;
        ASSERT_THAT(reopened.store(snapshot), IsOk());
        ASSERT_EQ((*open().load())->seen(), snapshot->seen()) << cut;
        set_bytes(whole);
    }
    // A crash may leave zeros where the record was to be.
    set_bytes(whole.substr(0, size) + Bytes(200, '\0'));
    EXPECT_EQ((*open().load())->seen(), before);
}

TEST_F(FileTest, ABrokenRecordInTheMiddleDiscardsAll) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    store_next(file);
    Bytes broken = bytes();
    broken[100] = static_cast<char>(broken[100] ^ 1);
    set_bytes(broken);
    expect_discarded(Discarded::Reason::corrupt);
}

TEST_F(FileTest, SomethingElseIsDiscarded) {
    set_bytes("SQLite format 3 and so on");
    expect_discarded(Discarded::Reason::not_a_cache);
}

TEST_F(FileTest, ALaterFormatIsDiscarded) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    Bytes later = bytes();
    later[16] = 2;
    set_bytes(later);
    expect_discarded(Discarded::Reason::unknown_format);
}

TEST_F(FileTest, RecordsOfTwoFilesDoNotMakeOne) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    const Bytes base = bytes();
    store_next(file);
    const Bytes one_change = bytes().substr(base.size());
    store_next(file);
    const Bytes two_changes = bytes().substr(base.size());
    set_bytes(base + two_changes.substr(one_change.size()));  // The one between is missing.
    expect_discarded(Discarded::Reason::forked);
}

TEST_F(FileTest, AnotherLifeOfTheCatalogReplacesTheFile) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    env::SeededRandom random(5);
    catalog::MemoryCatalog restored(random);
    auto refreshed = cache::refresh({restored, lake.store, lake.clock}, nullptr, {});
    ASSERT_THAT(refreshed, IsOk());
    ASSERT_THAT(file.store(refreshed->snapshot), IsOk());
    EXPECT_EQ((*open().load())->seen().epoch, refreshed->snapshot->seen().epoch);
}

TEST_F(FileTest, WhoeverHoldsTheLockIsWaitedForAndThenNot) {
    auto held = disk.try_lock(path + ".lock");
    ASSERT_THAT(held, IsOk());
    File file = open();
    const Duration before = lake.clock.steady();
    EXPECT_THAT(file.store(snapshot), FailsWith(Code::unavailable));
    EXPECT_GE(lake.clock.steady() - before, FileLimits().lock_wait_max);
    EXPECT_FALSE(disk.find_state(path)->has_value());
    held->reset();
    EXPECT_THAT(file.store(snapshot), IsOk());
}

TEST_F(FileTest, AFileHasALargestSize) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    const std::uint64_t size = bytes().size();
    const Bytes stored = bytes();
    EXPECT_NE(*open({.size_bytes_max = size}).load(), nullptr);

    File small = open({.size_bytes_max = size - 1});
    EXPECT_EQ(*small.load(), nullptr);
    EXPECT_EQ(small.discarded()->reason, Discarded::Reason::too_large);
    EXPECT_THAT(small.store(snapshot), FailsWith(Code::exhausted));
    EXPECT_EQ(bytes(), stored);
    EXPECT_THAT(open({.size_bytes_max = size}).store(snapshot), IsOk());
}

TEST_F(FileTest, AFileThatIsGoneIsStartedAnew) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    ASSERT_THAT(disk.rename(path, "/data/elsewhere"), IsOk());
    EXPECT_EQ(*file.load(), nullptr);
    ASSERT_THAT(file.store(snapshot), IsOk());
    EXPECT_EQ((*open().load())->seen(), snapshot->seen());
}

TEST_F(FileTest, AReplacedFileOfTheSameSizeIsReadAnew) {
    File file = open();
    ASSERT_THAT(file.store(snapshot), IsOk());
    Bytes other = bytes();
    other[60] = static_cast<char>(other[60] ^ 1);
    set_bytes(other);  // In place: the same inode, another time.
    EXPECT_EQ(*file.load(), nullptr);
}

}  // namespace
}  // namespace highwater::cache
