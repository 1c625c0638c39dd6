#include "testkit/generators.h"

#include <limits>
#include <ostream>
#include <set>
#include <vector>

#include "base/assert.h"
#include "model/object_path.h"

namespace highwater::testkit {

namespace {

using rc::Gen;

/// All values from `min` to `max` alike, and the two ends more often. (rapidcheck's own range
/// begins near `min` and grows.)
Gen<std::int64_t> evenly(std::int64_t min, std::int64_t max) {
    auto inside = rc::gen::noShrink(
        rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(min, max)));
    return rc::gen::weightedOneOf<std::int64_t>(
        {{8, std::move(inside)}, {1, rc::gen::just(min)}, {1, rc::gen::just(max)}});
}

Gen<std::size_t> up_to(std::size_t max) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, max + 1));
}

/// Strings of up to `count_max` parts.
Gen<std::string> joined(std::size_t count_max, const Gen<std::string>& part) {
    return rc::gen::mapcat(up_to(count_max), [part](std::size_t count) {
        return rc::gen::map(rc::gen::container<std::vector<std::string>>(count, part),
                            [](const std::vector<std::string>& parts) {
                                std::string text;
                                for (const auto& each : parts) text += each;
                                return text;
                            });
    });
}

Gen<std::string> one_of(std::vector<std::string> choices) {
    return rc::gen::elementOf(std::move(choices));
}

/// Printable characters of one to four bytes.
Gen<std::string> any_printable() {
    return one_of({"a", "B", "7", "-", "_", "=", " ", ".", ":", "%", "\"", "'", "\xC3\xA9",
                   "\xE2\x82\xAC", "\xF0\x9F\x8C\x8A"});
}

/// Text between the fields of a pattern: neither digits alone nor anything that ends a segment.
Gen<std::string> any_separator() {
    return one_of({"/", "-", "_", "T", "/d=", "0", "/\xC3\xA9=", ".x/"});
}

/// A date that a pattern may fix: its midnight is within the range of Time.
Gen<std::string> any_date() {
    return rc::gen::map(any_hour(), [](model::Hour hour) {
        const model::Hour later{std::max(hour.since_epoch, model::hour_min.since_epoch + 24)};
        return model::format_hour(later).substr(0, std::string_view("2026-10-06").size());
    });
}

Json make_scalar(std::size_t kind) {
    switch (kind) {
        case 0: return {};
        case 1: return *rc::gen::arbitrary<bool>();
        case 2:
            return *evenly(std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max());
        case 3: return *rc::gen::arbitrary<std::uint64_t>();
        case 4: return *rc::gen::suchThat<double>([](double value) { return value - value == 0; });
        case 5: return std::numeric_limits<std::uint64_t>::max();
        case 6: return -0.0;
        default: return *any_text(6);
    }
}

Json make_json(std::size_t depth_max) {
    const auto kind = *up_to(depth_max > 0 ? 9 : 7);
    if (kind < 8) return make_scalar(kind);
    const auto count = *up_to(4);
    if (kind == 8) {
        Json array = Json::array();
        for (std::size_t i = 0; i < count; ++i) array.push_back(make_json(depth_max - 1));
        return array;
    }
    Json object = Json::object({});
    for (std::size_t i = 0; i < count; ++i) {
        auto name = *any_text(4);
        if (object.find(name) == nullptr) object.set(std::move(name), make_json(depth_max - 1));
    }
    return object;
}

model::Schema make_schema() {
    model::Schema schema;
    schema.unit = *rc::gen::element(model::TimeUnit::millisecond, model::TimeUnit::microsecond,
                                    model::TimeUnit::nanosecond);
    schema.time_column = "time";
    const auto others = *up_to(7);
    const auto time_at = *up_to(others);
    std::int32_t id = 0;
    for (std::size_t i = 0; i <= others; ++i) {
        model::Column column;
        if (i == time_at) {
            column.name = schema.time_column;
            column.type = model::ColumnType::timestamp;
            column.nullable = false;
        } else {
            column = *any_column();
            column.name += std::to_string(i);  // Unique, whatever the rest.
        }
        id += 1 + static_cast<std::int32_t>(*up_to(3));
        column.id = id;
        schema.columns.push_back(std::move(column));
    }
    return schema;
}

}  // namespace

