// Files that this project did not write: recorded telemetry is staged, published and counted as it
// is, and every Parquet file gets a verdict.

#include "testkit/acceptance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "model/hour.h"
#include "world.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::vector<fs::path> files_in(const std::string& folder, const std::string& extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.find(extension) != std::string::npos) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

/// The lines after the header that are not empty: an independent count of the rows.
std::uint64_t count_rows(const fs::path& csv) {
    std::istringstream lines(content(csv));
    std::uint64_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty() && line != "\r") ++count;
    }
    return count - 1;
}

std::string time_column_of(const fs::path& csv) {
    const std::string text = content(csv);
    return text.substr(0, text.find(','));
}

/// Thousands of hours are thousands of synchronized files, so these worlds lie in memory where the
/// machine has such a folder.
void prefer_memory() {
    if (fs::is_directory("/dev/shm")) ::setenv("TEST_TMPDIR", "/dev/shm", 1);
}

/// The hours that `staged` found no rows for, between those that it did.
std::uint64_t gap_hours_of(const Json& staged) {
    std::uint64_t hours = 0;
    const Json gaps = at(staged, "gaps");
    for (const Json& gap : *gaps.find_array()) {
        const auto from = model::parse_hour(text(gap, "from"));
        const auto to = model::parse_hour(text(gap, "to"));
        EXPECT_TRUE(from.ok() && to.ok());
        hours += static_cast<std::uint64_t>(to->since_epoch - from->since_epoch);
    }
    return hours;
}

/// Stages, publishes and counts one file as it is.
void expect_row_for_row(const World& world, const fs::path& file) {
    SCOPED_TRACE(file.filename().string());
    // A table name has letters, digits and underscores alone.
    std::string table = "t_" + file.stem().string();
    std::ranges::replace(table, '-', '_');
    world.expect(0,
                 {"table", "create", table, "--csv", file, "--time-column", time_column_of(file)});
    const std::uint64_t rows = count_rows(file);
    const Json staged =
        world.expect(0, {"stage", "--table", table, "--csv", file, "--out", world.manifest(table)});
    EXPECT_EQ(number(staged, "rows"), rows);
    world.expect(0, {"publish", world.manifest(table)});
    const auto asked = world.run({"query", "--all", "--sql", "select count(*) as n from " + table});
    const std::uint64_t gaps = gap_hours_of(staged);
    if (gaps == 0) {
        EXPECT_EQ(asked.exit_code, 0);
        EXPECT_EQ(number(asked.answer, "rows.0.n"), rows);
        return;
    }
    // Hours without telemetry were never published, which is not the same as empty ones.
    EXPECT_EQ(asked.exit_code, 4);
    EXPECT_EQ(number(asked.answer, "refusal.refusals.0.count"), gaps);
    const Json read = world.expect(0, {"read", "--table", table, "--all", "--allow-unpublished",
                                       "--column", time_column_of(file)});
    EXPECT_EQ(length(read, "rows"), rows);
    EXPECT_EQ(number(read, "answer.rows_in_scope"), rows);
}

constexpr std::size_t shares = 4;

class Recorded : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Recorded, TelemetryIsAnsweredRowForRow) {
    const auto folder = testkit::find_acceptance("telemetry");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    const auto files = files_in(*folder, ".csv");
    ASSERT_GE(files.size(), shares);
    prefer_memory();
    const World world;
    for (std::size_t i = GetParam(); i < files.size(); i += shares) {
        expect_row_for_row(world, files[i]);
    }
    EXPECT_EQ(at(world.expect(0, {"verify"}), "is_clean"), Json(true));
}

INSTANTIATE_TEST_SUITE_P(Acceptance, Recorded, ::testing::Range(std::size_t{0}, shares));

TEST(Acceptance, EveryForeignParquetFileGetsAVerdict) {
    const auto folder = testkit::find_acceptance("parquet");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    const auto files = files_in(*folder, ".parquet");
    ASSERT_FALSE(files.empty());
    const World world;
    for (const auto& file : files) {
        SCOPED_TRACE(file.filename().string());
        const auto checked = world.run({"check", file, "--table", "cpu"});
        EXPECT_THAT(checked.exit_code, AnyOf(0, 5)) << format_json(checked.answer, 2);
        EXPECT_NE(text(checked.answer, "verdict"), "");
        EXPECT_EQ(checked.exit_code == 5, length(checked.answer, "reasons") > 0);
    }
}

TEST(Demo, EndsWellInAnEmptyFolder) {
    const testkit::TemporaryDirectory folder;
    const auto said =
        demo::run_process(HIGHWATER_PROGRAM, {"--dir", folder.path() + "/demo", "demo"});
    ASSERT_TRUE(said.ok());
    EXPECT_EQ(said->exit_code, 0) << said->out << said->err;
    EXPECT_TRUE(fs::exists(folder.path() + "/demo/evidence"));
}

TEST(Demo, SaysWhenThereIsNoRecordedTelemetry) {
    const testkit::TemporaryDirectory folder;
    const auto said = demo::run_process(
        "/usr/bin/env", {"HIGHWATER_ACCEPTANCE=" + folder.path() + "/none", HIGHWATER_PROGRAM,
                         "--dir", folder.path() + "/demo", "demo"});
    ASSERT_TRUE(said.ok());
    EXPECT_EQ(said->exit_code, 0) << said->out << said->err;
    EXPECT_THAT(said->out, HasSubstr("no recorded telemetry"));
}

TEST(Demo, TouchesNoFolderOfOthers) {
    const testkit::TemporaryDirectory folder;
    write(folder.path() + "/mine", "mine");
    const auto said = demo::run_process(HIGHWATER_PROGRAM, {"--dir", folder.path(), "demo"});
    ASSERT_TRUE(said.ok());
    EXPECT_EQ(said->exit_code, 2) << said->out << said->err;
    EXPECT_EQ(content(folder.path() + "/mine"), "mine");
}

}  // namespace
}  // namespace highwater::e2e
