#include "family/counter.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr double infinity = std::numeric_limits<double>::infinity();

Time at_ms(std::int64_t ms) {
    return time_from_ns(ms * 1'000'000);
}

Counter counter_of(const std::vector<Sample>& samples) {
    Counter counter;
    EXPECT_THAT(counter.add(samples), IsOk());
    return counter;
}

/// One sample each 15 s from `first_ms` on.
std::vector<Sample> scrapes(std::int64_t first_ms, const std::vector<double>& values) {
    std::vector<Sample> samples;
    for (const double value : values) {
        samples.push_back({.time = at_ms(first_ms), .value = value});
        first_ms += 15'000;
    }
    return samples;
}

double value_of(const Readout& readout) {
    const Estimate* estimate = find_estimate(readout);
    return estimate == nullptr ? one_nan : estimate->value;
}

/// Prometheus 3's rate over samples kept one by one, in its own order of operations: milliseconds,
/// doubles, a running sum.
double plain_increase(const std::vector<Sample>& samples, std::int64_t start_ms,
                      std::int64_t end_ms) {
    const auto ms = [](const Sample& sample) { return to_ns(sample.time) / 1'000'000; };
    double result = samples.back().value - samples.front().value;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        if (samples[i].value < samples[i - 1].value) result += samples[i - 1].value;
    }
    double to_start = static_cast<double>(ms(samples.front()) - start_ms) / 1000;
    double to_end = static_cast<double>(end_ms - ms(samples.back())) / 1000;
    const double sampled = static_cast<double>(ms(samples.back()) - ms(samples.front())) / 1000;
    const double average = sampled / static_cast<double>(samples.size() - 1);
    const double threshold = average * 1.1;
    if (to_start >= threshold) to_start = average / 2;
    if (result > 0 && samples.front().value >= 0) {
        to_start = std::min(to_start, sampled * (samples.front().value / result));
    }
    if (to_end >= threshold) to_end = average / 2;
    return result * ((sampled + to_start + to_end) / sampled);
}

