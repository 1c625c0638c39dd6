#include "model/path_pattern.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"
#include "model/object_path.h"

namespace highwater::model {

namespace {

constexpr std::int64_t hours_per_day = 24;

/// A slash and a name of one byte are the least that follows a prefix.
constexpr std::size_t prefix_size_max = object_path_size_max - 2;

constexpr std::string_view date_form = "YYYY-MM-DD";

std::int64_t day_of(Hour hour) {
    const std::int64_t of_day = (hour.since_epoch % hours_per_day + hours_per_day) % hours_per_day;
    return (hour.since_epoch - of_day) / hours_per_day;
}

std::chrono::year_month_day date_of(std::int64_t day) {
    return std::chrono::year_month_day(
        std::chrono::sys_days(std::chrono::days(static_cast<int>(day))));
}

void append_digits(std::string& out, std::int64_t value, std::size_t count) {
    const std::string digits = std::to_string(value);
    out.append(count - digits.size(), '0').append(digits);
}

/// Takes a number of exactly `count` digits from the start of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return std::nullopt;
    int value = 0;
    for (const char digit : text.substr(0, count)) {
        if (digit < '0' || digit > '9') return std::nullopt;
        value = 10 * value + (digit - '0');
    }
    text.remove_prefix(count);
    return value;
}

}  // namespace

bool PathPattern::has(Piece::Kind kind) const {
    return std::any_of(pieces_.begin(), pieces_.end(),
                       [&](const Piece& piece) { return piece.kind == kind; });
}

Result<void> PathPattern::add_field(std::string_view name) {
    using Kind = Piece::Kind;
    if (name == date_form) {
        TRY(add_field("YYYY"));
        pieces_.push_back({Kind::literal, "-"});
        TRY(add_field("MM"));
        pieces_.push_back({Kind::literal, "-"});
        return add_field("DD");
    }
    constexpr std::array<std::pair<std::string_view, Kind>, 4> fields{
        {{"YYYY", Kind::year}, {"MM", Kind::month}, {"DD", Kind::day}, {"HH", Kind::hour}}};
    for (const auto& [known, kind] : fields) {
        if (name != known) continue;
        if (has(kind))
            return Error(Code::invalid_argument, "the field " + std::string(name) + " twice");
        pieces_.push_back({kind, ""});
        return {};
    }
    return Error(Code::invalid_argument, "an unknown field {" + format_quoted(name) + "}");
}

Result<void> PathPattern::parse_pieces() {
    std::string_view rest = text_;
    while (!rest.empty()) {
        const auto literal = rest.substr(0, rest.find_first_of("{}"));
        if (!literal.empty()) pieces_.push_back({Piece::Kind::literal, std::string(literal)});
        rest.remove_prefix(literal.size());
        if (rest.empty()) break;
        const auto end = rest.find('}');
        if (rest.front() == '}' || end == rest.npos) {
            return Error(Code::invalid_argument, "a brace without its other half");
        }
        TRY(add_field(rest.substr(1, end - 1)));
        rest.remove_prefix(end + 1);
    }
    return {};
}

Result<PathPattern> PathPattern::parse(std::string_view text,
                                       std::optional<std::string_view> fixed_date) {
    const auto bad = [&](const std::string& why) {
        return Error(Code::invalid_argument,
                     "not a path pattern: " + format_quoted(text) + ": " + why);
    };
    PathPattern pattern;
    pattern.text_ = text;
    if (const auto parsed = pattern.parse_pieces(); !parsed.ok()) {
        return bad(parsed.error().message());
    }
    Hour sample{};
    if (fixed_date) {
        const auto midnight = parse_time(*fixed_date);
        if (fixed_date->size() != date_form.size() || !midnight.ok()) {
            return bad("not a date such as 2026-10-06: " + format_quoted(*fixed_date));
        }
        pattern.fixed_date_ = *fixed_date;
        sample = hour_of(*midnight);
        pattern.fixed_day_ = day_of(sample);
    }
    using Kind = Piece::Kind;
    const bool has_date =
        pattern.has(Kind::year) && pattern.has(Kind::month) && pattern.has(Kind::day);
    if (!pattern.has(Kind::hour) || (!has_date && !fixed_date)) {
        return bad(
            "two hours would share a prefix: it lacks {HH}, or a part of the date that no "
            "fixed date gives");
    }
    // All prefixes differ in digits alone, so that one stands for all.
    const auto prefix = pattern.render(sample);
    ASSERT(prefix.has_value());
    if (prefix->size() > prefix_size_max) return bad("it leaves no room for a name");
    if (const auto path = verify_object_path(*prefix); !path.ok()) {
        return bad(path.error().message());
    }
    return pattern;
}

PathPattern PathPattern::make_default() {
    auto pattern = parse("hour={YYYY-MM-DD}T{HH}");
    ASSERT(pattern.ok());
    return *std::move(pattern);
}

std::optional<std::string> PathPattern::render(Hour hour) const {
    if (hour < hour_min || hour > hour_max) return std::nullopt;
    const std::int64_t day = day_of(hour);
    if (fixed_day_ && *fixed_day_ != day) return std::nullopt;
    const auto date = date_of(day);
    std::string prefix;
    for (const Piece& piece : pieces_) {
        switch (piece.kind) {
            case Piece::Kind::literal: prefix += piece.literal; break;
            case Piece::Kind::year: append_digits(prefix, int{date.year()}, 4); break;
            case Piece::Kind::month: append_digits(prefix, unsigned{date.month()}, 2); break;
            case Piece::Kind::day: append_digits(prefix, unsigned{date.day()}, 2); break;
            case Piece::Kind::hour:
                append_digits(prefix, hour.since_epoch - hours_per_day * day, 2);
                break;
        }
    }
    return prefix;
}

std::optional<Hour> PathPattern::find_hour(std::string_view path) const {
    const auto fixed = date_of(fixed_day_.value_or(0));
    int year{fixed.year()};
    int month = static_cast<int>(unsigned{fixed.month()});
    int day = static_cast<int>(unsigned{fixed.day()});
    int of_day = 0;
    for (const Piece& piece : pieces_) {
        if (piece.kind == Piece::Kind::literal) {
            if (!path.starts_with(piece.literal)) return std::nullopt;
            path.remove_prefix(piece.literal.size());
            continue;
        }
        const auto value = take_digits(path, piece.kind == Piece::Kind::year ? 4 : 2);
        if (!value) return std::nullopt;
        switch (piece.kind) {
            case Piece::Kind::year: year = *value; break;
            case Piece::Kind::month: month = *value; break;
            case Piece::Kind::day: day = *value; break;
            default: of_day = *value; break;
        }
    }
    if (!path.starts_with('/') || of_day >= hours_per_day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    if (fixed_day_ && *fixed_day_ != days) return std::nullopt;
    const Hour hour{hours_per_day * days + of_day};
    if (hour < hour_min || hour > hour_max) return std::nullopt;
    return hour;
}

}  // namespace highwater::model
