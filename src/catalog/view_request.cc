#include "catalog/view_request.h"

namespace highwater::catalog {

std::vector<model::HourRange> hours_of(const Scope& scope) {
    if (scope.hours.empty()) return {{model::hour_min, model::next(model::hour_max)}};
    return scope.hours;
}

Error above_head(std::uint64_t number, const Generation& head) {
    return {Code::not_found,
            "generation " + std::to_string(number) + " is above the head, " + format_token(head)};
}

}  // namespace highwater::catalog
