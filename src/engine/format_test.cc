#include "engine/format.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "base/time.h"
#include "engine/cell_text.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

using model::ColumnType;
using model::TimeUnit;
using testkit::FailsWith;
using testkit::IsOk;

/// Three rows: plain values, hostile ones, nulls.
ResultTable make_table(const std::string& directory) {
    std::vector<ResultColumn> columns(4);
    columns[0] = {.name = "n", .type = ColumnType::int64};
    columns[1] = {.name = "text, \"quoted\""};
    columns[2] = {.name = "value", .type = ColumnType::float64};
    columns[3] = {.name = "list", .is_json = true};
    parquet::RowBatch rows;
    for (const ResultColumn& column : columns) rows.columns.emplace_back(column.type);
    rows.columns[0].append_integer(-7);
    rows.columns[1].append_bytes("plain");
    rows.columns[2].append_floating(0.1);
    rows.columns[3].append_bytes("[1,null]");
    rows.columns[0].append_integer(1'000'000);
    rows.columns[1].append_bytes("a,\"b\"\n\x1b[31m h\xc3\xb6");
    rows.columns[2].append_floating(std::numeric_limits<double>::quiet_NaN());
    rows.columns[3].append_bytes("{}");
    for (parquet::Cells& cells : rows.columns) cells.append_null();
    ResultWriter writer(columns, directory, {});
    EXPECT_THAT(writer.append(rows), IsOk());
    return std::move(writer).finish();
}

std::string write(const ResultTable& table, TextFormat format) {
    std::ostringstream out;
    EXPECT_THAT(write_text(table, format, out), IsOk());
    return out.str();
}

TEST(FormatTest, ATableIsAlignedAndHarmless) {
    const testkit::TemporaryDirectory directory;
    EXPECT_EQ(write(make_table(directory.path()), TextFormat::table),
              "      n  text, \"quoted\"        value  list\n"
              "-------  --------------------  -----  --------\n"
              "     -7  plain                   0.1  [1,null]\n"
              "1000000  a,\"b\"\\x0a\\x1b[31m h\xc3\xb6    NaN  {}\n"
              "   NULL  NULL                   NULL  NULL\n");
}

TEST(FormatTest, CsvTellsNullFromEmpty) {
    const testkit::TemporaryDirectory directory;
    EXPECT_EQ(write(make_table(directory.path()), TextFormat::csv),
              "n,\"text, \"\"quoted\"\"\",value,list\n"
              "-7,plain,0.1,\"[1,null]\"\n"
              "1000000,\"a,\"\"b\"\"\n\x1b[31m h\xc3\xb6\",NaN,{}\n"
              ",,,\n");
    ResultWriter writer({{.name = "t"}}, directory.path(), {});
    parquet::RowBatch rows;
    rows.columns.emplace_back(ColumnType::string).append_bytes("");
    ASSERT_THAT(writer.append(rows), IsOk());
    EXPECT_EQ(write(std::move(writer).finish(), TextFormat::csv), "t\n\"\"\n");
}

TEST(FormatTest, JsonIsJson) {
    const testkit::TemporaryDirectory directory;
    const std::string text = write(make_table(directory.path()), TextFormat::json);
    const auto json = parse_json(text);
    ASSERT_THAT(json, IsOk()) << text;
    ASSERT_EQ(json->find_array()->size(), 3U);
    const Json& hostile = (*json->find_array())[1];
    EXPECT_EQ(*hostile.find("text, \"quoted\"")->find_string(), "a,\"b\"\n\x1b[31m h\xc3\xb6");
    EXPECT_EQ(*hostile.find("value")->find_string(), "NaN");
    EXPECT_TRUE((*json->find_array())[0].find("list")->find_array() != nullptr);
    EXPECT_TRUE((*json->find_array())[2].find("n")->is_null());
    EXPECT_EQ(write(std::move(ResultWriter({{.name = "t"}}, directory.path(), {})).finish(),
                    TextFormat::json),
              "[\n]\n");
}

