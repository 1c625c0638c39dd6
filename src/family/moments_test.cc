#include "family/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr double infinity = std::numeric_limits<double>::infinity();

Moments moments_of(const std::vector<double>& values, MomentsParameters parameters = {true}) {
    Moments moments(parameters);
    std::vector<Sample> samples;
    samples.reserve(values.size());
    std::int64_t time = 0;
    for (const double value : values) {
        samples.push_back({.time = time_from_ns(++time), .value = value});
    }
    EXPECT_THAT(moments.add(samples), IsOk());
    return moments;
}

/// The value of an exact answer; fails the test for any other.
double exact(const Readout& readout) {
    const Estimate* estimate = find_estimate(readout);
    EXPECT_NE(estimate, nullptr);
    if (estimate == nullptr) return one_nan;
    EXPECT_EQ(estimate->guarantee, Guarantee::exact());
    EXPECT_EQ(estimate->error, 0);
    return estimate->value;
}

/// Encoded moments of `count` samples of the value 0 at time 0.
Bytes zeros(std::uint64_t count, std::uint64_t stale = 0) {
    Bytes bytes;
    WireWriter to(bytes);
    put_header(to, Family::moments, 1);
    to.put_u8(0);
    to.put_u8(stale > 0 ? 2 : 0);
    to.put_varint(count);
    if (stale > 0) {
        for (const std::uint64_t special : {std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{0}}) {
            to.put_varint(special);
        }
        to.put_varint(stale);
    }
    to.put_signed_varint(0);
    for (int i = 0; i < 6; ++i) to.put_fixed64(0);  // Extremes, then first and last.
    return bytes;
}

TEST(Moments, AnswersFromItsSamples) {
    const Moments moments = moments_of({3, 1, 2, 10});
    EXPECT_EQ(exact(moments.read_count()), 4);
    EXPECT_EQ(exact(moments.read_sum()), 16);
    EXPECT_EQ(exact(moments.read_average()), 4);
    EXPECT_EQ(exact(moments.read_min()), 1);
    EXPECT_EQ(exact(moments.read_max()), 10);
    EXPECT_EQ(exact(moments.read_first()), 3);
    EXPECT_EQ(exact(moments.read_last()), 10);
    EXPECT_EQ(exact(moments.read_standard_deviation()), std::sqrt(12.5));
}

TEST(Moments, WithoutSamplesThereIsNoValue) {
    for (const Moments& moments : {moments_of({}), moments_of({stale_marker})}) {
        EXPECT_EQ(exact(moments.read_count()), 0);
        for (const Readout& readout :
             {moments.read_sum(), moments.read_average(), moments.read_min(), moments.read_max(),
              moments.read_first(), moments.read_last(), moments.read_standard_deviation()}) {
            EXPECT_EQ(std::get<Absence>(readout), Absence::no_samples);
        }
    }
    EXPECT_EQ(moments_of({stale_marker, stale_marker}).totals().counts().stale, 2U);
}

TEST(Moments, TreatsSpecialValuesAsPrometheusDoes) {
    const Moments nan = moments_of({1, one_nan, 3});
    EXPECT_EQ(exact(nan.read_count()), 3);
    EXPECT_TRUE(std::isnan(exact(nan.read_sum())));
    EXPECT_TRUE(std::isnan(exact(nan.read_average())));
    EXPECT_TRUE(std::isnan(exact(nan.read_standard_deviation())));
    EXPECT_EQ(exact(nan.read_min()), 1);
    EXPECT_EQ(exact(nan.read_max()), 3);

    const Moments up = moments_of({1, infinity});
    EXPECT_EQ(exact(up.read_sum()), infinity);
    EXPECT_EQ(exact(up.read_average()), infinity);
    EXPECT_EQ(exact(up.read_min()), 1);
    EXPECT_EQ(exact(up.read_max()), infinity);
    EXPECT_TRUE(std::isnan(exact(up.read_standard_deviation())));

    const Moments both = moments_of({-infinity, infinity});
    EXPECT_TRUE(std::isnan(exact(both.read_sum())));
    EXPECT_EQ(exact(both.read_min()), -infinity);
    EXPECT_EQ(exact(both.read_max()), infinity);

    const Moments only_nan = moments_of({one_nan});
    EXPECT_TRUE(std::isnan(exact(only_nan.read_min())));
    EXPECT_TRUE(std::isnan(exact(only_nan.read_last())));
    EXPECT_EQ(exact(moments_of({-infinity}).read_max()), -infinity);
    EXPECT_EQ(exact(moments_of({infinity}).read_min()), infinity);
}

