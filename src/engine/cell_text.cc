#include "engine/cell_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/hex.h"

namespace highwater::engine {

namespace {

using model::ColumnType;

constexpr std::int64_t days_in_era = 146'097;  // 400 years

/// A date of the proleptic Gregorian calendar.
struct Date {
    std::int64_t year = 0;
    int month = 0;
    int day = 0;
};

/// std::chrono::year ends at 32767; the engines' dates do not.
Date date_of(std::int64_t days) {
    // Whole eras of 400 years repeat exactly, so the rest fits the standard calendar.
    std::int64_t era = days / days_in_era;
    if (days % days_in_era < 0) --era;
    const std::int64_t rest = days - era * days_in_era;
    const std::chrono::year_month_day date{
        std::chrono::sys_days{std::chrono::days{static_cast<int>(rest)}}};
    return {era * 400 + static_cast<int>(date.year()),
            static_cast<int>(static_cast<unsigned>(date.month())),
            static_cast<int>(static_cast<unsigned>(date.day()))};
}

std::int64_t per_second(model::TimeUnit unit) {
    switch (unit) {
        case model::TimeUnit::millisecond: return 1'000;
        case model::TimeUnit::microsecond: return 1'000'000;
        case model::TimeUnit::nanosecond: return 1'000'000'000;
    }
    return 1;
}

/// The fraction of a second with as many of 0, 3, 6 or 9 digits as it needs.
std::string format_fraction(std::int64_t ns) {
    if (ns == 0) return {};
    if (ns % 1'000'000 == 0) return fmt::format(".{:03}", ns / 1'000'000);
    if (ns % 1'000 == 0) return fmt::format(".{:06}", ns / 1'000);
    return fmt::format(".{:09}", ns);
}

bool is_text_in_json(const ResultColumn& column, const parquet::Cells& cells, std::size_t row) {
    switch (column.type) {
        case ColumnType::string: return !column.is_json;
        case ColumnType::binary:
        case ColumnType::date:
        case ColumnType::timestamp: return true;
        case ColumnType::float32:
        case ColumnType::float64: return !std::isfinite(cells.floating_at(row));
        default: return false;
    }
}

}  // namespace

std::string format_date(std::int64_t days) {
    const Date date = date_of(days);
    if (date.year >= 0 && date.year <= 9999) {
        return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    }
    return fmt::format("{:+05}-{:02}-{:02}", date.year, date.month, date.day);
}

std::string format_timestamp(std::int64_t value, model::TimeUnit unit, bool is_utc) {
    constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
    if (unit == model::TimeUnit::microsecond && value == infinity) return "infinity";
    if (unit == model::TimeUnit::microsecond && value == -infinity) return "-infinity";
    const std::int64_t scale = per_second(unit);
    std::int64_t seconds = value / scale;
    std::int64_t fraction = value % scale;
    if (fraction < 0) {
        --seconds;
        fraction += scale;
    }
    std::int64_t days = seconds / 86'400;
    std::int64_t of_day = seconds % 86'400;
    if (of_day < 0) {
        --days;
        of_day += 86'400;
    }
    return fmt::format("{}T{:02}:{:02}:{:02}{}{}", format_date(days), of_day / 3'600,
                       of_day / 60 % 60, of_day % 60,
                       format_fraction(fraction * (1'000'000'000 / scale)), is_utc ? "Z" : "");
}

std::string format_decimal(BytesView unscaled, std::int32_t scale) {
    __extension__ unsigned __int128 magnitude = 0;
    std::memcpy(&magnitude, unscaled.data(), sizeof(magnitude));
    const bool is_negative = (magnitude >> 127U) != 0;
    if (is_negative) magnitude = ~magnitude + 1;
    std::string digits;
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
        magnitude /= 10;
    } while (magnitude != 0);
    if (scale > 0) {
        const auto places = static_cast<std::size_t>(scale);
        if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, 1, '.');
    }
    return is_negative ? "-" + digits : digits;
}

std::string format_float(double value, bool is_float32) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    return is_float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

std::string format_cell(const ResultColumn& column, const parquet::Cells& cells, std::size_t row) {
    switch (column.type) {
        case ColumnType::boolean: return cells.integer_at(row) != 0 ? "true" : "false";
        case ColumnType::uint64:
            return fmt::format("{}", static_cast<std::uint64_t>(cells.integer_at(row)));
        case ColumnType::float32:
        case ColumnType::float64:
            return format_float(cells.floating_at(row), column.type == ColumnType::float32);
        case ColumnType::string: return std::string(cells.bytes_at(row));
        case ColumnType::binary: return format_hex(cells.bytes_at(row));
        case ColumnType::date: return format_date(cells.integer_at(row));
        case ColumnType::timestamp:
            return format_timestamp(cells.integer_at(row), column.unit, column.is_utc);
        case ColumnType::decimal: return format_decimal(cells.bytes_at(row), column.decimal_scale);
        default: return fmt::format("{}", cells.integer_at(row));
    }
}

std::string format_json_cell(const ResultColumn& column, const parquet::Cells& cells,
                             std::size_t row) {
    if (cells.is_null(row)) return "null";
    std::string text = format_cell(column, cells, row);
    if (!is_text_in_json(column, cells, row)) return text;
    return format_json(Json(std::move(text)));
}

}  // namespace highwater::engine