TEST(Counter, IncreaseReachesToTheEndsOfTheRange) {
    // Twenty scrapes in a five-minute range, half a gap from either end.
    std::vector<double> values;
    values.reserve(20);
    for (int i = 0; i < 20; ++i) values.push_back(100 + 30.0 * i);
    const Counter counter = counter_of(scrapes(7'500, values));
    const RateRange range{.start = at_ms(0), .end = at_ms(300'000)};
    EXPECT_DOUBLE_EQ(value_of(*counter.read_increase(range)), 600);
    EXPECT_DOUBLE_EQ(value_of(*counter.read_rate(range)), 2);
}

TEST(Counter, ASeriesThatBeginsOrEndsInsideIsExtrapolatedByHalfAGap) {
    const Counter counter = counter_of(scrapes(120'000, {1'000, 1'030, 1'060}));
    const RateRange range{.start = at_ms(0), .end = at_ms(300'000)};
    EXPECT_DOUBLE_EQ(value_of(*counter.read_increase(range)), 60.0 * (30 + 7.5 + 7.5) / 30);
}

TEST(Counter, IsNeverExtrapolatedBelowZero) {
    const Counter counter = counter_of(scrapes(10'000, {2, 32, 62}));
    const RateRange range{.start = at_ms(0), .end = at_ms(40'000)};
    // It would have been 0 one second before its first sample.
    EXPECT_DOUBLE_EQ(value_of(*counter.read_increase(range)), 60.0 * (30 + 1 + 0) / 30);
}

TEST(Counter, AResetAddsWhatWasThereBefore) {
    const Counter counter = counter_of(scrapes(0, {10, 20, 5, 8, 2}));
    EXPECT_EQ(value_of(counter.read_resets()), 2);
    const RateRange range{.start = at_ms(0), .end = at_ms(60'000)};
    EXPECT_DOUBLE_EQ(value_of(*counter.read_increase(range)), 2 - 10 + 20 + 8);
}

TEST(Counter, AResetAcrossTheSeamOfTwoStatesIsSeen) {
    Counter merged = counter_of(scrapes(0, {10, 20}));
    ASSERT_THAT(merged.merge(counter_of(scrapes(30'000, {5, 8}))), IsOk());
    EXPECT_EQ(merged, counter_of(scrapes(0, {10, 20, 5, 8})));
    EXPECT_EQ(value_of(merged.read_resets()), 1);
}

TEST(Counter, FewerThanTwoSamplesHaveNoRate) {
    const RateRange range{.start = at_ms(0), .end = at_ms(60'000)};
    EXPECT_EQ(std::get<Absence>(*Counter().read_rate(range)), Absence::no_samples);
    EXPECT_EQ(std::get<Absence>(Counter().read_instant_rate()), Absence::no_samples);
    EXPECT_EQ(std::get<Absence>(Counter().read_resets()), Absence::no_samples);
    const Counter one = counter_of(scrapes(0, {10}));
    EXPECT_EQ(std::get<Absence>(*one.read_rate(range)), Absence::too_few_samples);
    EXPECT_EQ(std::get<Absence>(*one.read_increase(range)), Absence::too_few_samples);
    EXPECT_EQ(std::get<Absence>(one.read_instant_rate()), Absence::too_few_samples);
    EXPECT_EQ(value_of(one.read_first()), 10);
    EXPECT_EQ(value_of(one.read_last()), 10);
    EXPECT_TRUE(
        std::holds_alternative<Estimate>(*counter_of(scrapes(0, {10, 11})).read_rate(range)));
}

TEST(Counter, InstantRateIsThatOfTheLastTwoSamples) {
    EXPECT_EQ(value_of(counter_of(scrapes(0, {1, 2, 32})).read_instant_rate()), 2);
    EXPECT_EQ(value_of(counter_of(scrapes(0, {1, 60, 30})).read_instant_rate()), 2);  // A reset.
    Counter merged = counter_of(scrapes(0, {1, 2}));
    ASSERT_THAT(merged.merge(counter_of(scrapes(30'000, {32}))), IsOk());
    EXPECT_EQ(value_of(merged.read_instant_rate()), 2);
}

TEST(Counter, RefusesARangeThatDoesNotHoldItsSamples) {
    const Counter counter = counter_of(scrapes(0, {1, 2}));
    for (const auto& [start, end] : {std::pair(1, 60'000), {0, 14'999}, {5, 5}, {20'000, 0}}) {
        const RateRange range{.start = at_ms(start), .end = at_ms(end)};
        EXPECT_THAT(counter.read_rate(range), FailsWith(Code::invalid_argument)) << start;
        EXPECT_THAT(counter.read_increase(range), FailsWith(Code::invalid_argument)) << start;
    }
    EXPECT_THAT(counter.read_rate({.start = at_ms(0), .end = at_ms(15'000)}), IsOk());
}

TEST(Counter, TimesMustAscend) {
    Counter counter = counter_of(scrapes(0, {1, 2}));
    const Bytes before = counter.encode();
    for (const std::int64_t ms : {15'000, 14'999, 0}) {
        const std::vector<Sample> late = {{.time = at_ms(20'000), .value = 3},
                                          {.time = at_ms(ms), .value = 4}};
        EXPECT_THAT(counter.add(late), FailsWith(Code::precondition_failed)) << ms;
        EXPECT_EQ(counter.encode(), before);
    }
    EXPECT_THAT(counter.add(scrapes(15'001, {3})), IsOk());
}

TEST(Counter, OverlappingStatesAreRefused) {
    Counter counter = counter_of(scrapes(0, {1, 2}));
    const Bytes before = counter.encode();
    EXPECT_THAT(counter.merge(counter_of(scrapes(15'000, {3}))),
                FailsWith(Code::precondition_failed));
    EXPECT_THAT(counter.merge(counter_of(scrapes(-15'000, {0, 1}))),
                FailsWith(Code::precondition_failed));
    EXPECT_THAT(counter.merge(counter_of(scrapes(-15'000, {0, 1, 2, 3}))),
                FailsWith(Code::precondition_failed));
    EXPECT_EQ(counter.encode(), before);
    EXPECT_THAT(counter.merge(counter_of(scrapes(15'001, {3}))), IsOk());
}

TEST(Counter, StaleMarkersAreCountedAndOtherwiseLeftOut) {
    const Counter counter = counter_of(scrapes(0, {1, stale_marker, 3, stale_marker}));
    EXPECT_EQ(counter.samples(), 2U);
    EXPECT_EQ(counter.stale_markers(), 2U);
    EXPECT_EQ(value_of(counter.read_last()), 3);
    EXPECT_EQ(value_of(counter.read_resets()), 0);
}

TEST(Counter, InfinityAndNanFollowPrometheus) {
    const RateRange range{.start = at_ms(0), .end = at_ms(60'000)};
    EXPECT_EQ(value_of(*counter_of(scrapes(0, {1, infinity, 3})).read_increase(range)), infinity);
    EXPECT_EQ(value_of(counter_of(scrapes(0, {5, one_nan, 7})).read_resets()), 0);
    EXPECT_TRUE(std::isnan(value_of(*counter_of(scrapes(0, {5, one_nan})).read_increase(range))));
}

RC_GTEST_PROP(CounterProperty, PanesGiveTheRateOfTheirSamples, ()) {
    std::vector<Sample> samples;
    const auto count = *rc::gen::inRange<std::size_t>(2, 60);
    std::int64_t ms = 1 + *rc::gen::inRange<std::int64_t>(0, 40'000);
    double value = *rc::gen::inRange(0, 1'000);
    while (samples.size() < count) {
        samples.push_back({.time = at_ms(ms), .value = value});
        ms += *rc::gen::inRange<std::int64_t>(1, 60'000);
        value = *rc::gen::inRange(0, 8) == 0 ? *rc::gen::inRange(0, 50) : value + 0.1;
    }
    const std::int64_t end_ms =
        to_ns(samples.back().time) / 1'000'000 + *rc::gen::inRange<std::int64_t>(0, 40'000);
    Counter merged;
    for (std::size_t at = 0; at < samples.size();) {
        const auto size = std::min(samples.size() - at, *rc::gen::inRange<std::size_t>(1, 9));
        Counter pane;
        RC_ASSERT(pane.add({samples.data() + at, size}).ok());
        RC_ASSERT(merged.merge(pane).ok());
        at += size;
    }
    const RateRange range{.start = at_ms(0), .end = at_ms(end_ms)};
    const double expected = plain_increase(samples, 0, end_ms);
    const double increase = value_of(*merged.read_increase(range));
    // The oracle adds in doubles; the state adds exactly and rounds once.
    RC_ASSERT(std::abs(increase - expected) <= 1e-12 * std::abs(expected) + 1e-9);
    RC_ASSERT(value_of(*merged.read_rate(range)) ==
              value_of(*counter_of(samples).read_rate(range)));
}

}  // namespace
}  // namespace highwater::family
