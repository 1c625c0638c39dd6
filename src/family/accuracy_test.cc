// Bounds and exactness against oracles that know every row: a sort of all rows for quantiles, sets
// for distinct counts, rationals in another language for sums. Prints the worst observed error over
// its bound, so that one sees how much a bound leaves.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "family/state.h"
#include "testkit/acceptance.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::family {
namespace {

using testkit::IsOk;

using Series = std::pair<std::string, std::vector<double>>;

/// Seeded, of kinds that telemetry has and of kinds that break summaries.
std::vector<Series> make_distributions() {
    constexpr std::size_t rows = 20'000;
    std::mt19937_64 random(20'261'201);
    const auto draw = [&](auto distribution) {
        std::vector<double> values(rows);
        for (double& value : values) value = distribution(random);
        return values;
    };
    std::vector<Series> all;
    all.emplace_back("lognormal", draw(std::lognormal_distribution(0.0, 1.5)));
    all.emplace_back("normal", draw(std::normal_distribution(0.0, 10.0)));
    all.emplace_back("uniform", draw(std::uniform_real_distribution(-1.0, 1.0)));
    all.emplace_back("exponential", draw(std::exponential_distribution(0.01)));
    all.emplace_back("integers", std::vector<double>());
    for (std::size_t i = 0; i < rows; ++i) {
        all.back().second.push_back(static_cast<double>(random() % 50) - 10);
    }
    all.emplace_back("pareto", draw(std::uniform_real_distribution(0.0, 1.0)));
    for (double& value : all.back().second) value = 1 / (1 - value);
    all.emplace_back("far magnitudes", std::vector<double>());
    const std::vector<double> far = {1e308, -1e308, 1e-308, -1e-308, 5e-324, 1, -0.0, 3e-310};
    for (std::size_t i = 0; i < rows; ++i) {
        all.back().second.push_back(far[random() % far.size()]);
    }
    all.emplace_back("any bits", std::vector<double>());
    while (all.back().second.size() < rows) {
        const auto value = std::bit_cast<double>(random());
        if (std::isfinite(value)) all.back().second.push_back(value);
    }
    return all;
}

/// The value column of every file of the acceptance telemetry.
std::vector<Series> read_telemetry(const std::string& folder) {
    std::vector<Series> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".csv") continue;
        std::ifstream file(entry.path());
        std::vector<double> values;
        std::string line;
        std::getline(file, line);  // The names of the columns.
        while (std::getline(file, line)) {
            values.push_back(std::stod(line.substr(line.find(',') + 1)));
        }
        all.emplace_back(entry.path().stem().string(), std::move(values));
    }
    std::ranges::sort(all);
    return all;
}

/// One state of all values, merged from panes of random sizes in random order.
template <typename State>
State merge_of_panes(const std::vector<double>& values, typename State::Parameters parameters,
                     std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<State> panes;
    for (std::size_t at = 0; at < values.size();) {
        std::vector<Sample> samples;
        for (auto left = 1 + random() % 300; left > 0 && at < values.size(); --left) {
            samples.push_back(
                {.time = time_from_ns(static_cast<std::int64_t>(at)), .value = values[at]});
            ++at;
        }
        panes.emplace_back(parameters);
        EXPECT_THAT(panes.back().add(samples), IsOk());
    }
    std::ranges::shuffle(panes, random);
    State merged(parameters);
    for (const State& pane : panes) EXPECT_THAT(merged.merge(pane), IsOk());
    return merged;
}

