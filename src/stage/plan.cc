#include "stage/plan.h"

#include <algorithm>

#include "base/assert.h"

namespace highwater::stage {

namespace {

constexpr std::size_t slug_size_max = 40;
constexpr std::size_t id_digits = 12;
constexpr std::size_t number_digits = 5;

/// The batch as it may stand in a file name everywhere.
std::string slug_of(std::string_view batch) {
    std::string slug;
    for (const char c : batch.substr(0, slug_size_max)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
        slug.push_back(plain ? c : '-');
    }
    // A name that begins with a dot is hidden from many readers.
    if (slug.empty() || slug.front() == '.') slug.insert(0, "batch");
    return slug;
}

std::string padded(std::uint64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

std::uint64_t count_objects(model::Hour hour, std::uint64_t rows, const Layout& layout) {
    const auto own = layout.objects_of_hour.find(hour);
    const std::uint64_t wanted =
        own == layout.objects_of_hour.end() ? layout.objects_per_hour : own->second;
    const std::uint64_t needed = (rows - 1) / layout.rows_per_object + 1;
    return std::min(rows, std::max({wanted, needed, std::uint64_t{1}}));
}

/// The rows before object `index` of `count` equal shares.
std::uint64_t share_begin(std::uint64_t rows, std::uint64_t count, std::uint64_t index) {
    return rows / count * index + std::min(index, rows % count);
}

}  // namespace

Result<std::vector<PlannedObject>> plan_objects(
    const std::map<model::Hour, std::uint64_t>& rows_of_hour, const model::PathPattern& pattern,
    const Layout& layout, std::string_view batch, const Uuid& id) {
    ASSERT(layout.rows_per_object > 0);
    if (rows_of_hour.size() > hours_max) {
        return Error(Code::exhausted, "rows of more than " + std::to_string(hours_max) + " hours");
    }
    std::string id_text = format_uuid(id);
    std::erase(id_text, '-');
    const std::string name = slug_of(batch) + "-" + id_text.substr(0, id_digits) + "-";
    std::vector<PlannedObject> objects;
    for (const auto& [hour, rows] : rows_of_hour) {
        ASSERT(rows > 0);
        const auto prefix = pattern.render(hour);
        if (!prefix) {
            return Error(Code::invalid_argument, "the table's pattern " + pattern.text() +
                                                     " cannot express hour " +
                                                     model::format_hour(hour));
        }
        const std::uint64_t count = count_objects(hour, rows, layout);
        if (count > objects_max - objects.size()) {
            return Error(Code::exhausted, "more than " + std::to_string(objects_max) + " objects");
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            objects.push_back(
                {.hour = hour,
                 .path = *prefix + "/" + name + padded(i + 1, number_digits) + ".parquet",
                 .rows = share_begin(rows, count, i + 1) - share_begin(rows, count, i)});
        }
    }
    return objects;
}

std::vector<model::HourRange> find_gaps(const std::map<model::Hour, std::uint64_t>& rows_of_hour) {
    std::vector<model::HourRange> gaps;
    for (auto at = rows_of_hour.begin(); at != rows_of_hour.end(); ++at) {
        const auto after = std::next(at);
        if (after == rows_of_hour.end()) break;
        const model::HourRange gap{.from = model::next(at->first), .to = after->first};
        if (!gap.is_empty()) gaps.push_back(gap);
    }
    return gaps;
}

}  // namespace highwater::stage
