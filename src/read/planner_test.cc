#include "read/planner.h"

#include <gmock/gmock.h>

#include "cache/refresh.h"
#include "read/facts.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::read {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;

class PlannerTest : public ::testing::Test {
protected:
    PlannerTest() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1, first + 3});
    }

    static Request make_request(std::int64_t from, std::int64_t to) {
        Request request;
        request.tables = {{"metrics", std::nullopt}};
        request.range = {model::start_of({from}), model::start_of({to})};
        return request;
    }

    std::shared_ptr<const cache::Snapshot> refreshed() {
        auto done = cache::refresh({lake.catalog, lake.store, lake.clock}, nullptr, {});
        EXPECT_THAT(done, IsOk());
        return done->snapshot;
    }

    /// The plan from the cache, which must be that from the catalog and a listing.
    PlanOutcome plan_both(const Request& request) {
        const auto snapshot = refreshed();
        PlanOutcome cached = plan(request, *snapshot, snapshot->seen());
        const Listed listed = list(lake.catalog, lake.store, request, std::nullopt);
        EXPECT_FALSE(listed.refusal.has_value());
        const PlanOutcome direct = plan_from_view(request, listed.listed);
        EXPECT_EQ(cached.index(), direct.index());
        if (const auto* planned = std::get_if<Planned>(&cached)) {
            EXPECT_EQ(planned->plan, std::get<Planned>(direct).plan);
            EXPECT_EQ(planned->extras, std::get<Planned>(direct).extras);
            EXPECT_EQ(planned->why, std::get<Planned>(direct).why);
        } else {
            EXPECT_EQ(std::get<NotPlanned>(cached).refusals, std::get<NotPlanned>(direct).refusals);
        }
        return cached;
    }

    Planned must_plan(const Request& request) {
        PlanOutcome outcome = plan_both(request);
        EXPECT_TRUE(std::holds_alternative<Planned>(outcome));
        return std::get<Planned>(outcome);
    }

    std::vector<Refusal> must_refuse(const Request& request) {
        PlanOutcome outcome = plan_both(request);
        EXPECT_TRUE(std::holds_alternative<NotPlanned>(outcome));
        return std::get<NotPlanned>(outcome).refusals;
    }

    testkit::Lake lake;
    catalog::TableId table;
};

TEST_F(PlannerTest, PlansEveryFileOfTheHoursThatTheRangeTouches) {
    Request request = make_request(first, first + 2);
    request.range.from = *request.range.from + std::chrono::minutes(30);
    const Plan plan = must_plan(request).plan;
    ASSERT_THAT(plan.tables, SizeIs(1));
    const PlannedTable& planned = plan.tables[0];
    EXPECT_EQ(planned.table, lake.table(table));
    EXPECT_EQ(planned.range.from, *request.range.from);
    EXPECT_THAT(planned.hours, SizeIs(2));
    EXPECT_THAT(planned.files, SizeIs(6));
    EXPECT_EQ(plan.rows_in_scope, 60u);
    EXPECT_EQ(plan.generation, lake.head());
    const auto partition = lake.partition(table, first);
    EXPECT_EQ(planned.hours[0].inventory, partition.inventory);
    EXPECT_EQ(planned.files[0].name, (object::Name{partition.root, partition.objects[0].path}));
    EXPECT_EQ(planned.files[0].identity, partition.objects[0].identity);
    EXPECT_EQ(planned.files[0].sha256, partition.objects[0].sha256);
}

TEST_F(PlannerTest, AGapIsRefusedOrListed) {
    Request request = make_request(first - 2, first + 5);
    const auto refusals = must_refuse(request);
    ASSERT_THAT(refusals, SizeIs(1));
    const auto& missing = std::get<MissingHours>(refusals[0]);
    EXPECT_THAT(missing.hours, ElementsAre(model::HourRange{{first - 2}, {first}},
                                           model::HourRange{{first + 2}, {first + 3}},
                                           model::HourRange{{first + 4}, {first + 5}}));
    EXPECT_EQ(missing.count, 4u);

    request.allow_unpublished = true;
    const Planned planned = must_plan(request);
    EXPECT_THAT(planned.plan.tables[0].gaps,
                ElementsAre(model::Hour{first - 2}, model::Hour{first - 1}, model::Hour{first + 2},
                            model::Hour{first + 4}));
    EXPECT_EQ(planned.why.at(0).code, "unpublished_hours");
}

TEST_F(PlannerTest, WithoutAnyPublishedHourThereIsNothingToPermit) {
    Request request = make_request(first + 2, first + 3);
    request.allow_unpublished = true;
    const auto refusals = must_refuse(request);
    ASSERT_THAT(refusals, SizeIs(1));
    EXPECT_TRUE(std::holds_alternative<MissingHours>(refusals[0]));
}