/// The worst |estimate - truth| / bound over many quantiles; fails the test beyond 1.
double find_worst_quantile(const Series& series) {
    std::vector<double> sorted = series.second;
    const auto state = merge_of_panes<ExponentialHistogram>(sorted, {}, sorted.size());
    EXPECT_EQ(state.totals().samples(), sorted.size());
    std::ranges::sort(sorted);
    double worst = 0;
    double before = sorted.front();
    for (int i = 0; i <= 1'000; ++i) {
        const double q = i / 1'000.0;
        const double rank = q * static_cast<double>(sorted.size() - 1);
        const auto lower = static_cast<std::size_t>(rank);
        const std::size_t upper = std::min(lower + 1, sorted.size() - 1);
        const double weight = rank - std::floor(rank);
        const double truth = sorted[lower] * (1 - weight) + sorted[upper] * weight;
        const Readout readout = state.read_quantile(q);
        const auto& estimate = std::get<Estimate>(readout);
        worst = std::max(worst, std::abs(estimate.value - truth) / estimate.error);
        EXPECT_GE(estimate.value, before) << series.first << " " << q;
        before = estimate.value;
    }
    EXPECT_LE(worst, 1 + 1e-9) << series.first;  // The oracle rounds, too.
    const Readout min = state.read_min();
    const Readout max = state.read_max();
    EXPECT_EQ(std::get<Estimate>(min).value, sorted.front());
    EXPECT_EQ(std::get<Estimate>(max).value, sorted.back());
    return worst;
}

double find_worst_distinct(const Series& series) {
    const std::set<double> values(series.second.begin(), series.second.end());
    const auto state = merge_of_panes<Distinct>(series.second, {}, 7);
    const Readout readout = state.read_distinct();
    const auto& estimate = std::get<Estimate>(readout);
    return std::abs(estimate.value - static_cast<double>(values.size())) / estimate.error;
}

void check_bounds(const std::vector<Series>& all) {
    std::size_t outside = 0;
    for (const Series& series : all) {
        const double quantile = find_worst_quantile(series);
        const double distinct = find_worst_distinct(series);
        outside += distinct > 1 ? 1 : 0;
        EXPECT_LE(distinct, 2) << series.first;  // Four standard errors.
        fmt::print("{:<42} worst quantile error / bound {:.4f}, distinct {:.4f}\n", series.first,
                   quantile, distinct);
    }
    EXPECT_LE(outside, 1 + all.size() / 6);
}

void check_exact_sums(const std::vector<Series>& all) {
    const testkit::TemporaryDirectory directory;
    const std::string rows = directory.path() + "/rows";
    const std::string answers = directory.path() + "/answers";
    std::ofstream file(rows);
    for (const auto& [name, values] : all) {
        for (const double value : values) file << fmt::format("{:a} ", value);
        file << '\n';
    }
    file.close();
    const std::string command =
        "python3 " HIGHWATER_SOURCE_DIR "/tests/accuracy/exact_sums.py <" + rows + " >" + answers;
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream lines(answers);
    for (const auto& [name, values] : all) {
        const auto state = merge_of_panes<Moments>(values, {.has_squares = true}, values.size());
        for (const Readout& readout :
             {state.read_sum(), state.read_average(), state.read_standard_deviation()}) {
            std::string word;
            lines >> word;
            EXPECT_EQ(std::get<Estimate>(readout).value, std::strtod(word.c_str(), nullptr))
                << name << " " << word;
            EXPECT_EQ(std::get<Estimate>(readout).guarantee, Guarantee::exact());
        }
        const Readout last = state.read_last();
        EXPECT_EQ(std::get<Estimate>(last).value, values.back()) << name;
    }
}

bool has_python() {
    return std::system("python3 -c 'import fractions' 2>/dev/null") == 0;
}

TEST(Accuracy, QuantilesAndDistinctCountsOfSeededRows) {
    check_bounds(make_distributions());
}

TEST(Accuracy, SumsOfSeededRowsAreThoseOfRationals) {
    if (!has_python()) GTEST_SKIP() << "no python3";
    check_exact_sums(make_distributions());
}

TEST(Accuracy, QuantilesAndDistinctCountsOfRealSeries) {
    const auto folder = testkit::find_acceptance("telemetry");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    const auto all = read_telemetry(*folder);
    ASSERT_FALSE(all.empty());
    check_bounds(all);
}

TEST(Accuracy, SumsOfRealSeriesAreThoseOfRationals) {
    const auto folder = testkit::find_acceptance("telemetry");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    if (!has_python()) GTEST_SKIP() << "no python3";
    check_exact_sums(read_telemetry(*folder));
}

}  // namespace
}  // namespace highwater::family
