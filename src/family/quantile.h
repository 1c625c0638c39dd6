#pragma once

#include <cstdint>
#include <optional>

#include "family/guarantee.h"
#include "family/sample.h"

namespace highwater::family {

/// Where a quantile lies among samples in order: between the sample `lower` and the next one.
struct QuantileRank {
    std::uint64_t lower = 0;  // The first sample is 0.
    double weight = 0;        // Of the next sample; with 0 there may be none.
};

/// Requires: 0 <= q <= 1, samples > 0.
QuantileRank rank_of(double q, std::uint64_t samples);

/// The answer where no sample is asked for: q is NaN, below 0 or above 1, or there are no samples.
std::optional<Readout> find_degenerate_quantile(double q, std::uint64_t samples);

/// The k-th sample in order, as far as buckets tell.
struct OrderStatistic {
    double value = 0;
    double magnitude_max = 0;  // The true magnitude is not above this.
};

/// What the estimate of a quantile depends on beside the two order statistics.
struct QuantileBounds {
    int scale = 0;
    double zero_threshold = 0;
    bool has_extremes = false;
    double min = 0;  // Of the finite samples.
    double max = 0;
};

OrderStatistic make_special_statistic(double value);
OrderStatistic make_zero_statistic(const QuantileBounds& bounds);
/// Of a value in bucket `index`, whose sign is `sign`: 1 or -1.
OrderStatistic make_bucket_statistic(std::int32_t index, int sign, const QuantileBounds& bounds);

/// Between both neighbours, as far as `weight` says. Never decreases as the weight grows, nor
/// leaves the neighbours.
Estimate interpolate(const OrderStatistic& lower, const OrderStatistic& upper, double weight,
                     const QuantileBounds& bounds);

}  // namespace highwater::family
