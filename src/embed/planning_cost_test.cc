#include "embed/planning_cost.h"

#include <gtest/gtest.h>

namespace highwater::embed {
namespace {

std::vector<Duration> one_to(int last) {
    std::vector<Duration> samples;
    for (int i = last; i >= 1; --i) samples.push_back(Duration(i));
    return samples;
}

TEST(PercentileTest, IsTheNearestRankWhichIsAlwaysASample) {
    EXPECT_EQ(percentile(one_to(100), 95), Duration(95));
    EXPECT_EQ(percentile(one_to(100), 50), Duration(50));
    EXPECT_EQ(percentile(one_to(100), 100), Duration(100));
    EXPECT_EQ(percentile(one_to(100), 0.5), Duration(1));
    EXPECT_EQ(percentile(one_to(3), 50), Duration(2));
    EXPECT_EQ(percentile(one_to(1), 95), Duration(1));
}

TEST(PlanningCostTest, JsonHasWhatConclusionsAreDrawnFrom) {
    const PlanningCost cost{.method = "own plan",
                            .samples = {Duration(1'500), Duration(500)},
                            .requests = 1,
                            .listed_objects = 2,
                            .bytes_read = 3,
                            .files = 4};
    const Json json = to_json(cost);
    EXPECT_EQ(json.find("p50_us")->as_double(), 0.5);
    EXPECT_EQ(json.find("p95_us")->as_double(), 1.5);
    EXPECT_EQ(json.find("samples_us")->find_array()->size(), 2u);
}

}  // namespace
}  // namespace highwater::embed
