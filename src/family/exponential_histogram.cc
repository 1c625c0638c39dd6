#include "family/exponential_histogram.h"

#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "family/quantile.h"

namespace highwater::family {

Result<void> verify(const ExponentialHistogramParameters& parameters) {
    if (parameters.max_scale < coarsest_scale || parameters.max_scale > finest_scale) {
        return Error(Code::invalid_argument, "exponential_histogram: max_scale is from -10 to 8");
    }
    if (parameters.max_buckets < max_buckets_min || parameters.max_buckets > max_buckets_max) {
        return Error(Code::invalid_argument,
                     "exponential_histogram: max_buckets is from 2 to 16384");
    }
    const double threshold = parameters.zero_threshold;
    if (!(threshold >= zero_threshold_min && threshold < std::numeric_limits<double>::max())) {
        return Error(Code::invalid_argument,
                     "exponential_histogram: zero_threshold is finite and at least the largest "
                     "subnormal");
    }
    return {};
}

int shift_to_fit(std::int32_t low, std::int32_t high, int max_buckets) {
    int shift = 0;
    while ((high >> shift) - (low >> shift) >= max_buckets) ++shift;
    return shift;
}

ExponentialHistogram::ExponentialHistogram(Parameters parameters)
    : parameters_(parameters),
      zero_bits_(std::bit_cast<std::uint64_t>(parameters.zero_threshold)),
      scale_(parameters.max_scale),
      shift_(finest_scale - parameters.max_scale) {
    ASSERT(verify(parameters).ok());
}

void ExponentialHistogram::count_value(double value) {
    constexpr std::uint64_t infinity_bits = std::uint64_t{0x7FF} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t magnitude_bits = bits & ~(std::uint64_t{1} << 63);
    if (magnitude_bits >= infinity_bits) [[unlikely]]
        return;
    if (magnitude_bits <= zero_bits_) {
        ++zero_count_;
    } else {
        record(bits == magnitude_bits ? positive_ : negative_, magnitude_bits);
    }
}

void ExponentialHistogram::record(Buckets& side, std::uint64_t magnitude_bits) {
    const std::int32_t finest = finest_bucket_index(magnitude_bits);
    std::int32_t index = finest >> shift_;
    if (side.try_increment(index)) [[likely]]
        return;
    if (!side.is_empty()) {
        const int shift = shift_to_fit(std::min(index, side.low()), std::max(index, side.high()),
                                       parameters_.max_buckets);
        downscale_to(scale_ - shift);
        index >>= shift;
    }
    side.add(index, 1);
}

Result<void> ExponentialHistogram::add(std::span<const double> values) {
    TRY(totals_.verify_room_for(values.size()));
    // In two passes: the buckets of many states miss the caches, and short loops wait for more of
    // them at once.
    for (const double value : values) count_value(value);
    for (const double value : values) totals_.add(value);
    return {};
}

Result<void> ExponentialHistogram::add(std::span<const Sample> samples) {
    TRY(totals_.verify_room_for(samples.size()));
    for (const Sample& sample : samples) count_value(sample.value);
    for (const Sample& sample : samples) totals_.add(sample.value);
    return {};
}

void ExponentialHistogram::downscale_to(int scale) {
    ASSERT(scale >= coarsest_scale && scale <= scale_);
    positive_.downscale(scale_ - scale);
    negative_.downscale(scale_ - scale);
    scale_ = scale;
    shift_ = finest_scale - scale;
}

Result<void> ExponentialHistogram::merge(const ExponentialHistogram& other) {
    if (parameters_ != other.parameters_) return different_parameters(family);
    TRY(totals_.verify_room_for(other.totals_.counts()));
    const int common = std::min(scale_, other.scale_);
    int shift = 0;
    for (const auto& [mine, theirs] :
         {std::pair(&positive_, &other.positive_), std::pair(&negative_, &other.negative_)}) {
        if (mine->is_empty() || theirs->is_empty()) continue;
        const int my_shift = scale_ - common;
        const int their_shift = other.scale_ - common;
        shift = std::max(
            shift, shift_to_fit(std::min(mine->low() >> my_shift, theirs->low() >> their_shift),
                                std::max(mine->high() >> my_shift, theirs->high() >> their_shift),
                                parameters_.max_buckets));
    }
    downscale_to(common - shift);
    positive_.merge(other.positive_, other.scale_ - scale_);
    negative_.merge(other.negative_, other.scale_ - scale_);
    zero_count_ += other.zero_count_;
    totals_.merge(other.totals_);
    return {};
}

Result<void> ExponentialHistogram::subtract(const ExponentialHistogram& part) {
    if (parameters_ != part.parameters_) return different_parameters(family);
    if (scale_ != part.scale_) {
        return Error(Code::precondition_failed, "subtract: the scales differ");
    }
    const auto no_part = [] {
        return Error(Code::precondition_failed, "subtract: more hits than there are");
    };
    if (part.zero_count_ > zero_count_) return no_part();
    Totals left = totals_;
    TRY(left.subtract(part.totals_));
    if (!positive_.try_subtract(part.positive_)) return no_part();
    if (!negative_.try_subtract(part.negative_)) {
        positive_.merge(part.positive_, 0);
        return no_part();
    }
    totals_ = left;
    zero_count_ -= part.zero_count_;
    reset_scale_if_empty();
    return {};
}

// Without buckets there is nothing that a coarser scale would be needed for.
void ExponentialHistogram::reset_scale_if_empty() {
    if (!positive_.is_empty() || !negative_.is_empty()) return;
    scale_ = parameters_.max_scale;
    shift_ = finest_scale - scale_;
}

namespace {

OrderStatistic find_order_statistic(const ExponentialHistogram& state, std::uint64_t rank,
                                    const QuantileBounds& bounds) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const SampleCounts& counts = state.totals().counts();
    if (rank < counts.nan) return make_special_statistic(one_nan);
    rank -= counts.nan;
    if (rank < counts.negative_infinity) return make_special_statistic(-infinity);
    rank -= counts.negative_infinity;

