#include "engine/scan.h"

#include <cmath>
#include <limits>
#include <set>

#include "base/text.h"
#include "base/try.h"

namespace highwater::engine {

namespace {

using model::ColumnType;

Error no_fit(const Condition& condition, std::string_view why) {
    return {Code::invalid_argument,
            "the condition on column " + format_quoted(condition.column) + " " + std::string(why)};
}

std::int64_t unit_ns(model::TimeUnit unit) {
    switch (unit) {
        case model::TimeUnit::millisecond: return 1'000'000;
        case model::TimeUnit::microsecond: return 1'000;
        case model::TimeUnit::nanosecond: return 1;
    }
    return 1;
}

/// The smallest and the largest value of an integer type that a 64-bit literal can name.
struct Range {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

std::optional<Range> range_of(ColumnType type) {
    constexpr Range all;
    switch (type) {
        case ColumnType::int8: return Range{-128, 127};
        case ColumnType::int16: return Range{-32'768, 32'767};
        case ColumnType::int32: return Range{-2'147'483'648, 2'147'483'647};
        case ColumnType::int64: return all;
        case ColumnType::uint8: return Range{0, 255};
        case ColumnType::uint16: return Range{0, 65'535};
        case ColumnType::uint32: return Range{0, 4'294'967'295};
        case ColumnType::uint64: return Range{0, all.max};
        default: return std::nullopt;
    }
}

Result<void> check_literal(const Condition& condition, ColumnType type, model::TimeUnit unit) {
    if (std::holds_alternative<bool>(condition.literal)) {
        if (type != ColumnType::boolean) return no_fit(condition, "compares no boolean");
        if (condition.comparison != Comparison::equal) {
            return no_fit(condition, "orders booleans");
        }
    } else if (const auto* integer = std::get_if<std::int64_t>(&condition.literal)) {
        const auto range = range_of(type);
        if (!range) return no_fit(condition, "compares no integer");
        if (*integer < range->min || *integer > range->max) {
            return no_fit(condition, "has a number that the column cannot hold");
        }
    } else if (const auto* number = std::get_if<double>(&condition.literal)) {
        if (type != ColumnType::float32 && type != ColumnType::float64) {
            return no_fit(condition, "compares no floating-point number");
        }
        if (std::isnan(*number)) return no_fit(condition, "compares with NaN");
    } else if (const auto* text = std::get_if<std::string>(&condition.literal)) {
        if (type != ColumnType::string) return no_fit(condition, "compares no text");
        if (!is_utf8(*text) || text->find('\0') != std::string::npos) {
            return no_fit(condition, "has text that is not UTF-8 without null bytes");
        }
    } else {
        if (type != ColumnType::timestamp) return no_fit(condition, "compares no time");
        if (to_ns(std::get<Time>(condition.literal)) % unit_ns(unit) != 0) {
            return no_fit(condition, "has a time that the table's unit cannot say");
        }
    }
    return {};
}

Result<const model::Column*> find_column(const std::string& name, const model::Schema& schema) {
    const model::Column* const column = schema.find(name);
    if (column == nullptr) {
        return Error(Code::invalid_argument, "the table has no column " + format_quoted(name));
    }
    return column;
}

}  // namespace

Result<ResolvedScan> resolve_scan(const Scan& scan, const model::Schema& schema) {
    ResolvedScan resolved;
    std::set<std::string> asked_for;
    for (const std::string& name : scan.columns) {
        resolved.columns.push_back(TRY(find_column(name, schema)));
        if (asked_for.insert(name).second) continue;
        return Error(Code::invalid_argument, "column " + format_quoted(name) + " is named twice");
    }
    if (scan.columns.empty()) {
        for (const model::Column& column : schema.columns) resolved.columns.push_back(&column);
    }
    for (const Condition& condition : scan.conditions) {
        const model::Column* const column = TRY(find_column(condition.column, schema));
        TRY(check_literal(condition, column->type, schema.unit));
        resolved.conditions.push_back({column, condition.comparison, condition.literal});
    }
    for (const model::Column* const column : resolved.columns) {
        resolved.result.push_back(make_result_column(*column, schema.unit));
    }
    if (scan.with_filename) resolved.result.push_back({.name = std::string(filename_column)});
    return resolved;
}

std::int64_t ceil_to_unit(Time time, model::TimeUnit unit) {
    const std::int64_t ns = to_ns(time);
    const std::int64_t per_unit = unit_ns(unit);
    const std::int64_t whole = ns / per_unit;
    return ns % per_unit > 0 ? whole + 1 : whole;
}

}  // namespace highwater::engine
