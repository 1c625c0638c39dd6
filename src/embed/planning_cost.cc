#include "embed/planning_cost.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace highwater::embed {

namespace {

double to_us(Duration duration) {
    return static_cast<double>(duration.count()) / 1e3;
}

}  // namespace

Duration percentile(std::vector<Duration> samples, double percent) {
    ASSERT(!samples.empty() && percent > 0 && percent <= 100);
    const auto rank =
        static_cast<std::size_t>(std::ceil(percent / 100.0 * static_cast<double>(samples.size())));
    const auto at = samples.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::ranges::nth_element(samples, at);
    return *at;
}

Json to_json(const PlanningCost& cost) {
    Json samples = Json::array();
    for (const auto sample : cost.samples) samples.push_back(to_us(sample));
    return Json::object({{"method", cost.method},
                         {"p50_us", to_us(percentile(cost.samples, 50))},
                         {"p95_us", to_us(percentile(cost.samples, 95))},
                         {"requests", cost.requests},
                         {"listed_objects", cost.listed_objects},
                         {"bytes_read", cost.bytes_read},
                         {"files", cost.files},
                         {"samples_us", std::move(samples)}});
}

}  // namespace highwater::embed
