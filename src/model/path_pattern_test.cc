#include "model/path_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "model/object_path.h"
#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater::model {
namespace {

using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

Hour hour_at(std::string_view text) {
    return *parse_hour(text);
}

TEST(PathPattern, TheDefaultIsOneFolderAnHour) {
    const PathPattern pattern = PathPattern::make_default();
    EXPECT_EQ(pattern.text(), "hour={YYYY-MM-DD}T{HH}");
    EXPECT_EQ(pattern.fixed_date(), std::nullopt);
    EXPECT_EQ(pattern.render(hour_at("2026-10-06T09")), "hour=2026-10-06T09");
    EXPECT_EQ(pattern.find_hour("hour=2026-10-06T09/telemetry-47.parquet"),
              hour_at("2026-10-06T09"));
}

TEST(PathPattern, FieldsStandInAnyOrder) {
    const auto pattern = PathPattern::parse("h={HH}/{DD}.{MM}.{YYYY}/x");
    ASSERT_THAT(pattern, IsOk());
    EXPECT_EQ(pattern->render(hour_at("2026-10-06T09")), "h=09/06.10.2026/x");
    EXPECT_EQ(pattern->find_hour("h=09/06.10.2026/x/a.parquet"), hour_at("2026-10-06T09"));
    EXPECT_EQ(pattern->find_hour("h=09/06.10.2026/xa.parquet"), std::nullopt);
}

TEST(PathPattern, FieldsMayTouch) {
    const auto pattern = PathPattern::parse("{YYYY}{MM}{DD}{HH}");
    ASSERT_THAT(pattern, IsOk());
    EXPECT_EQ(pattern->render(hour_at("2026-10-06T09")), "2026100609");
    EXPECT_EQ(pattern->find_hour("2026100609/a"), hour_at("2026-10-06T09"));
}

TEST(PathPattern, WithAFixedDateServesThatDayAlone) {
    const auto pattern = PathPattern::parse("hour={HH}", "2026-10-06");
    ASSERT_THAT(pattern, IsOk());
    EXPECT_EQ(pattern->fixed_date(), "2026-10-06");
    EXPECT_EQ(pattern->render(hour_at("2026-10-06T09")), "hour=09");
    EXPECT_EQ(pattern->find_hour("hour=09/telemetry-47.parquet"), hour_at("2026-10-06T09"));
    EXPECT_EQ(pattern->render(hour_at("2026-10-06T00")), "hour=00");
    EXPECT_EQ(pattern->render(hour_at("2026-10-06T23")), "hour=23");
    EXPECT_EQ(pattern->render(hour_at("2026-10-05T23")), std::nullopt);
    EXPECT_EQ(pattern->render(hour_at("2026-10-07T00")), std::nullopt);
}

TEST(PathPattern, WrittenDatesAgreeWithTheFixedOne) {
    const auto pattern = PathPattern::parse("day={DD}/hour={HH}", "1969-12-31");
    ASSERT_THAT(pattern, IsOk());
    EXPECT_EQ(pattern->find_hour("day=31/hour=23/a"), Hour{-1});
    EXPECT_EQ(pattern->find_hour("day=30/hour=23/a"), std::nullopt);
    EXPECT_EQ(pattern->render({-1}), "day=31/hour=23");
}

TEST(PathPattern, RefusesTwoHoursInOnePlace) {
    for (const std::string_view text : {"hour={HH}", "{YYYY}/{MM}/{HH}", "{YYYY}/{DD}/{HH}",
                                        "{MM}/{DD}/{HH}", "{YYYY-MM-DD}", "all"}) {
        const auto pattern = PathPattern::parse(text);
        EXPECT_THAT(pattern, FailsWith(Code::invalid_argument)) << text;
        EXPECT_THAT(pattern.error().message(), HasSubstr("share a prefix")) << text;
    }
    for (const std::string_view text : {"{YYYY-MM-DD}", "day={DD}", "all"}) {
        EXPECT_THAT(PathPattern::parse(text, "2026-10-06"), FailsWith(Code::invalid_argument));
    }
}

TEST(PathPattern, RefusesOtherForms) {
    const std::pair<std::string_view, std::string_view> refused[] = {
        {"{YYYY-MM-DD}T{HH}/{HH}", "the field HH twice"},
        {"{YYYY-MM-DD}/{YYYY}/{HH}", "the field YYYY twice"},
        {"{MM}/{YYYY-MM-DD}/{HH}", "the field MM twice"},
        {"{YYYY-MM-DD}T{hh}", "an unknown field {hh}"},
        {"{YYYY-MM-DD}T{HH}{mm}", "an unknown field {mm}"},
        {"{}{YYYY-MM-DD}T{HH}", "an unknown field {}"},
        {"{YYYY-MM-DD}T{HH", "a brace"},
        {"{YYYY-MM-DD}T{HH}}", "a brace"},
        {"}{YYYY-MM-DD}T{HH}", "a brace"},
        {"{{YYYY-MM-DD}T{HH}", "an unknown field {{YYYY-MM-DD}"},
        {"/{YYYY-MM-DD}T{HH}", "an empty segment"},
        {"{YYYY-MM-DD}T{HH}/", "an empty segment"},
        {"{YYYY-MM-DD}//{HH}", "an empty segment"},
        {"../{YYYY-MM-DD}T{HH}", "the segment .."},
        {"{YYYY-MM-DD}\\{HH}", "a backslash"},
        {".highwater/{YYYY-MM-DD}T{HH}", "the store's own"},
        {"\xFF{YYYY-MM-DD}T{HH}", "not UTF-8"}};
    for (const auto& [text, why] : refused) {
        const auto pattern = PathPattern::parse(text);
        EXPECT_THAT(pattern, FailsWith(Code::invalid_argument)) << text;
        EXPECT_THAT(pattern.error().message(), HasSubstr(why)) << text;
    }
    EXPECT_THAT(PathPattern::parse(""), FailsWith(Code::invalid_argument));
}

TEST(PathPattern, RefusesDatesThatDoNotExist) {
    for (const std::string_view date : {"", "2026-02-30", "2026-10-6", "2026-10-06T00:00Z", "today",
                                        "1677-09-21", "2262-04-12", "9999-01-01"}) {
        EXPECT_THAT(PathPattern::parse("hour={HH}", date), FailsWith(Code::invalid_argument))
            << date;
    }
}

TEST(PathPattern, LeavesRoomForAName) {
    const std::string fields = "{YYYY-MM-DD}T{HH}";
    const std::size_t rendered = std::string_view("2026-10-06T09").size();
    const std::size_t longest = object_path_size_max - std::string_view("/x").size() - rendered;
    const auto pattern = PathPattern::parse(std::string(longest, 'a') + fields);
    ASSERT_THAT(pattern, IsOk());
    EXPECT_THAT(verify_object_path(*pattern->render({0}) + "/x"), IsOk());
    const auto longer = PathPattern::parse(std::string(longest + 1, 'a') + fields);
    EXPECT_THAT(longer, FailsWith(Code::invalid_argument));
    EXPECT_THAT(longer.error().message(), HasSubstr("no room for a name"));
}

TEST(PathPattern, FindsNoHourInOtherPaths) {
    const PathPattern pattern = PathPattern::make_default();
    for (const std::string_view path :
         {"", "hour=2026-10-06T09", "hour=2026-10-06T090/a", "hour=2026-10-06T9/a",
          "hour=2026-10-06T24/a", "hour=2026-02-30T09/a", "hour=2026-13-06T09/a",
          "hour=2026-00-06T09/a", "hour=2026-10-00T09/a", "hour=2026-10-06t09/a",
          "Hour=2026-10-06T09/a", "x/hour=2026-10-06T09/a", "hour=+026-10-06T09/a",
          "hour=2026-10-06T 9/a", "hour=2026-10-06T09\\a", "hour=2026-10-0"}) {
        EXPECT_EQ(pattern.find_hour(path), std::nullopt) << path;
    }
}

TEST(PathPattern, EndsWithTheRangeOfHours) {
    const PathPattern pattern = PathPattern::make_default();
    EXPECT_EQ(pattern.find_hour("hour=1677-09-21T01/a"), hour_min);
    EXPECT_EQ(pattern.find_hour("hour=1677-09-21T00/a"), std::nullopt);
    EXPECT_EQ(pattern.find_hour("hour=2262-04-11T22/a"), hour_max);
    EXPECT_EQ(pattern.find_hour("hour=2262-04-11T23/a"), std::nullopt);
    EXPECT_EQ(pattern.find_hour("hour=0000-01-01T00/a"), std::nullopt);
    EXPECT_EQ(pattern.find_hour("hour=9999-12-31T23/a"), std::nullopt);
    EXPECT_EQ(pattern.render({hour_min.since_epoch - 1}), std::nullopt);
    EXPECT_EQ(pattern.render(next(hour_max)), std::nullopt);
}

TEST(PathPattern, TheFirstAndTheLastDayServeTheirWholeHours) {
    const auto first = PathPattern::parse("hour={HH}", "1677-09-22");
    ASSERT_THAT(first, IsOk());
    EXPECT_EQ(first->find_hour("hour=00/a"), hour_at("1677-09-22T00"));
    const auto last = PathPattern::parse("hour={HH}", "2262-04-11");
    ASSERT_THAT(last, IsOk());
    EXPECT_EQ(last->render(hour_max), "hour=22");
    EXPECT_EQ(last->find_hour("hour=23/a"), std::nullopt);
}

TEST(PathPattern, IsEqualByTextAndDate) {
    EXPECT_EQ(PathPattern::make_default(), *PathPattern::parse("hour={YYYY-MM-DD}T{HH}"));
    EXPECT_NE(*PathPattern::parse("{HH}", "2026-10-06"), *PathPattern::parse("{HH}", "2026-10-07"));
}

/// An hour that `pattern` can express.
Hour any_hour_of(const PathPattern& pattern) {
    if (!pattern.fixed_date()) return *testkit::any_hour();
    const Hour midnight = hour_of(*parse_time(*pattern.fixed_date()));
    return {midnight.since_epoch + *rc::gen::inRange(0, 24)};
}

RC_GTEST_PROP(PathPatternProperty, RenderAndFindHourAreInverse, ()) {
    const PathPattern pattern = *testkit::any_path_pattern();
    const Hour hour = any_hour_of(pattern);
    const auto prefix = pattern.render(hour);
    RC_PRE(prefix.has_value());  // All but the hours of a day that the range cuts.
    const std::string path = *prefix + "/" + *testkit::any_object_path();
    RC_ASSERT(verify_object_path(path).ok());
    RC_ASSERT(pattern.find_hour(path) == hour);
    RC_ASSERT(pattern.find_hour(*prefix) == std::nullopt);
}

RC_GTEST_PROP(PathPatternProperty, NoPrefixBeginsThatOfAnotherHour, ()) {
    const PathPattern pattern = *testkit::any_path_pattern();
    const Hour hour = any_hour_of(pattern);
    const Hour other = *rc::gen::element(any_hour_of(pattern), Hour{hour.since_epoch + 1},
                                         Hour{hour.since_epoch + 10}, Hour{hour.since_epoch + 24});
    const auto prefix = pattern.render(hour);
    const auto other_prefix = pattern.render(other);
    RC_PRE(prefix && other_prefix && hour != other);
    RC_ASSERT(!prefix->starts_with(*other_prefix));
    RC_ASSERT(!other_prefix->starts_with(*prefix));
}

RC_GTEST_PROP(PathPatternProperty, AFoundHourRendersToWhereItWasFound, ()) {
    // Paths that are nearly right: one byte of a true one is another.
    const PathPattern pattern = *testkit::any_path_pattern();
    std::string path = pattern.render(any_hour_of(pattern)).value_or("") + "/a";
    path[*rc::gen::inRange<std::size_t>(0, path.size())] = *rc::gen::element('0', '1', '9', '/');
    const auto hour = pattern.find_hour(path);
    RC_PRE(hour.has_value());
    RC_ASSERT(path.starts_with(*pattern.render(*hour) + "/"));
}

RC_GTEST_PROP(PathPatternProperty, ReadsItsOwnText, ()) {
    const PathPattern pattern = *testkit::any_path_pattern();
    const auto again = PathPattern::parse(pattern.text(), pattern.fixed_date());
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == pattern);
}

}  // namespace
}  // namespace highwater::model
