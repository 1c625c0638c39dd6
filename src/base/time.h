#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater {

/// A point in time: nanoseconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
/// Range: 1677-09-21 to 2262-04-11.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

constexpr Time time_from_ns(std::int64_t ns) {
    return Time(Duration(ns));
}
constexpr std::int64_t to_ns(Time time) {
    return time.time_since_epoch().count();
}

/// RFC 3339 in UTC with as many of 0, 3, 6 or 9 fraction digits as the value needs:
/// "2026-10-06T09:00:00Z", "2026-10-06T09:00:00.25Z" is written ".250Z".
std::string format_time(Time time);

/// RFC 3339, the zone required ("Z" or "+02:00"), "T" or one space between date and time, up to
/// nine fraction digits; a bare date ("2026-10-06", its midnight in UTC) and "2026-10-06T09Z",
/// "2026-10-06T09:00Z" are taken too. Letters are upper case. There is no 24:00 and no second 60.
/// Takes what `format_time` writes.
///
/// Errors: invalid_argument  not such a time, a date that does not exist, or out of range.
Result<Time> parse_time(std::string_view text);

/// As `parse_time`, but a missing zone means `zone` east of UTC, also for a bare date.
/// Requires: `zone` is shorter than a day.
Result<Time> parse_local_time(std::string_view text, std::chrono::minutes zone);

/// A whole number and a unit, one of ns, us, ms, s, m, h and d: "250ms", "3s", "5m", "2h", "7d".
/// Never negative.
///
/// Errors: invalid_argument  another form, or longer than 292 years.
Result<Duration> parse_duration(std::string_view text);

/// In the longest unit that needs no fraction: "90m", not "1.5h". What it writes `parse_duration`
/// takes, except for a negative duration.
std::string format_duration(Duration duration);

}  // namespace highwater
