#include "engine/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/arrow_engine.h"
#include "engine/duckdb_engine.h"
#include "engine/sample_table.h"
#include "env/clock.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using model::ColumnType;
using model::TimeUnit;
using parquet::RowBatch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};  // 2026-10-06T09
constexpr model::Hour ten{497'578};
constexpr model::Hour eleven{497'579};
constexpr model::Hour before_epoch{-30'001};

/// One engine under test.
struct Backend {
    std::string name;
    std::function<std::unique_ptr<Engine>(env::Clock&, const std::string&, const EngineLimits&)>
        make;
};

void PrintTo(const Backend& backend, std::ostream* out) {  // NOLINT(readability-identifier-naming)
    *out << backend.name;
}

class EngineTest : public ::testing::TestWithParam<Backend> {
protected:
    void SetUp() override {
        fs::create_directory(location());
        fs::create_directory(spill());
        engine_ = GetParam().make(clock_, spill(), {});
    }

    // Nothing that an engine needed stays behind.
    void TearDown() override { EXPECT_TRUE(fs::is_empty(spill())); }

    std::string location() const { return directory_.path() + "/lake"; }
    std::string spill() const { return directory_.path() + "/spill"; }

    Result<ResultTable> select(const SampleTable& table, const Scan& scan = {}) {
        return engine_->select_rows(table.planned(), scan, {});
    }

    testkit::TemporaryDirectory directory_;
    env::SystemClock clock_;
    std::unique_ptr<Engine> engine_;
};

/// Every row of an answer in one batch.
RowBatch collect(const ResultTable& table) {
    RowBatch all;
    for (const ResultColumn& column : table.columns()) all.columns.emplace_back(column.type);
    RowCursor cursor = table.read();
    for (;;) {
        const auto batch = cursor.next();
        EXPECT_THAT(batch, IsOk());
        if (!batch.ok() || !*batch) return all;
        for (std::size_t row = 0; row < (*batch)->rows(); ++row) {
            parquet::append_row(all, **batch, row);
        }
    }
}

RowBatch join(const RowBatch& left, const RowBatch& right) {
    RowBatch both = left;
    for (std::size_t row = 0; row < right.rows(); ++row) parquet::append_row(both, right, row);
    return both;
}

/// The same cells; any NaN is any other.
bool is_same(const RowBatch& left, const RowBatch& right) {
    if (left.columns.size() != right.columns.size() || left.rows() != right.rows()) return false;
    for (std::size_t i = 0; i < left.columns.size(); ++i) {
        const parquet::Cells& a = left.columns[i];
        const parquet::Cells& b = right.columns[i];
        for (std::size_t row = 0; row < left.rows(); ++row) {
            const bool are_nan = parquet::storage_of(a.type()) == parquet::Storage::floating &&
                                 !a.is_null(row) && !b.is_null(row) &&
                                 std::isnan(a.floating_at(row)) && std::isnan(b.floating_at(row));
            if (a.type() != b.type()) return false;
            if (!are_nan && parquet::compare_cells(a, row, b, row) != 0) return false;
        }
    }
    return true;
}

void flip_byte(const std::string& path, std::size_t offset) {
    fs::permissions(path, fs::perms::owner_all);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(byte ^ 0x40));
}

TEST_P(EngineTest, EveryTypeComesBackAsItWasWritten) {
    for (const TimeUnit unit : {TimeUnit::millisecond, TimeUnit::microsecond}) {
        for (const model::Hour hour : {nine, before_epoch}) {
            SampleTable table(location(), every_type(unit), std::string(to_text(unit)));
            const RowBatch rows = sample_rows(table.schema(), hour, 500, 7);
            table.add(hour, std::string(to_text(unit)) + ".parquet", rows);
            const auto answer = select(table);
            ASSERT_THAT(answer, IsOk());
            EXPECT_TRUE(is_same(collect(*answer), rows)) << to_text(unit);
            for (std::size_t i = 0; i < table.schema().columns.size(); ++i) {
                EXPECT_EQ(answer->columns()[i],
                          make_result_column(table.schema().columns[i], unit));
            }
        }
    }
}

TEST_P(EngineTest, NanosecondsAreWholeOrRefused) {
    SampleTable table(location(), measurements(TimeUnit::nanosecond));
    RowBatch rows = parquet::make_batch(table.schema());
    rows.columns[0].append_integer(to_ns(model::start_of(nine)) + 1);
    rows.columns[1].append_bytes("web-01");
    rows.columns[2].append_floating(0.5);
    rows.columns[3].append_integer(1);
    table.add(nine, "a.parquet", rows);
    const auto answer = select(table);
    const auto facts = engine_->gather_facts(table.planned(), {});
    if (engine_->name() == "duckdb") {
        EXPECT_THAT(answer, FailsWith(Code::unsupported));
        EXPECT_THAT(facts, FailsWith(Code::unsupported));
    } else {
        ASSERT_THAT(answer, IsOk());
        EXPECT_TRUE(is_same(collect(*answer), rows));
        ASSERT_THAT(facts, IsOk());
        EXPECT_EQ(facts->files.front().row_fingerprint,
                  table.planned().files.front().row_fingerprint);
    }
}

TEST_P(EngineTest, RowsComeInTheOrderOfThePlanWithTheirOwnFilename) {
    SampleTable table(location(), measurements());
    const auto b = table.add(ten, "b.parquet", sample_rows(table.schema(), ten, 3, 1));
    const auto a = table.add(ten, "a.parquet", sample_rows(table.schema(), ten, 2, 2));
    const auto c = table.add(nine, "c.parquet", sample_rows(table.schema(), nine, 2, 3));
    const auto answer = select(table, {.columns = {"count"}, .with_filename = true});
    ASSERT_THAT(answer, IsOk());
    const RowBatch rows = collect(*answer);
    std::vector<std::string> filenames;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        filenames.emplace_back(rows.columns[1].bytes_at(row));
    }
    const auto path = [](const read::PlannedFile& file) { return SampleTable::path_of(file); };
    EXPECT_THAT(filenames,
                ElementsAre(path(c), path(c), path(a), path(a), path(b), path(b), path(b)));
    EXPECT_EQ(answer->columns()[1].name, "filename");
}

TEST_P(EngineTest, TheRangeOfTimesIsHalfOpen) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 3'600, 1));
    table.add(ten, "b.parquet", sample_rows(table.schema(), ten, 3'600, 2));
    table.planned().range = {model::start_of(nine) + std::chrono::seconds(10),
                             model::start_of(ten) + std::chrono::seconds(1)};
    const auto answer = select(table, {.columns = {"time"}});
    ASSERT_THAT(answer, IsOk());
    EXPECT_EQ(answer->row_count(), 3'590U + 1U);
    // A bound between two microseconds.
    table.planned().range.to =
        model::start_of(nine) + std::chrono::seconds(10) + std::chrono::nanoseconds(1);
    EXPECT_EQ(select(table)->row_count(), 1U);
    table.planned().range.from = table.planned().range.to;
    EXPECT_EQ(select(table)->row_count(), 0U);
}

TEST_P(EngineTest, NegativeTimesAreInTheirHour) {
    SampleTable table(location(), measurements());
    table.add(before_epoch, "a.parquet", sample_rows(table.schema(), before_epoch, 100, 1));
    table.planned().range = {model::start_of(before_epoch), model::end_of(before_epoch)};
    EXPECT_EQ(select(table)->row_count(), 100U);
    table.planned().range.from += std::chrono::nanoseconds(1);
    EXPECT_EQ(select(table)->row_count(), 99U);
}

TEST_P(EngineTest, AnOlderFileHasNullsForWhatItLacks) {
    SampleTable table(location(), measurements());
    const RowBatch old_rows = sample_rows(table.schema(), nine, 5, 1);
    table.add(nine, "old.parquet", old_rows);
    table.add_column({.name = "zone", .type = ColumnType::string});
    table.add_column({.name = "load", .type = ColumnType::float32});
    const RowBatch new_rows = sample_rows(table.schema(), ten, 5, 2);
    table.add(ten, "new.parquet", new_rows);

    RowBatch expected = old_rows;
    expected.columns.emplace_back(ColumnType::string);
    expected.columns.emplace_back(ColumnType::float32);
    for (int i = 0; i < 5; ++i) {
        expected.columns[4].append_null();
        expected.columns[5].append_null();
    }
    const auto answer = select(table);
    ASSERT_THAT(answer, IsOk());
    EXPECT_TRUE(is_same(collect(*answer), join(expected, new_rows)));
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    ASSERT_EQ(facts->files.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(facts->files[i].row_fingerprint, table.planned().files[i].row_fingerprint);
    }
}

TEST_P(EngineTest, ANarrowerFileIsWidened) {
    model::Schema narrow = measurements();
    narrow.columns[2].type = ColumnType::float32;
    narrow.columns[3].type = ColumnType::int16;
    SampleTable old_table(location(), narrow);
    SampleTable table(location(), measurements());
    // The narrow file comes first: its types must not become everybody's.
    const RowBatch narrow_rows = sample_rows(narrow, nine, 50, 1);
    const auto narrow_file = old_table.write(nine, "a.parquet", narrow_rows);
    table.add(nine, "b.parquet", sample_rows(table.schema(), nine, 50, 2));
    table.planned().files.insert(table.planned().files.begin(), narrow_file);
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    ASSERT_EQ(facts->files.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(facts->files[i].failure, std::nullopt);
        EXPECT_EQ(facts->files[i].row_fingerprint, table.planned().files[i].row_fingerprint);
    }
}

TEST_P(EngineTest, ConditionsAndProjectionAgree) {
    SampleTable table(location(), every_type(TimeUnit::microsecond));
    table.row_group_rows = 100;
    const RowBatch rows = sample_rows(table.schema(), nine, 1'000, 5);
    table.add(nine, "a.parquet", rows);
    const Time half = model::start_of(nine) + std::chrono::minutes(30);
    const std::vector<std::pair<Condition, std::function<bool(std::size_t)>>> cases = {
        {{"a int32", Comparison::at_least, std::int64_t{0}},
         [&](std::size_t row) { return rows.columns[4].integer_at(row) >= 0; }},
        {{"a uint64", Comparison::less, std::int64_t{50}},
         [&](std::size_t row) {
             return static_cast<std::uint64_t>(rows.columns[9].integer_at(row)) < 50;
         }},
        {{"a float32", Comparison::greater, 0.05},
         [&](std::size_t row) { return rows.columns[10].floating_at(row) > 0.05; }},
        {{"a float64", Comparison::at_most, 0.0},
         [&](std::size_t row) { return rows.columns[11].floating_at(row) <= 0.0; }},
        {{"a string", Comparison::equal, std::string("it's \"100 %\"")},
         [&](std::size_t row) { return rows.columns[12].bytes_at(row) == "it's \"100 %\""; }},
        {{"a boolean", Comparison::equal, true},
         [&](std::size_t row) { return rows.columns[1].integer_at(row) == 1; }},
        {{"time", Comparison::less, half},
         [&](std::size_t row) { return rows.columns[0].integer_at(row) * 1'000 < to_ns(half); }},
    };
    for (const auto& [condition, holds] : cases) {
        const auto index = static_cast<std::size_t>(table.schema().find(condition.column) -
                                                    table.schema().columns.data());
        RowBatch expected;
        expected.columns.emplace_back(ColumnType::int64);
        for (std::size_t row = 0; row < rows.rows(); ++row) {
            if (rows.columns[index].is_null(row) || !holds(row)) continue;
            expected.columns[0].append_from(rows.columns[5], row);
        }
        const auto answer = select(table, {.columns = {"a int64"}, .conditions = {condition}});
        ASSERT_THAT(answer, IsOk()) << condition.column;
        EXPECT_GT(expected.rows(), 0U) << condition.column;
        EXPECT_TRUE(is_same(collect(*answer), expected)) << condition.column;
    }
}

TEST_P(EngineTest, RefusesAScanThatDoesNotFitTheTable) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 5, 1));
    const auto with = [&](const Condition& condition) {
        return select(table, {.conditions = {condition}});
    };
    EXPECT_THAT(select(table, {.columns = {"nothing"}}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(select(table, {.columns = {"host", "host"}}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(with({"host", Comparison::equal, std::int64_t{1}}),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(with({"count", Comparison::equal, 1.0}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(with({"value", Comparison::equal, std::nan("")}),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(with({"time", Comparison::equal, time_from_ns(1)}),
                FailsWith(Code::invalid_argument));
}

TEST_P(EngineTest, FactsAreThoseOfTheWriter) {
    SampleTable table(location(), every_type(TimeUnit::microsecond));
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 300, 1));
    table.add(nine, "b.parquet", sample_rows(table.schema(), nine, 1, 2));
    table.add(ten, "c.parquet", sample_rows(table.schema(), ten, 300, 3));
    table.planned().range = {model::start_of(nine), model::start_of(nine)};  // Does not matter.
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->engine, GetParam().name);
    ASSERT_EQ(facts->files.size(), 3U);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const read::PlannedFile& planned = table.planned().files[i];
        EXPECT_EQ(facts->files[i].name, planned.name);
        EXPECT_EQ(facts->files[i].rows, planned.record_count);
        EXPECT_EQ(facts->files[i].footer_rows, planned.record_count);
        EXPECT_EQ(facts->files[i].row_fingerprint, planned.row_fingerprint);
        EXPECT_EQ(facts->files[i].failure, std::nullopt);
        bytes += planned.identity.size_bytes;
    }
    EXPECT_EQ(facts->ledger.opened_files, 3U);
    EXPECT_GE(facts->ledger.reads, 3U);
    EXPECT_GE(facts->ledger.bytes_read, bytes / 2);
    EXPECT_LE(facts->ledger.bytes_read, bytes * 4);
}

TEST_P(EngineTest, AFileWithoutRowsIsStillAccountedFor) {
    SampleTable table(location(), measurements());
    table.add(nine, "empty.parquet", parquet::make_batch(table.schema()));
    table.add(nine, "full.parquet", sample_rows(table.schema(), nine, 4, 1));
    const auto answer = select(table);
    ASSERT_THAT(answer, IsOk());
    EXPECT_EQ(answer->row_count(), 4U);
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    ASSERT_EQ(facts->files.size(), 2U);
    EXPECT_EQ(facts->files[0].rows, 0U);
    EXPECT_EQ(facts->files[0].footer_rows, 0U);
    EXPECT_EQ(facts->files[0].row_fingerprint, Digest{});
    EXPECT_EQ(facts->files[0].row_fingerprint, table.planned().files[0].row_fingerprint);
    EXPECT_EQ(facts->ledger.opened_files, 2U);
}

TEST_P(EngineTest, AnHourWithoutFilesHasNoRows) {
    SampleTable table(location(), measurements());
    table.declare_empty(nine);
    const auto answer = select(table);
    ASSERT_THAT(answer, IsOk());
    EXPECT_EQ(answer->row_count(), 0U);
    EXPECT_EQ(answer->columns().size(), 4U);
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_TRUE(facts->files.empty());
}

TEST_P(EngineTest, OnlyFilesOfThePlanBecomeRows) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 4, 1));
    table.write(nine, "later.parquet", sample_rows(table.schema(), nine, 4, 2));
    EXPECT_EQ(select(table)->row_count(), 4U);
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->files.size(), 1U);
    if (facts->discovered) {
        EXPECT_EQ(facts->discovered->size(), 2U);
    }
}

TEST_P(EngineTest, NamesAreReadLiterally) {
    const std::string odd = location() + "/it's *?[a]{b,c}% 100%20 h\u00f6st \"q\"";
    fs::create_directory(odd);
    SampleTable table(odd, measurements());
    const std::vector<std::string> files = {"*.parquet",
                                            "?.parquet",
                                            "[ab].parquet",
                                            "a.parquet",
                                            "{a,b}.parquet",
                                            "'; --.parquet",
                                            "%2e%2e.parquet",
                                            "_hidden",
                                            ".dot",
                                            "~.parquet",
                                            "s3:%.parquet",
                                            "no extension",
                                            "\u00fcml.parquet",
                                            "deeper/hour=1/a.parquet",
                                            "$HOME.parquet",
                                            "a\"b.parquet"};
    std::uint64_t seed = 0;
    for (const std::string& file : files) {
        table.add(nine, file, sample_rows(table.schema(), nine, 3 + seed, seed));
        ++seed;
    }
    const auto answer = select(table, {.with_filename = true});
    ASSERT_THAT(answer, IsOk());
    std::set<std::string> seen;
    const RowBatch rows = collect(*answer);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        seen.emplace(rows.columns[4].bytes_at(row));
    }
    std::set<std::string> planned;
    for (const auto& file : table.planned().files) planned.insert(SampleTable::path_of(file));
    EXPECT_EQ(seen, planned);
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    ASSERT_EQ(facts->files.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        EXPECT_EQ(facts->files[i].name, table.planned().files[i].name);
        EXPECT_EQ(facts->files[i].row_fingerprint, table.planned().files[i].row_fingerprint);
    }
}

TEST_P(EngineTest, AMissingFileIsAnErrorAlsoIfItsNameFitsOthers) {
    for (const std::string victim : {"b.parquet", "*.parquet"}) {
        SampleTable table(location(), measurements(), victim == "*.parquet" ? "star" : "plain");
        const std::string odd = victim == "*.parquet" ? "2" : "1";
        table.add(nine, odd + "/a.parquet", sample_rows(table.schema(), nine, 4, 1));
        const auto gone =
            table.add(nine, odd + "/" + victim, sample_rows(table.schema(), nine, 4, 2));
        fs::remove(SampleTable::path_of(gone));
        EXPECT_THAT(select(table), FailsWith(Code::not_found)) << victim;
        const auto facts = engine_->gather_facts(table.planned(), {});
        ASSERT_THAT(facts, IsOk());
        ASSERT_EQ(facts->files.size(), 2U);
        for (const FileFacts& file : facts->files) {
            EXPECT_EQ(file.failure.has_value(), file.name == gone.name) << file.name.path;
        }
    }
}

TEST_P(EngineTest, ABrokenFileIsNamedAndTheOthersAreStillRead) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 400, 1));
    const auto cut = table.add(nine, "b.parquet", sample_rows(table.schema(), nine, 400, 2));
    table.add(nine, "c.parquet", sample_rows(table.schema(), nine, 400, 3));
    const std::string path = SampleTable::path_of(cut);
    fs::permissions(path, fs::perms::owner_all);
    fs::resize_file(path, fs::file_size(path) / 2);
    EXPECT_THAT(select(table), FailsWith(Code::corrupt));
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    ASSERT_EQ(facts->files.size(), 3U);
    EXPECT_EQ(facts->files[0].failure, std::nullopt);
    ASSERT_TRUE(facts->files[1].failure.has_value());
    EXPECT_EQ(facts->files[1].failure->code(), Code::corrupt);
    EXPECT_EQ(facts->files[2].row_fingerprint, table.planned().files[2].row_fingerprint);
    fs::resize_file(path, 0);
    EXPECT_THAT(select(table), FailsWith(Code::corrupt));
}

