#include "stage/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/memory_store.h"
#include "testkit/handmade_parquet.h"
#include "testkit/matchers.h"

namespace highwater::stage {
namespace {

using model::ColumnType;
using testing::ElementsAre;
using testing::HasSubstr;
using testkit::FailsWith;
using testkit::HandmadeColumn;
using testkit::IsOk;
namespace physical = testkit::parquet_physical;

class InferSchemaTest : public testing::Test {
protected:
    Input put(const std::string& path, const Bytes& text, Input::Kind kind = Input::Kind::csv) {
        EXPECT_THAT(object::put_new(store_, {"/in", path}, text), IsOk());
        return {.file = {"/in", path}, .kind = kind};
    }

    Input put_parquet(const std::string& path, HandmadeColumn column) {
        HandmadeColumn time{.name = "time",
                            .logical_type = testkit::timestamp_type(true, 3),
                            .values = {testkit::plain_i64(1)}};
        return put(path, testkit::make_handmade_parquet({.columns = {time, std::move(column)}}),
                   Input::Kind::parquet);
    }

    Result<model::Schema> infer(const std::vector<Input>& inputs,
                                const InputOptions& options = {}) {
        return infer_schema(store_, inputs, options, "time", model::TimeUnit::microsecond);
    }

    object::MemoryStore store_;
};

std::vector<std::string> columns_of(const Result<model::Schema>& schema) {
    EXPECT_THAT(schema, IsOk());
    std::vector<std::string> columns;
    for (const model::Column& column : schema->columns) {
        EXPECT_EQ(column.id, static_cast<std::int32_t>(columns.size()) + 1);
        columns.push_back(model::format_column(column));
    }
    return columns;
}

TEST_F(InferSchemaTest, TakesColumnsAsTheyAreFirstSeenAndLabelsLast) {
    const Input first = put("cpu.csv", "time,value\n2026-10-06 09:00:00,1\nbad,line,here\n");
    Input second = put("disk.csv", "free,time,value\n7,x,0.5\n");
    second.labels = {{"disk", "{stem}"}};
    EXPECT_THAT(columns_of(infer({first, second}, {.labels = {{"host", "a"}}})),
                ElementsAre("time:timestamp!", "value:float64", "free:int64", "host:string",
                            "disk:string"));
    EXPECT_THAT(columns_of(infer({first, second}, {.left_out = {"free"}})),
                ElementsAre("time:timestamp!", "value:float64", "disk:string"));
}

TEST_F(InferSchemaTest, LooksAtEveryValueOfEveryFile) {
    EXPECT_THAT(columns_of(infer({put("a", "time,v,w\nx,9007199254740993,\n"),
                                  put("b", "time,v,w\nx,0.5,true\n")})),
                ElementsAre("time:timestamp!", "v:string", "w:boolean"));
}

TEST_F(InferSchemaTest, NeedsTheTimeColumnInEachInput) {
    const auto schema = infer({put("a", "time,v\n"), put("b", "when,v\n")});
    ASSERT_THAT(schema, FailsWith(Code::invalid_argument));
    EXPECT_THAT(schema.error().message(), HasSubstr("b: there is no time column 'time'"));
}

TEST_F(InferSchemaTest, RefusesNamesThatNoTableMayHave) {
    EXPECT_THAT(infer({put("a", "time,hour\n")}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(infer({put("b", "time,hour\n")}, {.left_out = {"hour"}}), IsOk());
}

TEST_F(InferSchemaTest, TakesParquetTypesAsTheyAre) {
    const Input narrow = put_parquet("a", {.name = "v",
                                           .physical = physical::int32,
                                           .repetition = 1,
                                           .logical_type = testkit::integer_type(16, true),
                                           .values = {testkit::plain_i32(1)}});
    const Input wide = put_parquet("b", {.name = "v",
                                         .repetition = 1,
                                         .logical_type = std::nullopt,
                                         .values = {testkit::plain_i64(1)}});
    EXPECT_THAT(columns_of(infer({narrow})), ElementsAre("time:timestamp!", "v:int16"));
    EXPECT_THAT(columns_of(infer({narrow, wide})), ElementsAre("time:timestamp!", "v:int64"));
    EXPECT_THAT(columns_of(infer({wide, narrow})), ElementsAre("time:timestamp!", "v:int64"));
    EXPECT_THAT(columns_of(infer({put("c", "time,v\nx,3\n"), narrow})),
                ElementsAre("time:timestamp!", "v:int64"));
    EXPECT_THAT(columns_of(infer({put("d", "time,v\nx,\n"), narrow})),
                ElementsAre("time:timestamp!", "v:int16"));
    const auto mixed = infer({put("e", "time,v\nx,word\n"), narrow});
    ASSERT_THAT(mixed, FailsWith(Code::invalid_argument));
    EXPECT_THAT(mixed.error().message(), HasSubstr("'v' is int16 here, string in an earlier"));
}

TEST_F(InferSchemaTest, NamesAParquetTypeThatNoTableHolds) {
    const auto schema = infer({put_parquet("a", {.name = "half",
                                                 .physical = physical::fixed,
                                                 .type_length = 2,
                                                 .logical_type = testkit::simple_type(15),
                                                 .values = {Bytes(2, '\0')}})});
    ASSERT_THAT(schema, FailsWith(Code::unsupported));
    EXPECT_THAT(schema.error().message(), HasSubstr("Float16"));
}

TEST(ParseLabel, SplitsAtTheFirstEquals) {
    EXPECT_EQ(parse_label("a=b=c")->column, "a");
    EXPECT_EQ(parse_label("a=b=c")->value, "b=c");
    EXPECT_EQ(parse_label("a=")->value, "");
    EXPECT_THAT(parse_label("=b"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(parse_label("a"), FailsWith(Code::invalid_argument));
}

}  // namespace
}  // namespace highwater::stage
