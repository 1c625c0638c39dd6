#include "base/time.h"

#include <array>
#include <limits>
#include <optional>

#include "base/text.h"

namespace highwater {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t day_ns = 86'400 * second_ns;

void append_digits(std::string& out, std::int64_t value, std::size_t count) {
    out.append(count, '0');
    for (std::size_t i = 1; i <= count; ++i, value /= 10) {
        out[out.size() - i] = static_cast<char>('0' + value % 10);
    }
}

/// Reads a text from its start; each step takes what it names, or leaves all as it was.
class Cursor {
public:
    explicit Cursor(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }

    bool take(char wanted) {
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }

    /// Exactly `count` digits of a number in [min, max].
    std::optional<int> take_number(std::size_t count, int min, int max) {
        if (rest_.size() < count) return std::nullopt;
        int value = 0;
        for (const char digit : rest_.substr(0, count)) {
            if (digit < '0' || digit > '9') return std::nullopt;
            value = 10 * value + (digit - '0');
        }
        if (value < min || value > max) return std::nullopt;
        rest_.remove_prefix(count);
        return value;
    }

    /// One to nine digits of a fraction of a second, in nanoseconds.
    std::optional<int> take_fraction() {
        int ns = 0;
        int unit = 100'000'000;
        bool any = false;
        for (; unit > 0; unit /= 10) {
            const auto digit = take_number(1, 0, 9);
            if (!digit) break;
            any = true;
            ns += *digit * unit;
        }
        if (!any) return std::nullopt;
        return ns;
    }

private:
    std::string_view rest_;
};

/// A time as it was written.
struct Written {
    std::chrono::sys_days day;
    std::chrono::seconds of_day{0};
    int ns = 0;
    std::optional<std::chrono::minutes> zone;
    bool has_clock = false;  // More than a bare date.
};

std::optional<std::chrono::sys_days> take_date(Cursor& cursor) {
    const auto year = cursor.take_number(4, 0, 9999);
    if (!year || !cursor.take('-')) return std::nullopt;
    const auto month = cursor.take_number(2, 1, 12);
    if (!month || !cursor.take('-')) return std::nullopt;
    const auto day = cursor.take_number(2, 1, 31);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
}

/// "09", "09:00", "09:00:00", "09:00:00.25".
bool take_clock(Cursor& cursor, Written& written) {
    const auto hour = cursor.take_number(2, 0, 23);
    if (!hour) return false;
    written.of_day = std::chrono::hours(*hour);
    written.has_clock = true;
    if (!cursor.take(':')) return true;
    const auto minute = cursor.take_number(2, 0, 59);
    if (!minute) return false;
    written.of_day += std::chrono::minutes(*minute);
    if (!cursor.take(':')) return true;
    const auto second = cursor.take_number(2, 0, 59);
    if (!second) return false;
    written.of_day += std::chrono::seconds(*second);
    if (!cursor.take('.')) return true;
    const auto ns = cursor.take_fraction();
    if (!ns) return false;
    written.ns = *ns;
    return true;
}

/// "Z", "+02:00", or nothing.
bool take_zone(Cursor& cursor, Written& written) {
    if (cursor.take('Z')) {
        written.zone = std::chrono::minutes(0);
        return true;
    }
    const bool east = cursor.take('+');
    if (!east && !cursor.take('-')) return true;
    const auto hours = cursor.take_number(2, 0, 23);
    if (!hours || !cursor.take(':')) return false;
    const auto minutes = cursor.take_number(2, 0, 59);
    if (!minutes) return false;
    const auto offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
    written.zone = east ? offset : -offset;
    return true;
}

std::optional<Written> parse_written(std::string_view text) {
    Cursor cursor(text);
    const auto day = take_date(cursor);
    if (!day) return std::nullopt;
    Written written;
    written.day = *day;
    if (cursor.at_end()) return written;
    if (!cursor.take('T') && !cursor.take(' ')) return std::nullopt;
    if (!take_clock(cursor, written) || !take_zone(cursor, written)) return std::nullopt;
    if (!cursor.at_end()) return std::nullopt;
    return written;
}

Error bad_time(std::string_view text, std::string_view why) {
    return {Code::invalid_argument, "not a time: " + format_quoted(text) + ": " + std::string(why)};
}

constexpr std::string_view wanted_form = "wanted is a date and time such as 2026-10-06T09:00:00Z";

Result<Time> to_time(std::string_view text, const Written& written, std::chrono::minutes zone) {
    const auto seconds =
        (written.day.time_since_epoch() + written.of_day - written.zone.value_or(zone)).count();
    // Before 1970 the second above and what is short of it: in the first second of the range, the
    // second below lies outside.
    const std::int64_t below = seconds < 0 ? 1 : 0;
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(seconds + below, second_ns, &ns) ||
        __builtin_add_overflow(ns, written.ns - below * second_ns, &ns)) {
        return bad_time(text, "outside the years 1677 to 2262");
    }
    return time_from_ns(ns);
}

