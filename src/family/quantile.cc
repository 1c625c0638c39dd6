#include "family/quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "family/bucket_index.h"

namespace highwater::family {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Written so that rounding never makes it decrease in `weight` nor leave [lower, upper].
double between(double lower, double upper, double weight) {
    if (lower == upper || weight == 0) return lower;
    const bool are_finite = std::isfinite(lower) && std::isfinite(upper);
    if (!are_finite || (lower < 0 && upper > 0)) return lower * (1 - weight) + upper * weight;
    return std::min(lower + (upper - lower) * weight, upper);
}

}  // namespace

QuantileRank rank_of(double q, std::uint64_t samples) {
    const double rank = q * static_cast<double>(samples - 1);
    const double whole = std::floor(rank);
    // Above 2^53 samples the product may round to beyond the last.
    if (whole >= static_cast<double>(samples - 1)) return {.lower = samples - 1, .weight = 0};
    return {.lower = static_cast<std::uint64_t>(whole), .weight = rank - whole};
}

std::optional<Readout> find_degenerate_quantile(double q, std::uint64_t samples) {
    if (samples == 0) return Absence::no_samples;
    if (std::isnan(q)) return make_exact(one_nan);
    if (q < 0) return make_exact(-infinity);
    if (q > 1) return make_exact(infinity);
    return std::nullopt;
}

OrderStatistic make_special_statistic(double value) {
    return {.value = value, .magnitude_max = 0};
}

OrderStatistic make_zero_statistic(const QuantileBounds& bounds) {
    const double value = bounds.has_extremes ? std::clamp(0.0, bounds.min, bounds.max) : 0.0;
    return {.value = value, .magnitude_max = bounds.zero_threshold};
}

OrderStatistic make_bucket_statistic(std::int32_t index, int sign, const QuantileBounds& bounds) {
    double value = sign * bucket_representative(index, bounds.scale);
    if (bounds.has_extremes) value = std::clamp(value, bounds.min, bounds.max);
    // The upper edge may be beyond the doubles, and values are not.
    constexpr double largest = std::numeric_limits<double>::max();
    const IndexRange all = possible_indices(bounds.zero_threshold, bounds.scale);
    const double edge = index < all.high ? bucket_lower_edge(index + 1, bounds.scale) : largest;
    return {.value = value, .magnitude_max = edge};
}

Estimate interpolate(const OrderStatistic& lower, const OrderStatistic& upper, double weight,
                     const QuantileBounds& bounds) {
    const double value = between(lower.value, upper.value, weight);
    double error = 0;
    if (std::isfinite(value)) {
        error = bucket_relative_error(bounds.scale) *
                    std::max(lower.magnitude_max, upper.magnitude_max) +
                bounds.zero_threshold;
    }
    return {.value = std::isnan(value) ? one_nan : value,
            .guarantee = Guarantee::deterministic_bound(),
            .error = error};
}

}  // namespace highwater::family