TEST_P(EngineTest, AFlippedByteNeverGivesTheRegisteredFacts) {
    SampleTable table(location(), measurements());
    const auto file = table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 60, 1));
    const std::string path = SampleTable::path_of(file);
    const auto size = fs::file_size(path);
    constexpr std::size_t step = 61;
    int unnoticed = 0;
    // Bytes that no reader looks at may flip without a trace; none may change what is read.
    for (std::size_t offset = 0; offset < size; offset += step) {
        flip_byte(path, offset);
        const auto facts = engine_->gather_facts(table.planned(), {});
        ASSERT_THAT(facts, IsOk()) << offset;
        ASSERT_EQ(facts->files.size(), 1U) << offset;
        const FileFacts& found = facts->files.front();
        const bool is_as_registered = !found.failure && found.rows == file.record_count &&
                                      found.row_fingerprint == file.row_fingerprint;
        if (is_as_registered) ++unnoticed;
        flip_byte(path, offset);
    }
    EXPECT_LT(unnoticed, static_cast<int>(size / step));
    EXPECT_EQ(engine_->gather_facts(table.planned(), {})->files.front().row_fingerprint,
              file.row_fingerprint);
}

TEST_P(EngineTest, ASwappedFileHasOtherFacts) {
    SampleTable table(location(), measurements());
    const auto a = table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 50, 1));
    const auto b = table.write(ten, "b.parquet", sample_rows(table.schema(), nine, 50, 2));
    fs::remove(SampleTable::path_of(a));
    fs::rename(SampleTable::path_of(b), SampleTable::path_of(a));
    const auto facts = engine_->gather_facts(table.planned(), {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->files.front().rows, 50U);
    EXPECT_EQ(facts->files.front().row_fingerprint, b.row_fingerprint);
    EXPECT_NE(facts->files.front().row_fingerprint, a.row_fingerprint);
}

