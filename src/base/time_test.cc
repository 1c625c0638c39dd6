#include "base/time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr std::int64_t ns_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t ns_max = std::numeric_limits<std::int64_t>::max();

constexpr Time nine = std::chrono::sys_days(std::chrono::October / 6 / 2026) + 9h;

TEST(FormatTime, WritesAsManyDigitsAsTheValueNeeds) {
    EXPECT_EQ(format_time(nine), "2026-10-06T09:00:00Z");
    EXPECT_EQ(format_time(nine + 250ms), "2026-10-06T09:00:00.250Z");
    EXPECT_EQ(format_time(nine + 7us), "2026-10-06T09:00:00.000007Z");
    EXPECT_EQ(format_time(nine + 1ns), "2026-10-06T09:00:00.000000001Z");
}

TEST(FormatTime, CountsBackFromTheEpoch) {
    EXPECT_EQ(format_time(time_from_ns(0)), "1970-01-01T00:00:00Z");
    EXPECT_EQ(format_time(time_from_ns(-1)), "1969-12-31T23:59:59.999999999Z");
}

TEST(FormatTime, ReachesBothEndsOfTheRange) {
    EXPECT_EQ(format_time(time_from_ns(ns_min)), "1677-09-21T00:12:43.145224192Z");
    EXPECT_EQ(format_time(time_from_ns(ns_max)), "2262-04-11T23:47:16.854775807Z");
}

TEST(ParseTime, TakesEachForm) {
    for (const std::string_view text :
         {"2026-10-06T09:00:00Z", "2026-10-06 09:00:00Z", "2026-10-06T09:00Z", "2026-10-06T09Z",
          "2026-10-06T09:00:00.0Z", "2026-10-06T09:00:00.000000000Z", "2026-10-06T11:00:00+02:00",
          "2026-10-06T11+02:00", "2026-10-05T20:30-12:30", "2026-10-06T09:00:00-00:00",
          "2026-10-07T08:59:00+23:59"}) {
        const auto time = parse_time(text);
        ASSERT_THAT(time, IsOk()) << text;
        EXPECT_EQ(*time, nine) << text;
    }
    EXPECT_EQ(*parse_time("2026-10-06"), nine - 9h);
    EXPECT_EQ(*parse_time("2026-10-06T09:00:00.25Z"), nine + 250ms);
    EXPECT_EQ(*parse_time("2026-10-06T09:00:00.123456789Z"), nine + 123456789ns);
}

