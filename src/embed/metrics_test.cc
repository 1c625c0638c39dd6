#include "embed/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::embed {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

class MetricsFileTest : public ::testing::Test {
protected:
    testkit::TemporaryDirectory folder;
    const std::string path = folder.path() + "/metrics.prom";
    MetricsFile metrics{path};
};

TEST_F(MetricsFileTest, GaugesReplaceAndCountersAdd) {
    const std::string refusals = "highwater_refusals_total{type=\"stale\"}";
    ASSERT_THAT(metrics.add({{{"highwater_head_generation", 46}}, {{refusals, 1}}}), IsOk());
    ASSERT_THAT(metrics.add({{{"highwater_head_generation", 47}}, {{refusals, 2}}}), IsOk());
    const auto values = metrics.load();
    ASSERT_THAT(values, IsOk());
    EXPECT_EQ(values->at("highwater_head_generation"), 47);
    EXPECT_EQ(values->at(refusals), 3);
}

TEST_F(MetricsFileTest, TheTextIsWhatPrometheusReads) {
    ASSERT_THAT(
        metrics.add({{{"a_gauge", 1.5}}, {{"b_total{x=\"1\"}", 1}, {"b_total{x=\"2\"}", 2}}}),
        IsOk());
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text,
              "# TYPE a_gauge gauge\na_gauge 1.5\n"
              "# TYPE b_total counter\nb_total{x=\"1\"} 1\nb_total{x=\"2\"} 2\n");
}

TEST_F(MetricsFileTest, WhatIsNoMetricIsLeftOut) {
    std::ofstream(path) << "garbage\nname not-a-number\ngood 7\n";
    ASSERT_THAT(metrics.add({{}, {{"more_total", 1}}}), IsOk());
    const auto values = metrics.load();
    ASSERT_THAT(values, IsOk());
    EXPECT_EQ(values->size(), 2u);
    EXPECT_EQ(values->at("good"), 7);
}

TEST_F(MetricsFileTest, NothingIsLostWhenManyAddAtOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this] {
            for (int n = 0; n < 25; ++n) {
                EXPECT_THAT(MetricsFile(path).add({{}, {{"n_total", 1}}}), IsOk());
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(metrics.load()->at("n_total"), 100);
}

TEST_F(MetricsFileTest, AnUnwritableFileIsAnErrorAndLeavesTheOldOne) {
    MetricsFile nowhere(folder.path() + "/absent/metrics.prom");
    EXPECT_THAT(nowhere.add({}), FailsWith(Code::unavailable));
}

}  // namespace
}  // namespace highwater::embed
