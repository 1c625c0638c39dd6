#include "engine/prove.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "engine/sample_table.h"
#include "env/clock.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using testkit::FailsWith;
using testkit::IsOk;
using Kind = ProofProblemKind;

constexpr model::Hour nine{497'577};
constexpr model::Hour ten{497'578};

class ProveTest : public ::testing::Test {
protected:
    ProveTest() {
        fs::create_directory(location());
        fs::create_directory(spill());
        table_.emplace(location(), measurements());
    }

    std::string location() const { return directory_.path() + "/lake"; }
    std::string spill() const { return directory_.path() + "/spill"; }

    read::PlannedFile add(model::Hour hour, const std::string& file, std::uint64_t seed) {
        return table_->add(hour, file, sample_rows(table_->schema(), hour, 50, seed));
    }

    Proof prove_all(const std::vector<object::Name>& known_others = {}) {
        DuckDb duckdb(clock_, spill());
        ArrowDataset arrow(spill());
        auto proof = prove(table_->plan(), duckdb, arrow, known_others, {});
        EXPECT_THAT(proof, IsOk());
        return proof.ok() ? *std::move(proof) : Proof{};
    }

    /// The files that problems name, as long as all are of one kind.
    static std::set<std::string> named(const Proof& proof, Kind kind) {
        std::set<std::string> files;
        for (const ProofProblem& problem : proof.verdict.problems) {
            EXPECT_EQ(problem.kind, kind) << format_proof(proof);
            if (problem.name) files.insert(problem.name->path);
        }
        return files;
    }

    testkit::TemporaryDirectory directory_;
    env::SystemClock clock_;
    std::optional<SampleTable> table_;
};

TEST_F(ProveTest, BothEnginesSeeWhatWasRegistered) {
    add(nine, "a.parquet", 1);
    add(nine, "b.parquet", 2);
    add(ten, "c.parquet", 3);
    const Proof proof = prove_all();
    EXPECT_TRUE(proof.verdict.is_proved()) << format_proof(proof);
    ASSERT_EQ(proof.verdict.tables.size(), 1U);
    ASSERT_EQ(proof.verdict.tables[0].totals.size(), 2U);
    EXPECT_EQ(proof.verdict.tables[0].totals[0].engine, "duckdb");
    EXPECT_EQ(proof.verdict.tables[0].totals[1].engine, "arrow");
    EXPECT_EQ(proof.verdict.tables[0].totals[0].rows, 150U);
    EXPECT_EQ(proof.verdict.tables[0].totals[0].row_fingerprint,
              proof.verdict.tables[0].totals[1].row_fingerprint);
    EXPECT_TRUE(proof.verdict.tables[0].raw->is_right);
    EXPECT_EQ(proof.facts.tables[0].engines[1].ledger.listed_files, 3U);
}

TEST_F(ProveTest, ASwappedFileOfTheSameSizeIsNamed) {
    // Equal but for one number that takes the same space.
    auto rows = parquet::make_batch(table_->schema());
    auto other_rows = rows;
    for (auto* batch : {&rows, &other_rows}) {
        batch->columns[0].append_integer(to_ns(model::start_of(nine)) / 1'000);
        batch->columns[1].append_bytes("web-01");
        batch->columns[2].append_floating(0.5);
        batch->columns[3].append_integer(batch == &rows ? 11 : 12);
    }
    const auto a = table_->add(nine, "a.parquet", rows);
    const auto b = table_->add(nine, "b.parquet", other_rows);
    add(ten, "c.parquet", 3);
    ASSERT_EQ(a.identity.size_bytes, b.identity.size_bytes);
    fs::rename(SampleTable::path_of(a), location() + "/aside");
    fs::rename(SampleTable::path_of(b), SampleTable::path_of(a));
    fs::rename(location() + "/aside", SampleTable::path_of(b));
    const Proof proof = prove_all();
    EXPECT_EQ(named(proof, Kind::fingerprint_differs), (std::set{a.name.path, b.name.path}));
    // The sums over the hour are what they were: only the files tell.
    const auto& totals = proof.verdict.tables[0].totals;
    DigestSum sum = to_digest_sum(*a.row_fingerprint);
    sum += to_digest_sum(*b.row_fingerprint);
    sum += to_digest_sum(*table_->planned().files[2].row_fingerprint);
    EXPECT_EQ(totals[0].row_fingerprint, to_digest(sum));
}

TEST_F(ProveTest, ValuesSwappedBetweenRowsAreNoticed) {
    auto rows = sample_rows(table_->schema(), nine, 50, 1);
    auto swapped = parquet::make_batch(table_->schema());
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        for (std::size_t i = 0; i < rows.columns.size(); ++i) {
            // The counts of neighbours change places: every sum over a column stays.
            swapped.columns[i].append_from(rows.columns[i], i == 3 ? row ^ 1U : row);
        }
    }
    const auto planned = table_->add(nine, "a.parquet", rows);
    const auto other = table_->write(ten, "b.parquet", swapped);
    fs::rename(SampleTable::path_of(other), SampleTable::path_of(planned));
    EXPECT_EQ(named(prove_all(), Kind::fingerprint_differs), std::set{planned.name.path});
}

TEST_F(ProveTest, AfterACorrectionThePatternMixesGenerations) {
    const auto old = table_->write(nine, "a-1.parquet", sample_rows(table_->schema(), nine, 50, 1));
    add(nine, "a-2.parquet", 2);
    add(nine, "b.parquet", 3);
    const Proof proof = prove_all({old.name});
    EXPECT_TRUE(proof.verdict.is_proved()) << format_proof(proof);
    const RawVerdict& raw = *proof.verdict.tables[0].raw;
    EXPECT_FALSE(raw.is_right);
    EXPECT_EQ(raw.extra, std::vector{old.name});
    EXPECT_EQ(raw.rows, 150U);
    EXPECT_EQ(proof.verdict.tables[0].expected_rows, 100U);
}

TEST_F(ProveTest, AFileThatNobodyKnowsIsNamed) {
    add(nine, "a.parquet", 1);
    const auto stray =
        table_->write(nine, "deep/.hidden", sample_rows(table_->schema(), nine, 5, 1));
    EXPECT_EQ(named(prove_all(), Kind::file_unexpected), std::set{stray.name.path});
    EXPECT_TRUE(prove_all({stray.name}).verdict.is_proved());
}

TEST_F(ProveTest, FilesWithoutRowsAndHoursWithoutFilesAreProvedToo) {
    table_->declare_empty(ten);
    table_->add(nine, "empty.parquet", parquet::make_batch(table_->schema()));
    const Proof proof = prove_all();
    EXPECT_TRUE(proof.verdict.is_proved()) << format_proof(proof);
    EXPECT_TRUE(proof.verdict.tables[0].raw->is_right);
    const auto stray = table_->write(ten, "a.parquet", sample_rows(table_->schema(), ten, 5, 1));
    EXPECT_EQ(named(prove_all(), Kind::file_unexpected), std::set{stray.name.path});
}

TEST_F(ProveTest, ABrokenFileIsNamedByBothEngines) {
    add(nine, "a.parquet", 1);
    const auto broken = add(nine, "b.parquet", 2);
    const std::string path = SampleTable::path_of(broken);
    fs::permissions(path, fs::perms::owner_all);
    fs::resize_file(path, fs::file_size(path) - 1);
    const Proof proof = prove_all();
    EXPECT_EQ(named(proof, Kind::file_unreadable), std::set{broken.name.path});
    EXPECT_EQ(proof.verdict.problems.size(), 2U);
    EXPECT_FALSE(proof.verdict.tables[0].raw->is_right);
}

TEST_F(ProveTest, AnEngineThatCannotReadATableIsNoProof) {
    table_.emplace(location(), measurements(model::TimeUnit::nanosecond));
    add(nine, "a.parquet", 1);
    const Proof proof = prove_all();
    ASSERT_EQ(proof.verdict.problems.size(), 1U) << format_proof(proof);
    EXPECT_EQ(proof.verdict.problems[0].kind, Kind::engine_failed);
    EXPECT_EQ(proof.verdict.problems[0].engine, "duckdb");
}

TEST_F(ProveTest, StopsWhenItIsAsked) {
    add(nine, "a.parquet", 1);
    DuckDb duckdb(clock_, spill());
    ArrowDataset arrow(spill());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THAT(prove(table_->plan(), duckdb, arrow, {}, stop.get_token()),
                FailsWith(Code::cancelled));
}

}  // namespace
}  // namespace highwater::engine
