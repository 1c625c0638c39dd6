#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "family/exponential_histogram.h"
#include "family/histogram_wire.h"
#include "family/quantile.h"
#include "family/ranked_counts.h"
#include "family/ring.h"
#include "family/sliding_extremes.h"

namespace highwater::family {

/// Quantiles of a window that moves over panes, the oldest first: always equal, bit for bit, to
/// those of a fresh merge of exactly these panes, its scale included.
///
/// Cost: 60 ns for a pane of four values that enters and leaves, 10 ns for each further bucket;
/// 20 ns an answer.
class SlidingQuantiles {
public:
    /// Requires: verify(parameters).
    SlidingQuantiles(const ExponentialHistogramParameters& parameters,
                     std::vector<double> quantiles);

    std::size_t size() const { return panes_.size(); }
    /// That of a fresh merge.
    int scale() const { return scale_; }

    /// Adds the newest pane, an encoded histogram, without making a state of it.
    ///
    /// Errors: corrupt  not the bytes of a state. invalid_argument  other parameters.
    /// exhausted  more than count_max samples.
    /// After failure: nothing has changed.
    Result<void> push(BytesView encoded);

    /// As above. Errors: invalid_argument, exhausted.
    Result<void> push(const ExponentialHistogram& pane);

    /// Takes the oldest pane away. Requires: size() > 0.
    void pop();

    /// The quantile that was given at `number`. Requires: number < how many were given.
    Readout read(std::size_t number);

private:
    struct Hits {
        std::int32_t index = 0;  // At the scale of its pane.
        bool is_negative = false;
        std::uint64_t count = 0;
    };
    struct Pane {
        int scale = 0;
        std::size_t hits = 0;
        std::uint64_t zero_count = 0;
        SampleCounts counts;
        bool keeps_extremes = true;
        BucketSpan positive;
        BucketSpan negative;
    };
    /// The buckets of one sign that have slots.
    struct Slots {
        std::int32_t base = 0;
        std::int32_t size = 0;

        bool hold(const BucketSpan& span) const {
            return span.is_empty() || (span.low >= base && span.high < base + size);
        }
    };

    Result<void> verify_room_for(const SampleCounts& counts) const;
    void accept(const Pane& pane, const Totals& totals);
    void lay_out();
    int find_fresh_scale() const;
    BucketSpan find_span(BucketSpan Pane::* side, int scale) const;
    Slots make_slots(const BucketSpan& span) const;
    std::size_t slot_of(const Hits& hits, int shift) const;
    void add_hits(const Pane& pane, std::size_t first);
    OrderStatistic statistic_of(std::size_t slot, const QuantileBounds& bounds) const;
    OrderStatistic find_statistic(std::uint64_t rank, std::size_t number,
                                  const QuantileBounds& bounds);

    ExponentialHistogramParameters parameters_;
    std::vector<double> quantiles_;
    int scale_;
    Bytes prefix_;            // Of every encoded pane.
    HistogramFields fields_;  // Of the pane that is being pushed; kept for its memory.
    Ring<Pane> panes_;
    Ring<Hits> hits_;  // Of all panes, in their order.
    SampleCounts counts_;
    SlidingExtremes extremes_;
    // Slots: negative buckets from the largest magnitude down, zero, positive buckets upwards.
    Slots negative_slots_;
    Slots positive_slots_;
    RankedCounts ranked_;
};

}  // namespace highwater::family