    std::uint64_t negatives = 0;
    state.negative().for_each([&](std::int32_t, std::uint64_t count) { negatives += count; });
    std::optional<std::int32_t> found;
    // Among its own sign, the k-th bucket hit whose hits reach over `before`.
    const auto find = [&found](const Buckets& side, std::uint64_t before) {
        std::uint64_t seen = 0;
        side.for_each([&](std::int32_t index, std::uint64_t count) {
            seen += count;
            if (!found && seen > before) found = index;
        });
    };
    if (rank < negatives) {
        find(state.negative(), negatives - 1 - rank);
        return make_bucket_statistic(*found, -1, bounds);
    }
    rank -= negatives;
    if (rank < state.zero_count()) return make_zero_statistic(bounds);
    find(state.positive(), rank - state.zero_count());
    if (found) return make_bucket_statistic(*found, 1, bounds);
    return make_special_statistic(infinity);
}

}  // namespace

Readout ExponentialHistogram::read_quantile(double q) const {
    const std::uint64_t samples = totals_.samples();
    if (const auto degenerate = find_degenerate_quantile(q, samples)) return *degenerate;
    const bool has_extremes = totals_.keeps_extremes() && totals_.counts().finite > 0;
    const QuantileBounds bounds{.scale = scale_,
                                .zero_threshold = parameters_.zero_threshold,
                                .has_extremes = has_extremes,
                                .min = totals_.finite_min(),
                                .max = totals_.finite_max()};
    const QuantileRank rank = rank_of(q, samples);
    const OrderStatistic lower = find_order_statistic(*this, rank.lower, bounds);
    if (rank.weight == 0) return interpolate(lower, lower, 0, bounds);
    const OrderStatistic upper = find_order_statistic(*this, rank.lower + 1, bounds);
    return interpolate(lower, upper, rank.weight, bounds);
}

bool operator==(const ExponentialHistogram& left, const ExponentialHistogram& right) {
    return left.parameters_ == right.parameters_ && left.scale_ == right.scale_ &&
           left.zero_count_ == right.zero_count_ && left.totals_ == right.totals_ &&
           left.positive_ == right.positive_ && left.negative_ == right.negative_;
}

}  // namespace highwater::family
