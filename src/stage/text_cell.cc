#include "stage/text_cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>

#include "base/text.h"
#include "base/time.h"
#include "base/try.h"

namespace highwater::stage {

namespace {

using model::Column;
using model::ColumnType;
using parquet::Cells;

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

Error no_value(std::string_view text, std::string_view type) {
    return Error(Code::invalid_argument,
                 "'" + format_quoted(text, 64) + "' is no " + std::string(type));
}

template <typename Number>
Result<Number> parse_number(std::string_view text, std::string_view type) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) {
        return Error(Code::invalid_argument,
                     "'" + format_quoted(text, 64) + "' is out of range of " + std::string(type));
    }
    if (error != std::errc() || stop != end) return no_value(text, type);
    return number;
}

template <typename Integer>
Result<std::int64_t> parse_integer(std::string_view text, ColumnType type) {
    return static_cast<std::int64_t>(TRY(parse_number<Integer>(text, model::to_text(type))));
}

bool is_word(std::string_view text, std::string_view lower) {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
}

Result<std::int64_t> parse_boolean(std::string_view text) {
    if (text == "1" || is_word(text, "true")) return 1;
    if (text == "0" || is_word(text, "false")) return 0;
    return no_value(text, "boolean");
}

Result<std::int64_t> parse_date(std::string_view text) {
    constexpr std::size_t size = 10;  // YYYY-MM-DD
    if (text.size() != size) return no_value(text, "date");
    const auto time = parse_time(text);
    if (!time.ok()) return no_value(text, "date");
    return std::chrono::floor<std::chrono::days>(*time).time_since_epoch().count();
}

Result<std::int64_t> to_unit(std::int64_t ns, std::int64_t ns_per_unit, bool truncate,
                             std::string_view text) {
    std::int64_t value = ns / ns_per_unit;
    if (value * ns_per_unit == ns) return value;
    if (!truncate) {
        return Error(Code::invalid_argument,
                     "time '" + format_quoted(text, 64) + "' is finer than the table's unit");
    }
    return ns < 0 ? value - 1 : value;
}

std::int64_t ns_per(model::TimeUnit unit) {
    switch (unit) {
        case model::TimeUnit::millisecond: return 1'000'000;
        case model::TimeUnit::microsecond: return 1'000;
        case model::TimeUnit::nanosecond: return 1;
    }
    return 1;
}

std::int64_t ns_per(TimeFormat::Kind kind) {
    switch (kind) {
        case TimeFormat::Kind::seconds: return 1'000'000'000;
        case TimeFormat::Kind::milliseconds: return 1'000'000;
        case TimeFormat::Kind::microseconds: return 1'000;
        default: return 1;
    }
}

Result<std::int64_t> parse_timestamp(std::string_view text, const TimeFormat& times,
                                     model::TimeUnit unit) {
    std::int64_t ns = 0;
    if (times.kind == TimeFormat::Kind::text) {
        ns = to_ns(TRY(parse_local_time(text, times.zone)));
    } else {
        const std::int64_t count = TRY(parse_number<std::int64_t>(text, "whole number of time"));
        if (__builtin_mul_overflow(count, ns_per(times.kind), &ns)) {
            return Error(Code::invalid_argument,
                         "time '" + format_quoted(text, 64) + "' is outside 1677 to 2262");
        }
    }
    return to_unit(ns, ns_per(unit), times.truncate, text);
}

/// Digits with at most one dot, as an unscaled integer of `column`'s scale.
Result<Wide> parse_decimal(std::string_view text, const Column& column) {
    const std::string_view whole = text;
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    Wide limit = 1;
    for (std::int32_t i = 0; i < column.decimal_precision; ++i) limit *= 10;
    Wide value = 0;
    std::int32_t scale = 0;
    bool has_dot = false;
    bool has_digit = false;
    for (const char c : text) {
        if (c == '.' && !has_dot) {
            has_dot = true;
            continue;
        }
        if (c < '0' || c > '9') return no_value(whole, model::format_column(column));
        has_digit = true;
        if (has_dot && scale == column.decimal_scale) {
            if (c != '0') return no_value(whole, model::format_column(column));
            continue;
        }
        scale += has_dot ? 1 : 0;
        value = value * 10 + (c - '0');
        if (value >= limit) return no_value(whole, model::format_column(column));
    }
    if (!has_digit) return no_value(whole, model::format_column(column));
    for (; scale < column.decimal_scale; ++scale) {
        value *= 10;
        if (value >= limit) return no_value(whole, model::format_column(column));
    }
    return is_negative ? -value : value;
}

Result<void> append_decimal(std::string_view text, const Column& column, Cells& cells) {
    auto bits = static_cast<UnsignedWide>(TRY(parse_decimal(text, column)));
    std::array<char, parquet::decimal_size_bytes> bytes{};
    for (char& byte : bytes) {
        byte = static_cast<char>(bits & 0xFFU);
        bits >>= 8U;
    }
    cells.append_bytes(BytesView(bytes.data(), bytes.size()));
    return {};
}

