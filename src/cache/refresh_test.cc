#include "cache/refresh.h"

#include <gtest/gtest.h>

#include <functional>

#include "cache/snapshot_editor.h"
#include "testkit/forwarding_catalog.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;

RefreshRequest prefix(const catalog::TableId& table, std::int64_t hour) {
    return {.kind = RefreshRequest::Kind::prefixes,
            .scopes = {{table, {{{hour}, {hour + 1}}}}},
            .reload = false};
}

class RefreshTest : public ::testing::Test {
protected:
    RefreshTest() : table(lake.create_table("metrics")) {
        for (std::int64_t hour = first; hour < first + 4; ++hour) lake.publish(table, hour);
    }

    Result<RefreshReport> refresh(const RefreshRequest& request = {},
                                  const SnapshotLimits& limits = {}) {
        return refresh_from(lake.catalog, request, limits);
    }

    Result<RefreshReport> refresh_from(catalog::Catalog& catalog, const RefreshRequest& request,
                                       const SnapshotLimits& limits = {}) {
        auto refreshed =
            cache::refresh({catalog, lake.store, lake.clock}, snapshot, request, limits);
        if (!refreshed.ok()) return refreshed.error();
        snapshot = refreshed->snapshot;
        return refreshed->report;
    }

    Entry entry(std::int64_t hour) {
        const auto found = snapshot->find({table, {hour}});
        EXPECT_TRUE(std::holds_alternative<Entry>(found));
        return std::get<Entry>(found);
    }

    testkit::Lake lake;
    catalog::TableId table;
    std::shared_ptr<const Snapshot> snapshot;
};

TEST_F(RefreshTest, AColdCacheLoadsEverything) {
    const auto report = refresh();

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->reloaded, ReloadReason::cold);
    EXPECT_FALSE(report->from.has_value());
    EXPECT_EQ(report->to, lake.head());
    EXPECT_EQ(report->ledger.catalog_round_trips, 2u);
    EXPECT_EQ(report->ledger.lists, 4u);
    EXPECT_EQ(snapshot->published_count(), 4u);
    EXPECT_EQ(snapshot->object_count(), 12u);
    EXPECT_EQ(*entry(first).partition, lake.partition(table, first));
    EXPECT_EQ(entry(first).listing->entries.size(), 3u);
    EXPECT_EQ(entry(first).listing->started, lake.head().number);
    EXPECT_EQ(entry(first + 9).state, Entry::State::never_published);
}

TEST_F(RefreshTest, AFullRefreshReadsOnlyWhatChanged) {
    ASSERT_THAT(refresh(), IsOk());
    const auto before = entry(first);
    lake.correct(table, first + 2);

    const auto report = refresh();

    ASSERT_THAT(report, IsOk());
    EXPECT_FALSE(report->reloaded.has_value());
    EXPECT_EQ(report->changed, 1u);
    EXPECT_EQ(report->ledger.catalog_round_trips, 2u);
    EXPECT_EQ(report->ledger.lists, 1u);
    EXPECT_EQ(report->ledger.listed_objects, 4u);  // The replaced object is still there.
    EXPECT_EQ(*entry(first + 2).partition, lake.partition(table, first + 2));
    EXPECT_EQ(entry(first).valid, (Interval{before.valid.from, lake.head().number}));
}

