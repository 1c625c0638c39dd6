#include "catalog/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/commits.h"
#include "testkit/matchers.h"

namespace highwater::catalog {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

TEST(TableName, IsOfLettersDigitsAndUnderscores) {
    for (const std::string name : {"t", "_", "T9_x"}) EXPECT_THAT(verify_table_name(name), IsOk());
    EXPECT_THAT(verify_table_name(std::string(table_name_size_max, 'x')), IsOk());
    EXPECT_THAT(verify_table_name(std::string(table_name_size_max + 1, 'x')),
                FailsWith(Code::invalid_argument));
    for (const std::string name : {"", "9t", "a-b", "a b", "a.b", "\xC3\xA9", "a\n"}) {
        EXPECT_THAT(verify_table_name(name), FailsWith(Code::invalid_argument)) << name;
    }
}

TEST(Location, OverlapsWhatIsBeneathItAndAboveIt) {
    EXPECT_TRUE(is_overlapping("/data/a", "/data/a"));
    EXPECT_TRUE(is_overlapping("/data/a", "/data/a/b"));
    EXPECT_TRUE(is_overlapping("/data/a/b", "/data/a"));
    EXPECT_TRUE(is_overlapping("/", "/data"));
    EXPECT_TRUE(is_overlapping("s3://bucket", "s3://bucket/x"));
}

TEST(Location, IsComparedByWholeSegments) {
    EXPECT_FALSE(is_overlapping("/data/a", "/data/ab"));
    EXPECT_FALSE(is_overlapping("/data/a", "/data/b"));
    EXPECT_FALSE(is_overlapping("/data/a/x", "/data/b/x"));
    EXPECT_FALSE(is_overlapping("s3://bucket", "s3://bucket2"));
    EXPECT_FALSE(is_overlapping("/data/A", "/data/a"));
}

TEST(Location, SlashesMoreOrLessMakeNoDifference) {
    EXPECT_TRUE(is_overlapping("/data/a/", "/data/a"));
    EXPECT_TRUE(is_overlapping("/data//a", "/data/a/b"));
}

TEST(Table, FindsItsSchemas) {
    const Table table =
        testkit::with_column(testkit::make_table("sensors", "/data/sensors"), "extra");
    EXPECT_EQ(table.find_schema(0), nullptr);
    EXPECT_EQ(table.find_schema(1), &table.schemas[0]);
    EXPECT_EQ(table.find_schema(2), &table.current());
    EXPECT_EQ(table.find_schema(3), nullptr);
}

}  // namespace
}  // namespace highwater::catalog
