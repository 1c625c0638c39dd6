// What every family promises, asked of each alike. A new family adds its traits and a line at the
// end of `AllFamilies`.

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "family/state.h"
#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

using Samples = std::vector<Sample>;

rc::Gen<double> any_value() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return rc::gen::weightedOneOf<double>(
        {{4, rc::gen::map(rc::gen::inRange(-40, 400), [](int i) { return i / 8.0; })},
         {2, rc::gen::element(1e308, -1e308, 1e-308, -1e-308, 5e-324, -5e-324, 0.0, -0.0,
                              std::numeric_limits<double>::max(), 1.0)},
         {1, rc::gen::element(one_nan, -std::nan("7"), stale_marker, infinity, -infinity)},
         {2, rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                          [](std::uint64_t bits) { return std::bit_cast<double>(bits); })}});
}

/// Samples in the order of time, each later than the one before it.
Samples any_samples() {
    Samples samples;
    std::int64_t time = *rc::gen::inRange(-100, 100);
    for (const double value : *rc::gen::container<std::vector<double>>(any_value())) {
        samples.push_back({.time = time_from_ns(time), .value = value});
        time += *rc::gen::inRange(1, 1'000);
    }
    return samples;
}

template <typename State>
struct Traits;

template <>
struct Traits<Moments> {
    static MomentsParameters any_parameters() {
        return {.has_squares = *rc::gen::arbitrary<bool>()};
    }
    static MomentsParameters other_than(MomentsParameters parameters) {
        return {.has_squares = !parameters.has_squares};
    }
};

template <>
struct Traits<Counter> {
    static CounterParameters any_parameters() { return {}; }
};

template <>
struct Traits<ExponentialHistogram> {
    static ExponentialHistogramParameters any_parameters() {
        return {.max_scale = *rc::gen::inRange(coarsest_scale, finest_scale + 1),
                .max_buckets = *rc::gen::element(2, 3, 20, 160, 2'048),
                .zero_threshold = *rc::gen::element(zero_threshold_min, 1e-100, 1.0)};
    }
    static ExponentialHistogramParameters other_than(ExponentialHistogramParameters parameters) {
        switch (*rc::gen::inRange(0, 3)) {
            case 0: parameters.max_scale += parameters.max_scale == finest_scale ? -1 : 1; break;
            case 1: ++parameters.max_buckets; break;
            default: parameters.zero_threshold *= 2; break;
        }
        return parameters;
    }
};

template <>
struct Traits<Distinct> {
    static DistinctParameters any_parameters() {
        return {.lg_registers = *rc::gen::inRange(lg_registers_min, 12)};
    }
    static DistinctParameters other_than(DistinctParameters parameters) {
        return {.lg_registers = parameters.lg_registers + 1};
    }
};

template <typename State>
State state_of(const typename State::Parameters& parameters, const Samples& samples) {
    State state(parameters);
    RC_ASSERT(state.add(samples).ok());
    return state;
}

template <typename State>
State merged(State left, const State& right) {
    RC_ASSERT(left.merge(right).ok());
    return left;
}

/// The samples dealt out to `count` hands: runs of them where order matters, else at random.
template <typename State>
std::vector<Samples> deal(const Samples& samples, std::size_t count) {
    std::vector<Samples> hands(count);
    const bool any_order = capability_of(State::family).merges_in_any_order;
    std::size_t hand = 0;
    for (const Sample& sample : samples) {
        if (any_order) {
            hand = *rc::gen::inRange<std::size_t>(0, count);
        } else if (hand + 1 < count && *rc::gen::inRange(0, 3) == 0) {
            ++hand;
        }
        hands[hand].push_back(sample);
    }
    return hands;
}

template <typename State>
class FamilyProperty : public testing::Test {
protected:
    static constexpr bool any_order = capability_of(State::family).merges_in_any_order;
};

using AllFamilies = testing::Types<Moments, Counter, ExponentialHistogram, Distinct>;
class FamilyNames {
public:
    template <typename State>
    static std::string GetName(int) {  // NOLINT(readability-identifier-naming)
        return std::string(to_text(State::family));
    }
};
TYPED_TEST_SUITE(FamilyProperty, AllFamilies, FamilyNames);

TYPED_TEST(FamilyProperty, MergesCommute) {
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        const auto hands = deal<TypeParam>(any_samples(), 2);
        const auto left = state_of<TypeParam>(parameters, hands[0]);
        const auto right = state_of<TypeParam>(parameters, hands[1]);
        RC_ASSERT(merged(left, right).encode() == merged(right, left).encode());
        RC_ASSERT(merged(left, right) == merged(right, left));
    }));
}