TEST_F(RefreshTest, APrefixRefreshSaysWhereTheOthersEnd) {
    ASSERT_THAT(refresh(), IsOk());
    const std::uint64_t seen = snapshot->seen().number;
    lake.correct(table, first);
    lake.correct(table, first + 1);
    lake.publish(table, first + 7);

    const auto report = refresh(prefix(table, first));

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->changed, 3u);
    EXPECT_EQ(report->pending, 2u);
    EXPECT_EQ(report->ledger.catalog_round_trips, 3u);
    EXPECT_EQ(report->ledger.lists, 1u);
    EXPECT_EQ(entry(first).valid, (Interval{seen + 1, seen + 3}));
    EXPECT_EQ(entry(first + 1).valid.to, seen + 1);
    EXPECT_EQ(entry(first + 7).state, Entry::State::never_published);
    EXPECT_EQ(entry(first + 7).valid, (Interval{0, seen + 2}));
    EXPECT_EQ(entry(first + 2).valid.to, seen + 3);
    EXPECT_EQ(report->completed, seen + 1);
    EXPECT_EQ(
        snapshot->find_generation(seen + 1)->chain,
        (*lake.catalog.find({catalog::Catalog::By::Kind::number, "", seen + 1}))->generation.chain);
}

TEST_F(RefreshTest, WhatWasLeftUnappliedIsAppliedLater) {
    ASSERT_THAT(refresh(), IsOk());
    lake.correct(table, first + 1);
    lake.correct(table, first + 2);
    ASSERT_THAT(refresh(prefix(table, first)), IsOk());

    // Nothing changed since, and yet something is to be done.
    const auto report = refresh(prefix(table, first + 1));
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->from, report->to);
    EXPECT_EQ(report->pending, 1u);
    EXPECT_EQ(*entry(first + 1).partition, lake.partition(table, first + 1));

    ASSERT_THAT(refresh(), IsOk());
    EXPECT_EQ(*entry(first + 2).partition, lake.partition(table, first + 2));
    EXPECT_EQ(snapshot->completed(), lake.head().number);
}

TEST_F(RefreshTest, NothingChangedIsOneRoundTripAndAdvancesNoGeneration) {
    ASSERT_THAT(refresh(), IsOk());
    const auto before = snapshot;
    lake.clock.advance(std::chrono::seconds(5));

    const auto report = refresh();

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->ledger.catalog_round_trips, 1u);
    EXPECT_EQ(report->ledger.lists, 0u);
    EXPECT_EQ(snapshot->seen(), before->seen());
    EXPECT_EQ(snapshot->as_of(), lake.clock.now());
}

TEST_F(RefreshTest, ReloadOfAPrefixReadsItThoughNothingChanged) {
    ASSERT_THAT(refresh(), IsOk());
    lake.store.replace({"/lake/metrics", "hour=2027-01-15T08/extra.parquet"}, "x");
    RefreshRequest request = prefix(table, first);
    request.reload = true;

    const auto report = refresh(request);

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->ledger.lists, 1u);
    EXPECT_EQ(report->layers[0].applied, 1u);
}

TEST_F(RefreshTest, AChangeOfTheTableEndsEveryHour) {
    ASSERT_THAT(refresh(), IsOk());
    const std::uint64_t seen = snapshot->seen().number;
    lake.add_column(table, "extra");

    ASSERT_THAT(refresh(prefix(table, first)), IsOk());

    EXPECT_EQ(entry(first).valid, (Interval{seen + 1, seen + 1}));
    EXPECT_EQ(entry(first + 1).valid.to, seen);
    EXPECT_EQ(snapshot->find_table(table)->valid, (Interval{seen + 1, seen + 1}));
    EXPECT_EQ(snapshot->completed(), seen);
}

TEST_F(RefreshTest, ADroppedTableLosesItsHours) {
    ASSERT_THAT(refresh(), IsOk());
    lake.drop_table(table);

    const auto report = refresh(prefix(table, first));

    ASSERT_THAT(report, IsOk());
    EXPECT_FALSE(snapshot->find_table("metrics").has_value());
    EXPECT_TRUE(snapshot->find_table(table)->table->dropped);
    EXPECT_EQ(snapshot->published_count(), 0u);
    EXPECT_EQ(snapshot->completed(), lake.head().number);
}

