#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "engine/arrow_engine.h"
#include "engine/duckdb_engine.h"
#include "engine/format.h"
#include "engine/prove.h"
#include "engine/query.h"
#include "engine/sample_table.h"
#include "env/clock.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};

/// A table on disk, and everything that reads one.
class Field : public ::testing::Test {
protected:
    Field() {
        fs::create_directory(lake());
        fs::create_directory(spill());
        table_.emplace(lake(), measurements(), "cpu");
        duckdb_.emplace(clock_, spill());
        arrow_.emplace(spill());
    }

    std::string lake() const { return directory_.path() + "/lake"; }
    std::string spill() const { return directory_.path() + "/spill"; }

    /// `count` rows whose column "count" runs up from `from`.
    parquet::RowBatch rows(model::Hour hour, std::int64_t from, std::size_t count) const {
        parquet::RowBatch batch = parquet::make_batch(table_->schema());
        for (std::size_t row = 0; row < count; ++row) {
            const auto at = static_cast<std::int64_t>(row);
            batch.columns[0].append_integer(to_ns(model::start_of(hour)) / 1'000 + at);
            batch.columns[1].append_bytes(row % 2 == 0 ? "web-01" : "web-02");
            batch.columns[2].append_floating(static_cast<double>(row));
            batch.columns[3].append_integer(from + at);
        }
        return batch;
    }

    std::string csv(const std::string& sql) {
        const auto answer =
            run_query(table_->plan(), sql, {.directory = spill(), .limits = {}}, clock_, {});
        EXPECT_THAT(answer, IsOk());
        if (!answer.ok()) return {};
        std::ostringstream out;
        EXPECT_THAT(write_text(*answer, TextFormat::csv, out), IsOk());
        return out.str();
    }

    Proof prove_all(const std::vector<object::Name>& known_others = {}) {
        auto proof = prove(table_->plan(), *duckdb_, *arrow_, known_others, {});
        EXPECT_THAT(proof, IsOk());
        return *std::move(proof);
    }

    testkit::TemporaryDirectory directory_;
    env::SystemClock clock_;
    std::optional<SampleTable> table_;
    std::optional<DuckDb> duckdb_;
    std::optional<ArrowDataset> arrow_;
};

/// Rows of an answer by the file that each says it comes from.
std::map<std::string, std::uint64_t> count_by_file(const ResultTable& table) {
    std::map<std::string, std::uint64_t> counts;
    RowCursor cursor = table.read();
    for (;;) {
        const auto batch = cursor.next();
        EXPECT_THAT(batch, IsOk());
        if (!batch.ok() || !*batch) return counts;
        for (std::size_t row = 0; row < (*batch)->rows(); ++row) {
            ++counts[std::string((*batch)->columns.back().bytes_at(row))];
        }
    }
}

TEST_F(Field, A29_BroadAndPrunedPredicatesGiveTheSameFilesAndRowsInBothEngines) {
    table_->row_group_rows = 50;  // So that statistics prune.
    for (std::int64_t i = 0; i < 3; ++i) {
        const model::Hour hour{nine.since_epoch + i};
        table_->add(hour, "a.parquet", rows(hour, 1'000 * i, 200));
        table_->add(hour, "b.parquet", rows(hour, 1'000 * i + 500, 200));
    }
    const auto agree = [&](const std::vector<Condition>& conditions, std::uint64_t expected,
                           std::size_t files) {
        const Scan scan{.columns = {"count"}, .conditions = conditions, .with_filename = true};
        const auto left = duckdb_->select_rows(table_->planned(), scan, {});
        const auto right = arrow_->select_rows(table_->planned(), scan, {});
        ASSERT_THAT(left, IsOk());
        ASSERT_THAT(right, IsOk());
        EXPECT_EQ(left->row_count(), expected);
        EXPECT_EQ(count_by_file(*left), count_by_file(*right));
        EXPECT_EQ(count_by_file(*left).size(), files);
    };
    agree({}, 1'200, 6);
    agree({{"host", Comparison::equal, std::string("web-01")}}, 600, 6);
    agree({{"count", Comparison::at_least, std::int64_t{2'000}}}, 400, 2);
    agree({{"count", Comparison::equal, std::int64_t{1'699}}}, 1, 1);
    agree({{"count", Comparison::equal, std::int64_t{1'300}}}, 0, 0);
    EXPECT_TRUE(prove_all().verdict.is_proved());
}

TEST_F(Field, A30_AReadAtAnOlderGenerationPrunesByItsOwnFiles) {
    const auto old = table_->add(nine, "a-46.parquet", rows(nine, 0, 100));
    const read::PlannedTable at_46 = table_->planned();
    // Generation 47 restates the hour with values far from the old ones.
    table_->planned().files.clear();
    table_->add(nine, "a-47.parquet", rows(nine, 1'000'000, 100));
    const Scan old_values{.columns = {"count"},
                          .conditions = {{"count", Comparison::less, std::int64_t{50}}},
                          .with_filename = true};
    for (Engine* const engine : {static_cast<Engine*>(&*duckdb_), static_cast<Engine*>(&*arrow_)}) {
        const auto before = engine->select_rows(at_46, old_values, {});
        ASSERT_THAT(before, IsOk());
        EXPECT_EQ(count_by_file(*before),
                  (std::map<std::string, std::uint64_t>{{SampleTable::path_of(old), 50}}));
        const auto after = engine->select_rows(table_->planned(), old_values, {});
        ASSERT_THAT(after, IsOk());
        EXPECT_EQ(after->row_count(), 0U);
    }
}

TEST_F(Field, A45_ARawListingNeverBecomesRows) {
    const auto old = table_->write(nine, "a-1.parquet", rows(nine, 0, 100));
    const auto now = table_->add(nine, "a-2.parquet", rows(nine, 0, 100));
    const Scan scan{.columns = {"count"}, .with_filename = true};
    const std::map<std::string, std::uint64_t> expected = {{SampleTable::path_of(now), 100}};
    EXPECT_EQ(count_by_file(*duckdb_->select_rows(table_->planned(), scan, {})), expected);
    EXPECT_EQ(count_by_file(*arrow_->select_rows(table_->planned(), scan, {})), expected);
    EXPECT_EQ(csv("SELECT count(*) AS n FROM cpu"), "n\n100\n");
    // Whoever reads the pattern gets both, and the proof says so.
    const Proof proof = prove_all({old.name});
    EXPECT_TRUE(proof.verdict.is_proved());
    EXPECT_EQ(proof.verdict.tables[0].raw->rows, 200U);
    EXPECT_FALSE(proof.verdict.tables[0].raw->is_right);
}

TEST_F(Field, A66_ACountFromMetadataIsNoProof) {
    const auto file = table_->add(nine, "a.parquet", rows(nine, 0, 2'000));
    ASSERT_TRUE(prove_all().verdict.is_proved());
    const std::string path = SampleTable::path_of(file);
    fs::permissions(path, fs::perms::owner_all);
    const auto flip = [&](std::size_t offset) {
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(offset));
        const char byte = static_cast<char>(stream.get());
        stream.seekp(static_cast<std::streamoff>(offset));
        stream.put(static_cast<char>(byte ^ 0x10));
    };
    int counted_all_the_same = 0;
    const auto pages = fs::file_size(path) * 3 / 4;
    for (std::size_t offset = 8; offset < pages; offset += pages / 4) {
        flip(offset);
        const auto count = run_query(table_->plan(), "SELECT count(*) FROM cpu",
                                     {.directory = spill(), .limits = {}}, clock_, {});
        const Proof proof = prove_all();
        if (count.ok() && !proof.verdict.is_proved()) {
            ++counted_all_the_same;
            for (const ProofProblem& problem : proof.verdict.problems) {
                EXPECT_EQ(problem.name, file.name);
            }
        }
        flip(offset);
    }
    EXPECT_GT(counted_all_the_same, 0);
    // Cut off, and gone.
    fs::resize_file(path, fs::file_size(path) - 8);
    EXPECT_FALSE(prove_all().verdict.is_proved());
    fs::remove(path);
    EXPECT_FALSE(prove_all().verdict.is_proved());
}

TEST_F(Field, A23_OneMissingFileOfManyIsNamedAndNothingIsServed) {
    read::PlannedFile missing;
    for (std::int64_t i = 0; i < 23; ++i) {
        const auto file =
            table_->add(nine, "part-" + std::to_string(i) + ".parquet", rows(nine, 100 * i, 100));
        if (i == 11) missing = file;
    }
    fs::remove(SampleTable::path_of(missing));
    const std::string name = "part-11.parquet";
    const Scan everything;
    for (Engine* const engine : {static_cast<Engine*>(&*duckdb_), static_cast<Engine*>(&*arrow_)}) {
        const auto answer = engine->select_rows(table_->planned(), everything, {});
        ASSERT_THAT(answer, FailsWith(Code::not_found));
        EXPECT_THAT(answer.error().message(), HasSubstr(name));
    }
    const auto answer = run_query(table_->plan(), "SELECT count(*) FROM cpu",
                                  {.directory = spill(), .limits = {}}, clock_, {});
    ASSERT_THAT(answer, FailsWith(Code::not_found));
    EXPECT_THAT(answer.error().message(), HasSubstr(name));
    const Proof proof = prove_all();
    EXPECT_FALSE(proof.verdict.is_proved());
    for (const ProofProblem& problem : proof.verdict.problems) {
        EXPECT_EQ(problem.name, missing.name) << format_proof(proof);
    }
}

}  // namespace
}  // namespace highwater::engine
