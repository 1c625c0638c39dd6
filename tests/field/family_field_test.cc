// The lines of the field's failures that the mathematics of summaries answers for.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "family/state.h"
#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

ExponentialHistogram histogram_of(const std::vector<double>& values,
                                  ExponentialHistogramParameters parameters = {}) {
    ExponentialHistogram state(parameters);
    EXPECT_THAT(state.add(values), IsOk());
    return state;
}

std::vector<Sample> samples_of(const std::vector<double>& values, std::int64_t first_second = 0) {
    std::vector<Sample> samples;
    samples.reserve(values.size());
    for (const double value : values) {
        samples.push_back({.time = time_from_ns(1'000'000'000 * first_second++), .value = value});
    }
    return samples;
}

double value_of(const Readout& readout) {
    const Estimate* estimate = find_estimate(readout);
    EXPECT_NE(estimate, nullptr);
    return estimate == nullptr ? one_nan : estimate->value;
}

std::uint64_t hits_of(const ExponentialHistogram& state) {
    std::uint64_t hits = state.zero_count();
    const auto count = [&](std::int32_t, std::uint64_t more) { hits += more; };
    state.positive().for_each(count);
    state.negative().for_each(count);
    return hits;
}

TEST(Field, S50_StatesOfOtherParametersNeverMix) {
    Distinct eight({.lg_registers = 8});
    Distinct twelve({.lg_registers = 12});
    for (int i = 0; i < 5'000; ++i) {
        eight.add_integer(i);
        twelve.add_integer(i + 2'500);
    }
    const Bytes before = eight.encode();
    EXPECT_THAT(eight.merge(twelve), FailsWith(Code::invalid_argument));
    EXPECT_THAT(twelve.merge(eight), FailsWith(Code::invalid_argument));
    EXPECT_EQ(eight.encode(), before);
    // The parameters are part of the bytes and of what a definition is fingerprinted over.
    EXPECT_EQ(Distinct::decode(before)->parameters().lg_registers, 8);
    EXPECT_NE(encode_parameters(eight.parameters()), encode_parameters(twelve.parameters()));
}

TEST(Field, S51_WhatIsNotANumberIsCountedApart) {
    Moments state;
    const auto samples =
        samples_of({1, one_nan, stale_marker, 2, std::numeric_limits<double>::infinity()});
    ASSERT_THAT(state.add(samples), IsOk());
    const SampleCounts counts = state.totals().counts();
    EXPECT_EQ(counts.finite, 2U);
    EXPECT_EQ(counts.nan, 1U);
    EXPECT_EQ(counts.positive_infinity, 1U);
    EXPECT_EQ(counts.stale, 1U);
    EXPECT_EQ(value_of(state.read_count()), 4);  // A stale marker is no sample.
    EXPECT_EQ(Moments::decode(state.encode())->totals().counts(), counts);
}

TEST(Field, S52_NoOrderAndNoReadingChangesTheBytes) {
    std::vector<Distinct> parts(5);
    for (int i = 0; i < 4'000; ++i) parts[static_cast<std::size_t>(i % 5)].add_integer(i * i);
    Distinct forth;
    Distinct back;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ASSERT_THAT(forth.merge(parts[i]), IsOk());
        const double read_between = value_of(forth.read_distinct());
        EXPECT_GT(read_between, 0);
        ASSERT_THAT(back.merge(parts[parts.size() - 1 - i]), IsOk());
    }
    EXPECT_EQ(forth.encode(), back.encode());
    EXPECT_NEAR(value_of(forth.read_distinct()), 4'000, 4'000 * 0.05);  // Not that of one input.
}

TEST(Field, S55_NothingIsLostInAMergeAndOtherScalesAreRefused) {
    auto merged = histogram_of({-1, -2});
    ASSERT_THAT(merged.merge(histogram_of({-3, -4})), IsOk());
    EXPECT_EQ(hits_of(merged), 4U);
    EXPECT_NEAR(value_of(merged.read_quantile(0.5)), -2.5, 2.5 * 0.006);
    ASSERT_THAT(merged.merge(histogram_of({0, 0, 1e300, -1e-300})), IsOk());  // Gets coarser.
    EXPECT_EQ(hits_of(merged), 8U);
    EXPECT_EQ(merged.totals().counts().finite, 8U);
    EXPECT_THAT(merged.merge(histogram_of({1}, {.max_scale = 5})),
                FailsWith(Code::invalid_argument));
    EXPECT_EQ(hits_of(merged), 8U);
}

TEST(Field, S56_QuantilesStayWithinTheExtremes) {
    const auto ones = histogram_of(std::vector<double>(1'000, 1.0));
    EXPECT_EQ(value_of(ones.read_quantile(0.5)), 1.0);
    auto merged = histogram_of({0.999, 1.001});
    ASSERT_THAT(merged.merge(histogram_of({1e-9, 1e9})), IsOk());  // Of other scales, by shifts.
    for (const double q : {0.0, 0.3, 0.5, 0.7, 1.0}) {
        EXPECT_GE(value_of(merged.read_quantile(q)), 1e-9);
        EXPECT_LE(value_of(merged.read_quantile(q)), 1e9);
    }
}

TEST(Field, S58_QuantilesNeverDecreaseAndExtremesSurviveMerges) {
    auto merged = histogram_of({});
    std::vector<double> all;
    for (int pane = 0; pane < 50; ++pane) {
        std::vector<double> values;
        values.reserve(40);
        for (int i = 0; i < 40; ++i) values.push_back(std::sin(pane * 40 + i) * (pane + 1));
        all.insert(all.end(), values.begin(), values.end());
        ASSERT_THAT(merged.merge(histogram_of(values)), IsOk());
    }
    EXPECT_EQ(value_of(merged.read_min()), *std::ranges::min_element(all));
    EXPECT_EQ(value_of(merged.read_max()), *std::ranges::max_element(all));
    double before = -std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 10'000; ++i) {
        const double value = value_of(merged.read_quantile(i / 10'000.0));
        ASSERT_GE(value, before) << i;
        before = value;
    }
}

TEST(Field, S60_TheCountIsExactAndHeldAgainstTheBuckets) {
    const auto state = histogram_of({5, 5, 5, 7, -2});
    EXPECT_EQ(value_of(state.read_count()), 5);
    EXPECT_LE(value_of(state.read_quantile(0.5)), value_of(state.read_quantile(0.99)));
    // One hit more or less in a bucket is noticed when the state is read.
    Bytes bytes = state.encode();
    for (const int change : {1, -1}) {
        Bytes changed = bytes;
        changed.back() = static_cast<char>(changed.back() + change);
        EXPECT_THAT(ExponentialHistogram::decode(changed), FailsWith(Code::corrupt));
    }
}

TEST(Field, S62_StatesAreCombinedNotTheirQuantiles) {
    std::vector<double> fast(900, 1.0);
    std::vector<double> slow(100, 100.0);
    auto state = histogram_of(fast);
    const double average_of_quantiles =
        (value_of(state.read_quantile(0.5)) + value_of(histogram_of(slow).read_quantile(0.5))) / 2;
    ASSERT_THAT(state.merge(histogram_of(slow)), IsOk());
    EXPECT_NEAR(value_of(state.read_quantile(0.5)), 1, 0.006);
    EXPECT_NEAR(average_of_quantiles, 50.5, 0.5);  // What others answered.
}

TEST(Field, Q5_ResetsAndTheEndsOfTheRangeAreInTheState) {
    // Scrapes each 15 s over a minute a pane; a reset between the panes.
    const auto pane = [](std::int64_t first, const std::vector<double>& values) {
        Counter counter;
        std::vector<Sample> samples;
        for (const double value : values) {
            samples.push_back({.time = time_from_ns(1'000'000'000 * first), .value = value});
            first += 15;
        }
        EXPECT_THAT(counter.add(samples), IsOk());
        return counter;
    };
    Counter merged = pane(10, {100, 115, 130, 145});
    ASSERT_THAT(merged.merge(pane(70, {5, 20, 35, 50})), IsOk());
    const RateRange range{.start = time_from_ns(0), .end = time_from_ns(120'000'000'000)};
    // 145 - 100 before, 50 after the reset, extrapolated from 105 s to 120 s.
    const double increase = value_of(*merged.read_increase(range));
    EXPECT_DOUBLE_EQ(increase, 95.0 * (105 + 10 + 5) / 105);
    EXPECT_EQ(value_of(merged.read_resets()), 1);
}

TEST(Field, Q7_AMergeKeepsEveryWeight) {
    auto merged = histogram_of({});
    for (int pane = 0; pane < 10; ++pane) {
        ASSERT_THAT(merged.merge(histogram_of(std::vector<double>(100, pane + 1))), IsOk());
    }
    EXPECT_EQ(value_of(merged.read_count()), 1'000);
    EXPECT_EQ(hits_of(merged), 1'000U);
    EXPECT_EQ(value_of(merged.read_sum()), 5'500);
    auto twice = merged;
    ASSERT_THAT(twice.merge(merged), IsOk());
    EXPECT_EQ(hits_of(twice), 2'000U);
}

TEST(Field, Q8_NegativesAndZerosAreInTheQuantiles) {
    const auto state = histogram_of({-10, -1, 0, 0, 1, 10, -0.0});
    EXPECT_EQ(hits_of(state), 7U);
    EXPECT_EQ(state.zero_count(), 3U);
    EXPECT_EQ(value_of(state.read_quantile(0.5)), 0);
    EXPECT_NEAR(value_of(state.read_quantile(0)), -10, 0.06);
    EXPECT_NEAR(value_of(state.read_quantile(1.0 / 6)), -1, 0.006);
}

}  // namespace
}  // namespace highwater::family
