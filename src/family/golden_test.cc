// The bytes of docs/formats/family-states.md, on every machine and compiler.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "family/state.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::IsOk;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Sample> samples_at_each_second(const std::vector<double>& values) {
    std::vector<Sample> samples;
    std::int64_t time = 1'791'277'200'000'000'000;  // 2026-10-06T09:00:00Z
    for (const double value : values) {
        samples.push_back({.time = time_from_ns(time), .value = value});
        time += 1'000'000'000;
    }
    return samples;
}

Bytes bytes_of(const Parameters& parameters, const std::vector<double>& values) {
    State state = *make_state(parameters);
    EXPECT_THAT(add(state, samples_at_each_second(values)), IsOk());
    return encode(state);
}

Bytes without_part(const Parameters& parameters, const std::vector<double>& values,
                   const std::vector<double>& part) {
    State whole = *make_state(parameters);
    State taken = *make_state(parameters);
    EXPECT_THAT(add(whole, samples_at_each_second(values)), IsOk());
    EXPECT_THAT(add(taken, samples_at_each_second(part)), IsOk());
    EXPECT_THAT(subtract(whole, taken), IsOk());
    return encode(whole);
}

std::vector<double> wide_values() {
    std::vector<double> values;
    values.reserve(40);
    for (int i = 0; i < 40; ++i)
        values.push_back(std::ldexp(i % 3 == 0 ? -1.25 : 1.75, 25 * i - 500));
    return values;
}

std::map<std::string, Bytes> make_examples() {
    const MomentsParameters plain{};
    const MomentsParameters squares{.has_squares = true};
    const ExponentialHistogramParameters histogram{};
    const ExponentialHistogramParameters small{.max_scale = 3, .max_buckets = 4};
    const std::vector<double> odd = {one_nan, infinity, -infinity, stale_marker, -0.0,
                                     1e308,   -1e308,   1e-308,    5e-324};
    std::vector<double> many;
    many.reserve(100);
    for (int i = 0; i < 100; ++i) many.push_back(i);
    std::map<std::string, Bytes> examples;
    examples["moments_empty"] = bytes_of(plain, {});
    examples["moments"] = bytes_of(plain, {21.5, 0.1, -3});
    examples["moments_squares"] = bytes_of(squares, {21.5, 0.1, -3});
    examples["moments_odd"] = bytes_of(squares, odd);
    examples["moments_subtracted"] = without_part(plain, {21.5, 0.1, -3}, {0.1});
    examples["counter_empty"] = bytes_of(CounterParameters{}, {});
    examples["counter_one"] = bytes_of(CounterParameters{}, {7});
    examples["counter_two"] = bytes_of(CounterParameters{}, {7, 9});
    examples["counter_resets"] = bytes_of(CounterParameters{}, {7, 9, 2, 5, stale_marker, 1});
    examples["histogram_empty"] = bytes_of(histogram, {});
    examples["histogram"] = bytes_of(histogram, {21.5, 21.5, 0, -3});
    examples["histogram_odd"] = bytes_of(histogram, odd);
    examples["histogram_coarse"] = bytes_of(small, {1e-5, 1, 2, 3, 1e9});
    examples["histogram_dense"] = bytes_of(histogram, many);
    examples["histogram_wide"] = bytes_of(histogram, wide_values());
    examples["histogram_subtracted"] = without_part(histogram, {21.5, 21.5, 0, -3}, {21.5});
    examples["distinct_empty"] = bytes_of(DistinctParameters{}, {});
    examples["distinct"] = bytes_of(DistinctParameters{}, {1, 2, 3, 2, 1, one_nan, -0.0});
    examples["distinct_dense"] = bytes_of(DistinctParameters{.lg_registers = 4}, many);
    examples["parameters_moments"] = encode_parameters(squares);
    examples["parameters_counter"] = encode_parameters(CounterParameters{});
    examples["parameters_histogram"] = encode_parameters(histogram);
    examples["parameters_distinct"] = encode_parameters(DistinctParameters{});
    return examples;
}

TEST(FamilyGolden, BytesAreThoseOfTheReleasedFormat) {
    const std::string path = HIGHWATER_SOURCE_DIR "/tests/golden/formats/family-states.hex";
    const auto examples = make_examples();
    const auto golden = testkit::read_golden_bytes(path);
    ASSERT_THAT(golden, IsOk());
    EXPECT_EQ(*golden, examples);
}

TEST(FamilyGolden, ReleasedBytesAreReadAndWrittenAgain) {
    const auto golden =
        testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/family-states.hex");
    ASSERT_THAT(golden, IsOk());
    for (const auto& [name, bytes] : *golden) {
        if (name.starts_with("parameters_")) {
            const auto parameters = decode_parameters(bytes);
            ASSERT_THAT(parameters, IsOk()) << name;
            EXPECT_EQ(encode_parameters(*parameters), bytes) << name;
        } else {
            const auto state = decode_state(bytes);
            ASSERT_THAT(state, IsOk()) << name;
            EXPECT_EQ(encode(*state), bytes) << name;
        }
    }
}

}  // namespace
}  // namespace highwater::family
