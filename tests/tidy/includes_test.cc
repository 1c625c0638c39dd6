#include "includes.h"

#include <gmock/gmock.h>

namespace highwater::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

auto says(std::string_view words) {
    return ElementsAre(Field(&Finding::what, HasSubstr(std::string(words))));
}

const FloorPlan plan = parse_floor_plan(
    "base: \n"
    "object: base\n"
    "publish: base object\n"
    "cache: base object\n"
    "evidence: base publish cache\n"
    "testkit: base object\n");

Findings check(std::string path, std::string_view include) {
    return find_upward_includes(
        make_source(std::move(path), "#include \"" + std::string(include) + "\"\n"), plan);
}

TEST(FloorPlanTest, ReadsOneRoomALine) {
    EXPECT_THAT(plan, SizeIs(6));
    EXPECT_THAT(plan.at("publish"), ElementsAre("base", "object"));
    EXPECT_THAT(plan.at("base"), IsEmpty());
}

TEST(FloorPlanTest, NoRiverUsesTheOther) {
    EXPECT_THAT(find_plan_errors(plan), IsEmpty());
    EXPECT_THAT(find_plan_errors(parse_floor_plan("read: publish")), SizeIs(1));
    EXPECT_THAT(find_plan_errors(parse_floor_plan("stage: cache")), SizeIs(1));
}

TEST(IncludesTest, PointDown) {
    EXPECT_THAT(check("src/publish/gate.h", "base/bytes.h"), IsEmpty());
    EXPECT_THAT(check("src/publish/gate.h", "publish/report.h"), IsEmpty());
    EXPECT_THAT(check("src/publish/gate.h", "highwater/error.h"), IsEmpty());
    EXPECT_THAT(check("src/object/store.h", "publish/gate.h"), says("object may not use publish"));
    EXPECT_THAT(check("src/base/a.h", "elsewhere/a.h"), says("no room elsewhere"));
    EXPECT_THAT(check("src/elsewhere/a.h", "base/a.h"), says("no room elsewhere"));
}

TEST(IncludesTest, RiversMeetAbove) {
    EXPECT_THAT(check("src/publish/gate.cc", "cache/snapshot.h"), says("river"));
    EXPECT_THAT(check("src/cache/snapshot_test.cc", "publish/gate.h"), says("river"));
    EXPECT_THAT(check("src/evidence/bundle.cc", "cache/snapshot.h"), IsEmpty());
    EXPECT_THAT(check("src/evidence/bundle.cc", "publish/gate.h"), IsEmpty());
}

TEST(IncludesTest, TheTestKitIsForTests) {
    EXPECT_THAT(check("src/publish/gate_test.cc", "testkit/matchers.h"), IsEmpty());
    EXPECT_THAT(check("tests/fault/gate_fault_test.cc", "testkit/matchers.h"), IsEmpty());
    EXPECT_THAT(check("src/testkit/faulty.h", "testkit/fault.h"), IsEmpty());
    EXPECT_THAT(check("src/publish/gate.cc", "testkit/matchers.h"), says("for tests"));
    EXPECT_THAT(check("app/highwater_main.cc", "testkit/matchers.h"), says("for tests"));
}

TEST(IncludesTest, PublicHeadersKnowOnlyEachOther) {
    EXPECT_THAT(check("include/highwater/result.h", "highwater/error.h"), IsEmpty());
    EXPECT_THAT(check("include/highwater/result.h", "base/bytes.h"), says("public headers alone"));
}

TEST(IncludesTest, RoomsAreNamed) {
    EXPECT_THAT(check("src/publish/gate.cc", "gate.h"), says("name the room"));
    EXPECT_THAT(check("tests/tidy/source.cc", "source.h"), IsEmpty());
}

TEST(IncludesTest, ACommentIncludesNothing) {
    const Source source = make_source("src/base/a.h", "// #include \"publish/gate.h\"\n");
    EXPECT_THAT(find_upward_includes(source, plan), IsEmpty());
}

Findings check_foreign(std::string path, std::string_view include) {
    return find_foreign_includes(
        make_source(std::move(path), "#include <" + std::string(include) + ">\n"));
}

TEST(ForeignIncludesTest, LibrariesLiveInOneRoom) {
    EXPECT_THAT(check_foreign("src/catalog/sqlite.cc", "sqlite3.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/parquet/footer.cc", "arrow/api.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/engine/scan.cc", "parquet/file_reader.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/publish/gate.cc", "fmt/format.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/object/local.cc", "sys/stat.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/publish/gate.cc", "sqlite3.h"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/publish/gate.cc", "arrow/api.h"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/parquet/footer.cc", "duckdb.h"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/cli/verb.cc", "nlohmann/json.hpp"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/base/hash.cc", "openssl/sha.h"), SizeIs(1));
}

TEST(ForeignIncludesTest, HeadersKnowTheStandardLibraryAndUs) {
    EXPECT_THAT(check_foreign("src/catalog/sqlite.h", "vector"), IsEmpty());
    EXPECT_THAT(check_foreign("src/catalog/sqlite.h", "sqlite3.h"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/publish/gate.h", "fmt/format.h"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/object/local.h", "sys/stat.h"), SizeIs(1));
}

TEST(ForeignIncludesTest, TestLibrariesAreForTests) {
    EXPECT_THAT(check_foreign("src/testkit/matchers.h", "gmock/gmock.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/base/hex_test.cc", "rapidcheck/gtest.h"), IsEmpty());
    EXPECT_THAT(check_foreign("tests/golden/bytes.h", "gtest/gtest.h"), IsEmpty());
    EXPECT_THAT(check_foreign("tests/fault/flip_test.cc", "sqlite3.h"), IsEmpty());
    EXPECT_THAT(check_foreign("src/base/hex.cc", "gtest/gtest.h"), SizeIs(1));
    EXPECT_THAT(check_foreign("src/base/hex_test.cc", "sqlite3.h"), SizeIs(1));
}

TEST(HeadersTest, AreIncludedOnceAndHaveNoMacroOfControl) {
    EXPECT_THAT(find_header_errors(make_source("src/a/b.h", "#pragma once\n")), IsEmpty());
    EXPECT_THAT(find_header_errors(make_source("src/a/b.cc", "#include \"base/try.h\"\n")),
                IsEmpty());
    EXPECT_THAT(find_header_errors(make_source("src/a/b.h", "int a;\n")), says("#pragma once"));
    EXPECT_THAT(find_header_errors(make_source("src/a/b.h", "// #pragma once\n")),
                says("#pragma once"));
    EXPECT_THAT(
        find_header_errors(make_source("src/a/b.h", "#pragma once\n#include \"base/try.h\"\n")),
        says("TRY"));
}

}  // namespace
}  // namespace highwater::tidy
