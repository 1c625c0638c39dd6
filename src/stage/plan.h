#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/uuid.h"
#include "model/hour.h"
#include "model/path_pattern.h"

namespace highwater::stage {

constexpr std::size_t hours_max = 100'000;
constexpr std::size_t objects_max = 1'000'000;
constexpr std::uint64_t rows_per_object_default = 1'000'000;

/// How the rows of an hour are cut into objects. An object has at least one row.
struct Layout {
    std::uint64_t rows_per_object = rows_per_object_default;  // At most.
    std::uint64_t objects_per_hour = 1;  // At least, when there are rows enough.
    std::map<model::Hour, std::uint64_t> objects_of_hour = {};  // In its place for some hours.
};

/// One object that will be written: the next `rows` rows of its hour.
struct PlannedObject {
    model::Hour hour;
    std::string path;
    std::uint64_t rows = 0;

    friend bool operator==(const PlannedObject&, const PlannedObject&) = default;
};

/// The objects for these rows, in (hour, path) order, each hour's rows in equal shares. Names begin
/// with the hour's prefix and hold `id`, which is used once, so no name is ever used twice.
///
/// Requires: layout.rows_per_object > 0; counts > 0.
/// Errors: invalid_argument  the pattern cannot express an hour.
///         exhausted         more than `hours_max` hours or `objects_max` objects.
Result<std::vector<PlannedObject>> plan_objects(
    const std::map<model::Hour, std::uint64_t>& rows_of_hour, const model::PathPattern& pattern,
    const Layout& layout, std::string_view batch, const Uuid& id);

/// The hours without rows between the first and the last, as ranges in order.
std::vector<model::HourRange> find_gaps(const std::map<model::Hour, std::uint64_t>& rows_of_hour);

}  // namespace highwater::stage
