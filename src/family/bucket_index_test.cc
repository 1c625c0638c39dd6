#include "family/bucket_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "family/bucket_boundaries.h"

namespace highwater::family {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest_normal = std::numeric_limits<double>::min();

/// A natural number, the least significant limb first: just enough to prove the table.
using Limbs = std::vector<std::uint32_t>;

Limbs multiply(const Limbs& left, const Limbs& right) {
    Limbs product(left.size() + right.size(), 0);
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < right.size() || carry != 0; ++j) {
            const std::uint64_t factor = j < right.size() ? right[j] : 0;
            carry += std::uint64_t{left[i]} * factor + product[i + j];
            product[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    while (!product.empty() && product.back() == 0) product.pop_back();
    return product;
}

/// number^256 as its bit length and whether it is a power of two: all that comparing it with one
/// needs.
bool is_power_256_below(std::uint64_t number, int exponent) {
    Limbs power = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)};
    for (int i = 0; i < 8; ++i) power = multiply(power, power);
    const auto bits =
        32 * static_cast<int>(power.size() - 1) + static_cast<int>(std::bit_width(power.back()));
    return bits <= exponent;  // Below 2^exponent.
}

TEST(BucketBoundaries, EachIsTheNearestDouble) {
    for (int i = 0; i < 256; ++i) {
        // In units of 2^-53, so that the halves between two doubles are whole.
        const std::uint64_t twice =
            2 * ((std::uint64_t{1} << 52) + bucket_boundaries.at(static_cast<std::size_t>(i)));
        // (twice - 1) / 2^53 < 2^(i/256) < (twice + 1) / 2^53.
        EXPECT_TRUE(is_power_256_below(twice - 1, i + 53 * 256)) << i;
        EXPECT_FALSE(is_power_256_below(twice + 1, i + 53 * 256)) << i;
    }
}

/// The index by the definition: the last boundary below the value, searched for.
std::int32_t search_index(double value, int scale) {
    int exponent = 0;
    const double fraction = 2 * std::frexp(value, &exponent);  // In [1, 2).
    --exponent;
    const auto bits = std::bit_cast<std::uint64_t>(fraction) & ((std::uint64_t{1} << 52) - 1);
    const auto at = std::ranges::lower_bound(bucket_boundaries, bits);
    const auto below = static_cast<std::int32_t>(at - bucket_boundaries.begin());
    return (exponent * 256 + below - 1) >> (finest_scale - scale);
}

TEST(BucketIndex, IsRightAtEveryEdgeAndBesideIt) {
    std::uint64_t wrong = 0;
    std::uint64_t edges = 0;
    for (int octave = -1022; octave <= 1023; ++octave) {
        for (const std::uint64_t fraction : bucket_boundaries) {
            const double edge =
                std::bit_cast<double>(static_cast<std::uint64_t>(octave + 1023) << 52 | fraction);
            for (const double value :
                 {std::nextafter(edge, 0.0), edge, std::nextafter(edge, infinity)}) {
                if (value < smallest_normal || value > largest) continue;
                ++edges;
                const std::int32_t expected = search_index(value, finest_scale);
                const auto bits = std::bit_cast<std::uint64_t>(value);
                wrong += finest_bucket_index(bits) == expected ? 0 : 1;
            }
        }
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(edges, 3U * 2046 * 256 - 1);  // Below the smallest normal there is none.
}

TEST(BucketIndex, ACoarserScaleJoinsNeighbours) {
    for (int scale = coarsest_scale; scale <= finest_scale; ++scale) {
        for (const double value : {smallest_normal, 1e-300, 0.999, 1.0, std::nextafter(1.0, 2.0),
                                   1.5, 2.0, 1e300, largest}) {
            const std::int32_t index = bucket_index(value, scale);
            EXPECT_EQ(index, search_index(value, scale));
            EXPECT_GT(value, bucket_lower_edge(index, scale)) << scale << " " << value;
            if (index < possible_indices(zero_threshold_min, scale).high) {
                EXPECT_LE(value, bucket_lower_edge(index + 1, scale)) << scale << " " << value;
            }
        }
    }
    EXPECT_EQ(bucket_index(1.0, 0), -1);  // 1 closes (1/2, 1].
    EXPECT_EQ(bucket_index(std::nextafter(1.0, 2.0), 0), 0);
    EXPECT_EQ(bucket_index(2.0, 0), 0);
    EXPECT_EQ(bucket_index(4.0, -1), 0);  // (1, 4]
}

TEST(BucketIndex, TheCoarsestScaleHoldsEverythingInTwoBuckets) {
    const IndexRange range = possible_indices(zero_threshold_min, coarsest_scale);
    EXPECT_EQ(range.low, -1);
    EXPECT_EQ(range.high, 0);
    EXPECT_EQ(bucket_lower_edge(-1, coarsest_scale), 0x1p-1024);
    EXPECT_EQ(bucket_lower_edge(0, coarsest_scale), 1.0);
}

TEST(BucketIndex, OnlyValuesAboveTheThresholdHaveABucket) {
    EXPECT_EQ(std::nextafter(zero_threshold_min, 1.0), smallest_normal);
    EXPECT_EQ(possible_indices(zero_threshold_min, 0).low, bucket_index(smallest_normal, 0));
    EXPECT_EQ(possible_indices(1.0, 0).low, 0);
    EXPECT_EQ(possible_indices(std::nextafter(1.0, 0.0), 0).low, -1);
}

TEST(BucketRepresentative, KeepsTheRelativeErrorAtBothEdgesOfEveryBucket) {
    for (int scale = coarsest_scale; scale <= finest_scale; ++scale) {
        const IndexRange all = possible_indices(zero_threshold_min, scale);
        const double bound = bucket_relative_error(scale);
        EXPECT_GT(bound, 0);
        EXPECT_LE(bound, 1 + 1e-9);
        double worst = 0;
        const std::int32_t step = std::max(1, (all.high - all.low) / 100'000);
        for (std::int32_t index = all.low; index <= all.high; index += step) {
            const double representative = bucket_representative(index, scale);
            const double low = std::nextafter(bucket_lower_edge(index, scale), infinity);
            const double high = index < all.high ? bucket_lower_edge(index + 1, scale) : largest;
            for (const double value : {std::max(low, smallest_normal), high}) {
                worst = std::max(worst, std::abs(representative - value) / value);
            }
        }
        EXPECT_LE(worst, bound) << "scale " << scale;
        EXPECT_GE(worst, bound * 0.99)
            << "scale " << scale;  // The bound says no more than it must.
    }
    EXPECT_NEAR(bucket_relative_error(6), 0.0054, 0.00002);
    EXPECT_NEAR(bucket_relative_error(0), 1.0 / 3, 1e-10);
}

}  // namespace
}  // namespace highwater::family