TEST(ParseTime, RefusesOtherForms) {
    for (const std::string_view text : {"",
                                        "2026",
                                        "2026-10",
                                        "2026-10-6",
                                        "26-10-06",
                                        "2026-10-06T",
                                        "2026-10-06T9Z",
                                        "2026-10-06T09:0Z",
                                        "2026-10-06T09:00:0Z",
                                        "2026-10-06T09:00:00.Z",
                                        "2026-10-06T09:00:00.1234567890Z",
                                        "2026-10-06T09:00:00,5Z",
                                        "2026-10-06  09:00:00Z",
                                        "2026-10-06t09:00:00Z",
                                        "2026-10-06T09:00:00z",
                                        "2026-10-06T09:00:00Z ",
                                        " 2026-10-06T09:00:00Z",
                                        "2026-10-06Z",
                                        "2026-10-06T09:00:00+2:00",
                                        "2026-10-06T09:00:00+0200",
                                        "2026-10-06T09:00:00+24:00",
                                        "2026-10-06T09:00:00+02:60",
                                        "2026-10-06T09:00:00Z+02:00",
                                        "+2026-10-06T09:00:00Z",
                                        "20261006T090000Z",
                                        "2026-1x-06T09:00:00Z",
                                        "1791277200"}) {
        EXPECT_THAT(parse_time(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(ParseTime, RequiresAZoneAndSaysSo) {
    const auto time = parse_time("2026-10-06T09:00:00");
    EXPECT_THAT(time, FailsWith(Code::invalid_argument));
    EXPECT_THAT(time.error().message(), HasSubstr("no zone"));
}

TEST(ParseTime, KnowsTheCalendar) {
    for (const std::string_view text : {"2026-02-28", "2024-02-29", "2000-02-29", "2026-12-31",
                                        "2026-04-30", "2026-10-06T23:59:59.999999999Z"}) {
        EXPECT_THAT(parse_time(text), IsOk()) << text;
    }
    for (const std::string_view text :
         {"2026-02-29", "2026-02-30", "2100-02-29", "2026-04-31", "2026-00-01", "2026-13-01",
          "2026-01-00", "2026-01-32", "2026-10-06T24:00:00Z", "2026-10-06T09:60:00Z",
          "2026-10-06T23:59:60Z", "0000-00-00T00:00:00Z"}) {
        EXPECT_THAT(parse_time(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(ParseTime, ReachesBothEndsOfTheRangeAndNoFurther) {
    EXPECT_EQ(to_ns(*parse_time("1677-09-21T00:12:43.145224192Z")), ns_min);
    EXPECT_EQ(to_ns(*parse_time("2262-04-11T23:47:16.854775807Z")), ns_max);
    EXPECT_EQ(to_ns(*parse_time("1677-09-21T02:12:43.145224192+02:00")), ns_min);
    for (const std::string_view text :
         {"1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z",
          "1677-09-21T00:12:43.145224192+00:01", "2262-04-11T23:47:16-01:00", "0001-01-01",
          "9999-12-31T23:59:59Z"}) {
        const auto time = parse_time(text);
        EXPECT_THAT(time, FailsWith(Code::invalid_argument)) << text;
        EXPECT_THAT(time.error().message(), HasSubstr("1677 to 2262")) << text;
    }
}

TEST(ParseTime, ShowsRefusedTextWithoutControlCharacters) {
    EXPECT_THAT(parse_time("\x1B[2J").error().message(), HasSubstr("\\x1b[2J"));
}

TEST(ParseLocalTime, UsesTheZoneOnlyWhereThereIsNone) {
    EXPECT_EQ(*parse_local_time("2026-10-06T09:00:00", 2h), nine - 2h);
    EXPECT_EQ(*parse_local_time("2026-10-06 09:00:00", -90min), nine + 90min);
    EXPECT_EQ(*parse_local_time("2026-10-06T09:00:00Z", 2h), nine);
    EXPECT_EQ(*parse_local_time("2026-10-06T09:00:00+01:00", 2h), nine - 1h);
    EXPECT_EQ(*parse_local_time("2026-10-06", 2h), nine - 11h);
    EXPECT_THAT(parse_local_time("2026-02-30", 2h), FailsWith(Code::invalid_argument));
}

RC_GTEST_PROP(TimeProperty, TextIsReadBack, ()) {
    const Time time = *testkit::any_time();
    const auto parsed = parse_time(format_time(time));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == time);
}

RC_GTEST_PROP(TimeProperty, TextsOfWholeSecondsAreOrderedAsTheTimesAre, ()) {
    const auto any_second = [] {
        return model::start_of(*testkit::any_hour()) + *rc::gen::inRange(0, 3600) * 1s;
    };
    const Time a = any_second();
    const Time b = any_second();
    RC_ASSERT((a < b) == (format_time(a) < format_time(b)));
}

TEST(Duration, IsReadInEachUnit) {
    EXPECT_EQ(*parse_duration("1ns"), 1ns);
    EXPECT_EQ(*parse_duration("20us"), 20us);
    EXPECT_EQ(*parse_duration("250ms"), 250ms);
    EXPECT_EQ(*parse_duration("3s"), 3s);
    EXPECT_EQ(*parse_duration("5m"), 5min);
    EXPECT_EQ(*parse_duration("2h"), 2h);
    EXPECT_EQ(*parse_duration("7d"), 168h);
    EXPECT_EQ(*parse_duration("0s"), 0s);
    EXPECT_EQ(*parse_duration("007d"), 168h);
}

TEST(Duration, RefusesOtherForms) {
    for (const std::string_view text : {"", "5", "s", "-5s", "+5s", " 5s", "5 s", "5s ", "5S",
                                        "1.5h", "1h30m", "5w", "5min", "0x5s"}) {
        EXPECT_THAT(parse_duration(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(Duration, HasALongest) {
    EXPECT_EQ(*parse_duration("9223372036854775807ns"), Duration::max());
    EXPECT_EQ(*parse_duration("106751d"), 106'751 * 24h);
    for (const std::string_view text :
         {"9223372036854775808ns", "106752d", "99999999999999999999s"}) {
        EXPECT_THAT(parse_duration(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(Duration, IsWrittenInTheLongestWholeUnit) {
    EXPECT_EQ(format_duration(0s), "0s");
    EXPECT_EQ(format_duration(90min), "90m");
    EXPECT_EQ(format_duration(120min), "2h");
    EXPECT_EQ(format_duration(48h), "2d");
    EXPECT_EQ(format_duration(1500ms), "1500ms");
    EXPECT_EQ(format_duration(1us + 1ns), "1001ns");
    EXPECT_EQ(format_duration(-5s), "-5s");
    EXPECT_EQ(format_duration(Duration::min()), "-9223372036854775808ns");
}

RC_GTEST_PROP(DurationProperty, TextIsReadBack, ()) {
    const auto units = std::array<Duration, 7>{1ns, 1us, 1ms, 1s, 1min, 1h, 24h};
    const Duration duration =
        *rc::gen::inRange<std::int64_t>(0, 100'000) * *rc::gen::elementOf(units);
    const auto parsed = parse_duration(format_duration(duration));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == duration);
}

}  // namespace
}  // namespace highwater
