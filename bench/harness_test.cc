#include "harness.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace highwater::bench {
namespace {

TEST(SamplesTest, PercentileIsTheNearestRank) {
    const Samples samples({5, 1, 4, 2, 3, 10, 9, 8, 7, 6});
    EXPECT_EQ(samples.percentile(0.1), 1);
    EXPECT_EQ(samples.percentile(10), 1);
    EXPECT_EQ(samples.percentile(10.1), 2);
    EXPECT_EQ(samples.median(), 5);
    EXPECT_EQ(samples.percentile(95), 10);
    EXPECT_EQ(samples.percentile(100), 10);
    EXPECT_EQ(samples.total(), 55);
}

TEST(SamplesTest, OneSampleIsEveryPercentile) {
    const Samples samples({7});
    EXPECT_EQ(samples.percentile(1), 7);
    EXPECT_EQ(samples.percentile(100), 7);
}

TEST(SamplesDeathTest, RefusesWhatIsNoMeasurement) {
    EXPECT_DEATH(Samples({}), "no sample");
    EXPECT_DEATH(static_cast<void>(Samples({1}).percentile(0)), "above 0");
    EXPECT_DEATH(static_cast<void>(Samples({1}).percentile(100.5)), "at most 100");
}

TEST(MeasureTest, CountsOnlyTheCallsAfterTheWarmUp) {
    int calls = 0;
    const Samples samples = measure({.warmups = 3, .measured = 4}, [&] { ++calls; });
    EXPECT_EQ(calls, 7);
    EXPECT_EQ(samples.count(), 4U);
}

TEST(ReportTest, WritesOneLineARow) {
    Report report;
    report.add_at_most("plan/p95", 0.25, "ms", 1);
    report.add_at_least("pruned/speedup", 12.5, "x", 10);
    report.add_fact("files", 160, "objects");
    std::ostringstream out;
    report.write(out);
    EXPECT_EQ(out.str(),
              "plan/p95\t0.25\tms\tat most\t1\n"
              "pruned/speedup\t12.5\tx\tat least\t10\n"
              "files\t160\tobjects\tnone\t0\n");
}

TEST(ReportDeathTest, RefusesAFigureThatProvesNothing) {
    Report report;
    EXPECT_DEATH(report.add_fact("rate", 1.0 / 0.0, "rows/s"), "finite");
    EXPECT_DEATH(report.add_at_most("plan", 1, "ms", 0), "positive");
}

}  // namespace
}  // namespace highwater::bench
