#include "model/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <limits>

#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater::model {
namespace {

using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

Column column_of(std::int32_t id, std::string_view text) {
    Column column = *parse_column(text);
    column.id = id;
    return column;
}

Schema make_schema() {
    return {.columns = {column_of(1, "time:timestamp!"), column_of(2, "series:string"),
                        column_of(3, "value:float64")},
            .time_column = "time"};
}

void expect_refused(const Schema& schema, std::string_view why) {
    const auto verified = verify_schema(schema);
    EXPECT_THAT(verified, FailsWith(Code::invalid_argument)) << why;
    if (verified.ok()) return;
    EXPECT_THAT(verified.error().message(), HasSubstr(why));
}

TEST(ColumnType, TextIsReadBack) {
    for (int i = 0; i <= static_cast<int>(ColumnType::decimal); ++i) {
        const auto type = static_cast<ColumnType>(i);
        EXPECT_EQ(parse_column_type(to_text(type)), type) << to_text(type);
        EXPECT_NE(to_text(type), "unknown");
    }
    EXPECT_EQ(to_text(ColumnType::float64), "float64");
    for (const std::string_view text : {"", "Float64", "double", "unknown", "decimal(10,2)"}) {
        EXPECT_EQ(parse_column_type(text), std::nullopt) << text;
    }
}

TEST(TimeUnit, TextIsReadBack) {
    for (const auto unit : {TimeUnit::millisecond, TimeUnit::microsecond, TimeUnit::nanosecond}) {
        EXPECT_EQ(parse_time_unit(to_text(unit)), unit);
    }
    EXPECT_EQ(to_text(TimeUnit::microsecond), "microsecond");
    EXPECT_EQ(parse_time_unit("second"), std::nullopt);
}

TEST(Lossless, IsWideningWithinOneKindOnly) {
    using enum ColumnType;
    const std::vector<std::vector<ColumnType>> kinds = {{int8, int16, int32, int64},
                                                        {uint8, uint16, uint32, uint64},
                                                        {float32, float64},
                                                        {boolean},
                                                        {string},
                                                        {binary},
                                                        {date},
                                                        {timestamp},
                                                        {decimal}};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        for (std::size_t from = 0; from < kinds[kind].size(); ++from) {
            for (std::size_t other = 0; other < kinds.size(); ++other) {
                for (std::size_t to = 0; to < kinds[other].size(); ++to) {
                    EXPECT_EQ(is_lossless(kinds[kind][from], kinds[other][to]),
                              kind == other && from <= to)
                        << to_text(kinds[kind][from]) << " " << to_text(kinds[other][to]);
                }
            }
        }
    }
}

TEST(ParseColumn, TakesEachForm) {
    const Column value = *parse_column("value:float64");
    EXPECT_EQ(value, (Column{.name = "value", .type = ColumnType::float64}));
    const Column time = *parse_column("time:timestamp!");
    EXPECT_EQ(time, (Column{.name = "time", .type = ColumnType::timestamp, .nullable = false}));
    const Column price = *parse_column("price:decimal(10,2)!");
    EXPECT_EQ(price, (Column{.name = "price",
                             .type = ColumnType::decimal,
                             .nullable = false,
                             .decimal_precision = 10,
                             .decimal_scale = 2}));
    EXPECT_EQ(parse_column("a:b:int8")->name, "a:b");
    EXPECT_EQ(parse_column("decimal(:int8")->name, "decimal(");
}