TEST_F(PlannerTest, OpenEndsReachToThePublishedHours) {
    lake.publish(table, first + 2);
    Request request = make_request(first + 1, first + 2);
    request.range.to.reset();
    const Plan to_the_end = must_plan(request).plan;
    EXPECT_EQ(to_the_end.tables[0].range.to, model::end_of({first + 3}));
    EXPECT_THAT(to_the_end.tables[0].hours, SizeIs(3));
    request.range = {};
    EXPECT_THAT(must_plan(request).plan.tables[0].hours, SizeIs(4));
    request.range.to = model::start_of({first + 1});
    EXPECT_THAT(must_plan(request).plan.tables[0].hours, SizeIs(1));
}

TEST_F(PlannerTest, EverythingPublishedOfAnEmptyTableIsARefusal) {
    lake.create_table("empty");
    Request request = make_request(first, first + 1);
    request.tables = {{"empty", std::nullopt}};
    request.range = {};
    for (const bool allow : {false, true}) {
        request.allow_unpublished = allow;
        const auto refusals = must_refuse(request);
        ASSERT_THAT(refusals, SizeIs(1));
        EXPECT_THAT(std::get<MissingHours>(refusals[0]).hours, IsEmpty());
    }
}

TEST_F(PlannerTest, AnHourDeclaredEmptyIsCoveredWithItsReason) {
    lake.declare_empty(table, first, "the collector was down");
    const Planned planned = must_plan(make_request(first, first + 1));
    ASSERT_THAT(planned.plan.tables[0].hours, SizeIs(1));
    EXPECT_EQ(planned.plan.tables[0].hours[0].declared_empty, "the collector was down");
    EXPECT_THAT(planned.plan.tables[0].files, IsEmpty());
    EXPECT_EQ(planned.plan.rows_in_scope, 0u);
    EXPECT_EQ(planned.why.at(0).code, "declared_empty");
}

TEST_F(PlannerTest, ARetiredHourIsSaidToBeRetired) {
    lake.unpublish(table, first);
    Request request = make_request(first, first + 3);
    const auto refusals = must_refuse(request);
    ASSERT_THAT(refusals, SizeIs(2));
    EXPECT_THAT(std::get<MissingHours>(refusals[0]).hours,
                ElementsAre(model::HourRange{{first + 2}, {first + 3}}));
    EXPECT_THAT(std::get<HourRetired>(refusals[1]).hours,
                ElementsAre(model::HourRange{{first}, {first + 1}}));
    request.allow_unpublished = true;
    EXPECT_THAT(must_plan(request).plan.tables[0].gaps,
                ElementsAre(model::Hour{first}, model::Hour{first + 2}));
}

TEST_F(PlannerTest, MissingObjectsAreNamedAndCounted) {
    const auto partition = lake.partition(table, first);
    ASSERT_THAT(lake.store.remove({partition.root, partition.objects[1].path}), IsOk());
    const auto refusals = must_refuse(make_request(first, first + 1));
    ASSERT_THAT(refusals, SizeIs(1));
    const auto& missing = std::get<MissingObjects>(refusals[0]);
    EXPECT_EQ(missing.count, 1u);
    EXPECT_EQ(missing.objects.at(0).name.path, partition.objects[1].path);
    EXPECT_THAT(missing.empty_prefixes, IsEmpty());
}

TEST_F(PlannerTest, ALinkUnderARegisteredNameIsNoObject) {
    const auto partition = lake.partition(table, first);
    lake.store.plant_other({partition.root, partition.objects[0].path});
    EXPECT_THAT(must_refuse(make_request(first, first + 1)), SizeIs(1));
}

TEST_F(PlannerTest, LongListsAreCutAndCountedWhole) {
    lake.publish(table, first, listed_max + 1);
    for (const auto& object : lake.partition(table, first).objects) {
        ASSERT_THAT(lake.store.remove({"/lake/metrics", object.path}), IsOk());
    }
    lake.publish(table, first + 1, listed_max);
    for (const auto& object : lake.partition(table, first + 1).objects) {
        ASSERT_THAT(lake.store.remove({"/lake/metrics", object.path}), IsOk());
    }
    const auto longer = must_refuse(make_request(first, first + 1));
    EXPECT_EQ(std::get<MissingObjects>(longer[0]).count, listed_max + 1);
    EXPECT_THAT(std::get<MissingObjects>(longer[0]).objects, SizeIs(listed_max));
    const auto whole = must_refuse(make_request(first + 1, first + 2));
    EXPECT_THAT(std::get<MissingObjects>(whole[0]).objects, SizeIs(listed_max));
}

TEST_F(PlannerTest, ExtrasAreCountedAndNotPlanned) {
    lake.correct(table, first);
    lake.store.plant_other(
        {"/lake/metrics", lake.partition(table, first).objects[0].path + ".tmp"});
    const Planned planned = must_plan(make_request(first, first + 2));
    EXPECT_EQ(planned.extras, 2u);
    EXPECT_THAT(planned.plan.tables[0].files, SizeIs(6));
    EXPECT_EQ(planned.why.at(0).code, "extras_ignored");
}

