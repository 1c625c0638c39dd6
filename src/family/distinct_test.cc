#include "family/distinct.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "family/hash.h"
#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

double estimate_of(const Distinct& state) {
    const Readout readout = state.read_distinct();
    const Estimate* estimate = find_estimate(readout);
    return estimate == nullptr ? -1 : estimate->value;
}

TEST(Hash, IsXxh64) {
    EXPECT_EQ(hash64(""), 0xEF46'DB37'51D8'E999U);
    EXPECT_EQ(hash64("a"), 0xD24E'C4F1'A98C'6E5BU);
    EXPECT_EQ(hash64("abc"), 0x44BC'2CF5'AD77'0999U);
    EXPECT_EQ(hash64("Nobody inspects the spammish repetition"), 0xFBCE'A83C'8A37'8BF1U);
}

TEST(Distinct, BeforeAnyValueItIsExactlyZero) {
    const Readout readout = Distinct().read_distinct();
    EXPECT_EQ(std::get<Estimate>(readout).value, 0);
    EXPECT_EQ(std::get<Estimate>(readout).guarantee, Guarantee::exact());
}

TEST(Distinct, TypesTellValuesApart) {
    Distinct state({.lg_registers = 14});
    state.add_integer(1);
    state.add_double(1);
    state.add_text("1");
    state.add_bytes("1");
    state.add_bool(true);
    state.add_bool(false);
    EXPECT_NEAR(estimate_of(state), 6, 0.1);
    const Bytes before = state.encode();
    state.add_integer(1);
    state.add_double(1);
    state.add_text("1");
    state.add_bytes("1");
    state.add_bool(true);
    EXPECT_EQ(state.encode(), before);
}

TEST(Distinct, DoublesAreCanonical) {
    Distinct state;
    state.add_double(0.0);
    state.add_double(one_nan);
    const Bytes before = state.encode();
    state.add_double(-0.0);
    state.add_double(-std::nan("12"));
    const std::vector<Sample> stale = {{.time = {}, .value = stale_marker}};
    ASSERT_THAT(state.add(stale), IsOk());  // No sample, so no value.
    EXPECT_EQ(state.encode(), before);
    const std::vector<Sample> one = {{.time = {}, .value = 1}};
    ASSERT_THAT(state.add(one), IsOk());
    EXPECT_NE(state.encode(), before);
}

TEST(Distinct, MergingAgainChangesNothing) {
    Distinct left;
    Distinct right;
    for (int i = 0; i < 3'000; ++i) left.add_integer(i);
    for (int i = 2'000; i < 2'100; ++i) right.add_integer(i);
    const Bytes before = left.encode();
    ASSERT_THAT(left.merge(right), IsOk());
    ASSERT_THAT(left.merge(left), IsOk());
    EXPECT_EQ(left.encode(), before);
    ASSERT_THAT(right.merge(left), IsOk());
    EXPECT_EQ(right.encode(), before);
}

TEST(Distinct, FormsChangeAtTheSameContentWhateverTheWay) {
    // Around a quarter of the registers in use, and around the limit of sparse memory.
    for (const int lg : {4, 8, 12, 16}) {
        Distinct grown({.lg_registers = lg});
        std::vector<Distinct> parts(7, grown);
        for (std::int64_t i = 0; i < 2 * (std::int64_t{1} << lg) && i < 20'000; ++i) {
            grown.add_integer(i);
            parts[static_cast<std::size_t>(i % 7)].add_integer(i);
            if (i % 997 != 0 && i > 40) continue;
            Distinct merged({.lg_registers = lg});
            for (const Distinct& part : parts) ASSERT_THAT(merged.merge(part), IsOk());
            ASSERT_EQ(merged.encode(), grown.encode()) << lg << " " << i;
            const auto decoded = Distinct::decode(grown.encode());
            ASSERT_THAT(decoded, IsOk());
            ASSERT_EQ(*decoded, grown);
            ASSERT_EQ(estimate_of(*decoded), estimate_of(grown));
        }
    }
}

TEST(Distinct, KeepsItsBoundOverManyStates) {
    for (const int lg : {4, 8, 12}) {
        for (const int values : {1, 10, 100, 1'000, 20'000}) {
            int outside = 0;
            double squares = 0;
            constexpr int states = 60;
            for (int number = 0; number < states; ++number) {
                Distinct state({.lg_registers = lg});
                for (int i = 0; i < values; ++i) {
                    state.add_text(std::to_string(number) + "/" + std::to_string(i));
                }
                const Readout readout = state.read_distinct();
                const auto& estimate = std::get<Estimate>(readout);
                const double error = estimate.value - values;
                outside += std::abs(error) > estimate.error ? 1 : 0;
                squares += error * error / values / values;
            }
            const double sigma = 1.04 / std::sqrt(std::ldexp(1.0, lg));
            EXPECT_LE(outside, states / 8) << lg << " " << values;  // 4.6 % are expected.
            EXPECT_LE(std::sqrt(squares / states), 1.3 * sigma) << lg << " " << values;
        }
    }
}

TEST(Distinct, ParametersKeepTheirLimits) {
    EXPECT_THAT(verify(DistinctParameters{lg_registers_min}), IsOk());
    EXPECT_THAT(verify(DistinctParameters{lg_registers_max}), IsOk());
    EXPECT_THAT(verify(DistinctParameters{lg_registers_min - 1}),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(verify(DistinctParameters{lg_registers_max + 1}),
                FailsWith(Code::invalid_argument));
    EXPECT_DEATH(Distinct({.lg_registers = 3}), "verify");
}

TEST(Distinct, DecodesNoRegisterBeyondTheHash) {
    Distinct state({.lg_registers = 4});
    state.add_integer(1);
    Bytes bytes = state.encode();
    bytes.back() = 61;  // 60 bits are left beside the register: 61 is the highest value.
    EXPECT_THAT(Distinct::decode(bytes), IsOk());
    bytes.back() = 62;
    EXPECT_THAT(Distinct::decode(bytes), FailsWith(Code::corrupt));
    bytes.back() = 0;
    EXPECT_THAT(Distinct::decode(bytes), FailsWith(Code::corrupt));
}

}  // namespace
}  // namespace highwater::family
