#include "stage/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <set>

#include "model/object_path.h"
#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater::stage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};  // 2026-10-06T09

Uuid id_of(std::uint8_t first) {
    Uuid id;
    id.bytes[0] = first;
    return id;
}

std::vector<PlannedObject> plan(std::map<model::Hour, std::uint64_t> rows, const Layout& layout) {
    auto planned =
        plan_objects(rows, model::PathPattern::make_default(), layout, "batch 7", id_of(0xAB));
    EXPECT_THAT(planned, IsOk());
    return *planned;
}

std::vector<std::uint64_t> rows_of(const std::vector<PlannedObject>& objects) {
    std::vector<std::uint64_t> rows;
    for (const PlannedObject& object : objects) rows.push_back(object.rows);
    return rows;
}

TEST(PlanObjects, NamesObjectsAfterHourBatchAndId) {
    EXPECT_THAT(
        plan({{nine, 3}}, {.objects_per_hour = 2}),
        ElementsAre(
            PlannedObject{nine, "hour=2026-10-06T09/batch-7-ab0000000000-00001.parquet", 2},
            PlannedObject{nine, "hour=2026-10-06T09/batch-7-ab0000000000-00002.parquet", 1}));
}

TEST(PlanObjects, CutsAnHourIntoEqualShares) {
    EXPECT_THAT(rows_of(plan({{nine, 10}}, {.objects_per_hour = 3})), ElementsAre(4, 3, 3));
    EXPECT_THAT(rows_of(plan({{nine, 10}}, {.rows_per_object = 5})), ElementsAre(5, 5));
    EXPECT_THAT(rows_of(plan({{nine, 11}}, {.rows_per_object = 5})), ElementsAre(4, 4, 3));
    // Never an object without rows.
    EXPECT_THAT(rows_of(plan({{nine, 2}}, {.objects_per_hour = 5})), ElementsAre(1, 1));
    EXPECT_THAT(rows_of(plan({{nine, 2}}, {.objects_per_hour = 0})), ElementsAre(2));
    EXPECT_THAT(rows_of(plan({{nine, 4}, {model::next(nine), 4}},
                             {.objects_per_hour = 2, .objects_of_hour = {{nine, 4}}})),
                ElementsAre(1, 1, 1, 1, 2, 2));
}

RC_GTEST_PROP(PlanObjects, KeepsEveryRowAndRepeatsNoName, ()) {
    std::map<model::Hour, std::uint64_t> rows;
    const auto count = *rc::gen::inRange(1, 8);
    for (int i = 0; i < count; ++i) {
        rows[{nine.since_epoch + *rc::gen::inRange(0, 20)}] =
            *rc::gen::inRange<std::uint64_t>(1, 50);
    }
    const Layout layout{.rows_per_object = *rc::gen::inRange<std::uint64_t>(1, 9),
                        .objects_per_hour = *rc::gen::inRange<std::uint64_t>(1, 9)};
    const std::string batch = *testkit::any_text(60);
    const auto planned =
        plan_objects(rows, model::PathPattern::make_default(), layout, batch, id_of(1));
    RC_ASSERT(planned.ok());
    std::set<std::string> paths;
    std::map<model::Hour, std::uint64_t> found;
    std::string before;
    for (const PlannedObject& object : *planned) {
        RC_ASSERT(model::verify_object_path(object.path).ok());
        RC_ASSERT(object.path > before);
        before = object.path;
        RC_ASSERT(object.rows > 0U);
        RC_ASSERT(object.rows <= layout.rows_per_object);
        found[object.hour] += object.rows;
    }
    RC_ASSERT(found == rows);
}

TEST(PlanObjects, RefusesHoursThatThePatternCannotExpress) {
    const auto pattern = model::PathPattern::parse("hour={HH}", "2026-10-06");
    ASSERT_THAT(pattern, IsOk());
    EXPECT_THAT(plan_objects({{nine, 1}}, *pattern, {}, "b", id_of(1)), IsOk());
    const auto other = plan_objects({{{nine.since_epoch + 24}, 1}}, *pattern, {}, "b", id_of(1));
    ASSERT_THAT(other, FailsWith(Code::invalid_argument));
    EXPECT_THAT(other.error().message(), HasSubstr("2026-10-07T09"));
}

TEST(PlanObjects, LimitsHoursAndObjects) {
    const auto pattern = model::PathPattern::make_default();
    EXPECT_THAT(plan_objects({{nine, objects_max}}, pattern, {.rows_per_object = 1}, "b", id_of(1)),
                IsOk());
    EXPECT_THAT(
        plan_objects({{nine, objects_max + 1}}, pattern, {.rows_per_object = 1}, "b", id_of(1)),
        FailsWith(Code::exhausted));
    std::map<model::Hour, std::uint64_t> rows;
    for (std::size_t i = 0; i < hours_max; ++i) rows[{static_cast<std::int64_t>(i)}] = 1;
    EXPECT_THAT(plan_objects(rows, pattern, {}, "b", id_of(1)), IsOk());
    rows[nine] = 1;
    EXPECT_THAT(plan_objects(rows, pattern, {}, "b", id_of(1)), FailsWith(Code::exhausted));
}

TEST(FindGaps, TellsTheHoursBetween) {
    EXPECT_THAT(find_gaps({}), ElementsAre());
    EXPECT_THAT(find_gaps({{{5}, 1}}), ElementsAre());
    EXPECT_THAT(find_gaps({{{5}, 1}, {{6}, 1}, {{9}, 1}, {{11}, 1}}),
                ElementsAre(model::HourRange{{7}, {9}}, model::HourRange{{10}, {11}}));
}

}  // namespace
}  // namespace highwater::stage
