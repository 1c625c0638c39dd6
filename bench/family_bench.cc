// What the mathematics of summaries costs: finding buckets, adding samples, merging and subtracting
// states, and readouts that slide over panes.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "family/sliding_quantiles.h"
#include "family/sliding_totals.h"
#include "family/state.h"
#include "harness.h"

namespace highwater::bench {
namespace {

using namespace highwater::family;

constexpr std::size_t hot_values = 1'000'000;
constexpr std::size_t states = 10'000;
constexpr std::size_t values_a_state = 100;

std::vector<double> make_lognormal(std::size_t count, double sigma, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> distribution(0, sigma);
    std::vector<double> values(count);
    for (double& value : values) value = distribution(random);
    return values;
}

double ns_each(const Samples& samples, std::size_t count) {
    return samples.median() * 1e9 / static_cast<double>(count);
}

/// Makes sure that a benchmark measured what it says.
void require(bool condition) {
    if (!condition) std::abort();
}

void record_all(Buckets& buckets, std::span<const double> values) {
    for (const double value : values) {
        const std::int32_t index = bucket_index(value, 6);
        if (!buckets.try_increment(index)) buckets.add(index, 1);
    }
}

void measure_adding(Report& report) {
    const auto values = make_lognormal(hot_values, 1, 1);
    Buckets hot;
    record_all(hot, values);
    report.add_at_most("index_and_bucket/hot",
                       ns_each(measure({}, [&] { record_all(hot, values); }), values.size()), "ns",
                       3);
    ExponentialHistogram state;
    const auto full = measure({}, [&] { require(state.add(values).ok()); });
    report.add_at_most("add_with_totals/hot", ns_each(full, values.size()), "ns", 10);

    const auto grouped = make_lognormal(states * values_a_state, 1, 2);
    const std::span<const double> all(grouped);
    std::vector<Buckets> many(states);
    const auto record_groups = [&] {
        for (std::size_t i = 0; i < states; ++i) {
            record_all(many[i], all.subspan(i * values_a_state, values_a_state));
        }
    };
    report.add_at_most("index_and_bucket/10000_states",
                       ns_each(measure({}, record_groups), grouped.size()), "ns", 10);
    many.clear();
    std::vector<ExponentialHistogram> histograms(states);
    const auto add_groups = [&] {
        for (std::size_t i = 0; i < states; ++i) {
            require(histograms[i].add(all.subspan(i * values_a_state, values_a_state)).ok());
        }
    };
    report.add_at_most("add_with_totals/10000_states",
                       ns_each(measure({}, add_groups), grouped.size()), "ns", 20);
}

/// Edges of scale 6, and their neighbours, for which the index is not the one by definition.
std::size_t count_wrong_edges() {
    std::size_t wrong = 0;
    const IndexRange range = possible_indices(zero_threshold_min, 6);
    for (std::int32_t index = range.low + 1; index <= range.high; ++index) {
        const double edge = bucket_lower_edge(index, 6);  // Closes the bucket before it.
        wrong += bucket_index(edge, 6) == index - 1 ? 0 : 1;
        wrong +=
            bucket_index(std::nextafter(edge, std::numeric_limits<double>::infinity()), 6) == index
                ? 0
                : 1;
        const double before = std::nextafter(edge, 0.0);
        if (before > zero_threshold_min) wrong += bucket_index(before, 6) == index - 1 ? 0 : 1;
    }
    return wrong;
}

/// A state of `max_buckets` buckets, each hit.
ExponentialHistogram make_full_state(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> values;
    for (std::int32_t index = 0; index < 2'048; ++index) {
        for (auto hits = 1 + random() % 4; hits > 0; --hits) {
            values.push_back(bucket_representative(index, 6));
        }
    }
    ExponentialHistogram state;
    require(state.add(values).ok());
    require(state.scale() == 6 && state.positive().size() == 2'048);
    return state;
}

void measure_merging(Report& report) {
    constexpr int rounds = 200;
    constexpr Repeats repeats{.warmups = 5, .measured = 101};
    const ExponentialHistogram part = make_full_state(1);
    ExponentialHistogram whole = make_full_state(2);
    std::vector<CountBlock> plain_to(256);
    const std::vector<CountBlock> plain_from(256);
    const auto merges = measure(repeats, [&] {
        for (int i = 0; i < rounds; ++i) require(whole.merge(part).ok());
    });
    const auto plain = measure(repeats, [&] {
        for (int i = 0; i < rounds; ++i) {
            add_counts(plain_to.data(), plain_from.data(), plain_to.size());
            keep(plain_to);
        }
    });
    // As many subtractions as there were merges, and no more.
    const auto subtractions = measure(repeats, [&] {
        for (int i = 0; i < rounds; ++i) require(whole.subtract(part).ok());
    });
    const double base = ns_each(plain, rounds);
    report.add_fact("plain_vector_add/2048_counts", base, "ns");
    report.add_at_most("merge/2048_buckets", ns_each(merges, rounds), "ns", 250);
    report.add_at_most("merge/2048_buckets/over_plain_add", ns_each(merges, rounds) / base, "x",
                       1.5);
    report.add_at_most("subtract/2048_buckets", ns_each(subtractions, rounds), "ns", 250);
    report.add_at_most("subtract/2048_buckets/over_plain_add", ns_each(subtractions, rounds) / base,
                       "x", 1.5);
}

constexpr std::size_t series = 500;
constexpr std::size_t steps = 660;
constexpr std::size_t width = 60;

/// Encoded panes of every series, each of so many samples.
template <typename State>
std::vector<std::vector<Bytes>> make_panes(std::size_t samples_a_pane) {
    std::vector<std::vector<Bytes>> all(series);
    for (std::size_t i = 0; i < series; ++i) {
        const auto values = make_lognormal((steps + width - 1) * samples_a_pane, 1, i);
        for (std::size_t at = 0; at < values.size(); at += samples_a_pane) {
            std::vector<Sample> samples;
            samples.reserve(samples_a_pane);
            for (std::size_t j = at; j < at + samples_a_pane; ++j) {
                samples.push_back(
                    {.time = time_from_ns(static_cast<std::int64_t>(j)), .value = values[j]});
            }
            State state;
            require(state.add(samples).ok());
            all[i].push_back(state.encode());
        }
    }
    return all;
}

double slide_quantiles(const std::vector<std::vector<Bytes>>& all) {
    double sum = 0;
    for (const auto& panes : all) {
        SlidingQuantiles window({}, {0.99});
        for (const Bytes& pane : panes) {
            require(window.push(pane).ok());
            if (window.size() > width) window.pop();
            if (window.size() == width) sum += find_estimate(window.read(0))->value;
        }
    }
    return sum;
}

double slide_averages(const std::vector<std::vector<Bytes>>& all) {
    double sum = 0;
    for (const auto& panes : all) {
        SlidingTotals window;
        for (const Bytes& pane : panes) {
            const auto state = Moments::decode(pane);
            require(state.ok() && window.push(state->totals()).ok());
            if (window.size() > width) window.pop();
            if (window.size() == width) sum += find_estimate(window.totals().read_average())->value;
        }
    }
    return sum;
}

void measure_sliding(Report& report) {
    const Repeats repeats{.warmups = 1, .measured = 7};
    const auto few = make_panes<ExponentialHistogram>(4);
    const auto few_ms = measure(repeats, [&] { keep(slide_quantiles(few)); }).median() * 1e3;
    report.add_at_most("sliding_quantile/500x660/4_samples", few_ms, "ms", 25);
    const auto many = make_panes<ExponentialHistogram>(100);
    const auto many_ms = measure(repeats, [&] { keep(slide_quantiles(many)); }).median() * 1e3;
    report.add_at_most("sliding_quantile/500x660/100_samples", many_ms, "ms", 200);
    const auto moments = make_panes<Moments>(4);
    const auto average_ms = measure(repeats, [&] { keep(slide_averages(moments)); }).median() * 1e3;
    report.add_at_most("sliding_average/500x660/4_samples", average_ms, "ms", 15);
}

}  // namespace

void run(Report& report) {
    measure_adding(report);
    report.add_fact("wrong_edges/scale_6", static_cast<double>(count_wrong_edges()), "edges");
    measure_merging(report);
    measure_sliding(report);
}

}  // namespace highwater::bench
