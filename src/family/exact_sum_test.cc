#include "family/exact_sum.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "family/sample.h"

namespace highwater::family {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double infinity = std::numeric_limits<double>::infinity();

ExactSum sum_of(const std::vector<double>& values) {
    ExactSum sum;
    for (const double value : values) sum.add(value);
    return sum;
}

template <typename Sum>
Bytes encoded(const Sum& sum) {
    Bytes bytes;
    WireWriter to(bytes);
    sum.encode(to);
    return bytes;
}

TEST(ExactSum, OfNothingIsZero) {
    EXPECT_TRUE(ExactSum().is_zero());
    EXPECT_EQ(ExactSum().rounded(), 0.0);
    EXPECT_FALSE(std::signbit(ExactSum().rounded()));
    EXPECT_TRUE(sum_of({0.0, -0.0}).is_zero());
    EXPECT_EQ(encoded(ExactSum()), Bytes("\0", 1));
}

TEST(ExactSum, OfOneValueIsThatValue) {
    for (const double value : {1.0, -1.0, 0.1, -0.1, largest, -largest, smallest, -smallest, 1e-308,
                               0x1.fffffffffffffp-1022, 0x1p-1022, 1e308}) {
        EXPECT_EQ(sum_of({value}).rounded(), value);
        EXPECT_TRUE(sum_of({value, -value}).is_zero()) << value;
    }
}

TEST(ExactSum, LosesNothingBetweenFarMagnitudes) {
    EXPECT_EQ(sum_of({1e308, smallest, -1e308}).rounded(), smallest);
    EXPECT_EQ(sum_of({1e308, 1, -1e308, 1e-300}).rounded(), 1);
    EXPECT_EQ(sum_of({1e16, 1, -1e16}).rounded(), 1);
    EXPECT_EQ(sum_of({0.1, 0.2, -0.3}).rounded(), 0x1p-55);
}

TEST(ExactSum, RoundsOnceTiesToEven) {
    EXPECT_EQ(sum_of({1, 0x1p-53}).rounded(), 1);
    EXPECT_EQ(sum_of({1, 0x1p-53, smallest}).rounded(), 1 + 0x1p-52);
    EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}).rounded(), 1 + 0x1p-51);
    EXPECT_EQ(sum_of({-1, -0x1p-53, -smallest}).rounded(), -1 - 0x1p-52);
    EXPECT_EQ(sum_of({0x1p-1022, -smallest}).rounded(), 0x1p-1022 - smallest);
}

TEST(ExactSum, IsInfiniteOnlyBeyondTheLargestDouble) {
    EXPECT_EQ(sum_of({largest, largest}).rounded(), infinity);
    EXPECT_EQ(sum_of({-largest, -largest}).rounded(), -infinity);
    EXPECT_EQ(sum_of({largest, largest, -largest}).rounded(), largest);
    EXPECT_EQ(sum_of({largest, 0x1p969}).rounded(), largest);  // Less than half the last bit.
    EXPECT_EQ(sum_of({largest, 0x1p970}).rounded(), infinity);
}

TEST(ExactSum, MeanIsRoundedOnce) {
    EXPECT_EQ(sum_of({1, 2}).rounded_mean(2), 1.5);
    EXPECT_EQ(sum_of({1, 1, -1}).rounded_mean(3), 1.0 / 3);
    EXPECT_EQ(sum_of({largest, largest}).rounded_mean(2), largest);
    EXPECT_EQ(sum_of({smallest}).rounded_mean(2), 0);  // A tie: to even.
    EXPECT_EQ(sum_of({smallest, smallest, smallest}).rounded_mean(2), 2 * smallest);
    EXPECT_EQ(sum_of({smallest}).rounded_mean(3), 0);
    EXPECT_EQ(sum_of({-smallest, -smallest}).rounded_mean(3), -smallest);
    EXPECT_EQ(sum_of({1}).rounded_mean(count_max), 0x1p-63);
    EXPECT_EQ(sum_of({1e300}).rounded_mean((std::uint64_t{1} << 32) + 1),
              1e300 / 4294967297.0);  // Both are doubles, so that one division rounds once.
}

