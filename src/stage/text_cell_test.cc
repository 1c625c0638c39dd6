#include "stage/text_cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "testkit/matchers.h"

namespace highwater::stage {
namespace {

using model::Column;
using model::ColumnType;
using model::TimeUnit;
using parquet::Cells;
using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

Column column_of(ColumnType type) {
    return {.id = 1, .name = "c", .type = type};
}

/// The only cell that `text` gives.
Result<Cells> cell_of(const Column& column, std::string_view text, bool is_quoted = false,
                      const TimeFormat& times = {}, TimeUnit unit = TimeUnit::microsecond) {
    Cells cells(column.type);
    const auto appended = append_text(column, unit, times, text, is_quoted, cells);
    if (!appended.ok()) {
        EXPECT_EQ(cells.size(), 0U);
        return appended.error();
    }
    EXPECT_EQ(cells.size(), 1U);
    return cells;
}

void expect_integer(ColumnType type, std::string_view text, std::int64_t value) {
    const auto cells = cell_of(column_of(type), text);
    ASSERT_THAT(cells, IsOk()) << text;
    EXPECT_EQ(cells->integer_at(0), value) << text;
}

void expect_refused(ColumnType type, std::string_view text) {
    EXPECT_THAT(cell_of(column_of(type), text), FailsWith(Code::invalid_argument)) << text;
}

TEST(AppendText, ReadsWholeNumbersToTheEdgesOfTheirType) {
    expect_integer(ColumnType::int8, "-128", -128);
    expect_integer(ColumnType::int8, "127", 127);
    expect_refused(ColumnType::int8, "128");
    expect_integer(ColumnType::uint16, "65535", 65'535);
    expect_refused(ColumnType::uint16, "65536");
    expect_refused(ColumnType::uint16, "-1");
    expect_integer(ColumnType::int64, "-9223372036854775808",
                   std::numeric_limits<std::int64_t>::min());
    expect_refused(ColumnType::int64, "9223372036854775808");
    expect_integer(ColumnType::uint64, "18446744073709551615", -1);
    expect_refused(ColumnType::uint64, "18446744073709551616");
    expect_integer(ColumnType::int32, "\t 7 ", 7);
    for (const char* text : {"1.0", "1e3", "+1", "0x1", "one", "1 2"}) {
        expect_refused(ColumnType::int32, text);
    }
}

TEST(AppendText, ReadsFloats) {
    const auto at = [](std::string_view text) {
        const auto cells = cell_of(column_of(ColumnType::float64), text);
        EXPECT_THAT(cells, IsOk()) << text;
        return cells->floating_at(0);
    };
    EXPECT_EQ(at("51.846000000000004"), 51.846000000000004);
    EXPECT_EQ(at("-1e308"), -1e308);
    EXPECT_EQ(at("5e-324"), 5e-324);
    EXPECT_TRUE(std::isnan(at("NaN")));
    EXPECT_TRUE(std::isinf(at("-inf")));
    EXPECT_TRUE(std::signbit(at("-0")));
    expect_refused(ColumnType::float64, "1e309");
    expect_refused(ColumnType::float64, "1,5");
    expect_refused(ColumnType::float64, "1.5x");
    const auto narrow = cell_of(column_of(ColumnType::float32), "0.1");
    EXPECT_EQ(narrow->floating_at(0), double{0.1F});
    expect_refused(ColumnType::float32, "1e39");
}

TEST(AppendText, ReadsBooleansAndDates) {
    for (const char* text : {"true", "TRUE", "True", "1"})
        expect_integer(ColumnType::boolean, text, 1);
    for (const char* text : {"false", "False", "0"}) expect_integer(ColumnType::boolean, text, 0);
    expect_refused(ColumnType::boolean, "yes");
    expect_integer(ColumnType::date, "1970-01-02", 1);
    expect_integer(ColumnType::date, "1969-12-31", -1);
    expect_refused(ColumnType::date, "2026-02-29");
    expect_refused(ColumnType::date, "2026-02-28T00");
}

TEST(AppendText, ReadsDecimalsExactlyOrNotAtAll) {
    const Column column{.id = 1,
                        .name = "c",
                        .type = ColumnType::decimal,
                        .decimal_precision = 5,
                        .decimal_scale = 2};
    const auto at = [&](std::string_view text) -> std::optional<int> {
        const auto cells = cell_of(column, text);
        if (!cells.ok()) return std::nullopt;
        const BytesView bytes = cells->bytes_at(0);
        int value = 0;
        for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
        return value;
    };
    EXPECT_EQ(at("1.5"), 150);
    EXPECT_EQ(at("-1.50"), -150);
    EXPECT_EQ(at("1.500"), 150);
    EXPECT_EQ(at(".5"), 50);
    EXPECT_EQ(at("7"), 700);
    EXPECT_EQ(at("999.99"), 99'999);
    EXPECT_EQ(at("-999.99"), -99'999);
    EXPECT_EQ(at("000999.99"), 99'999);
    for (const char* text : {"1000", "1000.00", "1.505", "1.5.0", ".", "-", "1e1", "--1"}) {
        EXPECT_EQ(at(text), std::nullopt) << text;
    }
}

TEST(AppendText, TellsNullFromAnEmptyString) {
    EXPECT_TRUE(cell_of(column_of(ColumnType::string), "")->is_null(0));
    EXPECT_FALSE(cell_of(column_of(ColumnType::string), "", true)->is_null(0));
    EXPECT_EQ(cell_of(column_of(ColumnType::string), " ")->bytes_at(0), " ");
    EXPECT_TRUE(cell_of(column_of(ColumnType::float64), " ")->is_null(0));
    EXPECT_TRUE(cell_of(column_of(ColumnType::float64), "", true)->is_null(0));
    Column required = column_of(ColumnType::float64);
    required.nullable = false;
    EXPECT_THAT(cell_of(required, ""), FailsWith(Code::invalid_argument));
    expect_refused(ColumnType::string, "\xFF");
    EXPECT_EQ(cell_of(column_of(ColumnType::binary), "\xFF")->bytes_at(0), "\xFF");
}

TEST(AppendText, ReadsTimesInTheirZone) {
    const Column column = column_of(ColumnType::timestamp);
    const auto at = [&](std::string_view text, std::chrono::minutes zone) {
        const auto cells = cell_of(column, text, false, {.zone = zone});
        EXPECT_THAT(cells, IsOk()) << text;
        return cells->integer_at(0);
    };
    constexpr std::chrono::minutes utc(0);
    EXPECT_EQ(at("2014-02-14 14:30:00", utc), 1'392'388'200'000'000);
    EXPECT_EQ(at("2014-02-14T14:30:00Z", std::chrono::minutes(120)), 1'392'388'200'000'000);
    EXPECT_EQ(at("2014-02-14 16:30:00", std::chrono::minutes(120)), 1'392'388'200'000'000);
    EXPECT_EQ(at("2014-02-14 16:30:00+02:00", utc), 1'392'388'200'000'000);
    EXPECT_EQ(at("2014-02-14 14:30:00.000001", utc), 1'392'388'200'000'001);
    expect_refused(ColumnType::timestamp, "2014-02-30 00:00:00");
    expect_refused(ColumnType::timestamp, "2014-02-14 14:30:00.0000001");
    EXPECT_EQ(
        cell_of(column, "1969-12-31 23:59:59.9999999", false, {.truncate = true})->integer_at(0),
        -1);
}

TEST(AppendText, ReadsEpochsInTheirUnit) {
    const Column column = column_of(ColumnType::timestamp);
    using Kind = TimeFormat::Kind;
    const auto at = [&](std::string_view text, Kind kind) {
        return cell_of(column, text, false, {.kind = kind});
    };
    EXPECT_EQ(at("1392388200", Kind::seconds)->integer_at(0), 1'392'388'200'000'000);
    EXPECT_EQ(at("-1", Kind::milliseconds)->integer_at(0), -1'000);
    EXPECT_EQ(at("7", Kind::microseconds)->integer_at(0), 7);
    EXPECT_EQ(at("7000", Kind::nanoseconds)->integer_at(0), 7);
    EXPECT_THAT(at("7001", Kind::nanoseconds), FailsWith(Code::invalid_argument));
    EXPECT_THAT(at("1.5", Kind::seconds), FailsWith(Code::invalid_argument));
    EXPECT_THAT(at("9223372036", Kind::seconds), IsOk());
    EXPECT_THAT(at("9223372037", Kind::seconds), FailsWith(Code::invalid_argument));
}

TEST(ParseZone, TakesFixedOffsetsOnly) {
    EXPECT_EQ(*parse_zone("UTC"), std::chrono::minutes(0));
    EXPECT_EQ(*parse_zone("Z"), std::chrono::minutes(0));
    EXPECT_EQ(*parse_zone("+05:30"), std::chrono::minutes(330));
    EXPECT_EQ(*parse_zone("-23:59"), std::chrono::minutes(-1'439));
    EXPECT_THAT(parse_zone("+24:00"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(parse_zone("+5:30"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(parse_zone("CET"), FailsWith(Code::invalid_argument));
    const auto named = parse_zone("Europe/Berlin");
    ASSERT_THAT(named, FailsWith(Code::unsupported));
    EXPECT_THAT(named.error().message(), HasSubstr("fixed one such as +02:00"));
}

TEST(ParseTimeKind, NamesUnits) {
    EXPECT_EQ(*parse_time_kind("text"), TimeFormat::Kind::text);
    EXPECT_EQ(*parse_time_kind("s"), TimeFormat::Kind::seconds);
    EXPECT_EQ(*parse_time_kind("ms"), TimeFormat::Kind::milliseconds);
    EXPECT_EQ(*parse_time_kind("us"), TimeFormat::Kind::microseconds);
    EXPECT_EQ(*parse_time_kind("ns"), TimeFormat::Kind::nanoseconds);
    EXPECT_THAT(parse_time_kind("min"), FailsWith(Code::invalid_argument));
}

ColumnType type_of(std::initializer_list<const char*> texts) {
    TypeInference inference;
    for (const char* text : texts) inference.add(text, false);
    return inference.type();
}

TEST(TypeInference, FindsTheNarrowestTypeThatLosesNothing) {
    EXPECT_EQ(type_of({"true", "", "False"}), ColumnType::boolean);
    EXPECT_EQ(type_of({"1", "-2", ""}), ColumnType::int64);
    EXPECT_EQ(type_of({"1", "2.5"}), ColumnType::float64);
    EXPECT_EQ(type_of({"1.0", "nan", "-inf", "1e3"}), ColumnType::float64);
    EXPECT_EQ(type_of({"2026-10-06", ""}), ColumnType::date);
    EXPECT_EQ(type_of({"1", "x"}), ColumnType::string);
    EXPECT_EQ(type_of({"", " "}), ColumnType::string);
    EXPECT_EQ(type_of({"007"}), ColumnType::string);
    EXPECT_EQ(type_of({"0", "-0.5"}), ColumnType::float64);
    EXPECT_EQ(type_of({"true", "1"}), ColumnType::string);
    EXPECT_EQ(type_of({"9223372036854775808"}), ColumnType::string);
    // 2^53 is the last whole number that every smaller one shares float64 with.
    EXPECT_EQ(type_of({"9007199254740992", "0.5"}), ColumnType::float64);
    EXPECT_EQ(type_of({"9007199254740993", "0.5"}), ColumnType::string);
    EXPECT_EQ(type_of({"9007199254740993"}), ColumnType::int64);
}

TEST(TypeInference, AddsUpWhatSeveralFilesSay) {
    TypeInference whole;
    whole.add("9007199254740993", false);
    TypeInference broken;
    broken.add("0.5", false);
    whole.add(broken);
    EXPECT_EQ(whole.type(), ColumnType::string);
    TypeInference nothing;
    nothing.add(TypeInference());
    EXPECT_FALSE(nothing.has_values());
}

}  // namespace
}  // namespace highwater::stage