TEST(FormatTest, AnOutputThatTakesNothingIsAnError) {
    const testkit::TemporaryDirectory directory;
    for (const TextFormat format : {TextFormat::table, TextFormat::csv, TextFormat::json}) {
        std::ostringstream out;
        out.setstate(std::ios::badbit);
        EXPECT_THAT(write_text(make_table(directory.path()), format, out),
                    FailsWith(Code::unavailable));
    }
}

TEST(FormatTest, NamesOfFormats) {
    for (const TextFormat format : {TextFormat::table, TextFormat::csv, TextFormat::json}) {
        EXPECT_EQ(parse_text_format(to_text(format)), format);
    }
    EXPECT_EQ(parse_text_format("yaml"), std::nullopt);
}

TEST(CellTextTest, TimestampsAreWrittenAsEverywhere) {
    for (const std::int64_t ns :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'791'277'200'250'000'000},
          std::int64_t{-62'000'000'000'000'000}, std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min()}) {
        EXPECT_EQ(format_timestamp(ns, TimeUnit::nanosecond, true), format_time(time_from_ns(ns)));
    }
    EXPECT_EQ(format_timestamp(-1, TimeUnit::millisecond, true), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(format_timestamp(1, TimeUnit::microsecond, false), "1970-01-01T00:00:00.000001");
}

TEST(CellTextTest, DatesFarAwayAreWrittenToo) {
    EXPECT_EQ(format_date(0), "1970-01-01");
    EXPECT_EQ(format_date(-719'528), "0000-01-01");
    EXPECT_EQ(format_date(-719'529), "-0001-12-31");
    EXPECT_EQ(format_date(2'932'896), "9999-12-31");
    EXPECT_EQ(format_date(2'932'897), "+10000-01-01");
    EXPECT_EQ(format_date(std::numeric_limits<std::int32_t>::max()), "+5881580-07-11");
    EXPECT_EQ(format_date(std::numeric_limits<std::int32_t>::min()), "-5877641-06-23");
    constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(format_timestamp(infinity, TimeUnit::microsecond, true), "infinity");
    EXPECT_EQ(format_timestamp(-infinity, TimeUnit::microsecond, true), "-infinity");
    EXPECT_EQ(format_timestamp(infinity - 1, TimeUnit::microsecond, true),
              "+294247-01-10T04:00:54.775806Z");
}

TEST(CellTextTest, DecimalsKeepEveryDigit) {
    const auto text = [](std::uint64_t low, std::uint64_t high, std::int32_t scale) {
        std::string bytes(16, '\0');
        for (std::size_t i = 0; i < 8; ++i) {
            bytes[i] = static_cast<char>(low >> (8 * i));
            bytes[8 + i] = static_cast<char>(high >> (8 * i));
        }
        return format_decimal(bytes, scale);
    };
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    EXPECT_EQ(text(0, 0, 0), "0");
    EXPECT_EQ(text(0, 0, 2), "0.00");
    EXPECT_EQ(text(5, 0, 2), "0.05");
    EXPECT_EQ(text(12'345, 0, 2), "123.45");
    EXPECT_EQ(text(ones, ones, 2), "-0.01");
    EXPECT_EQ(text(ones, ones >> 1U, 0), "170141183460469231731687303715884105727");
    EXPECT_EQ(text(0, std::uint64_t{1} << 63U, 0), "-170141183460469231731687303715884105728");
    EXPECT_EQ(text(ones, ones >> 1U, 38), "1.70141183460469231731687303715884105727");
}

TEST(CellTextTest, FloatsAreTheShortestThatReadBack) {
    EXPECT_EQ(format_float(0.1, false), "0.1");
    EXPECT_EQ(format_float(static_cast<double>(0.1F), true), "0.1");
    EXPECT_EQ(format_float(static_cast<double>(0.1F), false), "0.10000000149011612");
    EXPECT_EQ(format_float(-0.0, false), "-0");
    EXPECT_EQ(format_float(1e300, false), "1e+300");
}

}  // namespace
}  // namespace highwater::engine
