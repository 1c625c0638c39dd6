#include "family/sliding_quantiles.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/try.h"

namespace highwater::family {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Slots beyond the span that is needed, so that small moves need no new layout.
constexpr std::int32_t slack_slots = 1'024;

BucketSpan shift_span(const BucketSpan& span, int shift) {
    if (span.is_empty()) return span;
    return {.low = span.low >> shift, .high = span.high >> shift};
}

BucketSpan span_of(const Buckets& buckets) {
    if (buckets.is_empty()) return {};
    return {.low = buckets.low(), .high = buckets.high()};
}

}  // namespace

SlidingQuantiles::SlidingQuantiles(const ExponentialHistogramParameters& parameters,
                                   std::vector<double> quantiles)
    : parameters_(parameters),
      quantiles_(std::move(quantiles)),
      scale_(parameters.max_scale),
      ranked_(quantiles_.size()) {
    ASSERT(verify(parameters).ok());
    WireWriter to(prefix_);
    put_histogram_parameters(to, parameters_);
    fields_.parameters = parameters_;
    ranked_.reset(1);
}

Result<void> SlidingQuantiles::verify_room_for(const SampleCounts& counts) const {
    if (counts.samples() > count_max - counts_.samples() ||
        counts.stale > count_max - counts_.stale) {
        return Error(Code::exhausted, "a window has at most 2^63 - 1 samples");
    }
    return {};
}

Result<void> SlidingQuantiles::push(BytesView encoded) {
    // Panes of these parameters all begin alike, which is faster to compare than to take apart.
    if (!encoded.starts_with(prefix_)) {
        WireReader from(encoded);
        take_histogram_parameters(from);
        return from.failed() ? corrupt_state(Family::exponential_histogram)
                             : different_parameters(Family::exponential_histogram);
    }
    WireReader from(encoded.substr(prefix_.size()));
    take_histogram_fields(from, fields_);
    if (from.failed()) return corrupt_state(Family::exponential_histogram);
    const SampleCounts& counts = fields_.totals.counts();
    TRY(verify_room_for(counts));
    const std::size_t first = hits_.size();
    Pane pane{.scale = fields_.scale,
              .hits = 0,
              .zero_count = fields_.zero_count,
              .counts = counts,
              .keeps_extremes = fields_.totals.keeps_extremes(),
              .positive = {},
              .negative = {}};
    if (counts.finite > 0) {
        const IndexRange possible = possible_indices(parameters_.zero_threshold, pane.scale);
        std::uint64_t unexplained = counts.finite - pane.zero_count;
        bool is_negative = false;
        const auto keep = [&](std::int32_t index, std::uint64_t count) {
            hits_.push_back({.index = index, .is_negative = is_negative, .count = count});
        };
        pane.positive = take_buckets(from, fields_, possible, unexplained, keep);
        is_negative = true;
        pane.negative = take_buckets(from, fields_, possible, unexplained, keep);
        if (!fits_together(fields_, pane.positive, pane.negative, unexplained)) from.fail();
    }
    if (!from.is_finished()) {
        hits_.cut_back(first);
        return corrupt_state(Family::exponential_histogram);
    }
    pane.hits = hits_.size() - first;
    accept(pane, fields_.totals);
    return {};
}

Result<void> SlidingQuantiles::push(const ExponentialHistogram& pane) {
    if (pane.parameters() != parameters_) {
        return different_parameters(Family::exponential_histogram);
    }
    const Totals& totals = pane.totals();
    TRY(verify_room_for(totals.counts()));
    const std::size_t first = hits_.size();
    pane.positive().for_each([&](std::int32_t index, std::uint64_t count) {
        hits_.push_back({.index = index, .is_negative = false, .count = count});
    });
    pane.negative().for_each([&](std::int32_t index, std::uint64_t count) {
        hits_.push_back({.index = index, .is_negative = true, .count = count});
    });
    accept({.scale = pane.scale(),
            .hits = hits_.size() - first,
            .zero_count = pane.zero_count(),
            .counts = totals.counts(),
            .keeps_extremes = totals.keeps_extremes(),
            .positive = span_of(pane.positive()),
            .negative = span_of(pane.negative())},
           totals);
    return {};
}

// Its hits are the newest already.
void SlidingQuantiles::accept(const Pane& pane, const Totals& totals) {
    panes_.push_back(pane);
    extremes_.push(totals);
    counts_.finite += pane.counts.finite;
    counts_.nan += pane.counts.nan;
    counts_.positive_infinity += pane.counts.positive_infinity;
    counts_.negative_infinity += pane.counts.negative_infinity;
    counts_.stale += pane.counts.stale;
    // Slots are never more than max_buckets a side: what they hold needs no coarser scale.
    const int shift = pane.scale - scale_;
    if (shift >= 0 && positive_slots_.hold(shift_span(pane.positive, shift)) &&
        negative_slots_.hold(shift_span(pane.negative, shift))) {
        add_hits(pane, hits_.size() - pane.hits);
    } else {
        lay_out();
    }
}

