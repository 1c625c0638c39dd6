// A sliding answer is that of a fresh merge of exactly the window's panes, wherever it starts.

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "family/sliding_merge.h"
#include "family/sliding_quantiles.h"
#include "family/sliding_totals.h"
#include "family/state.h"
#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

rc::Gen<double> any_value() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return rc::gen::weightedOneOf<double>(
        {{8, rc::gen::map(rc::gen::inRange(-40, 4'000), [](int i) { return i / 8.0; })},
         {1, rc::gen::element(1e308, -1e308, 1e-308, 5e-324, 0.0, -0.0, 1e20, -1e-20)},
         {1, rc::gen::element(one_nan, stale_marker, infinity, -infinity)}});
}

std::vector<std::vector<Sample>> any_panes() {
    std::vector<std::vector<Sample>> panes(*rc::gen::inRange<std::size_t>(1, 40));
    std::int64_t time = 0;
    for (auto& pane : panes) {
        const auto size = *rc::gen::inRange<std::size_t>(0, 6);
        while (pane.size() < size) pane.push_back({time_from_ns(++time), *any_value()});
    }
    return panes;
}

template <typename State>
std::vector<State> states_of(const std::vector<std::vector<Sample>>& panes,
                             const typename State::Parameters& parameters) {
    std::vector<State> states;
    for (const auto& pane : panes) {
        states.emplace_back(parameters);
        RC_ASSERT(states.back().add(pane).ok());
    }
    return states;
}

template <typename State>
State fresh_merge(const std::vector<State>& panes, std::size_t from, std::size_t to) {
    State merged(panes.front().parameters());
    for (std::size_t i = from; i < to; ++i) RC_ASSERT(merged.merge(panes[i]).ok());
    return merged;
}

bool are_same(const Readout& left, const Readout& right) {
    const Estimate* one = find_estimate(left);
    const Estimate* other = find_estimate(right);
    if (one == nullptr || other == nullptr) return left.index() == right.index();
    return has_same_bits(one->value, other->value) && one->guarantee == other->guarantee &&
           has_same_bits(one->error, other->error);
}

template <typename State>
void check_sliding_merge(const typename State::Parameters& parameters) {
    const auto panes = states_of<State>(any_panes(), parameters);
    const auto width = *rc::gen::inRange<std::size_t>(1, panes.size() + 1);
    SlidingMerge<State> window(parameters);
    for (std::size_t at = *rc::gen::inRange<std::size_t>(0, panes.size()), first = at;
         at < panes.size(); ++at) {
        RC_ASSERT(window.push(panes[at]).ok());
        if (window.size() > width) {
            RC_ASSERT(window.pop().ok());
            ++first;
        }
        RC_ASSERT(window.merged()->encode() == fresh_merge(panes, first, at + 1).encode());
    }
}

RC_GTEST_PROP(SlidingMergeProperty, OfMoments, ()) {
    check_sliding_merge<Moments>({.has_squares = true});
}
RC_GTEST_PROP(SlidingMergeProperty, OfCounters, ()) {
    check_sliding_merge<Counter>({});
}
RC_GTEST_PROP(SlidingMergeProperty, OfHistograms, ()) {
    check_sliding_merge<ExponentialHistogram>({.max_buckets = 40});
}
RC_GTEST_PROP(SlidingMergeProperty, OfDistinctCounts, ()) {
    check_sliding_merge<Distinct>({.lg_registers = 5});
}

RC_GTEST_PROP(SlidingTotalsProperty, EqualsAFreshMerge, ()) {
    auto panes = states_of<Moments>(any_panes(), {});
    // Some panes have lost their extremes.
    for (Moments& pane : panes) {
        if (*rc::gen::inRange(0, 12) == 0) RC_ASSERT(pane.subtract(Moments()).ok());
    }
    const auto width = *rc::gen::inRange<std::size_t>(1, panes.size() + 1);
    SlidingTotals window;
    for (std::size_t at = *rc::gen::inRange<std::size_t>(0, panes.size()), first = at;
         at < panes.size(); ++at) {
        RC_ASSERT(window.push(panes[at].totals()).ok());
        if (window.size() > width) {
            window.pop();
            ++first;
        }
        const Moments fresh = fresh_merge(panes, first, at + 1);
        RC_ASSERT(window.totals() == fresh.totals());
        RC_ASSERT(are_same(window.totals().read_average(), fresh.read_average()));
        RC_ASSERT(are_same(window.totals().read_min(), fresh.read_min()));
        RC_ASSERT(are_same(window.totals().read_max(), fresh.read_max()));
    }
}

RC_GTEST_PROP(SlidingQuantilesProperty, EqualsAFreshMerge, ()) {
    // Few buckets, so that the scale changes as panes enter and leave.
    const ExponentialHistogramParameters parameters{
        .max_scale = *rc::gen::inRange(0, 9), .max_buckets = *rc::gen::element(2, 7, 60, 2'048)};
    auto panes = states_of<ExponentialHistogram>(any_panes(), parameters);
    for (ExponentialHistogram& pane : panes) {
        if (*rc::gen::inRange(0, 20) == 0) {
            ExponentialHistogram nothing(parameters);
            nothing.downscale_to(pane.scale());
            RC_ASSERT(pane.subtract(nothing).ok());
        }
    }
    const std::vector<double> quantiles = {0, 0.25, 0.5, 0.99, 1, -1, 2};
    const auto width = *rc::gen::inRange<std::size_t>(1, panes.size() + 1);
    SlidingQuantiles window(parameters, quantiles);
    for (std::size_t at = *rc::gen::inRange<std::size_t>(0, panes.size()), first = at;
         at < panes.size(); ++at) {
        const bool as_bytes = *rc::gen::arbitrary<bool>();
        RC_ASSERT((as_bytes ? window.push(panes[at].encode()) : window.push(panes[at])).ok());
        if (window.size() > width) {
            window.pop();
            ++first;
        }
        const ExponentialHistogram fresh = fresh_merge(panes, first, at + 1);
        RC_ASSERT(window.scale() == fresh.scale());
        for (std::size_t i = 0; i < quantiles.size(); ++i) {
            RC_ASSERT(are_same(window.read(i), fresh.read_quantile(quantiles[i])));
        }
    }
}

TEST(SlidingQuantiles, RefusesWhatIsNoPaneAndGoesOn) {
    SlidingQuantiles window({}, {0.5});
    ExponentialHistogram pane;
    const std::vector<double> values = {1, 2, 3};
    ASSERT_THAT(pane.add(values), IsOk());
    ASSERT_THAT(window.push(pane.encode()), IsOk());
    const Readout before = window.read(0);

    Bytes cut = pane.encode();
    cut.pop_back();
    EXPECT_THAT(window.push(cut), FailsWith(Code::corrupt));
    EXPECT_THAT(window.push(Moments().encode()), FailsWith(Code::corrupt));
    const ExponentialHistogram other({.max_scale = 5});
    EXPECT_THAT(window.push(other), FailsWith(Code::invalid_argument));
    EXPECT_THAT(window.push(other.encode()), FailsWith(Code::invalid_argument));
    EXPECT_EQ(window.size(), 1U);
    EXPECT_TRUE(are_same(window.read(0), before));
    window.pop();
    EXPECT_EQ(std::get<Absence>(window.read(0)), Absence::no_samples);
}

TEST(SlidingMerge, RefusesPanesThatDoNotFit) {
    SlidingMerge<Counter> window({});
    Counter pane;
    const std::vector<Sample> samples = {{.time = time_from_ns(1), .value = 1}};
    ASSERT_THAT(pane.add(samples), IsOk());
    ASSERT_THAT(window.push(pane), IsOk());
    EXPECT_THAT(window.push(pane), FailsWith(Code::precondition_failed));  // The same time again.
    EXPECT_EQ(window.size(), 1U);
    SlidingMerge<Distinct> distinct({.lg_registers = 4});
    EXPECT_THAT(distinct.push(Distinct({.lg_registers = 5})), FailsWith(Code::invalid_argument));
    EXPECT_EQ(distinct.size(), 0U);
}

}  // namespace
}  // namespace highwater::family
