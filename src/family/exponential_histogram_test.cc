#include "family/exponential_histogram.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

ExponentialHistogram histogram_of(const std::vector<double>& values,
                                  ExponentialHistogramParameters parameters = {}) {
    ExponentialHistogram histogram(parameters);
    EXPECT_THAT(histogram.add(values), IsOk());
    return histogram;
}

std::uint64_t hits_of(const Buckets& buckets) {
    std::uint64_t hits = 0;
    buckets.for_each([&](std::int32_t, std::uint64_t count) { hits += count; });
    return hits;
}

Estimate estimate_of(const ExponentialHistogram& histogram, double q) {
    const Readout readout = histogram.read_quantile(q);
    const Estimate* estimate = find_estimate(readout);
    EXPECT_NE(estimate, nullptr);
    return estimate == nullptr ? Estimate{} : *estimate;
}

/// Prometheus' quantile_over_time of sorted values.
double sorted_quantile(std::vector<double> values, double q) {
    std::ranges::sort(values);
    const double rank = q * static_cast<double>(values.size() - 1);
    const auto lower = static_cast<std::size_t>(rank);
    const std::size_t upper = std::min(lower + 1, values.size() - 1);
    const double weight = rank - std::floor(rank);
    return values[lower] * (1 - weight) + values[upper] * weight;
}

TEST(ExponentialHistogram, EveryFiniteSampleIsInOneBucket) {
    const auto histogram = histogram_of({1, 1, 2, -3, 0, -0.0, 5e-324, one_nan, infinity, 1e308});
    EXPECT_EQ(hits_of(histogram.positive()), 4U);
    EXPECT_EQ(hits_of(histogram.negative()), 1U);
    EXPECT_EQ(histogram.zero_count(), 3U);
    EXPECT_EQ(histogram.totals().counts().finite, 8U);
    EXPECT_EQ(histogram.totals().counts().nan, 1U);
}

TEST(ExponentialHistogram, GetsNoCoarserThanItsSpanNeeds) {
    EXPECT_EQ(histogram_of({1, 2}).scale(), 6);
    // 2,048 buckets of scale 6 are 32 octaves, (1, 2^32].
    const double after_one = std::nextafter(1.0, 2.0);
    EXPECT_EQ(histogram_of({after_one, 0x1p32}).scale(), 6);
    EXPECT_EQ(histogram_of({1.0, 0x1p32}).scale(), 5);
    EXPECT_EQ(histogram_of({after_one, std::nextafter(0x1p32, infinity)}).scale(), 5);
    EXPECT_EQ(histogram_of({zero_threshold_min * 2, largest}).scale(), 0);
    EXPECT_EQ(histogram_of({zero_threshold_min * 2, largest}, {.max_buckets = 2}).scale(), -10);
    // Either sign alone.
    EXPECT_EQ(histogram_of({-1.0, -0x1p32, 1e-9}).scale(), 5);
}

TEST(ExponentialHistogram, QuantilesInterpolateBetweenNeighbours) {
    std::vector<double> values;
    values.reserve(101);
    for (int i = 1; i <= 101; ++i) values.push_back(i);
    const auto histogram = histogram_of(values);
    for (const double q : {0.0, 0.001, 0.25, 0.5, 0.505, 0.99, 1.0}) {
        const Estimate estimate = estimate_of(histogram, q);
        const double truth = sorted_quantile(values, q);
        EXPECT_NEAR(estimate.value, truth, bucket_relative_error(6) * (truth + 1)) << q;
        EXPECT_LE(std::abs(estimate.value - truth), estimate.error) << q;
        EXPECT_EQ(estimate.guarantee, Guarantee::deterministic_bound());
    }
}