struct Unit {
    std::string_view name;
    std::int64_t ns;
};

// From the longest: a duration is written in the first unit that it is whole in.
constexpr std::array<Unit, 7> units{{{"d", day_ns},
                                     {"h", 3'600 * second_ns},
                                     {"m", 60 * second_ns},
                                     {"s", second_ns},
                                     {"ms", 1'000'000},
                                     {"us", 1'000},
                                     {"ns", 1}}};

}  // namespace

std::string format_time(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    // Not `time - day`: the midnight before the first time of the range lies outside it.
    const std::int64_t of_day_ns = (to_ns(time) % day_ns + day_ns) % day_ns;
    const std::int64_t of_day = of_day_ns / second_ns;
    std::string out;
    append_digits(out, int{date.year()}, 4);
    out += '-';
    append_digits(out, unsigned{date.month()}, 2);
    out += '-';
    append_digits(out, unsigned{date.day()}, 2);
    out += 'T';
    append_digits(out, of_day / 3600, 2);
    out += ':';
    append_digits(out, of_day / 60 % 60, 2);
    out += ':';
    append_digits(out, of_day % 60, 2);
    std::int64_t fraction = of_day_ns % second_ns;
    if (fraction != 0) {
        std::size_t digits = 9;
        for (; fraction % 1'000 == 0; fraction /= 1'000) digits -= 3;
        out += '.';
        append_digits(out, fraction, digits);
    }
    return out + 'Z';
}

Result<Time> parse_time(std::string_view text) {
    const auto written = parse_written(text);
    if (!written) return bad_time(text, wanted_form);
    if (written->has_clock && !written->zone) return bad_time(text, "no zone, such as Z or +02:00");
    return to_time(text, *written, std::chrono::minutes(0));
}

Result<Time> parse_local_time(std::string_view text, std::chrono::minutes zone) {
    const auto written = parse_written(text);
    if (!written) return bad_time(text, wanted_form);
    return to_time(text, *written, zone);
}

Result<Duration> parse_duration(std::string_view text) {
    const Error error(Code::invalid_argument,
                      "not a duration such as 250ms, 3s, 5m, 2h or 7d: " + format_quoted(text));
    std::int64_t count = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        if (__builtin_mul_overflow(count, 10, &count) ||
            __builtin_add_overflow(count, text[digits] - '0', &count)) {
            return error;
        }
    }
    if (digits == 0) return error;
    for (const Unit& unit : units) {
        if (text.substr(digits) != unit.name) continue;
        if (__builtin_mul_overflow(count, unit.ns, &count)) return error;
        return Duration(count);
    }
    return error;
}

std::string format_duration(Duration duration) {
    const std::int64_t ns = duration.count();
    if (ns == 0) return "0s";
    for (const Unit& unit : units) {
        if (ns % unit.ns == 0) return std::to_string(ns / unit.ns) + std::string(unit.name);
    }
    return std::to_string(ns) + "ns";
}

}  // namespace highwater
