#pragma once

#include "family/exponential_histogram.h"

namespace highwater::family {

/// What an encoded histogram says before its buckets.
struct HistogramFields {
    ExponentialHistogramParameters parameters;
    Totals totals;
    int scale = 0;
    std::uint64_t zero_count = 0;
};

/// The span of the buckets of one sign that were hit; none while high < low.
struct BucketSpan {
    std::int32_t low = 0;
    std::int32_t high = -1;

    bool is_empty() const { return high < low; }
};

/// The header and the parameters: what all encoded histograms of these parameters begin with.
void put_histogram_parameters(WireWriter& to, const ExponentialHistogramParameters& parameters);

/// Fails the reader for what no histogram begins with.
ExponentialHistogramParameters take_histogram_parameters(WireReader& from);

/// What follows the parameters, which are in `fields` already. Fails the reader for what no
/// histogram encodes to.
void take_histogram_fields(WireReader& from, HistogramFields& fields);

/// Takes the buckets of one sign and calls visit(index, count) for each, in ascending order. Their
/// hits are taken off `unexplained`; too many fail the reader, after some were visited.
template <typename Visit>
BucketSpan take_buckets(WireReader& from, const HistogramFields& fields, const IndexRange& possible,
                        std::uint64_t& unexplained, Visit visit) {
    const std::uint64_t size = from.take_varint();
    if (size == 0 || from.failed()) return {};
    BucketSpan span;
    std::int64_t index = from.take_signed_varint();
    for (std::uint64_t i = 0; i < size; ++i) {
        if (i > 0) {
            const std::uint64_t gap = from.take_varint();
            if (gap == 0 || gap > max_buckets_max) from.fail();
            index += static_cast<std::int64_t>(gap);
        }
        const std::uint64_t count = from.take_varint();
        if (index < possible.low || index > possible.high) from.fail();
        if (count == 0 || count > unexplained || from.failed()) {
            from.fail();
            return {};
        }
        if (i == 0) span.low = static_cast<std::int32_t>(index);
        span.high = static_cast<std::int32_t>(index);
        if (span.high - span.low >= fields.parameters.max_buckets) {
            from.fail();
            return {};
        }
        unexplained -= count;
        visit(span.high, count);
    }
    return span;
}

/// Says whether all that was taken fits together: every finite sample in one bucket, the extremes
/// in the outermost ones, the scale no coarser than it must be where there is no bucket.
bool fits_together(const HistogramFields& fields, const BucketSpan& positive,
                   const BucketSpan& negative, std::uint64_t unexplained);

}  // namespace highwater::family
