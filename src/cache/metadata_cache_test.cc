#include "cache/metadata_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "cache/memory_disk.h"
#include "testkit/faulty_store.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;

class MetadataCacheTest : public ::testing::Test {
protected:
    MetadataCacheTest() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1});
    }

    Sources sources() { return {lake.catalog, lake.store, lake.clock}; }

    testkit::Lake lake;
    catalog::TableId table;
    MemoryDisk disk;
};

TEST_F(MetadataCacheTest, StartsEmptyAndHasWhatWasRefreshed) {
    MetadataCache cache(sources(), nullptr);
    EXPECT_EQ(cache.snapshot(), nullptr);
    ASSERT_THAT(cache.take_in(), IsOk());
    ASSERT_THAT(cache.refresh({}), IsOk());
    EXPECT_EQ(cache.snapshot()->seen(), lake.head());
}

TEST_F(MetadataCacheTest, AFailedRefreshLeavesEverythingAndSaysSo) {
    MetadataCache cache(sources(), nullptr);
    ASSERT_THAT(cache.refresh({}), IsOk());
    const auto before = cache.snapshot();
    const Health healthy = cache.health();
    lake.correct(table, first);
    lake.clock.advance(std::chrono::minutes(1));
    testkit::Fault fault(0, testkit::Fault::When::before_effect);
    testkit::FaultyStore broken(lake.store, fault);
    MetadataCache unlucky({lake.catalog, broken, lake.clock}, nullptr);

    EXPECT_THAT(unlucky.refresh({}), FailsWith(Code::unavailable));

    EXPECT_EQ(unlucky.snapshot(), nullptr);
    EXPECT_EQ(unlucky.health().last_started, lake.clock.now());
    EXPECT_FALSE(unlucky.health().last_completed.has_value());
    EXPECT_EQ(unlucky.health().last_error->code(), Code::unavailable);
    EXPECT_EQ(unlucky.counters().refreshes_started, 1u);
    EXPECT_EQ(unlucky.counters().refreshes_completed, 0u);
    EXPECT_EQ(unlucky.counters().refreshes_failed, 1u);
    EXPECT_EQ(cache.snapshot(), before);
    EXPECT_EQ(healthy.last_completed_generation, before->seen());

    // The next one succeeds, and what failed is forgotten.
    ASSERT_THAT(unlucky.refresh({}), IsOk());
    EXPECT_FALSE(unlucky.health().last_error.has_value());
    EXPECT_EQ(unlucky.health().last_completed_generation, lake.head());
}

TEST_F(MetadataCacheTest, CountsHitsAndMissesByReason) {
    MetadataCache cache(sources(), nullptr);
    cache.count_hit();
    cache.count_miss(Miss::stale);
    cache.count_miss(Miss::incomplete);
    cache.count_miss(Miss::incomplete);
    EXPECT_EQ(cache.counters().hits, 1u);
    EXPECT_EQ(cache.counters().missed(Miss::stale), 1u);
    EXPECT_EQ(cache.counters().missed(Miss::incomplete), 2u);
    EXPECT_EQ(cache.counters().missed(Miss::cold), 0u);
    EXPECT_EQ(cache.counters().missed(Miss::location_unknown), 0u);
}

TEST_F(MetadataCacheTest, TwoCachesShareWhatEachOfThemRefreshed) {
    File one_file(disk, lake.clock, "/cache");
    File two_file(disk, lake.clock, "/cache");
    MetadataCache one(sources(), &one_file);
    MetadataCache two(sources(), &two_file);
    ASSERT_THAT(one.refresh({}), IsOk());
    ASSERT_THAT(two.take_in(), IsOk());
    ASSERT_NE(two.snapshot(), nullptr);
    EXPECT_EQ(two.snapshot()->seen(), lake.head());
    EXPECT_EQ(two.counters().refreshes_started, 0u);

    lake.correct(table, first);
    lake.correct(table, first + 1);
    const auto only = [&](std::int64_t hour) {
        return RefreshRequest{.kind = RefreshRequest::Kind::prefixes,
                              .scopes = {{table, {{{hour}, {hour + 1}}}}},
                              .reload = false};
    };
    ASSERT_THAT(one.refresh(only(first)), IsOk());
    const auto report = two.refresh(only(first + 1));
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->ledger.lists, 1u);
    EXPECT_EQ(report->completed, lake.head().number);  // With what the other one did.
    ASSERT_THAT(one.take_in(), IsOk());
    EXPECT_EQ(one.snapshot()->completed(), lake.head().number);
}

TEST_F(MetadataCacheTest, ACacheThatCannotBeStoredIsServedAllTheSame) {
    File file(disk, lake.clock, "/cache");
    MetadataCache cache(sources(), &file);
    const auto held = disk.try_lock("/cache.lock");
    ASSERT_THAT(held, IsOk());

    const auto report = cache.refresh({});

    ASSERT_THAT(report, IsOk());
    ASSERT_TRUE(report->not_stored.has_value());
    EXPECT_EQ(report->not_stored->code(), Code::unavailable);
    EXPECT_EQ(cache.snapshot()->seen(), lake.head());
}

TEST_F(MetadataCacheTest, ARefreshThatFoundNothingIsNotStored) {
    File file(disk, lake.clock, "/cache");
    MetadataCache cache(sources(), &file);
    ASSERT_THAT(cache.refresh({}), IsOk());
    const auto before = disk.find_state("/cache");
    ASSERT_THAT(cache.refresh({}), IsOk());
    EXPECT_EQ(*disk.find_state("/cache"), *before);
}

TEST_F(MetadataCacheTest, ADiscardedFileStartsTheCacheEmptyAndSaysWhy) {
    ASSERT_THAT(disk.write("/cache", 0, "something else entirely"), IsOk());
    File file(disk, lake.clock, "/cache");
    MetadataCache cache(sources(), &file);
    ASSERT_THAT(cache.take_in(), IsOk());
    EXPECT_EQ(cache.snapshot(), nullptr);
    ASSERT_TRUE(cache.discarded().has_value());
    EXPECT_EQ(cache.discarded()->reason, Discarded::Reason::not_a_cache);
    const auto report = cache.refresh({});
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->reloaded, ReloadReason::cold);
    EXPECT_FALSE(cache.discarded().has_value());
}

TEST_F(MetadataCacheTest, ReadersSeeOldOrNewWhileRefreshesRun) {
    MetadataCache cache(sources(), nullptr);
    ASSERT_THAT(cache.refresh({}), IsOk());
    std::atomic<bool> done = false;
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&] {
            std::uint64_t last = 0;
            while (!done) {
                const auto snapshot = cache.snapshot();
                EXPECT_GE(snapshot->seen().number, last);
                EXPECT_EQ(snapshot->completed(), snapshot->seen().number);
                last = snapshot->seen().number;
                cache.count_hit();
            }
        });
    }
    std::thread other([&] {
        for (int i = 0; i < 20; ++i) EXPECT_THAT(cache.refresh({}), IsOk());
    });
    for (int i = 0; i < 20; ++i) {
        lake.correct(table, first);
        EXPECT_THAT(cache.refresh({}), IsOk());
    }
    other.join();
    done = true;
    for (auto& reader : readers) reader.join();
    EXPECT_EQ(cache.snapshot()->seen(), lake.head());
}

}  // namespace
}  // namespace highwater::cache