TEST(ExactSum, CarriesOfThousandsOfValuesAddUp) {
    ExactSum sum;
    for (int i = 0; i < 5'000; ++i) sum.add(largest);
    for (int i = 0; i < 4'999; ++i) sum.add(-largest);
    EXPECT_EQ(sum.rounded(), largest);
    ExactSum negative;
    for (int i = 0; i < 5'000; ++i) negative.add(-0x1.fffffffffffffp31);
    EXPECT_EQ(negative.rounded(), -5'000 * 0x1.fffffffffffffp31);
}

TEST(ExactSum, HoldsCountMaxOfTheLargestDoubles) {
    ExactSum sum = sum_of({largest});
    for (int i = 0; i < 62; ++i) sum.merge(ExactSum(sum));
    EXPECT_TRUE(sum.is_sum_of(std::uint64_t{1} << 62));
    EXPECT_EQ(sum.rounded_mean(std::uint64_t{1} << 62), largest);
    EXPECT_FALSE(sum.is_sum_of(1));
}

TEST(ExactSumOfSquares, KeepsTheWholeRange) {
    ExactSumOfSquares squares;
    squares.add_square(largest);
    squares.add_square(smallest);
    Bytes bytes = encoded(squares);
    WireReader from(bytes);
    ExactSumOfSquares decoded;
    decoded.decode(from);
    ASSERT_TRUE(from.is_finished());
    EXPECT_TRUE(decoded == squares);
    ExactSumOfSquares other;
    other.add_square(-largest);
    squares.subtract(other);
    ExactSumOfSquares least;
    least.add_square(smallest);
    EXPECT_TRUE(squares == least);
}

TEST(FindVariance, RefusesSumsThatNoValuesHave) {
    ExactSumOfSquares squares;
    squares.add_square(1);
    EXPECT_TRUE(find_variance(sum_of({1}), squares, 1).has_value());
    EXPECT_FALSE(find_variance(sum_of({2}), squares, 1).has_value());
    EXPECT_FALSE(find_variance(sum_of({0}), ExactSumOfSquares(), 1) == std::nullopt);
    ExactSumOfSquares negative;
    negative.subtract(squares);
    EXPECT_FALSE(find_variance(sum_of({0}), negative, 1).has_value());
    ExactSumOfSquares huge;
    for (int i = 0; i < 5; ++i) huge.add_square(largest);
    EXPECT_TRUE(find_variance(sum_of({0}), huge, 5).has_value());
    EXPECT_FALSE(find_variance(sum_of({0}), huge, 1).has_value());
}

TEST(SquareRoot, IsRoundedOnce) {
    const auto deviation = [](const std::vector<double>& values) {
        ExactSumOfSquares squares;
        for (const double value : values) squares.add_square(value);
        const auto variance = find_variance(sum_of(values), squares, values.size());
        return square_root_to_double(variance->numerator, variance->exponent, values.size());
    };
    EXPECT_EQ(deviation({5}), 0);
    EXPECT_EQ(deviation({1, 3}), 1);
    EXPECT_EQ(deviation({0, 0, 0, 2}), std::sqrt(0.75));
    EXPECT_EQ(deviation({largest, -largest}), largest);
    EXPECT_EQ(deviation({smallest, -smallest}), smallest);
    EXPECT_EQ(deviation({1e308, 1e308, 1e308}), 0);
    EXPECT_EQ(deviation({0, 0, 1}), 0x1.e2b7dddfefa66p-2);  // sqrt(2) / 3 would round twice.
}

TEST(ExactSumDecode, RefusesEverySecondSpelling) {
    const auto decode = [](const Bytes& bytes) {
        WireReader from(bytes);
        ExactSum().decode(from);
        return from.is_finished();
    };
    EXPECT_TRUE(decode({"\x02\x00\x01", 3}));   // One byte, at place 0: 2^-1074.
    EXPECT_FALSE(decode({"\x02\x00\x00", 3}));  // A needless zero.
    EXPECT_FALSE(decode({"\x04\x00\x00\x01", 4}));
    EXPECT_FALSE(decode({"\x04\x00\x01\x00", 4}));
    EXPECT_FALSE(decode({"\x02\x00", 2}));          // Cut short.
    EXPECT_FALSE(decode({"\x02\x8F\x02\x01", 4}));  // At place 271, where the sign would be.
    EXPECT_TRUE(decode({"\x02\x8E\x02\x01", 4}));   // The last place.
    EXPECT_FALSE(decode(Bytes("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x00\x01", 12)));
}

std::vector<double> any_finite_values() {
    return *rc::gen::container<std::vector<double>>(rc::gen::oneOf(
        rc::gen::element(1e308, -1e308, 1e-308, largest, smallest, -smallest, -0.0, 1.0, 0.1),
        rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
            const auto value = std::bit_cast<double>(bits);
            return std::isfinite(value) ? value : 1.5;
        })));
}

RC_GTEST_PROP(ExactSumProperty, AnyGroupingAndOrderGivesTheSameBytes, ()) {
    const auto values = any_finite_values();
    const ExactSum whole = sum_of(values);
    ExactSum grouped;
    ExactSum group;
    for (std::size_t i = values.size(); i-- > 0;) {
        group.add(values[i]);
        if (*rc::gen::inRange(0, 3) == 0) {
            grouped.merge(group);
            group = {};
        }
    }
    grouped.merge(group);
    RC_ASSERT(encoded(grouped) == encoded(whole));
    RC_ASSERT(grouped == whole);
    grouped.subtract(whole);
    RC_ASSERT(grouped.is_zero());
}

RC_GTEST_PROP(ExactSumProperty, DecodesWhatItEncodes, ()) {
    const ExactSum sum = sum_of(any_finite_values());
    const Bytes bytes = encoded(sum);
    WireReader from(bytes);
    ExactSum decoded;
    decoded.decode(from);
    RC_ASSERT(from.is_finished());
    RC_ASSERT(decoded == sum);
    RC_ASSERT(encoded(decoded) == bytes);
    RC_ASSERT(std::bit_cast<std::uint64_t>(decoded.rounded()) ==
              std::bit_cast<std::uint64_t>(sum.rounded()));
}

}  // namespace
}  // namespace highwater::family