void SlidingQuantiles::pop() {
    ASSERT(size() > 0);
    const Pane pane = panes_.front();
    panes_.pop_front();
    extremes_.pop(pane.keeps_extremes);
    counts_.finite -= pane.counts.finite;
    counts_.nan -= pane.counts.nan;
    counts_.positive_infinity -= pane.counts.positive_infinity;
    counts_.negative_infinity -= pane.counts.negative_infinity;
    counts_.stale -= pane.counts.stale;
    const int shift = pane.scale - scale_;
    for (std::size_t i = 0; i < pane.hits; ++i) {
        ranked_.subtract(slot_of(hits_[i], shift), hits_[i].count);
    }
    ranked_.subtract(static_cast<std::size_t>(negative_slots_.size), pane.zero_count);
    hits_.drop_front(pane.hits);
    // What has left may have been why the scale was coarse.
    if (scale_ < parameters_.max_scale && find_fresh_scale() != scale_) lay_out();
}

BucketSpan SlidingQuantiles::find_span(BucketSpan Pane::* side, int scale) const {
    BucketSpan all;
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        const Pane& pane = panes_[i];
        const BucketSpan span = shift_span(pane.*side, pane.scale - scale);
        if (span.is_empty()) continue;
        all = all.is_empty() ? span
                             : BucketSpan{.low = std::min(all.low, span.low),
                                          .high = std::max(all.high, span.high)};
    }
    return all;
}

int SlidingQuantiles::find_fresh_scale() const {
    int common = parameters_.max_scale;
    for (std::size_t i = 0; i < panes_.size(); ++i) common = std::min(common, panes_[i].scale);
    int shift = 0;
    for (const auto side : {&Pane::positive, &Pane::negative}) {
        const BucketSpan span = find_span(side, common);
        if (span.is_empty()) continue;
        shift = std::max(shift, shift_to_fit(span.low, span.high, parameters_.max_buckets));
    }
    return common - shift;
}

SlidingQuantiles::Slots SlidingQuantiles::make_slots(const BucketSpan& span) const {
    if (span.is_empty()) return {};
    const std::int32_t needed = span.high - span.low + 1;
    const std::int32_t spare = std::min(slack_slots, parameters_.max_buckets - needed);
    return {.base = span.low - spare / 2, .size = needed + spare};
}

// Finds the scale and the slots that the panes need now, and counts all hits anew.
void SlidingQuantiles::lay_out() {
    scale_ = find_fresh_scale();
    positive_slots_ = make_slots(find_span(&Pane::positive, scale_));
    negative_slots_ = make_slots(find_span(&Pane::negative, scale_));
    ranked_.reset(static_cast<std::size_t>(negative_slots_.size) + 1 +
                  static_cast<std::size_t>(positive_slots_.size));
    std::size_t first = 0;
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        add_hits(panes_[i], first);
        first += panes_[i].hits;
    }
}

std::size_t SlidingQuantiles::slot_of(const Hits& hits, int shift) const {
    const std::int32_t index = hits.index >> shift;
    const std::int32_t slot = hits.is_negative
                                  ? negative_slots_.base + negative_slots_.size - 1 - index
                                  : negative_slots_.size + 1 + index - positive_slots_.base;
    return static_cast<std::size_t>(slot);
}

void SlidingQuantiles::add_hits(const Pane& pane, std::size_t first) {
    const int shift = pane.scale - scale_;
    for (std::size_t i = first; i < first + pane.hits; ++i) {
        ranked_.add(slot_of(hits_[i], shift), hits_[i].count);
    }
    if (pane.zero_count > 0) {
        ranked_.add(static_cast<std::size_t>(negative_slots_.size), pane.zero_count);
    }
}

OrderStatistic SlidingQuantiles::statistic_of(std::size_t slot,
                                              const QuantileBounds& bounds) const {
    const auto at = static_cast<std::int32_t>(slot);
    const std::int32_t zero = negative_slots_.size;
    if (at == zero) return make_zero_statistic(bounds);
    if (at > zero) return make_bucket_statistic(positive_slots_.base + at - zero - 1, 1, bounds);
    return make_bucket_statistic(negative_slots_.base + zero - 1 - at, -1, bounds);
}

Readout SlidingQuantiles::read(std::size_t number) {
    const double q = quantiles_[number];
    const std::uint64_t samples = counts_.samples();
    if (const auto degenerate = find_degenerate_quantile(q, samples)) return *degenerate;
    const bool has_extremes = extremes_.are_kept() && counts_.finite > 0;
    const QuantileBounds bounds{.scale = scale_,
                                .zero_threshold = parameters_.zero_threshold,
                                .has_extremes = has_extremes,
                                .min = has_extremes ? extremes_.min() : 0,
                                .max = has_extremes ? extremes_.max() : 0};
    const QuantileRank rank = rank_of(q, samples);
    const OrderStatistic lower = find_statistic(rank.lower, number, bounds);
    if (rank.weight == 0) return interpolate(lower, lower, 0, bounds);
    const OrderStatistic upper = find_statistic(rank.lower + 1, number, bounds);
    return interpolate(lower, upper, rank.weight, bounds);
}

OrderStatistic SlidingQuantiles::find_statistic(std::uint64_t rank, std::size_t number,
                                                const QuantileBounds& bounds) {
    if (rank < counts_.nan) return make_special_statistic(one_nan);
    rank -= counts_.nan;
    if (rank < counts_.negative_infinity) return make_special_statistic(-infinity);
    rank -= counts_.negative_infinity;
    if (rank >= counts_.finite) return make_special_statistic(infinity);
    return statistic_of(ranked_.find(number, rank), bounds);
}

}  // namespace highwater::family