Result<std::int64_t> parse_integer_cell(const Column& column, model::TimeUnit unit,
                                        const TimeFormat& times, std::string_view text) {
    switch (column.type) {
        case ColumnType::boolean: return parse_boolean(text);
        case ColumnType::int8: return parse_integer<std::int8_t>(text, column.type);
        case ColumnType::int16: return parse_integer<std::int16_t>(text, column.type);
        case ColumnType::int32: return parse_integer<std::int32_t>(text, column.type);
        case ColumnType::int64: return parse_integer<std::int64_t>(text, column.type);
        case ColumnType::uint8: return parse_integer<std::uint8_t>(text, column.type);
        case ColumnType::uint16: return parse_integer<std::uint16_t>(text, column.type);
        case ColumnType::uint32: return parse_integer<std::uint32_t>(text, column.type);
        case ColumnType::uint64: return parse_integer<std::uint64_t>(text, column.type);
        case ColumnType::date: return parse_date(text);
        default: return parse_timestamp(text, times, unit);
    }
}

bool has_leading_zero(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

/// Whether a text reads as a whole number that float64 keeps.
bool is_kept_by_float64(std::string_view text) {
    constexpr std::int64_t kept_max = std::int64_t{1} << 53;
    if (text.find_first_not_of("-0123456789") != std::string_view::npos) return true;
    const auto number = parse_number<std::int64_t>(text, "");
    return number.ok() && *number >= -kept_max && *number <= kept_max;
}

}  // namespace

Result<std::chrono::minutes> parse_zone(std::string_view text) {
    if (text == "UTC" || text == "Z") return std::chrono::minutes(0);
    const bool is_offset = text.size() == 6 && (text[0] == '+' || text[0] == '-') && text[3] == ':';
    if (is_offset) {
        const auto hours = parse_number<unsigned>(text.substr(1, 2), "hour");
        const auto minutes = parse_number<unsigned>(text.substr(4, 2), "minute");
        if (hours.ok() && minutes.ok() && *hours <= 23 && *minutes <= 59) {
            const std::chrono::minutes offset(*hours * 60 + *minutes);
            return text[0] == '-' ? -offset : offset;
        }
    }
    const bool is_name = text.find('/') != std::string_view::npos;
    if (!is_name) return no_value(text, "zone such as UTC or +02:00");
    return Error(Code::unsupported,
                 "zone '" + format_quoted(text, 64) +
                     "' is a name whose offset changes; give a fixed one such as +02:00");
}

Result<TimeFormat::Kind> parse_time_kind(std::string_view text) {
    if (text == "text") return TimeFormat::Kind::text;
    if (text == "s") return TimeFormat::Kind::seconds;
    if (text == "ms") return TimeFormat::Kind::milliseconds;
    if (text == "us") return TimeFormat::Kind::microseconds;
    if (text == "ns") return TimeFormat::Kind::nanoseconds;
    return no_value(text, "time format: text, s, ms, us or ns");
}

Result<void> append_text(const Column& column, model::TimeUnit unit, const TimeFormat& times,
                         std::string_view text, bool is_quoted, Cells& cells) {
    const bool is_text = column.type == ColumnType::string || column.type == ColumnType::binary;
    if (!is_text) text = trimmed(text);
    if (text.empty() && !(is_text && is_quoted)) {
        if (!column.nullable) return Error(Code::invalid_argument, "is empty");
        cells.append_null();
        return {};
    }
    switch (column.type) {
        case ColumnType::float32:
            cells.append_floating(double{TRY(parse_number<float>(text, "float32"))});
            return {};
        case ColumnType::float64:
            cells.append_floating(TRY(parse_number<double>(text, "float64")));
            return {};
        case ColumnType::string:
            if (!is_utf8(text)) return no_value(text, "UTF-8 text");
            cells.append_bytes(text);
            return {};
        case ColumnType::binary: cells.append_bytes(text); return {};
        case ColumnType::decimal: return append_decimal(text, column, cells);
        default: cells.append_integer(TRY(parse_integer_cell(column, unit, times, text)));
    }
    return {};
}

void TypeInference::add(std::string_view text, bool is_quoted) {
    const std::string_view bare = trimmed(text);
    if (bare.empty() && !is_quoted) return;
    is_seen_ = true;
    is_boolean_ = is_boolean_ && (is_word(bare, "true") || is_word(bare, "false"));
    is_int64_ = is_int64_ && !has_leading_zero(bare) && parse_number<std::int64_t>(bare, "").ok();
    is_float64_ = is_float64_ && !has_leading_zero(bare) && is_kept_by_float64(bare) &&
                  parse_number<double>(bare, "").ok();
    is_date_ = is_date_ && parse_date(bare).ok();
}

void TypeInference::add(const TypeInference& other) {
    is_seen_ = is_seen_ || other.is_seen_;
    is_boolean_ = is_boolean_ && other.is_boolean_;
    is_int64_ = is_int64_ && other.is_int64_;
    is_float64_ = is_float64_ && other.is_float64_;
    is_date_ = is_date_ && other.is_date_;
}

ColumnType TypeInference::type() const {
    if (!is_seen_) return ColumnType::string;
    if (is_boolean_) return ColumnType::boolean;
    if (is_int64_) return ColumnType::int64;
    if (is_float64_) return ColumnType::float64;
    if (is_date_) return ColumnType::date;
    return ColumnType::string;
}

}  // namespace highwater::stage