TEST(ExponentialHistogram, DegenerateQuantilesAreThoseOfPrometheus) {
    const auto histogram = histogram_of({1, 2});
    EXPECT_EQ(estimate_of(histogram, -0.1).value, -infinity);
    EXPECT_EQ(estimate_of(histogram, 1.1).value, infinity);
    EXPECT_TRUE(std::isnan(estimate_of(histogram, one_nan).value));
    EXPECT_EQ(std::get<Absence>(histogram_of({}).read_quantile(0.5)), Absence::no_samples);
    EXPECT_EQ(std::get<Absence>(histogram_of({stale_marker}).read_quantile(0.5)),
              Absence::no_samples);
}

TEST(ExponentialHistogram, NanComesFirstAndInfinitiesAtTheEnds) {
    const auto histogram = histogram_of({one_nan, -infinity, 5, 5, infinity});
    EXPECT_TRUE(std::isnan(estimate_of(histogram, 0).value));
    EXPECT_EQ(estimate_of(histogram, 0.25).value, -infinity);
    EXPECT_EQ(estimate_of(histogram, 0.5).value, 5);
    EXPECT_EQ(estimate_of(histogram, 0.75).value, 5);  // Weight 0: infinity does not leak in.
    EXPECT_EQ(estimate_of(histogram, 0.8).value, infinity);
    EXPECT_EQ(estimate_of(histogram, 1).value, infinity);
    EXPECT_EQ(estimate_of(histogram_of({-infinity, -5}), 0.5).value, -infinity);
}

TEST(ExponentialHistogram, QuantilesOfOneValueAreThatValue) {
    for (const double value : {1.0, 0.3, -7.0, 0.0, 1e308, -1e-308, 5e-324}) {
        const auto histogram = histogram_of(std::vector<double>(20, value));
        for (const double q : {0.0, 0.1, 0.5, 1.0}) {
            EXPECT_EQ(estimate_of(histogram, q).value, value);
        }
    }
}

TEST(ExponentialHistogram, SubtractionNeedsEqualScalesAndEnoughHits) {
    auto wide = histogram_of({1, 0x1p40});
    const auto narrow = histogram_of({1});
    EXPECT_THAT(wide.subtract(narrow), FailsWith(Code::precondition_failed));
    auto coarse = narrow;
    coarse.downscale_to(wide.scale());
    EXPECT_THAT(wide.subtract(coarse), IsOk());
    EXPECT_EQ(hits_of(wide.positive()), 1U);
    EXPECT_EQ(std::get<Absence>(wide.read_max()), Absence::not_kept);

    auto state = histogram_of({1, -1, -2});
    const Bytes before = state.encode();
    EXPECT_THAT(state.subtract(histogram_of({1, -1, -1})), FailsWith(Code::precondition_failed));
    EXPECT_THAT(state.subtract(histogram_of({0})), FailsWith(Code::precondition_failed));
    EXPECT_EQ(state.encode(), before);
}

TEST(ExponentialHistogram, WithoutBucketsItIsAsFineAsAtTheStart) {
    auto wide = histogram_of({1, 0x1p40, 0});
    auto part = histogram_of({1, 0x1p40});
    ASSERT_THAT(wide.subtract(part), IsOk());
    EXPECT_EQ(wide.scale(), 6);
    EXPECT_EQ(wide.zero_count(), 1U);
    EXPECT_THAT(ExponentialHistogram::decode(wide.encode()), IsOk());
}

TEST(ExponentialHistogram, ParametersKeepTheirLimits) {
    const auto with = [](int scale, int buckets, double threshold) {
        return verify(ExponentialHistogramParameters{
            .max_scale = scale, .max_buckets = buckets, .zero_threshold = threshold});
    };
    const auto refused = FailsWith(Code::invalid_argument);
    EXPECT_THAT(with(finest_scale, max_buckets_max, 1), IsOk());
    EXPECT_THAT(with(coarsest_scale, max_buckets_min, zero_threshold_min), IsOk());
    EXPECT_THAT(with(finest_scale + 1, 100, 1), refused);
    EXPECT_THAT(with(coarsest_scale - 1, 100, 1), refused);
    EXPECT_THAT(with(0, max_buckets_max + 1, 1), refused);
    EXPECT_THAT(with(0, max_buckets_min - 1, 1), refused);
    EXPECT_THAT(with(0, 100, 0), refused);
    EXPECT_THAT(with(0, 100, std::nextafter(zero_threshold_min, 0.0)), refused);
    EXPECT_THAT(with(0, 100, std::nextafter(largest, 0.0)), IsOk());
    EXPECT_THAT(with(0, 100, largest), refused);
    EXPECT_THAT(with(0, 100, one_nan), refused);
    EXPECT_DEATH(ExponentialHistogram({.max_buckets = 1}), "verify");
}