TEST(Moments, FirstAndLastAtOneTimeAreTheOnesByTheirBits) {
    Moments moments;
    const std::vector<Sample> forth = {
        {.time = {}, .value = 2}, {.time = {}, .value = 1}, {.time = {}, .value = -1}};
    ASSERT_THAT(moments.add(forth), IsOk());
    EXPECT_EQ(exact(moments.read_first()), 1);
    EXPECT_EQ(exact(moments.read_last()), -1);  // The sign is the highest bit.
}

TEST(Moments, MinusZeroIsZeroButForFirstAndLast) {
    const Moments moments = moments_of({-0.0});
    EXPECT_FALSE(std::signbit(exact(moments.read_min())));
    EXPECT_FALSE(std::signbit(exact(moments.read_max())));
    EXPECT_FALSE(std::signbit(exact(moments.read_sum())));
    EXPECT_TRUE(std::signbit(exact(moments.read_last())));
}

TEST(Moments, AfterSubtractionTheExtremesAreNotKept) {
    Moments moments = moments_of({3, 1, 2});
    ASSERT_THAT(moments.subtract(moments_of({1})), IsOk());
    EXPECT_EQ(exact(moments.read_sum()), 5);
    EXPECT_EQ(exact(moments.read_standard_deviation()), 0.5);
    for (const Readout& readout :
         {moments.read_min(), moments.read_max(), moments.read_first(), moments.read_last()}) {
        EXPECT_EQ(std::get<Absence>(readout), Absence::not_kept);
    }
    ASSERT_THAT(moments.merge(moments_of({7})), IsOk());  // Once lost, they stay lost,
    EXPECT_EQ(std::get<Absence>(moments.read_max()), Absence::not_kept);
    Moments all = moments_of({3, 1});
    ASSERT_THAT(all.subtract(moments_of({3, 1})), IsOk());  // but where nothing is left.
    EXPECT_EQ(all, moments_of({}));
}

TEST(Moments, WithoutSquaresThereIsNoDeviation) {
    const Moments moments = moments_of({1, 2}, {.has_squares = false});
    EXPECT_EQ(std::get<Absence>(moments.read_standard_deviation()), Absence::not_kept);
    EXPECT_EQ(exact(moments.read_sum()), 3);
}

TEST(Moments, CountsUpToCountMax) {
    auto full = Moments::decode(zeros(count_max - 1));
    ASSERT_THAT(full, IsOk());
    const std::vector<Sample> one = {{.time = {}, .value = 0}};
    ASSERT_THAT(full->add(one), IsOk());
    const Bytes before = full->encode();
    EXPECT_EQ(before, zeros(count_max));
    EXPECT_THAT(full->add(one), FailsWith(Code::exhausted));
    Moments other;
    ASSERT_THAT(other.add(one), IsOk());
    EXPECT_THAT(full->merge(other), FailsWith(Code::exhausted));
    EXPECT_THAT(other.merge(*full), FailsWith(Code::exhausted));
    EXPECT_EQ(full->encode(), before);
    EXPECT_EQ(exact(full->read_average()), 0);

    auto stale = Moments::decode(zeros(1, count_max));
    ASSERT_THAT(stale, IsOk());
    const std::vector<Sample> marker = {{.time = {}, .value = stale_marker}};
    EXPECT_THAT(stale->add(marker), FailsWith(Code::exhausted));
    EXPECT_THAT(Moments::decode(zeros(count_max + 1)), FailsWith(Code::corrupt));
    EXPECT_THAT(Moments::decode(zeros(1, count_max + 1)), FailsWith(Code::corrupt));
}

}  // namespace
}  // namespace highwater::family