TEST_F(PlannerTest, NotEverythingIsTold) {
    for (std::size_t i = 0; i <= whys_max; ++i) {
        lake.declare_empty(table, first + 10 + static_cast<std::int64_t>(i), "night");
    }
    const std::int64_t last = first + 10 + static_cast<std::int64_t>(whys_max);
    EXPECT_THAT(must_plan(make_request(first + 10, last)).why, SizeIs(whys_max));
    EXPECT_THAT(must_plan(make_request(first + 10, last + 1)).why, SizeIs(whys_max));
    EXPECT_THAT(must_plan(make_request(first + 11, last)).why, SizeIs(whys_max - 1));
}

TEST_F(PlannerTest, SoManyGapsAreListedAndNotMore) {
    lake.publish(table, first + 4 + hours_max);  // Two of the gaps lie between the others.
    Request request = make_request(first, first + 1);
    request.range.to.reset();
    request.allow_unpublished = true;
    const auto refusals = must_refuse(request);
    EXPECT_EQ(std::get<MissingHours>(refusals.at(0)).count, std::uint64_t{hours_max} + 1);
    lake.publish(table, first + 2);
    EXPECT_THAT(must_plan(request).plan.tables[0].gaps, SizeIs(hours_max));
}

TEST_F(PlannerTest, TwoTablesShareOneGeneration) {
    const catalog::TableId other = lake.create_table("logs");
    lake.publish(other, first, 2);
    Request request = make_request(first, first + 1);
    request.tables = {{"logs", std::nullopt}, {"", table}};
    const Plan plan = must_plan(request).plan;
    ASSERT_THAT(plan.tables, SizeIs(2));
    EXPECT_EQ(plan.tables[0].table.name, "logs");
    EXPECT_EQ(plan.tables[1].table.name, "metrics");
    EXPECT_EQ(plan.rows_in_scope, 50u);
}

class ResolveTest : public PlannerTest {
protected:
    Resolution resolve_one(const TableRef& ref) {
        const auto view = lake.catalog.load_view({{}, std::nullopt, true});
        EXPECT_THAT(view, IsOk());
        tables = view->tables;
        std::vector<const catalog::Table*> pointers;
        for (const auto& one : tables) pointers.push_back(&one);
        Request request;
        request.tables = {ref};
        return resolve(request, pointers);
    }

    std::vector<catalog::Table> tables;
};

TEST_F(ResolveTest, ByNameByIdAndByBoth) {
    for (const TableRef& ref :
         {TableRef{"metrics", {}}, TableRef{"", table}, TableRef{"metrics", table}}) {
        const Resolution resolution = resolve_one(ref);
        ASSERT_THAT(resolution.tables, SizeIs(1));
        EXPECT_EQ(resolution.tables[0]->id, table);
    }
    EXPECT_THAT(resolve_one({"nothing", {}}).unknown, ElementsAre("nothing"));
    EXPECT_THAT(resolve_one({"", catalog::TableId{}}).unknown, SizeIs(1));
}

TEST_F(ResolveTest, ADroppedTableIsUnknownOrHasAnHeir) {
    lake.drop_table(table);
    EXPECT_THAT(resolve_one({"metrics", {}}).unknown, SizeIs(1));
    EXPECT_THAT(resolve_one({"", table}).unknown, SizeIs(1));

    const catalog::TableId heir = lake.create_table("metrics", "/lake/elsewhere");
    for (const TableRef& ref : {TableRef{"", table}, TableRef{"metrics", table}}) {
        const auto refusals = resolve_one(ref).refusals;
        ASSERT_THAT(refusals, SizeIs(1));
        EXPECT_EQ(std::get<IdentityChanged>(refusals[0]),
                  (IdentityChanged{"metrics", table, heir}));
    }
    EXPECT_EQ(resolve_one({"metrics", {}}).tables.at(0)->id, heir);
}

TEST_F(ResolveTest, AnotherTableAtTheSamePlaceIsAnHeirToo) {
    lake.drop_table(table);
    const catalog::TableId heir = lake.create_table("logs", "/lake/metrics/beneath");
    const auto refusals = resolve_one({"metrics", table}).refusals;
    ASSERT_THAT(refusals, SizeIs(1));
    EXPECT_EQ(std::get<IdentityChanged>(refusals[0]).new_id, heir);
}

TEST_F(ResolveTest, ANameThatMeansAnotherTableIsRefused) {
    const catalog::TableId other = lake.create_table("logs");
    const auto refusals = resolve_one({"logs", table}).refusals;
    ASSERT_THAT(refusals, SizeIs(1));
    EXPECT_EQ(std::get<IdentityChanged>(refusals[0]).old_id, table);
    EXPECT_EQ(std::get<IdentityChanged>(refusals[0]).new_id, other);
}

}  // namespace
}  // namespace highwater::read