TEST_P(EngineTest, LimitsOfTheAnswerHoldOnBothSides) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 10'000, 1));
    EngineLimits limits;
    limits.result.rows_max = 10'000;
    engine_ = GetParam().make(clock_, spill(), limits);
    EXPECT_THAT(select(table), IsOk());
    limits.result.rows_max = 9'999;
    engine_ = GetParam().make(clock_, spill(), limits);
    EXPECT_THAT(select(table), FailsWith(Code::exhausted));

    limits = {};
    limits.result.memory_bytes_max = 1'000;
    engine_ = GetParam().make(clock_, spill(), limits);
    const auto answer = select(table);
    ASSERT_THAT(answer, IsOk());
    EXPECT_TRUE(answer->is_spilled());
    EXPECT_TRUE(is_same(collect(*answer), sample_rows(table.schema(), nine, 10'000, 1)));
    limits.result.size_bytes_max = answer->size_bytes();
    engine_ = GetParam().make(clock_, spill(), limits);
    EXPECT_THAT(select(table), IsOk());
    --limits.result.size_bytes_max;
    engine_ = GetParam().make(clock_, spill(), limits);
    EXPECT_THAT(select(table), FailsWith(Code::exhausted));
}

TEST_P(EngineTest, MemoryHasALimit) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 200'000, 1));
    EngineLimits limits;
    limits.memory_bytes = std::uint64_t{64} << 20U;
    engine_ = GetParam().make(clock_, spill(), limits);
    EXPECT_THAT(select(table), IsOk());
    limits.memory_bytes = std::uint64_t{1} << 20U;
    engine_ = GetParam().make(clock_, spill(), limits);
    EXPECT_THAT(select(table), FailsWith(Code::exhausted));
}

TEST_P(EngineTest, StopsWhenItIsAsked) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 10'000, 1));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THAT(engine_->select_rows(table.planned(), {}, stop.get_token()),
                FailsWith(Code::cancelled));
    EXPECT_THAT(engine_->gather_facts(table.planned(), stop.get_token()),
                FailsWith(Code::cancelled));
}

TEST_P(EngineTest, APlaceThatIsNoDirectoryOfThisMachineIsUnsupported) {
    SampleTable table(location(), measurements());
    table.add(nine, "a.parquet", sample_rows(table.schema(), nine, 4, 1));
    table.planned().files.front().name.root = "s3://bucket/lake";
    EXPECT_THAT(select(table), FailsWith(Code::unsupported));
    EXPECT_THAT(engine_->gather_facts(table.planned(), {}), FailsWith(Code::unsupported));
}

INSTANTIATE_TEST_SUITE_P(
    Backends, EngineTest,
    ::testing::Values(
        Backend{"duckdb",
                [](env::Clock& clock, const std::string& directory, const EngineLimits& limits) {
                    return std::make_unique<DuckDb>(clock, directory, limits);
                }},
        Backend{"arrow",
                [](env::Clock&, const std::string& directory, const EngineLimits& limits) {
                    return std::make_unique<ArrowDataset>(directory, limits);
                }}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace highwater::engine