TEST(ParseColumn, RefusesOtherForms) {
    for (const std::string_view text : {"",
                                        "value",
                                        "value:",
                                        ":float64",
                                        "value:double",
                                        "value:float64!!",
                                        "value: float64",
                                        "value:float64(1,2)",
                                        "price:decimal",
                                        "price:decimal()",
                                        "price:decimal(10)",
                                        "price:decimal(10,2",
                                        "price:decimal(10,2)x",
                                        "price:decimal(,2)",
                                        "price:decimal(10,)",
                                        "price:decimal(10,2,3)",
                                        "price:decimal(10, 2)",
                                        "price:decimal(0,0)",
                                        "price:decimal(39,2)",
                                        "price:decimal(10,11)",
                                        "price:decimal(10,-1)",
                                        "price:decimal(99999999999,2)",
                                        "price:decimal,(",
                                        "hour:int32",
                                        "Hour:int32",
                                        "filename:string",
                                        "FileName:string",
                                        "a\nb:int8",
                                        "\xFF:int8"}) {
        EXPECT_THAT(parse_column(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(ParseColumn, DecimalsHaveALimitOfDigits) {
    EXPECT_THAT(parse_column("price:decimal(38,38)"), IsOk());
    EXPECT_THAT(parse_column("price:decimal(1,0)"), IsOk());
    EXPECT_THAT(parse_column("price:decimal(39,38)"), FailsWith(Code::invalid_argument));
}

TEST(ParseColumn, NamesHaveALimitOfBytes) {
    EXPECT_THAT(parse_column(std::string(column_name_size_max, 'a') + ":int8"), IsOk());
    EXPECT_THAT(parse_column(std::string(column_name_size_max + 1, 'a') + ":int8"),
                FailsWith(Code::invalid_argument));
}

RC_GTEST_PROP(ColumnProperty, TextIsReadBack, ()) {
    const Column column = *testkit::any_column();
    const auto parsed = parse_column(format_column(column));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == column);
}

RC_GTEST_PROP(SchemaProperty, AnyOfThemIsValidAndGrows, ()) {
    const Schema schema = *testkit::any_schema();
    RC_ASSERT(verify_schema(schema).ok());
    const auto wider = add_column(schema, *parse_column("added:int8"));
    RC_ASSERT(wider.ok());
    RC_ASSERT(wider->columns.size() == schema.columns.size() + 1);
    RC_ASSERT(wider->columns.back().id == schema.columns.back().id + 1);
    RC_ASSERT(verify_schema(*wider).ok());
}

TEST(Schema, FindsColumnsByTheirExactName) {
    const Schema schema = make_schema();
    ASSERT_NE(schema.find("series"), nullptr);
    EXPECT_EQ(schema.find("series")->id, 2);
    EXPECT_EQ(schema.find("Series"), nullptr);
    EXPECT_EQ(schema.find("other"), nullptr);
}

TEST(VerifySchema, TakesIdsWithGaps) {
    EXPECT_THAT(verify_schema(make_schema()), IsOk());
    Schema schema = make_schema();
    schema.columns[2].id = std::numeric_limits<std::int32_t>::max();
    EXPECT_THAT(verify_schema(schema), IsOk());
}

TEST(VerifySchema, RequiresPositiveAscendingIds) {
    for (const std::int32_t id : {0, -1, 2, 3}) {
        Schema schema = make_schema();
        schema.columns[0].id = id;
        expect_refused(schema, "ids are positive and ascend");
    }
}

TEST(VerifySchema, RequiresNamesThatSqlCanTellApart) {
    for (const std::string_view name : {"time", "Time", "TIME"}) {
        Schema schema = make_schema();
        schema.columns[1].name = name;
        expect_refused(schema, "there twice");
    }
    Schema schema = make_schema();
    schema.columns[1].name = "caf\xC3\xA9";
    schema.columns[2].name = "caf\xC3\x89";  // Only the case of ASCII letters counts.
    EXPECT_THAT(verify_schema(schema), IsOk());
}

TEST(VerifySchema, RequiresValidNames) {
    for (const std::string_view name : {"", "hour", "HOUR", "filename", "a\tb", "\xC3"}) {
        Schema schema = make_schema();
        schema.columns[2].name = name;
        expect_refused(schema, "column '");
    }
    Schema schema = make_schema();
    schema.columns[2].name = std::string(column_name_size_max + 1, 'a');
    expect_refused(schema, "more than 255 bytes");
}

TEST(VerifySchema, RequiresATimeColumnThatIsNeverNull) {
    Schema schema = make_schema();
    schema.time_column = "when";
    expect_refused(schema, "'when' is not there");
    schema.time_column = "value";
    expect_refused(schema, "the time column is a timestamp");
    schema = make_schema();
    schema.columns[0].nullable = true;
    expect_refused(schema, "the time column is not nullable");
    expect_refused(Schema{}, "is not there");
}

TEST(VerifySchema, RequiresPrecisionForDecimalsAlone) {
    Schema schema = make_schema();
    schema.columns[2].decimal_precision = 5;
    expect_refused(schema, "for decimals");
    schema.columns[2].type = ColumnType::decimal;
    EXPECT_THAT(verify_schema(schema), IsOk());
    schema.columns[2].decimal_scale = 6;
    expect_refused(schema, "the scale");
    schema.columns[2].decimal_scale = 0;
    schema.columns[2].decimal_precision = 39;
    expect_refused(schema, "1 to 38");
}

TEST(VerifySchema, HasALimitOfColumns) {
    Schema schema = make_schema();
    while (schema.columns.size() < columns_max) {
        const auto id = static_cast<std::int32_t>(schema.columns.size() + 1);
        schema.columns.push_back(column_of(id, "c" + std::to_string(id) + ":int8"));
    }
    EXPECT_THAT(verify_schema(schema), IsOk());
    EXPECT_THAT(add_column(schema, column_of(0, "more:int8")), FailsWith(Code::invalid_argument));
    schema.columns.push_back(column_of(columns_max + 1, "more:int8"));
    expect_refused(schema, "at most 1000 columns, not 1001");
}

TEST(AddColumn, GivesTheNextIdAndLeavesTheRest) {
    const Schema schema = make_schema();
    const auto wider = add_column(schema, column_of(77, "unit:string"));
    ASSERT_THAT(wider, IsOk());
    Schema expected = schema;
    expected.columns.push_back(column_of(4, "unit:string"));
    EXPECT_EQ(*wider, expected);
}

TEST(AddColumn, RefusesWhatOlderRowsCannotHave) {
    const Schema schema = make_schema();
    EXPECT_THAT(add_column(schema, column_of(0, "unit:string!")),
                FailsWith(Code::invalid_argument));
    for (const std::string_view name : {"value", "Value", "hour", ""}) {
        Column column;
        column.name = name;
        EXPECT_THAT(add_column(schema, column), FailsWith(Code::invalid_argument)) << name;
    }
}

TEST(AddColumn, EndsWithTheIds) {
    Schema schema = make_schema();
    schema.columns[2].id = std::numeric_limits<std::int32_t>::max() - 1;
    auto wider = add_column(schema, column_of(0, "unit:string"));
    ASSERT_THAT(wider, IsOk());
    EXPECT_EQ(wider->columns.back().id, std::numeric_limits<std::int32_t>::max());
    EXPECT_THAT(add_column(*wider, column_of(0, "more:string")), FailsWith(Code::invalid_argument));
}

}  // namespace
}  // namespace highwater::model
