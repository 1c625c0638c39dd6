#include "family/histogram_wire.h"

#include <cmath>
#include <optional>

namespace highwater::family {
namespace {

constexpr std::uint8_t version = 1;
constexpr int scale_offset = 16;  // Scales are written as small positive numbers.

int take_scale(WireReader& from) {
    return static_cast<int>(from.take_u8()) - scale_offset;
}

void put_scale(WireWriter& to, int scale) {
    to.put_u8(static_cast<std::uint8_t>(scale + scale_offset));
}

void put_buckets(WireWriter& to, const Buckets& buckets) {
    to.put_varint(buckets.size());
    std::optional<std::int32_t> before;
    buckets.for_each([&](std::int32_t index, std::uint64_t count) {
        if (before) {
            to.put_varint(static_cast<std::uint64_t>(index - *before));
        } else {
            to.put_signed_varint(index);
        }
        to.put_varint(count);
        before = index;
    });
}

/// Says whether the smallest (sign -1) or largest (sign 1) sample `extreme` lies in the outermost
/// bucket on that side: `outer` holds the values of its own sign, `inner` the others.
bool is_outermost(double extreme, int sign, const HistogramFields& fields, const BucketSpan& outer,
                  const BucketSpan& inner) {
    const double outward = sign * extreme;
    const double magnitude = std::abs(extreme);
    if (magnitude <= fields.parameters.zero_threshold) {
        return outer.is_empty() && fields.zero_count > 0;
    }
    const std::int32_t index = bucket_index(magnitude, fields.scale);
    if (outward > 0) return !outer.is_empty() && outer.high == index;
    return outer.is_empty() && fields.zero_count == 0 && inner.low == index;
}

}  // namespace

void put_histogram_parameters(WireWriter& to, const ExponentialHistogramParameters& parameters) {
    put_header(to, Family::exponential_histogram, version);
    put_scale(to, parameters.max_scale);
    to.put_varint(static_cast<std::uint64_t>(parameters.max_buckets));
    to.put_double(parameters.zero_threshold);
}

ExponentialHistogramParameters take_histogram_parameters(WireReader& from) {
    ExponentialHistogramParameters parameters;
    take_header(from, Family::exponential_histogram, version);
    parameters.max_scale = take_scale(from);
    const std::uint64_t max_buckets = from.take_varint();
    if (max_buckets > max_buckets_max) from.fail();
    parameters.max_buckets = static_cast<int>(max_buckets);
    parameters.zero_threshold = from.take_double();
    if (from.failed() || !verify(parameters).ok()) from.fail();
    return parameters;
}

void take_histogram_fields(WireReader& from, HistogramFields& fields) {
    fields.totals.decode(from);
    fields.scale = fields.parameters.max_scale;
    fields.zero_count = 0;
    if (fields.totals.counts().finite == 0 || from.failed()) return;
    fields.scale = take_scale(from);
    if (fields.scale < coarsest_scale || fields.scale > fields.parameters.max_scale) from.fail();
    fields.zero_count = from.take_varint();
    if (fields.zero_count > fields.totals.counts().finite) from.fail();
}

bool fits_together(const HistogramFields& fields, const BucketSpan& positive,
                   const BucketSpan& negative, std::uint64_t unexplained) {
    if (unexplained != 0) return false;
    const bool has_buckets = !positive.is_empty() || !negative.is_empty();
    if (!has_buckets && fields.scale != fields.parameters.max_scale) return false;
    const Totals& totals = fields.totals;
    if (totals.counts().finite == 0 || !totals.keeps_extremes()) return true;
    return is_outermost(totals.finite_max(), 1, fields, positive, negative) &&
           is_outermost(totals.finite_min(), -1, fields, negative, positive);
}

Bytes ExponentialHistogram::encode() const {
    Bytes bytes;
    WireWriter to(bytes);
    put_histogram_parameters(to, parameters_);
    totals_.encode(to);
    if (totals_.counts().finite == 0) return bytes;
    put_scale(to, scale_);
    to.put_varint(zero_count_);
    put_buckets(to, positive_);
    put_buckets(to, negative_);
    return bytes;
}

Result<ExponentialHistogram> ExponentialHistogram::decode(BytesView bytes) {
    WireReader from(bytes);
    HistogramFields fields{.parameters = take_histogram_parameters(from), .totals = {}};
    if (!from.failed()) take_histogram_fields(from, fields);
    if (from.failed()) return corrupt_state(family);
    ExponentialHistogram state(fields.parameters);
    state.totals_ = fields.totals;
    state.scale_ = fields.scale;
    state.shift_ = finest_scale - fields.scale;
    state.zero_count_ = fields.zero_count;
    if (fields.totals.counts().finite > 0) {
        const IndexRange possible =
            possible_indices(fields.parameters.zero_threshold, fields.scale);
        std::uint64_t unexplained = fields.totals.counts().finite - fields.zero_count;
        const auto take = [&](Buckets& side) {
            return take_buckets(
                from, fields, possible, unexplained,
                [&](std::int32_t index, std::uint64_t count) { side.add(index, count); });
        };
        const BucketSpan positive = take(state.positive_);
        const BucketSpan negative = take(state.negative_);
        if (from.failed() || !fits_together(fields, positive, negative, unexplained)) {
            return corrupt_state(family);
        }
    }
    if (!from.is_finished()) return corrupt_state(family);
    return state;
}

}  // namespace highwater::family
