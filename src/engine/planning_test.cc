#include "engine/planning.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "engine/sample_table.h"
#include "env/simulated_clock.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using testkit::FailsWith;
using testkit::IsOk;

constexpr PlanningMethod methods[] = {PlanningMethod::duckdb_pattern, PlanningMethod::duckdb_list,
                                      PlanningMethod::arrow_discovery};

class PlanningTest : public ::testing::Test {
protected:
    PlanningTest() {
        fs::create_directory(directory_.path() + "/it's a [lake]");
        fs::create_directory(directory_.path() + "/spill");
        table_.emplace(directory_.path() + "/it's a [lake]", measurements());
        options_.directory = directory_.path() + "/spill";
        options_.repeats = 3;
    }

    /// Four hours of two files each, of which two are planned.
    void publish() {
        for (std::int64_t i = 0; i < 4; ++i) {
            const model::Hour hour{497'577 + i};
            for (const std::string file : {"a.parquet", "b.parquet"}) {
                const auto rows = sample_rows(table_->schema(), hour, 10, 1);
                if (i < 2) {
                    table_->add(hour, file, rows);
                } else {
                    table_->write(hour, file, rows);
                }
            }
        }
    }

    testkit::TemporaryDirectory directory_;
    env::SimulatedClock clock_{time_from_ns(0)};
    PlanningOptions options_;
    std::optional<SampleTable> table_;
};

TEST_F(PlanningTest, EveryMethodFindsTheSameRows) {
    publish();
    for (const PlanningMethod method : methods) {
        const auto cost = measure_planning(method, table_->planned(), options_, clock_, {});
        ASSERT_THAT(cost, IsOk()) << to_text(method);
        EXPECT_EQ(cost->method, method);
        EXPECT_EQ(cost->samples.size(), 3U);
        EXPECT_EQ(cost->rows, 40U) << to_text(method);
        EXPECT_EQ(cost->files, 4U) << to_text(method);
    }
}

TEST_F(PlanningTest, ListingsAreCounted) {
    publish();
    const auto listed = [&](PlanningMethod method) {
        const auto cost = measure_planning(method, table_->planned(), options_, clock_, {});
        EXPECT_THAT(cost, IsOk()) << to_text(method);
        return cost.ok() ? cost->listed_files : 0;
    };
    EXPECT_EQ(listed(PlanningMethod::duckdb_pattern), 8U);
    EXPECT_EQ(listed(PlanningMethod::duckdb_list), 0U);
    EXPECT_EQ(listed(PlanningMethod::arrow_discovery), 4U);
}

TEST_F(PlanningTest, APatternWithoutNamedFoldersCannotBePruned) {
    table_->planned().table.pattern = *model::PathPattern::parse("{YYYY-MM-DD}/{HH}");
    publish();
    EXPECT_THAT(
        measure_planning(PlanningMethod::duckdb_pattern, table_->planned(), options_, clock_, {}),
        FailsWith(Code::unsupported));
    fs::create_directory(directory_.path() + "/other");
    table_.emplace(directory_.path() + "/other", measurements());
    table_->planned().table.pattern = *model::PathPattern::parse("day={YYYY-MM-DD}/hour={HH}");
    publish();
    const auto cost =
        measure_planning(PlanningMethod::duckdb_pattern, table_->planned(), options_, clock_, {});
    ASSERT_THAT(cost, IsOk());
    EXPECT_EQ(cost->rows, 40U);
}

TEST_F(PlanningTest, StopsWhenItIsAsked) {
    publish();
    std::stop_source stop;
    stop.request_stop();
    for (const PlanningMethod method : methods) {
        EXPECT_THAT(measure_planning(method, table_->planned(), options_, clock_, stop.get_token()),
                    FailsWith(Code::cancelled));
    }
}

}  // namespace
}  // namespace highwater::engine
