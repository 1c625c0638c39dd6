#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace highwater::family {

// At scale s the bucket i holds the values of (base^i, base^(i+1)] with base = 2^(2^-s). One scale
// coarser, buckets 2i and 2i + 1 are one: the index loses its last bit.

constexpr int finest_scale = 8;
constexpr int coarsest_scale = -10;  // Two buckets, (2^-1024, 1] and (1, 2^1024], hold everything.

/// The largest subnormal. What is not above it goes to the zero bucket, whatever the threshold.
constexpr double zero_threshold_min = std::bit_cast<double>((std::uint64_t{1} << 52) - 1);

/// One octave in 512 cells by the upper 9 fraction bits. No cell has more than one boundary inside,
/// so that one addition compares: the fraction plus the cell's number carries into bits 52 and up
/// how many boundaries of the octave lie below.
extern const std::array<std::uint64_t, 512> bucket_cells;

/// The index at the finest scale. No logarithm: the same on every machine, also at every boundary.
///
/// `magnitude_bits` are those of a positive normal double.
/// Cost: 1.5 ns.
inline std::int32_t finest_bucket_index(std::uint64_t magnitude_bits) {
    const std::uint64_t fraction = magnitude_bits & ((std::uint64_t{1} << 52) - 1);
    const auto octave = static_cast<std::int32_t>(magnitude_bits >> 52) - 1023;
    const std::uint64_t below = (fraction + bucket_cells[fraction >> 43]) >> 52;
    return octave * 256 + static_cast<std::int32_t>(below) - 1;
}

/// The index at `scale`. Requires: `value` is positive, finite and normal; a scale from
/// coarsest_scale to finest_scale.
inline std::int32_t bucket_index(double value, int scale) {
    return finest_bucket_index(std::bit_cast<std::uint64_t>(value)) >> (finest_scale - scale);
}

/// base^index, correctly rounded: values of bucket `index` lie above it. Requires: an index that
/// bucket_index gives.
double bucket_lower_edge(std::int32_t index, int scale);

/// Stands for every value of the bucket with the smallest relative error at worst.
double bucket_representative(std::int32_t index, int scale);

/// How far, relative to the value, the representative of its bucket can be: (base - 1) / (base +
/// 1), rounded up so that it covers what rounding adds.
double bucket_relative_error(int scale);

/// The indices that doubles above `zero_threshold` can have at `scale`.
struct IndexRange {
    std::int32_t low;
    std::int32_t high;
};
IndexRange possible_indices(double zero_threshold, int scale);

}  // namespace highwater::family
