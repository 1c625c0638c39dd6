#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace highwater::model {

/// One hour of UTC: [start, start + 1 h). The unit of publication.
struct Hour {
    std::int64_t since_epoch = 0;  // Whole hours since 1970-01-01T00Z; may be negative.

    friend auto operator<=>(const Hour&, const Hour&) = default;
    friend bool operator==(const Hour&, const Hour&) = default;
};

/// The hours of UTC that lie wholly within the range of Time.
constexpr Hour hour_min{-2'562'047};
constexpr Hour hour_max{2'562'046};

/// The hour that `time` falls into. The first and the last hour that it can give reach beyond the
/// range of Time, and so lie outside hour_min and hour_max: look before `start_of`.
Hour hour_of(Time time);

/// Requires: hour_min <= hour <= hour_max.
Time start_of(Hour hour);

/// The first instant after the hour. Requires: as `start_of`.
Time end_of(Hour hour);

constexpr Hour next(Hour hour) {
    return {hour.since_epoch + 1};
}

/// "2026-10-06T09". Requires: a year from 0 to 9999.
std::string format_hour(Hour hour);

/// Takes "2026-10-06T09", the same with "Z", and any RFC 3339 time that is a whole hour.
///
/// Errors: invalid_argument  another form, not a whole hour of UTC, or outside hour_min and
/// hour_max.
Result<Hour> parse_hour(std::string_view text);

/// Hours [from, to). Empty when to <= from.
struct HourRange {
    Hour from;
    Hour to;

    bool contains(Hour hour) const { return from <= hour && hour < to; }
    bool is_empty() const { return to <= from; }
    std::int64_t count() const { return is_empty() ? 0 : to.since_epoch - from.since_epoch; }

    friend bool operator==(const HourRange&, const HourRange&) = default;
};

/// Instants [from, to).
struct TimeRange {
    Time from;
    Time to;

    bool contains(Time time) const { return from <= time && time < to; }
    bool is_empty() const { return to <= from; }

    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// Every hour that `range` touches.
HourRange hours_of(const TimeRange& range);

}  // namespace highwater::model
