#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "object/memory_store.h"
#include "parquet/inspect.h"
#include "stage/check.h"
#include "stage/stager.h"
#include "testkit/acceptance.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater {
namespace {

namespace fs = std::filesystem;

using parquet::Verdict;
using stage::FileVerdict;
using testing::HasSubstr;
using testkit::IsOk;

Bytes load(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    std::stringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

/// What is expected of one file: of its bytes, whatever table it was meant for, and of the whole
/// file for a telemetry table.
struct Expectation {
    Verdict footer;
    Verdict pages;
    FileVerdict check;
    const char* reason;
};

constexpr auto readable = Verdict::readable;
constexpr auto unsupported = Verdict::unsupported;

const std::map<std::string, Expectation>& expectations() {
    static const std::map<std::string, Expectation> all = {
        {"ARROW-GH-41317.parquet",
         {unsupported, unsupported, FileVerdict::unsupported, "nested or repeated"}},
        {"ARROW-GH-43605.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"ARROW-RS-GH-6229-LEVELS.parquet",
         {unsupported, unsupported, FileVerdict::unsupported, "nested or repeated"}},
        {"PARQUET-1481.parquet",
         {unsupported, unsupported, FileVerdict::unsupported, "unknown physical type"}},
        {"alltypes_plain.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"datapage_v1-corrupt-checksum.parquet",
         {readable, Verdict::footer_invalid, FileVerdict::footer_invalid,
          "column 'a': could not verify page integrity"}},
        {"datapage_v1-snappy-compressed-checksum.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"datapage_v2_empty_datapage.snappy.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"encrypt_columns_and_footer.parquet.encrypted",
         {unsupported, unsupported, FileVerdict::unsupported, "encrypted"}},
        {"int96_from_spark.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"large_string_map.brotli.parquet",
         {unsupported, unsupported, FileVerdict::unsupported, "nested or repeated"}},
        {"lz4_raw_compressed.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"nan_in_stats.parquet",
         {readable, readable, FileVerdict::schema_mismatch, "'time' is not in the file"}},
        {"nulls.snappy.parquet",
         {unsupported, unsupported, FileVerdict::unsupported, "nested or repeated"}},
        {"unknown-logical-type.parquet",
         {unsupported, unsupported, FileVerdict::unsupported, "unknown logical type"}},
    };
    return all;
}

TEST(ParquetAcceptance, EachFileGetsItsTypedVerdict) {
    const auto folder = testkit::find_acceptance("parquet");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    object::MemoryStore store;
    const auto schema = testkit::make_table("t", "/lake/t").current().schema;
    for (const auto& [name, expected] : expectations()) {
        SCOPED_TRACE(name);
        ASSERT_THAT(object::put_new(store, {"in", name}, load(fs::path(*folder) / name)), IsOk());
        const auto reader = store.open({"in", name});
        ASSERT_THAT(reader, IsOk());
        const auto facts = parquet::inspect_file(**reader, "time");
        ASSERT_THAT(facts, IsOk());
        EXPECT_EQ(facts->verdict, expected.footer) << facts->reason;
        const auto pages = parquet::verify_pages(**reader);
        ASSERT_THAT(pages, IsOk());
        EXPECT_EQ(pages->verdict, expected.pages) << pages->reason;
        const auto check = stage::check_file(**reader, schema, std::nullopt);
        ASSERT_THAT(check, IsOk());
        EXPECT_EQ(check->verdict, expected.check);
        ASSERT_FALSE(check->reasons.empty());
        EXPECT_THAT(check->reasons.front(), HasSubstr(expected.reason));
    }
}

/// Files that are not in the table above must end in some verdict too.
TEST(ParquetAcceptance, NoOtherFileIsTakenUnjudged) {
    const auto folder = testkit::find_acceptance("parquet");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    object::MemoryStore store;
    const auto schema = testkit::make_table("t", "/lake/t").current().schema;
    for (const auto& entry : fs::directory_iterator(*folder)) {
        const std::string name = entry.path().filename().string();
        SCOPED_TRACE(name);
        ASSERT_THAT(object::put_new(store, {"in", name}, load(entry.path())), IsOk());
        const auto reader = store.open({"in", name});
        const auto check = stage::check_file(**reader, schema, std::nullopt);
        ASSERT_THAT(check, IsOk());
        EXPECT_NE(check->verdict, FileVerdict::accepted);
        EXPECT_FALSE(check->reasons.empty());
    }
}

/// Lines and distinct hours of a telemetry file, counted without any reader of ours.
struct Counted {
    std::uint64_t rows = 0;
    std::set<std::string> hours;
};

Counted count_lines(const fs::path& path) {
    Counted counted;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        if (line.empty() || line == "\r") continue;
        ++counted.rows;
        counted.hours.insert(line.substr(0, 13));
    }
    return counted;
}

TEST(TelemetryAcceptance, RowTotalsEqualAnIndependentCountOfTheLines) {
    const auto folder = testkit::find_acceptance("telemetry");
    if (!folder) GTEST_SKIP() << "no acceptance data";
    testkit::PublishWorld world;
    catalog::Table table = testkit::make_table("telemetry", "/lake/telemetry");
    stage::StageRequest request{.table = "telemetry",
                                .batch = "all of it",
                                .inputs = {},
                                .options = {.labels = {{"series", "{stem}"}}},
                                .scratch_root = "/scratch",
                                .memory = std::size_t{1} << 20U,
                                .id = env::make_uuid(world.random),
                                .now = world.clock.now()};
    Counted expected;
    for (const auto& entry : fs::directory_iterator(*folder)) {
        if (entry.path().extension() != ".csv") continue;
        const std::string name = entry.path().filename().string();
        ASSERT_THAT(object::put_new(world.store, {"/in", name}, load(entry.path())), IsOk());
        request.inputs.push_back({.file = {"/in", name}});
        const Counted counted = count_lines(entry.path());
        expected.rows += counted.rows;
        expected.hours.insert(counted.hours.begin(), counted.hours.end());
    }
    ASSERT_GT(expected.rows, 100'000U);
    const auto schema = stage::infer_schema(world.store, request.inputs, request.options,
                                            "timestamp", model::TimeUnit::microsecond);
    ASSERT_THAT(schema, IsOk());
    table.schemas = {{1, *schema, 0}};
    world.commit(catalog::Operation::create_table, {table}, {});

    const auto staged =
        stage::Stager(world.store, world.store, world.catalog, world.catalog).stage(request);
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt) << staged->refusal->why;
    EXPECT_GT(staged->runs_spilled, 1U);
    EXPECT_EQ(staged->rows_staged, expected.rows);
    EXPECT_EQ(staged->manifest->partitions.size(), expected.hours.size());
    std::uint64_t claimed = 0;
    for (const auto& partition : staged->manifest->partitions) {
        for (const auto& object : partition.objects) claimed += object.record_count;
    }
    EXPECT_EQ(claimed, expected.rows);
}

}  // namespace
}  // namespace highwater
