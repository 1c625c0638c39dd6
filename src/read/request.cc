#include "read/request.h"

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "base/try.h"

namespace highwater::read {

namespace {

Error refuse(const std::string& what) {
    return {Code::invalid_argument, what};
}

Error exceeds(const std::string& what, std::int64_t count, std::int64_t max) {
    return {Code::exhausted,
            std::to_string(count) + " " + what + ", more than " + std::to_string(max)};
}

Result<void> verify_tables(const std::vector<TableRef>& tables) {
    if (tables.empty()) return refuse("no table to read");
    if (tables.size() > tables_max) {
        return exceeds("tables", static_cast<std::int64_t>(tables.size()), tables_max);
    }
    for (auto table = tables.begin(); table != tables.end(); ++table) {
        if (table->name.empty() && !table->id) return refuse("a table without name and id");
        if (!table->name.empty()) TRY(catalog::verify_table_name(table->name));
        const bool is_twice = std::any_of(tables.begin(), table, [&](const TableRef& other) {
            const bool same_name = !table->name.empty() && table->name == other.name;
            return same_name || (table->id && table->id == other.id);
        });
        if (is_twice) return refuse("table '" + format_table(*table) + "' twice");
    }
    return {};
}

Result<void> verify_range(const Range& range) {
    if (range.from && range.to && *range.to <= *range.from) {
        return refuse("the range ends at " + format_time(*range.to) + ", not after " +
                      format_time(*range.from));
    }
    const model::HourRange hours = hours_of(range);
    if (hours.is_empty()) return refuse("the range lies beyond the hours that there can be");
    const bool is_bounded = range.from && range.to;
    if (is_bounded && hours.count() > hours_max) return exceeds("hours", hours.count(), hours_max);
    return {};
}

Result<void> verify_wishes(const Request& request) {
    const bool has_others = request.min_generation || request.max_staleness || request.any;
    if (request.at_generation && has_others) {
        return refuse("an exact generation excludes every other wish about generations");
    }
    if (request.any && request.max_staleness) {
        return refuse("any staleness and a largest staleness exclude each other");
    }
    if (request.max_staleness && *request.max_staleness < Duration::zero()) {
        return refuse("a negative staleness");
    }
    if (request.wait_max < Duration::zero()) return refuse("a negative wait");
    if (request.wait_max > wait_longest) {
        return Error(Code::exhausted, "a wait of " + format_duration(request.wait_max) +
                                          ", longer than " + format_duration(wait_longest));
    }
    const auto& named = named_generation(request);
    if (!named) return {};
    if (const auto* batch = std::get_if<catalog::BatchRef>(&*named)) {
        return catalog::verify_batch(batch->batch);
    }
    return {};
}

}  // namespace

Result<void> verify_request(const Request& request) {
    TRY(verify_tables(request.tables));
    TRY(verify_range(request.range));
    return verify_wishes(request);
}

const std::optional<catalog::GenerationRef>& named_generation(const Request& request) {
    return request.at_generation ? request.at_generation : request.min_generation;
}

model::HourRange hours_of(const Range& range) {
    constexpr model::HourRange all{model::hour_min, model::next(model::hour_max)};
    model::HourRange hours = all;
    if (range.from) hours.from = std::clamp(model::hour_of(*range.from), all.from, all.to);
    if (range.to == Time::min()) {
        hours.to = all.from;  // Nothing is before it.
    } else if (range.to) {
        const model::Hour last = model::hour_of(*range.to - Duration(1));
        hours.to = std::clamp(model::next(last), all.from, all.to);
    }
    return hours;
}

std::string format_table(const TableRef& table) {
    if (!table.name.empty()) return table.name;
    return table.id ? format_uuid(table.id->value) : "";
}

std::string_view to_text(OnStale on_stale) {
    switch (on_stale) {
        case OnStale::refresh: return "refresh";
        case OnStale::direct_listing: return "direct_listing";
        case OnStale::fail: return "fail";
    }
    return "unknown";
}

std::optional<OnStale> parse_on_stale(std::string_view text) {
    for (const OnStale value : {OnStale::refresh, OnStale::direct_listing, OnStale::fail}) {
        if (to_text(value) == text) return value;
    }
    return std::nullopt;
}

}  // namespace highwater::read