TEST_F(RefreshTest, AnUnpublishedHourIsRetiredAndNotListed) {
    ASSERT_THAT(refresh(), IsOk());
    lake.unpublish(table, first);

    const auto report = refresh();

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->ledger.lists, 0u);
    EXPECT_EQ(entry(first).state, Entry::State::retired);
    EXPECT_EQ(snapshot->published_range(table), (model::HourRange{{first + 1}, {first + 4}}));
}

TEST_F(RefreshTest, AScopeOfAnUnknownTableIsRefused) {
    ASSERT_THAT(refresh(), IsOk());
    EXPECT_THAT(refresh(prefix({}, first)), FailsWith(Code::not_found));
}

TEST_F(RefreshTest, AnotherEpochIsLoadedAnew) {
    ASSERT_THAT(refresh(), IsOk());
    testkit::Lake other;
    other.random.next();
    env::SeededRandom random(99);
    catalog::MemoryCatalog restored(random);

    const auto report = refresh_from(restored, {});

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->reloaded, ReloadReason::other_epoch);
    EXPECT_EQ(report->ledger.catalog_round_trips, 3u);
    EXPECT_EQ(snapshot->published_count(), 0u);
}

/// The same life of a catalog, as it was some generations ago, or with another past.
class OldCopy final : public testkit::ForwardingCatalog {
public:
    using ForwardingCatalog::ForwardingCatalog;

    Result<catalog::Changes> load_changes(std::uint64_t since) override {
        if (since > number) return Error(Code::not_found, "above the head");
        return ForwardingCatalog::load_changes(since);
    }
    Result<catalog::View> load_view(const catalog::ViewRequest& request) override {
        catalog::ViewRequest old = request;
        old.at = std::min(request.at.value_or(number), number);
        return ForwardingCatalog::load_view(old);
    }

    std::uint64_t number = 0;
};

TEST_F(RefreshTest, ACatalogBehindWhatWasSeenIsRefused) {
    ASSERT_THAT(refresh(), IsOk());
    const auto before = snapshot;
    OldCopy old(lake.catalog);
    old.number = lake.head().number - 1;

    EXPECT_THAT(refresh_from(old, {}), FailsWith(Code::precondition_failed));
    EXPECT_THAT(refresh_from(old, {.kind = {}, .scopes = {}, .reload = true}),
                FailsWith(Code::precondition_failed));
    EXPECT_EQ(snapshot, before);
}

/// Answers `load_changes` as it is told.
class OddChanges final : public testkit::ForwardingCatalog {
public:
    using ForwardingCatalog::ForwardingCatalog;

    Result<catalog::Changes> load_changes(std::uint64_t since) override {
        auto changes = ForwardingCatalog::load_changes(since);
        if (changes.ok()) edit(*changes);
        return changes;
    }

    std::function<void(catalog::Changes&)> edit;
};

TEST_F(RefreshTest, AForkIsLoadedAnew) {
    ASSERT_THAT(refresh(), IsOk());
    OddChanges odd(lake.catalog);
    odd.edit = [](auto& changes) { changes.from.chain = digest_of("another past"); };

    const auto report = refresh_from(odd, {});

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->reloaded, ReloadReason::forked);
    EXPECT_EQ(snapshot->published_count(), 4u);
}

TEST_F(RefreshTest, TrimmedHistoryIsLoadedAnew) {
    ASSERT_THAT(refresh(), IsOk());
    lake.correct(table, first);
    OddChanges odd(lake.catalog);
    odd.edit = [](auto& changes) {
        changes.trimmed = true;
        changes.partitions.clear();
    };

    const auto report = refresh_from(odd, prefix(table, first + 1));

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->reloaded, ReloadReason::trimmed);
    EXPECT_EQ(report->ledger.catalog_round_trips, 3u);
    EXPECT_EQ(*entry(first).partition, lake.partition(table, first));
}

