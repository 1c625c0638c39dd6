#include "model/hour.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"

namespace highwater::model {

namespace {

constexpr std::size_t short_form_size = std::string_view("2026-10-06T09").size();

}  // namespace

Hour hour_of(Time time) {
    return {std::chrono::floor<std::chrono::hours>(time).time_since_epoch().count()};
}

Time start_of(Hour hour) {
    ASSERT(hour_min <= hour && hour <= hour_max);
    return Time(std::chrono::hours(hour.since_epoch));
}

Time end_of(Hour hour) {
    return start_of(hour) + std::chrono::hours(1);
}

std::string format_hour(Hour hour) {
    const std::chrono::sys_time<std::chrono::hours> start{std::chrono::hours(hour.since_epoch)};
    const auto day = std::chrono::floor<std::chrono::days>(start);
    const std::chrono::year_month_day date(day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}", int{date.year()}, unsigned{date.month()},
                       unsigned{date.day()}, (start - day).count());
}

Result<Hour> parse_hour(std::string_view text) {
    const std::string written = std::string(text) + (text.size() == short_form_size ? "Z" : "");
    const auto time = parse_time(written);
    if (!time.ok() || written.size() <= short_form_size) {
        return Error(Code::invalid_argument,
                     "not an hour such as 2026-10-06T09: " + format_quoted(text));
    }
    const Hour hour = hour_of(*time);
    if (hour < hour_min || hour > hour_max) {
        return Error(Code::invalid_argument,
                     "an hour lies wholly within the years 1677 to 2262: " + format_quoted(text));
    }
    if (start_of(hour) != *time) {
        return Error(Code::invalid_argument, "not a whole hour of UTC: " + format_quoted(text));
    }
    return hour;
}

HourRange hours_of(const TimeRange& range) {
    if (range.is_empty()) return {hour_of(range.from), hour_of(range.from)};
    return {hour_of(range.from), next(hour_of(range.to - Duration(1)))};
}

}  // namespace highwater::model
