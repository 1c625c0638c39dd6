#include "model/hour.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater::model {
namespace {

using namespace std::chrono_literals;
using testkit::FailsWith;
using testkit::IsOk;

constexpr Time nine = std::chrono::sys_days(std::chrono::October / 6 / 2026) + 9h;

TEST(Hour, HoldsItsStartAndNotItsEnd) {
    const Hour hour = hour_of(nine);
    EXPECT_EQ(start_of(hour), nine);
    EXPECT_EQ(end_of(hour), nine + 1h);
    EXPECT_EQ(hour_of(nine + 1h - 1ns), hour);
    EXPECT_EQ(hour_of(nine + 1h), next(hour));
    EXPECT_EQ(hour_of(nine - 1ns), Hour{hour.since_epoch - 1});
}

TEST(Hour, IsRoundedDownBeforeTheEpoch) {
    EXPECT_EQ(hour_of(time_from_ns(0)), Hour{0});
    EXPECT_EQ(hour_of(time_from_ns(-1)), Hour{-1});
    EXPECT_EQ(hour_of(Time(-1h)), Hour{-1});
    EXPECT_EQ(hour_of(Time(-1h - 1ns)), Hour{-2});
}

TEST(Hour, TheRangeHoldsEveryWholeHourOfTime) {
    EXPECT_EQ(hour_of(start_of(hour_min)), hour_min);
    EXPECT_EQ(hour_of(end_of(hour_max) - 1ns), hour_max);
    // The hours at the very ends are cut off by the range of Time.
    EXPECT_EQ(hour_of(Time::min()), Hour{hour_min.since_epoch - 1});
    EXPECT_EQ(hour_of(Time::max()), next(hour_max));
}

TEST(HourDeathTest, HasNoTimesBeyondTheRange) {
    EXPECT_DEATH(static_cast<void>(start_of({hour_min.since_epoch - 1})), "hour_min <= hour");
    EXPECT_DEATH(static_cast<void>(start_of(next(hour_max))), "hour <= hour_max");
    EXPECT_DEATH(static_cast<void>(end_of(next(hour_max))), "hour <= hour_max");
}

TEST(HourText, IsWrittenAndRead) {
    EXPECT_EQ(format_hour(hour_of(nine)), "2026-10-06T09");
    EXPECT_EQ(format_hour({-1}), "1969-12-31T23");
    EXPECT_EQ(format_hour(hour_min), "1677-09-21T01");
    EXPECT_EQ(format_hour(hour_max), "2262-04-11T22");
    EXPECT_EQ(format_hour(hour_of(Time::min())), "1677-09-21T00");
    EXPECT_EQ(format_hour(hours_of({nine, Time::max()}).to), "2262-04-12T00");
    for (const std::string_view text :
         {"2026-10-06T09", "2026-10-06T09Z", "2026-10-06T09:00Z", "2026-10-06T09:00:00Z",
          "2026-10-06 09", "2026-10-06T09:00:00.000Z", "2026-10-06T14:30:00+05:30"}) {
        const auto hour = parse_hour(text);
        ASSERT_THAT(hour, IsOk()) << text;
        EXPECT_EQ(*hour, hour_of(nine)) << text;
    }
}

TEST(HourText, RefusesOtherForms) {
    for (const std::string_view text :
         {"", "2026-10-06", "2026-10-06T", "2026-10-06T9", "2026-10-06T24", "2026-02-30T09",
          "2026-10-06T09:00", "2026-10-06T09:00:00", "2026-10-06T09:30:00Z",
          "2026-10-06T09:00:00.000000001Z", "2026-10-06T09:00:00+05:30", "2026-10-06T09ZZ",
          "20261006T0900", "hour=2026-10-06T09"}) {
        EXPECT_THAT(parse_hour(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(HourText, EndsWithTheRange) {
    EXPECT_EQ(*parse_hour("1677-09-21T01"), hour_min);
    EXPECT_EQ(*parse_hour("2262-04-11T22"), hour_max);
    EXPECT_THAT(parse_hour("1677-09-21T00"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(parse_hour("2262-04-11T23"), FailsWith(Code::invalid_argument));
}

RC_GTEST_PROP(HourProperty, TextIsReadBack, ()) {
    const Hour hour = *testkit::any_hour();
    const auto parsed = parse_hour(format_hour(hour));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == hour);
}

TEST(HourRange, HoldsItsStartAndNotItsEnd) {
    const HourRange range{{10}, {13}};
    EXPECT_EQ(range.count(), 3);
    EXPECT_FALSE(range.is_empty());
    EXPECT_FALSE(range.contains({9}));
    EXPECT_TRUE(range.contains({10}));
    EXPECT_TRUE(range.contains({12}));
    EXPECT_FALSE(range.contains({13}));
}

TEST(HourRange, IsEmptyWhenItEndsBeforeItBegins) {
    for (const HourRange range : {HourRange{{10}, {10}}, HourRange{{10}, {9}}}) {
        EXPECT_TRUE(range.is_empty());
        EXPECT_EQ(range.count(), 0);
        EXPECT_FALSE(range.contains({10}));
    }
}

TEST(TimeRange, HoldsItsStartAndNotItsEnd) {
    const TimeRange range{nine, nine + 1h};
    EXPECT_FALSE(range.contains(nine - 1ns));
    EXPECT_TRUE(range.contains(nine));
    EXPECT_TRUE(range.contains(nine + 1h - 1ns));
    EXPECT_FALSE(range.contains(nine + 1h));
    EXPECT_TRUE((TimeRange{nine, nine}.is_empty()));
    EXPECT_TRUE((TimeRange{nine, nine - 1ns}.is_empty()));
}

TEST(HoursOf, AreAllThatTheRangeTouches) {
    const Hour hour = hour_of(nine);
    const Hour after = next(hour);
    EXPECT_EQ(hours_of({nine, nine + 1h}), (HourRange{hour, after}));
    EXPECT_EQ(hours_of({nine, nine + 1h + 1ns}), (HourRange{hour, next(after)}));
    EXPECT_EQ(hours_of({nine + 59min, nine + 61min}), (HourRange{hour, next(after)}));
    EXPECT_EQ(hours_of({nine + 1min, nine + 1min + 1ns}), (HourRange{hour, after}));
}

TEST(HoursOf, AnEmptyRangeAreNone) {
    EXPECT_TRUE(hours_of({nine, nine}).is_empty());
    EXPECT_TRUE(hours_of({nine + 30min, nine}).is_empty());
    EXPECT_TRUE(hours_of({Time::min(), Time::min()}).is_empty());
}

RC_GTEST_PROP(HoursOfProperty, HoldTheHourOfEveryTimeOfTheRangeAndNoOther, ()) {
    const Time from = *testkit::any_time();
    const Duration length = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000) * 100us;
    RC_PRE(from <= Time::max() - length);
    const Time to = from + length;
    const HourRange hours = hours_of({from, to});
    RC_ASSERT(hours.contains(hour_of(from)));
    RC_ASSERT(hours.contains(hour_of(to - 1ns)));
    RC_ASSERT(hours.from == hour_of(from));
    RC_ASSERT(hours.to == next(hour_of(to - 1ns)));
}

}  // namespace
}  // namespace highwater::model
