#include "stage/adopt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/handmade_parquet.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/tampered_store.h"

namespace highwater::stage {
namespace {

using model::ColumnType;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::HandmadeColumn;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr model::Hour nine = PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);

class AdoptTest : public testing::Test {
protected:
    void put(const std::string& path, const Bytes& bytes) {
        ASSERT_THAT(object::put_new(store_, {"/lake", path}, bytes), IsOk());
    }

    Result<Adoption> adopt(AdoptRequest request = {}) {
        request.root = "/lake";
        request.table = "t";
        request.batch = "adopted";
        return plan_adoption(store_, request);
    }

    testkit::TamperedStore store_;
};

/// A file of one time and a local, INT96 or other timestamp column `when`.
Bytes file_with(HandmadeColumn when) {
    when.name = "when";
    return testkit::make_handmade_parquet({.columns = {when}});
}

TEST_F(AdoptTest, FindsPatternUnitSchemaAndHours) {
    put("date=2026-10-06/hour=09/a.parquet", PublishWorld::make_file(nine, 4));
    put("date=2026-10-06/hour=09/sub/b.parquet", PublishWorld::make_file(nine, 2, 7));
    put("date=2026-10-06/hour=10/a.parquet", PublishWorld::make_file(ten, 3));
    const auto adoption = adopt();
    ASSERT_THAT(adoption, IsOk());
    EXPECT_EQ(adoption->pattern.text(), "date={YYYY-MM-DD}/hour={HH}");
    EXPECT_EQ(adoption->schema.time_column, "time");
    EXPECT_EQ(adoption->schema.unit, model::TimeUnit::microsecond);
    EXPECT_THAT(adoption->schema.columns, SizeIs(2));
    EXPECT_THAT(adoption->refused, IsEmpty());
    EXPECT_THAT(manifest::find_faults(adoption->manifest), IsEmpty());
    EXPECT_EQ(adoption->manifest.batch_generation, "adopted");
    ASSERT_THAT(adoption->manifest.partitions, SizeIs(2));
    const auto& objects = adoption->manifest.partitions[0].objects;
    ASSERT_THAT(objects, SizeIs(2));
    EXPECT_EQ(objects[1].path, "date=2026-10-06/hour=09/sub/b.parquet");
    EXPECT_EQ(objects[1].record_count, 2U);
    EXPECT_EQ(objects[1].sha256, digest_of(PublishWorld::make_file(nine, 2, 7)));
    EXPECT_EQ(objects[1].min_time, model::start_of(nine));
    EXPECT_TRUE(objects[1].row_fingerprint.has_value());
}

TEST_F(AdoptTest, GuessesTheLayoutsOfOtherWriters) {
    for (const std::string& text : known_patterns()) {
        const auto pattern = model::PathPattern::parse(text);
        ASSERT_THAT(pattern, IsOk()) << text;
        testkit::TamperedStore store;
        ASSERT_THAT(object::put_new(store, {"/lake", *pattern->render(nine) + "/a.parquet"},
                                    PublishWorld::make_file(nine, 1)),
                    IsOk());
        const auto adoption = plan_adoption(store, {.root = "/lake", .table = "t", .batch = "b"});
        ASSERT_THAT(adoption, IsOk()) << text;
        EXPECT_EQ(adoption->pattern.text(), text);
    }
}

TEST_F(AdoptTest, NamesWhatKeepsAFileOutAndTheHourWithIt) {
    put("hour=2026-10-06T09/good.parquet", PublishWorld::make_file(nine, 4));
    put("hour=2026-10-06T09/spans.parquet", PublishWorld::make_file(ten, 4));
    put("hour=2026-10-06T10/good.parquet", PublishWorld::make_file(ten, 4));
    put("hour=2026-10-06T11/empty.parquet", PublishWorld::make_file({nine.since_epoch + 2}, 0));
    put("hour=2026-10-06T12/_SUCCESS", "");
    put("elsewhere/x.parquet", PublishWorld::make_file(nine, 1));
    store_.plant_other({"/lake", "hour=2026-10-06T13/pipe"});
    const auto adoption = adopt();
    ASSERT_THAT(adoption, IsOk());
    ASSERT_THAT(adoption->manifest.partitions, SizeIs(1));
    EXPECT_EQ(adoption->manifest.partitions[0].hour, ten);
    ASSERT_THAT(adoption->refused, SizeIs(6));
    const auto expect_refused = [&](std::size_t index, const std::string& path,
                                    const std::string& reason, const std::string& advice) {
        EXPECT_EQ(adoption->refused[index].path, path);
        EXPECT_THAT(adoption->refused[index].reasons, Contains(HasSubstr(reason)));
        EXPECT_THAT(adoption->refused[index].advice, HasSubstr(advice));
    };
    expect_refused(0, "elsewhere/x.parquet", "in no hour of the pattern", "stage it");
    expect_refused(1, "hour=2026-10-06T09/good.parquet",
                   "its hour also holds 'hour=2026-10-06T09/spans.parquet'", "clear the hour");
    expect_refused(2, "hour=2026-10-06T09/spans.parquet", "time_out_of_bounds", "stage it");
    expect_refused(3, "hour=2026-10-06T11/empty.parquet", "no rows", "move it");
    expect_refused(4, "hour=2026-10-06T12/_SUCCESS", "footer_invalid", "move it");
    expect_refused(5, "hour=2026-10-06T13/pipe", "no regular file", "move it");
}

TEST_F(AdoptTest, RefusesTimesOfNoDeclaredUnitAndZone) {
    put("hour=2026-10-06T09/a.parquet",
        file_with({.physical = testkit::parquet_physical::int96,
                   .logical_type = std::nullopt,
                   .values = {testkit::plain_int96(0, 2'461'320)}}));
    const auto int96 = adopt();
    ASSERT_THAT(int96, FailsWith(Code::unsupported));
    EXPECT_THAT(int96.error().message(), HasSubstr("INT96"));
    put("hour=2026-10-06T09/b.parquet",
        file_with({.logical_type = testkit::timestamp_type(false, 2),
                   .values = {testkit::plain_i64(to_ns(model::start_of(nine)) / 1'000)}}));
    put("hour=2026-10-06T10/c.parquet",
        file_with({.logical_type = testkit::timestamp_type(true, 2),
                   .values = {testkit::plain_i64(to_ns(model::start_of(ten)) / 1'000)}}));
    const auto adoption = adopt();
    ASSERT_THAT(adoption, IsOk());
    ASSERT_THAT(adoption->refused, SizeIs(2));
    EXPECT_THAT(adoption->refused[1].reasons, ElementsAre(HasSubstr("local timestamp")));
    EXPECT_THAT(adoption->refused[1].advice, HasSubstr("stage it"));
}

TEST_F(AdoptTest, TakesTheSchemaOfMostFilesAndNamesTheOthers) {
    const HandmadeColumn when{.name = "when",
                              .logical_type = testkit::timestamp_type(true, 2),
                              .values = {testkit::plain_i64(to_ns(model::start_of(nine)) / 1'000)}};
    const HandmadeColumn more{.name = "more",
                              .repetition = 1,
                              .logical_type = std::nullopt,
                              .values = {testkit::plain_i64(1)}};
    const Bytes two = testkit::make_handmade_parquet({.columns = {when, more}});
    put("hour=2026-10-06T09/a.parquet", testkit::make_handmade_parquet({.columns = {when}}));
    put("hour=2026-10-06T09/b.parquet", two);
    put("hour=2026-10-06T09/c.parquet", two);
    // The file with a column less is read with nulls; one with a column more is not.
    EXPECT_THAT(adopt()->refused, IsEmpty());
    EXPECT_THAT(adopt()->schema.columns, SizeIs(2));
    HandmadeColumn text = more;
    text.physical = testkit::parquet_physical::byte_array;
    text.values = {testkit::plain_text("x")};
    put("hour=2026-10-06T09/d.parquet", testkit::make_handmade_parquet({.columns = {when, text}}));
    const auto adoption = adopt();
    ASSERT_THAT(adoption, IsOk());
    ASSERT_THAT(adoption->refused, SizeIs(4));
    EXPECT_THAT(adoption->refused[3].reasons,
                ElementsAre(HasSubstr("schema_mismatch: column 'more' is binary")));
}

TEST_F(AdoptTest, AsksForWhatItCannotTell) {
    EXPECT_THAT(adopt(), FailsWith(Code::not_found));
    const HandmadeColumn one{.name = "one",
                             .logical_type = testkit::timestamp_type(true, 2),
                             .values = {testkit::plain_i64(0)}};
    HandmadeColumn two = one;
    two.name = "two";
    put("h/1970-01-01T00/a.parquet", testkit::make_handmade_parquet({.columns = {one, two}}));
    const auto pattern = adopt();
    ASSERT_THAT(pattern, FailsWith(Code::invalid_argument));
    EXPECT_THAT(pattern.error().message(), HasSubstr("give the pattern"));
    AdoptRequest request;
    request.pattern = *model::PathPattern::parse("h/{YYYY-MM-DD}T{HH}");
    const auto time = adopt(request);
    ASSERT_THAT(time, FailsWith(Code::invalid_argument));
    EXPECT_THAT(time.error().message(), HasSubstr("several timestamp columns (one, two)"));
    request.time_column = "two";
    EXPECT_THAT(adopt(request), IsOk());
}

TEST_F(AdoptTest, StopsWhenItIsToldTo) {
    put("hour=2026-10-06T09/a.parquet", PublishWorld::make_file(nine, 4));
    std::stop_source stop;
    stop.request_stop();
    AdoptRequest request;
    request.stop = stop.get_token();
    EXPECT_THAT(adopt(request), FailsWith(Code::cancelled));
}

}  // namespace
}  // namespace highwater::stage
