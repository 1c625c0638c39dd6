#include "catalog/view_request.h"

#include <algorithm>

#include "base/text.h"

namespace highwater::catalog {

std::vector<model::HourRange> hours_of(const Scope& scope) {
    if (scope.hours.empty()) return {{model::hour_min, model::next(model::hour_max)}};
    return scope.hours;
}

void put_in_key_order(std::vector<std::shared_ptr<const Partition>>& partitions) {
    std::ranges::sort(partitions,
                      [](const auto& left, const auto& right) { return left->key < right->key; });
    const auto twice = std::ranges::unique(
        partitions, [](const auto& left, const auto& right) { return left->key == right->key; });
    partitions.erase(twice.begin(), twice.end());
}

Error unknown_name(const std::string& path) {
    return {Code::not_found, "no known name '" + format_quoted(path) + "'"};
}

Error above_head(std::uint64_t number, const Generation& head) {
    return {Code::not_found,
            "generation " + std::to_string(number) + " is above the head, " + format_token(head)};
}

}  // namespace highwater::catalog