TEST(ExponentialHistogram, DenseAndSparseBucketsAreOneValue) {
    // Seventeen buckets make the positive side dense; subtracting leaves few of them.
    std::vector<double> many;
    many.reserve(17);
    for (int i = 0; i < 17; ++i) many.push_back(std::ldexp(1.0, i));
    auto dense = histogram_of(many);
    ASSERT_THAT(dense.subtract(histogram_of({many.begin() + 2, many.end()})), IsOk());
    auto sparse = histogram_of({1, 2});
    ASSERT_THAT(sparse.subtract(histogram_of({})), IsOk());
    EXPECT_EQ(dense, sparse);
    EXPECT_EQ(dense.encode(), sparse.encode());
    ASSERT_THAT(dense.merge(histogram_of({1e-3, 1e3})), IsOk());
    EXPECT_EQ(hits_of(dense.positive()), 4U);
}

TEST(Buckets, ScalarAndVectorSubtractionRestoreWhatTheyCannotTake) {
    Buckets whole;
    Buckets part;
    for (std::int32_t i = -40; i < 40; ++i) {
        whole.add(i, 5);
        part.add(i, i == 39 ? 6 : 5);
    }
    const Buckets before = whole;
    EXPECT_FALSE(whole.try_subtract(part));
    EXPECT_EQ(whole, before);
    Buckets beyond;
    beyond.add(40, 1);
    EXPECT_FALSE(whole.try_subtract(beyond));
    EXPECT_TRUE(whole.try_subtract(before));
    EXPECT_TRUE(whole.is_empty());
    EXPECT_EQ(whole, Buckets());
}

std::vector<double> any_values() {
    return *rc::gen::nonEmpty(
        rc::gen::container<std::vector<double>>(rc::gen::weightedOneOf<double>(
            {{3, rc::gen::map(rc::gen::inRange(-500, 5'000), [](int i) { return i / 16.0; })},
             {1, rc::gen::element(1e308, -1e308, 1e-308, 5e-324, 0.0, -0.0)},
             {1, rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
                  const auto value = std::bit_cast<double>(bits);
                  return std::isfinite(value) ? value : 1.0;
              })}})));
}

RC_GTEST_PROP(QuantileProperty, KeepsItsBoundAndItsOrder, ()) {
    const auto values = any_values();
    const auto histogram = histogram_of(
        values, {.max_scale = *rc::gen::inRange(-3, 9), .max_buckets = *rc::gen::inRange(2, 400)});
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    double before = -infinity;
    for (int i = 0; i <= 40; ++i) {
        const double q = i / 40.0;
        const Estimate estimate = estimate_of(histogram, q);
        RC_ASSERT(estimate.value >= before);
        RC_ASSERT(estimate.value >= sorted.front());
        RC_ASSERT(estimate.value <= sorted.back());
        // Against both order statistics, so that the oracle's own rounding has no say.
        const double rank = q * static_cast<double>(sorted.size() - 1);
        const auto lower = static_cast<std::size_t>(rank);
        const std::size_t upper = std::min(lower + 1, sorted.size() - 1);
        RC_ASSERT(estimate.value >= sorted[lower] - estimate.error);
        RC_ASSERT(estimate.value <= sorted[upper] + estimate.error);
        before = estimate.value;
    }
}

}  // namespace
}  // namespace highwater::family
