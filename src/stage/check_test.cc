#include "stage/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/memory_store.h"
#include "testkit/commits.h"
#include "testkit/handmade_parquet.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::stage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testkit::HandmadeColumn;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr model::Hour nine = PublishWorld::nine;

FileCheck check(const Bytes& bytes, std::optional<model::Hour> hour = nine) {
    object::MemoryStore store;
    EXPECT_THAT(object::put_new(store, {"mem", "x"}, bytes), IsOk());
    const auto reader = store.open({"mem", "x"});
    auto checked = check_file(**reader, testkit::make_table("t", "/lake/t").current().schema, hour);
    EXPECT_THAT(checked, IsOk());
    return *checked;
}

HandmadeColumn times(std::vector<std::optional<std::int64_t>> minutes) {
    HandmadeColumn column{
        .name = "time", .repetition = 1, .logical_type = testkit::timestamp_type(true, 2)};
    const std::int64_t start_us = to_ns(model::start_of(nine)) / 1'000;
    for (const auto& minute : minutes) {
        column.values.push_back(
            minute ? std::optional(testkit::plain_i64(start_us + *minute * 60'000'000))
                   : std::nullopt);
    }
    return column;
}

TEST(CheckFile, AcceptsWhatTheGateWouldTake) {
    const FileCheck found = check(PublishWorld::make_file(nine, 5));
    EXPECT_EQ(found.verdict, FileVerdict::accepted);
    EXPECT_THAT(found.reasons, IsEmpty());
    EXPECT_EQ(found.scan->record_count, 5U);
    EXPECT_EQ(check(PublishWorld::make_file(nine, 5), std::nullopt).verdict, FileVerdict::accepted);
    EXPECT_EQ(check(PublishWorld::make_file(nine, 0)).verdict, FileVerdict::accepted);
}

TEST(CheckFile, TellsBrokenAndUnsupportedBytes) {
    const Bytes good = PublishWorld::make_file(nine, 5);
    EXPECT_EQ(check(good.substr(0, good.size() - 1)).verdict, FileVerdict::footer_invalid);
    EXPECT_EQ(check("nothing of the kind").verdict, FileVerdict::footer_invalid);
    Bytes encrypted = good;
    encrypted.back() = 'E';
    EXPECT_EQ(check(encrypted).verdict, FileVerdict::unsupported);
}

TEST(CheckFile, TellsColumnsThatDoNotFitAndWhatHelps) {
    HandmadeColumn local = times({1});
    local.logical_type = testkit::timestamp_type(false, 2);
    const FileCheck convertible = check(testkit::make_handmade_parquet({.columns = {local}}));
    EXPECT_EQ(convertible.verdict, FileVerdict::schema_mismatch);
    EXPECT_THAT(convertible.reasons, ElementsAre(HasSubstr("local timestamp")));
    EXPECT_THAT(convertible.advice, HasSubstr("stage it"));

    HandmadeColumn other{
        .name = "other", .logical_type = std::nullopt, .values = {testkit::plain_i64(1)}};
    const FileCheck foreign =
        check(testkit::make_handmade_parquet({.columns = {times({1}), other}}));
    EXPECT_EQ(foreign.verdict, FileVerdict::schema_mismatch);
    EXPECT_THAT(foreign.reasons, ElementsAre(HasSubstr("'other' is not in the schema")));
    EXPECT_EQ(foreign.advice, "");
}

TEST(CheckFile, TellsABrokenPageEvenWhereColumnsDoNotFit) {
    HandmadeColumn text{.name = "other",
                        .physical = testkit::parquet_physical::byte_array,
                        .logical_type = testkit::simple_type(1),
                        .values = {testkit::plain_i32(100) + "short"}};
    const FileCheck found = check(testkit::make_handmade_parquet({.columns = {times({1}), text}}));
    EXPECT_EQ(found.verdict, FileVerdict::footer_invalid);
    EXPECT_THAT(found.reasons, ElementsAre(HasSubstr("column 'other'")));
}

TEST(CheckFile, TellsTimesOutOfBounds) {
    const auto reason_of = [](std::vector<std::optional<std::int64_t>> minutes,
                              std::optional<model::Hour> hour) {
        const FileCheck found =
            check(testkit::make_handmade_parquet({.columns = {times(std::move(minutes))}}), hour);
        EXPECT_EQ(found.verdict, FileVerdict::time_out_of_bounds);
        EXPECT_THAT(found.advice, HasSubstr("stage it"));
        return found.reasons.empty() ? std::string() : found.reasons.front();
    };
    EXPECT_THAT(reason_of({0, 60}, nine), HasSubstr("2026-10-06T09 to 2026-10-06T10, not of"));
    EXPECT_THAT(reason_of({-1, 59}, nine), HasSubstr("2026-10-06T08 to 2026-10-06T09"));
    EXPECT_THAT(reason_of({60, 61}, nine), HasSubstr("times of 2026-10-06T10, not of hour"));
    EXPECT_THAT(reason_of({0, 60}, std::nullopt), HasSubstr("several hours"));
    EXPECT_THAT(reason_of({0, std::nullopt}, nine), HasSubstr("1 rows have no time"));
    HandmadeColumn far = times({0});
    far.values[0] = testkit::plain_i64(std::numeric_limits<std::int64_t>::max());
    EXPECT_THAT(check(testkit::make_handmade_parquet({.columns = {far}})).reasons,
                ElementsAre(HasSubstr("outside 1677 to 2262")));
}

}  // namespace
}  // namespace highwater::stage
