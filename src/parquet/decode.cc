#include "parquet/decode.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/text.h"
#include "base/try.h"

namespace highwater::parquet {

namespace {

using model::ColumnType;
using model::TimeUnit;

__extension__ using Wide = __int128;

constexpr std::int64_t ns_per_day = 86'400'000'000'000;
constexpr std::int64_t julian_day_of_epoch = 2'440'588;

std::int64_t ns_per(TimeUnit unit) {
    switch (unit) {
        case TimeUnit::millisecond: return 1'000'000;
        case TimeUnit::microsecond: return 1'000;
        case TimeUnit::nanosecond: return 1;
    }
    return 1;
}

template <typename Integer>
bool fits(std::int64_t value) {
    return value >= static_cast<std::int64_t>(std::numeric_limits<Integer>::min()) &&
           value <= static_cast<std::int64_t>(std::numeric_limits<Integer>::max());
}

bool fits_type(ColumnType type, std::int64_t value) {
    switch (type) {
        case ColumnType::boolean: return value == 0 || value == 1;
        case ColumnType::int8: return fits<std::int8_t>(value);
        case ColumnType::int16: return fits<std::int16_t>(value);
        case ColumnType::int32:
        case ColumnType::date: return fits<std::int32_t>(value);
        case ColumnType::uint8: return fits<std::uint8_t>(value);
        case ColumnType::uint16: return fits<std::uint16_t>(value);
        case ColumnType::uint32: return fits<std::uint32_t>(value);
        default: return true;
    }
}

Error does_not_fit(const CellPlan& plan) {
    return Error(Code::corrupt, "a value does not fit its own type " + plan.from.type_text);
}

Result<void> append_decimal(const CellPlan& plan, BytesView big_endian, Cells& cells) {
    const auto decimal = decode_decimal(big_endian, plan.from.decimal_precision);
    if (!decimal) return does_not_fit(plan);
    cells.append_bytes(BytesView(decimal->data(), decimal->size()));
    return {};
}

Result<void> append_time(const CellPlan& plan, std::int64_t value, TimeUnit unit, Cells& cells) {
    const auto zone = plan.from.is_utc_adjusted ? std::chrono::minutes(0) : plan.local_zone;
    cells.append_integer(TRY(convert_time(value, unit, plan.unit, zone, plan.truncate_times)));
    return {};
}

std::array<char, 8> to_big_endian(std::int64_t value) {
    std::array<char, 8> bytes{};
    auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = bytes.size(); i-- > 0;) {
        bytes[i] = static_cast<char>(bits & 0xFFU);
        bits >>= 8U;
    }
    return bytes;
}

}  // namespace

Result<std::int64_t> convert_time(std::int64_t value, TimeUnit from, TimeUnit to,
                                  std::chrono::minutes zone, bool truncate) {
    Wide time = static_cast<Wide>(value) * ns_per(from);
    if (zone.count() != 0) time -= static_cast<Wide>(zone.count()) * 60'000'000'000;
    const Wide unit = ns_per(to);
    Wide converted = time / unit;
    if (converted * unit != time) {
        if (!truncate) {
            return Error(Code::invalid_argument, "time " + std::to_string(value) + " in " +
                                                     std::string(model::to_text(from)) +
                                                     "s is no whole number of " +
                                                     std::string(model::to_text(to)) + "s");
        }
        if (time < 0) converted -= 1;
    }
    if (converted < std::numeric_limits<std::int64_t>::min() ||
        converted > std::numeric_limits<std::int64_t>::max()) {
        return Error(Code::invalid_argument,
                     "time " + std::to_string(value) + " does not fit 64 bits");
    }
    return static_cast<std::int64_t>(converted);
}

std::optional<std::array<char, decimal_size_bytes>> decode_decimal(BytesView value,
                                                                   std::int32_t precision) {
    if (value.empty()) return std::nullopt;
    const bool negative = static_cast<signed char>(value.front()) < 0;
    const char filler = negative ? '\xFF' : '\0';
    while (value.size() > decimal_size_bytes) {
        if (value.front() != filler) return std::nullopt;
        value.remove_prefix(1);
        if (value.size() == decimal_size_bytes &&
            (static_cast<signed char>(value.front()) < 0) != negative) {
            return std::nullopt;
        }
    }
    std::array<char, decimal_size_bytes> bytes;
    bytes.fill(filler);
    std::copy(value.rbegin(), value.rend(), bytes.begin());

    Wide number = negative ? -1 : 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        number = number * 256 + static_cast<unsigned char>(bytes[i]);
    }
    Wide limit = 1;
    for (std::int32_t i = 0; i < precision; ++i) limit *= 10;
    if (number <= -limit || number >= limit) return std::nullopt;
    return bytes;
}

Result<void> append_integer(const CellPlan& plan, std::int64_t value, Cells& cells) {
    switch (*plan.from.type) {
        case ColumnType::timestamp: return append_time(plan, value, *plan.from.unit, cells);
        case ColumnType::decimal: {
            const auto bytes = to_big_endian(value);
            return append_decimal(plan, BytesView(bytes.data(), bytes.size()), cells);
        }
        case ColumnType::uint32:
            // The 32 bits came widened with their sign.
            cells.append_integer(static_cast<std::uint32_t>(value));
            return {};
        default: break;
    }
    if (!fits_type(*plan.from.type, value)) return does_not_fit(plan);
    cells.append_integer(value);
    return {};
}

Result<void> append_bytes(const CellPlan& plan, BytesView value, Cells& cells) {
    if (*plan.from.type == ColumnType::decimal) return append_decimal(plan, value, cells);
    if (*plan.from.type == ColumnType::string && !is_utf8(value)) {
        return Error(Code::corrupt, "a string is not UTF-8: '" + format_quoted(value, 64) + "'");
    }
    cells.append_bytes(value);
    return {};
}

Result<void> append_int96(const CellPlan& plan, const std::array<std::uint32_t, 3>& value,
                          Cells& cells) {
    const std::uint64_t of_day = static_cast<std::uint64_t>(value[1]) << 32U | value[0];
    if (of_day >= static_cast<std::uint64_t>(ns_per_day)) return does_not_fit(plan);
    const std::int64_t days = static_cast<std::int32_t>(value[2]) - julian_day_of_epoch;
    const Wide ns = static_cast<Wide>(days) * ns_per_day + static_cast<Wide>(of_day);
    if (ns < std::numeric_limits<std::int64_t>::min() ||
        ns > std::numeric_limits<std::int64_t>::max()) {
        return Error(Code::invalid_argument, "an INT96 time is outside 1677 to 2262");
    }
    return append_time(plan, static_cast<std::int64_t>(ns), TimeUnit::nanosecond, cells);
}

}  // namespace highwater::parquet