Gen<Time> any_time() {
    const auto anywhere =
        evenly(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    const auto milliseconds = rc::gen::map(evenly(-9'000'000'000'000, 9'000'000'000'000),
                                           [](std::int64_t ms) { return ms * 1'000'000; });
    const auto near_zero = evenly(-10, 10);
    return rc::gen::map(rc::gen::oneOf(anywhere, milliseconds, near_zero), time_from_ns);
}

Gen<model::Hour> any_hour() {
    return rc::gen::map(
        rc::gen::oneOf(evenly(model::hour_min.since_epoch, model::hour_max.since_epoch),
                       evenly(490'000, 500'000), evenly(-30, 30)),
        [](std::int64_t since_epoch) { return model::Hour{since_epoch}; });
}

Gen<std::string> any_text(std::size_t characters_max) {
    return joined(
        characters_max,
        rc::gen::oneOf(any_printable(), one_of({std::string(1, '\0'), "\n", "\t", "\x1B", "\x7F",
                                                "\\", "/", "\xC2\x9B", "\xE2\x80\xAE"})));
}

Gen<std::string> any_bytes(std::size_t size_max) {
    return joined(size_max, rc::gen::map(up_to(255), [](std::size_t byte) {
                      return std::string(1, static_cast<char>(byte));
                  }));
}

Gen<std::string> any_object_path() {
    return rc::gen::suchThat(
        rc::gen::map(rc::gen::pair(joined(12, any_printable()),
                                   joined(4, rc::gen::map(joined(12, any_printable()),
                                                          [](const std::string& segment) {
                                                              return "/" + segment;
                                                          }))),
                     [](const std::pair<std::string, std::string>& parts) {
                         return parts.first + parts.second;
                     }),
        [](const std::string& path) { return model::verify_object_path(path).ok(); });
}

Gen<model::PathPattern> any_path_pattern() {
    return rc::gen::exec([] {
        const bool fixed = *rc::gen::arbitrary<bool>();
        std::vector<std::string> fields = {"{HH}"};
        if (*rc::gen::arbitrary<bool>()) {
            fields.emplace_back("{YYYY-MM-DD}");
        } else {
            fields.insert(fields.end(), {"{YYYY}", "{MM}", "{DD}"});
        }
        // With a fixed date some of its fields may be left out, always the hour's never.
        if (fixed) fields.resize(1 + *up_to(fields.size() - 1));
        for (std::size_t i = fields.size() - 1; i > 0; --i) std::swap(fields[i], fields[*up_to(i)]);
        std::string text = *one_of({"", "h=", "a/b", "\xE2\x82\xAC"});
        for (const auto& field : fields) {
            text += field;
            if (*rc::gen::arbitrary<bool>()) text += *any_separator() + "x";
        }
        const std::string date = *any_date();
        auto pattern =
            fixed ? model::PathPattern::parse(text, date) : model::PathPattern::parse(text);
        ASSERT(pattern.ok());
        return *std::move(pattern);
    });
}

Gen<model::Column> any_column() {
    return rc::gen::exec([] {
        model::Column column;
        column.name = "c" + *joined(5, any_printable());
        column.type = static_cast<model::ColumnType>(
            *up_to(static_cast<std::size_t>(model::ColumnType::decimal)));
        column.nullable = *rc::gen::arbitrary<bool>();
        if (column.type == model::ColumnType::decimal) {
            column.decimal_precision = static_cast<std::int32_t>(1 + *up_to(37));
            column.decimal_scale = static_cast<std::int32_t>(
                *up_to(static_cast<std::size_t>(column.decimal_precision)));
        }
        return column;
    });
}

Gen<model::Schema> any_schema() {
    return rc::gen::exec(make_schema);
}

Gen<Json> any_json(std::size_t depth_max) {
    return rc::gen::exec([depth_max] { return make_json(depth_max); });
}

}  // namespace highwater::testkit

namespace highwater {

void showValue(const Json& json, std::ostream& out) {
    out << format_json(json);
}

}  // namespace highwater

namespace highwater::model {

void showValue(const Hour& hour, std::ostream& out) {
    out << format_hour(hour);
}

void showValue(const PathPattern& pattern, std::ostream& out) {
    out << pattern.text();
    if (pattern.fixed_date()) out << " on " << *pattern.fixed_date();
}

void showValue(const Column& column, std::ostream& out) {
    out << column.id << " " << format_column(column);
}

void showValue(const Schema& schema, std::ostream& out) {
    for (const Column& column : schema.columns) {
        showValue(column, out);
        out << "; ";
    }
    out << "time: " << schema.time_column << " in " << to_text(schema.unit) << "s";
}

}  // namespace highwater::model