TYPED_TEST(FamilyProperty, AnySplitAndGroupingGivesTheSameBytes) {
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        const Samples samples = any_samples();
        const Bytes whole = state_of<TypeParam>(parameters, samples).encode();
        std::vector<TypeParam> parts;
        for (const Samples& hand : deal<TypeParam>(samples, *rc::gen::inRange<std::size_t>(1, 6))) {
            parts.push_back(state_of<TypeParam>(parameters, hand));
        }
        // Neighbours are merged in any order until one is left: every tree of merges can come up.
        while (parts.size() > 1) {
            const auto at = *rc::gen::inRange<std::size_t>(0, parts.size() - 1);
            parts[at] = *rc::gen::arbitrary<bool>() ? merged(parts[at], parts[at + 1])
                                                    : merged(parts[at + 1], parts[at]);
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
        RC_ASSERT(parts.front().encode() == whole);
    }));
}

TYPED_TEST(FamilyProperty, AnyOrderOfSamplesGivesTheSameBytes) {
    if (!this->any_order) return;  // Its samples come in the order of time.
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        Samples samples = any_samples();
        const Bytes before = state_of<TypeParam>(parameters, samples).encode();
        for (std::size_t i = samples.size(); i > 1; --i) {
            std::swap(samples[i - 1], samples[*rc::gen::inRange<std::size_t>(0, i)]);
        }
        RC_ASSERT(state_of<TypeParam>(parameters, samples).encode() == before);
    }));
}

TYPED_TEST(FamilyProperty, AnEmptyStateChangesNothing) {
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        const auto state = state_of<TypeParam>(parameters, any_samples());
        const TypeParam empty(parameters);
        RC_ASSERT(merged(state, empty).encode() == state.encode());
        RC_ASSERT(merged(empty, state).encode() == state.encode());
        RC_ASSERT(merged(empty, empty).encode() == empty.encode());
    }));
}

TYPED_TEST(FamilyProperty, DecodesWhatItEncodes) {
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        const auto state = state_of<TypeParam>(parameters, any_samples());
        const auto decoded = TypeParam::decode(state.encode());
        RC_ASSERT(decoded.ok());
        RC_ASSERT(*decoded == state);
        RC_ASSERT(decoded->parameters() == parameters);
        RC_ASSERT(decoded->encode() == state.encode());
        // What was decoded goes on like what was encoded.
        const auto more = state_of<TypeParam>(parameters, {});
        RC_ASSERT(merged(*decoded, more).encode() == merged(state, more).encode());
    }));
}

TYPED_TEST(FamilyProperty, DecodesNoOtherSpellingOfAState) {
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        const auto state = state_of<TypeParam>(parameters, any_samples());
        const Bytes bytes = state.encode();
        Bytes changed = bytes;
        switch (*rc::gen::inRange(0, 3)) {
            case 0: changed.resize(*rc::gen::inRange<std::size_t>(0, bytes.size())); break;
            case 1: changed += static_cast<char>(*rc::gen::inRange(0, 256)); break;
            default: {
                const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
                changed[at] = static_cast<char>(changed[at] ^ *rc::gen::inRange(1, 256));
            }
        }
        const auto decoded = TypeParam::decode(changed);
        if (decoded.ok()) {
            RC_ASSERT(decoded->encode() == changed);
            RC_ASSERT(!(*decoded == state));
        } else {
            RC_ASSERT(decoded.error().code() == Code::corrupt);
        }
    }));
}

TYPED_TEST(FamilyProperty, OtherParametersAreRefusedAndNothingChanges) {
    if constexpr (requires { Traits<TypeParam>::other_than({}); }) {
        EXPECT_TRUE(rc::check([] {
            const auto parameters = Traits<TypeParam>::any_parameters();
            auto state = state_of<TypeParam>(parameters, any_samples());
            const Bytes before = state.encode();
            const auto other =
                state_of<TypeParam>(Traits<TypeParam>::other_than(parameters), any_samples());
            RC_ASSERT(state.merge(other).error().code() == Code::invalid_argument);
            if constexpr (requires { state.subtract(other); }) {
                RC_ASSERT(state.subtract(other).error().code() == Code::invalid_argument);
            }
            RC_ASSERT(state.encode() == before);
        }));
    }
}