TEST_F(RefreshTest, AListOfChangesThatNamesNothingIsNotBelieved) {
    ASSERT_THAT(refresh(), IsOk());
    const auto before = snapshot;
    lake.correct(table, first);
    OddChanges odd(lake.catalog);
    odd.edit = [](auto& changes) { changes.partitions.clear(); };

    EXPECT_THAT(refresh_from(odd, {}), FailsWith(Code::corrupt));
    EXPECT_EQ(snapshot, before);
}

TEST_F(RefreshTest, AChangedHourThatIsNotThereIsNotBelieved) {
    ASSERT_THAT(refresh(), IsOk());
    lake.correct(table, first);
    OddChanges odd(lake.catalog);
    odd.edit = [&](auto& changes) { changes.partitions.push_back({{table, {first + 99}}, 6, 6}); };
    EXPECT_THAT(refresh_from(odd, {}), FailsWith(Code::corrupt));
    odd.edit = [&](auto& changes) { changes.partitions.push_back({{{}, {first}}, 6, 6}); };
    EXPECT_THAT(refresh_from(odd, {}), FailsWith(Code::corrupt));
}

TEST_F(RefreshTest, ASnapshotWithATableOfNobodyIsLoadedAnew) {
    ASSERT_THAT(refresh(), IsOk());
    catalog::Table foreign = lake.table(table);
    foreign.id.value = env::make_uuid(lake.random);
    SnapshotEditor editor(snapshot);
    editor.put_table(foreign);
    snapshot = editor.finish(snapshot->seen(), snapshot->as_of());
    lake.correct(table, first);

    const auto report = refresh();

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->reloaded, ReloadReason::other_table);
    EXPECT_FALSE(snapshot->find_table(foreign.id).has_value());
    EXPECT_LE(report->ledger.catalog_round_trips, 3u);
}

TEST_F(RefreshTest, ChainsAreLookedUpSoFarAndNotFurther) {
    ASSERT_THAT(refresh(), IsOk());
    const std::uint64_t seen = snapshot->seen().number;
    for (int i = 0; i < 1'000; ++i) lake.correct(table, first);
    lake.correct(table, first + 1);
    lake.correct(table, first + 2);

    ASSERT_THAT(refresh(prefix(table, first)), IsOk());

    // The log was read up to seen + 1,000: there ends the one, and the other a generation later.
    EXPECT_EQ(entry(first + 1).valid.to, seen + 1'000);
    EXPECT_EQ(entry(first + 2).valid.to, seen);
    EXPECT_EQ(entry(first).valid.to, seen + 1'002);
}

TEST_F(RefreshTest, ASnapshotHasLimits) {
    EXPECT_THAT(refresh({}, {.objects_max = 12, .hours_max = 4}), IsOk());
    snapshot = nullptr;
    EXPECT_THAT(refresh({}, {.objects_max = 11, .hours_max = 4}), FailsWith(Code::exhausted));
    EXPECT_THAT(refresh({}, {.objects_max = 12, .hours_max = 3}), FailsWith(Code::exhausted));
    EXPECT_EQ(snapshot, nullptr);
}

TEST_F(RefreshTest, EachLayerReportsItsOwnGeneration) {
    ASSERT_THAT(refresh(), IsOk());
    const std::uint64_t seen = snapshot->seen().number;
    lake.correct(table, first);

    const auto report = refresh();

    ASSERT_THAT(report, IsOk());
    ASSERT_EQ(report->layers.size(), 2u);
    EXPECT_EQ(report->layers[0].layer, Layer::registrations);
    EXPECT_EQ(report->layers[0].before, seen);
    EXPECT_EQ(report->layers[0].after, seen + 1);
    EXPECT_EQ(report->layers[0].applied, 1u);
    EXPECT_EQ(report->layers[0].requests, 2u);
    EXPECT_EQ(report->layers[1].layer, Layer::listings);
    EXPECT_EQ(report->layers[1].after, seen + 1);
    EXPECT_EQ(report->layers[1].requests, 1u);
    EXPECT_EQ(report->completed, seen + 1);
}

}  // namespace
}  // namespace highwater::cache
