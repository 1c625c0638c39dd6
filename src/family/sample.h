#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "base/time.h"

namespace highwater::family {

/// One measured value and when it was measured.
struct Sample {
    Time time;
    double value = 0;

    /// The same time and the same bits.
    friend bool operator==(const Sample& left, const Sample& right) {
        return left.time == right.time && std::bit_cast<std::uint64_t>(left.value) ==
                                              std::bit_cast<std::uint64_t>(right.value);
    }
};

/// The one NaN that states keep; its payload would depend on the machine that made it.
constexpr double one_nan = std::numeric_limits<double>::quiet_NaN();

/// The NaN by which Prometheus says that a series has ended. It is no sample.
constexpr std::uint64_t stale_marker_bits = 0x7FF0'0000'0000'0002;
constexpr double stale_marker = std::bit_cast<double>(stale_marker_bits);

constexpr bool is_stale_marker(double value) {
    return std::bit_cast<std::uint64_t>(value) == stale_marker_bits;
}

constexpr bool has_same_bits(double left, double right) {
    return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
}

/// A state never counts more samples of one kind than this, so that sums and differences of counts
/// fit in 64 bits.
constexpr std::uint64_t count_max = std::numeric_limits<std::int64_t>::max();

/// How many values of each kind. Only finite ones are summed and put into buckets; a stale marker
/// is no sample and is only counted.
struct SampleCounts {
    std::uint64_t finite = 0;
    std::uint64_t nan = 0;
    std::uint64_t positive_infinity = 0;
    std::uint64_t negative_infinity = 0;
    std::uint64_t stale = 0;

    /// All but stale markers. A state keeps it, and `stale`, at most count_max.
    std::uint64_t samples() const { return finite + nan + positive_infinity + negative_infinity; }

    friend bool operator==(const SampleCounts&, const SampleCounts&) = default;
};

}  // namespace highwater::family