TYPED_TEST(FamilyProperty, ReadingChangesNothing) {
    EXPECT_TRUE(rc::check([] {
        const auto parameters = Traits<TypeParam>::any_parameters();
        const State state = state_of<TypeParam>(parameters, any_samples());
        const Bytes before = encode(state);
        for (int question = 0; question <= static_cast<int>(Question::distinct); ++question) {
            const Reading reading{
                .question = static_cast<Question>(question),
                .q = 0.3,
                .range = {.start = time_from_ns(-1'000), .end = time_from_ns(1'000'000'000)}};
            const auto first = read(state, reading);
            const auto second = read(state, reading);
            RC_ASSERT(first.ok() == second.ok());
            const Guarantee promised = guarantee_of(parameters, reading.question);
            RC_ASSERT(first.ok() == (promised.kind() != GuaranteeKind::unknown));
            if (!first.ok()) continue;
            // What is promised beforehand is kept.
            const Estimate* estimate = find_estimate(*first);
            RC_ASSERT((estimate != nullptr) == (find_estimate(*second) != nullptr));
            if (estimate != nullptr) RC_ASSERT(estimate->guarantee.satisfies(promised));
        }
        RC_ASSERT(encode(state) == before);
    }));
}

/// What subtracting must leave of a state: the same samples at the scale of the whole.
template <typename State>
State reduced(State state, const State&) {
    return state;
}
template <>
ExponentialHistogram reduced(ExponentialHistogram state, const ExponentialHistogram& whole) {
    const bool has_buckets = !state.positive().is_empty() || !state.negative().is_empty();
    if (has_buckets) state.downscale_to(whole.scale());
    return state;
}

template <typename State>
bool can_subtract(const State&, const State&) {
    return true;
}
template <>
bool can_subtract(const ExponentialHistogram& whole, const ExponentialHistogram& part) {
    return whole.scale() == part.scale();
}

TYPED_TEST(FamilyProperty, SubtractingAPartLeavesTheOther) {
    if constexpr (capability_of(TypeParam::family).subtracts) {
        EXPECT_TRUE(rc::check([] {
            const auto parameters = Traits<TypeParam>::any_parameters();
            const auto hands = deal<TypeParam>(any_samples(), 2);
            const auto left = state_of<TypeParam>(parameters, hands[0]);
            const auto right = state_of<TypeParam>(parameters, hands[1]);
            const auto whole = merged(left, right);
            auto rest = whole;
            const auto done = rest.subtract(right);
            if (!can_subtract(whole, right)) {
                RC_ASSERT(done.error().code() == Code::precondition_failed);
                RC_ASSERT(rest.encode() == whole.encode());
                return;
            }
            RC_ASSERT(done.ok());
            // Subtracting nothing loses the extremes as subtracting something does.
            auto expected = reduced(left, whole);
            TypeParam nothing(parameters);
            if constexpr (requires { nothing.scale(); }) nothing.downscale_to(expected.scale());
            RC_ASSERT(expected.subtract(nothing).ok());
            RC_ASSERT(rest.encode() == expected.encode());
            const auto decoded = TypeParam::decode(rest.encode());
            RC_ASSERT(decoded.ok());
            RC_ASSERT(*decoded == rest);
        }));
    }
}

TYPED_TEST(FamilyProperty, WhatIsNoPartIsNotSubtracted) {
    if constexpr (capability_of(TypeParam::family).subtracts) {
        const typename TypeParam::Parameters parameters{};
        TypeParam state(parameters);
        const Samples some = {{.time = {}, .value = 2}, {.time = {}, .value = 3}};
        const Samples more = {{.time = {}, .value = 2}, {.time = {}, .value = 2.5}};
        const Samples many = {
            {.time = {}, .value = 2}, {.time = {}, .value = 2}, {.time = {}, .value = 3}};
        ASSERT_THAT(state.add(some), IsOk());
        const Bytes before = state.encode();
        for (const Samples& samples : {more, many}) {
            TypeParam part(parameters);
            ASSERT_THAT(part.add(samples), IsOk());
            EXPECT_THAT(state.subtract(part), FailsWith(Code::precondition_failed));
            EXPECT_EQ(state.encode(), before);
        }
    }
}

}  // namespace
}  // namespace highwater::family
