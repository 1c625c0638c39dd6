#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <limits>

#include "base/text.h"
#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using testkit::IsOk;

constexpr auto int64_min = std::numeric_limits<std::int64_t>::min();
constexpr auto int64_max = std::numeric_limits<std::int64_t>::max();
constexpr auto uint64_max = std::numeric_limits<std::uint64_t>::max();

TEST(Json, KnowsItsType) {
    EXPECT_TRUE(Json().is_null());
    EXPECT_TRUE(Json(nullptr).is_null());
    EXPECT_EQ(*Json(true).find_bool(), true);
    EXPECT_EQ(*Json(2.5).find_double(), 2.5);
    EXPECT_EQ(*Json("text").find_string(), "text");
    EXPECT_EQ(*Json(std::string_view("text")).find_string(), "text");
    EXPECT_TRUE(Json::array().find_array()->empty());
    EXPECT_TRUE(Json::object({}).find_object()->empty());
    const Json text("text");
    EXPECT_EQ(text.find_bool(), nullptr);
    EXPECT_EQ(text.find_double(), nullptr);
    EXPECT_EQ(text.find_array(), nullptr);
    EXPECT_EQ(text.find_object(), nullptr);
    EXPECT_EQ(text.find("member"), nullptr);
    EXPECT_FALSE(text.has_int64());
    EXPECT_FALSE(text.has_uint64());
    EXPECT_FALSE(text.is_null());
}

TEST(Json, IntegersKeepAll64Bits) {
    EXPECT_EQ(Json(int64_min).as_int64(), int64_min);
    EXPECT_FALSE(Json(int64_min).has_uint64());
    EXPECT_EQ(Json(int64_max).as_uint64(), static_cast<std::uint64_t>(int64_max));
    EXPECT_EQ(Json(uint64_max).as_uint64(), uint64_max);
    EXPECT_FALSE(Json(uint64_max).has_int64());
    EXPECT_EQ(Json(-1).as_int64(), -1);
    EXPECT_EQ(Json(7U).as_int64(), 7);
}

TEST(Json, EqualIntegersAreEqualWhateverTheyCameFrom) {
    EXPECT_EQ(Json(std::uint64_t{5}), Json(5));
    EXPECT_EQ(Json(5U), Json(std::int64_t{5}));
    EXPECT_NE(Json(5), Json(5.0));
    EXPECT_NE(Json(uint64_max), Json(-1));
}

TEST(Json, NumbersAreReadAsDoubles) {
    EXPECT_EQ(Json(2.5).as_double(), 2.5);
    EXPECT_EQ(Json(-3).as_double(), -3.0);
    EXPECT_EQ(Json(uint64_max).as_double(), 18446744073709551616.0);
}

TEST(Json, GrowsFromNull) {
    Json object;
    object.set("a", 1).set("b", Json::array());
    EXPECT_EQ(object, Json::object({{"a", 1}, {"b", Json::array()}}));
    EXPECT_EQ(object.find("a")->as_int64(), 1);
    EXPECT_EQ(object.find("c"), nullptr);
    Json array;
    array.push_back("x");
    array.push_back(object);
    EXPECT_EQ(format_json(array), R"(["x",{"a":1,"b":[]}])");
}

TEST(JsonDeathTest, IsNotReadAsWhatItIsNot) {
    EXPECT_DEATH(static_cast<void>(Json("5").as_int64()), "has_int64");
    EXPECT_DEATH(static_cast<void>(Json(uint64_max).as_int64()), "has_int64");
    EXPECT_DEATH(static_cast<void>(Json(-1).as_uint64()), "has_uint64");
    EXPECT_DEATH(static_cast<void>(Json(true).as_double()), "has_uint64");
    Json number(5);
    EXPECT_DEATH(number.set("a", 1), "object");
    EXPECT_DEATH(number.push_back(1), "array");
}

TEST(JsonDeathTest, HasNoMemberTwice) {
    Json object;
    object.set("a", 1);
    EXPECT_DEATH(object.set("a", 2), "nullptr");
}

TEST(FormatJson, WritesOneLineOrIndents) {
    const Json json = Json::object(
        {{"list", Json::Array{1, "two", nullptr}}, {"none", Json::object({})}, {"yes", true}});
    EXPECT_EQ(format_json(json), R"({"list":[1,"two",null],"none":{},"yes":true})");
    EXPECT_EQ(format_json(json, 2),
              "{\n  \"list\": [\n    1,\n    \"two\",\n    null\n  ],\n  \"none\": {},\n"
              "  \"yes\": true\n}");
}

TEST(FormatJson, DoublesStayDoubles) {
    EXPECT_EQ(format_json(1.0), "1.0");
    EXPECT_EQ(format_json(-0.0), "-0.0");
    EXPECT_EQ(format_json(0.1), "0.1");
    EXPECT_EQ(format_json(1e300), "1e+300");
    EXPECT_EQ(format_json(1e15), "1e+15");
    EXPECT_EQ(format_json(std::numeric_limits<double>::denorm_min()), "5e-324");
    EXPECT_EQ(format_json(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(FormatJson, WhatIsNoNumberIsNull) {
    EXPECT_EQ(format_json(std::numeric_limits<double>::quiet_NaN()), "null");
    EXPECT_EQ(format_json(std::numeric_limits<double>::infinity()), "null");
    EXPECT_EQ(format_json(-std::numeric_limits<double>::infinity()), "null");
}

TEST(FormatJson, EscapesInStringsAndNames) {
    EXPECT_EQ(format_json("\"\\/\n\t\r\x01\x7F"), R"("\"\\/\n\t\u000d\u0001\u007f")");
    EXPECT_EQ(format_json(Json::object({{"a\"b", 1}})), R"({"a\"b":1})");
    EXPECT_EQ(format_json(std::string_view("a\0b", 3)), R"("a\u0000b")");
    EXPECT_EQ(format_json("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
}

TEST(FormatJson, BytesThatAreNotUtf8BecomeReplacementCharacters) {
    EXPECT_EQ(format_json("a\xFF\xC3z"), "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"");
    EXPECT_EQ(format_json(Json::object({{"\xFF", 1}})), "{\"\xEF\xBF\xBD\":1}");
}

RC_GTEST_PROP(JsonProperty, TextIsReadBack, ()) {
    const Json json = *testkit::any_json();
    const auto indent = *rc::gen::inRange(0, 5);
    const auto parsed = parse_json(format_json(json, indent));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == json);
    RC_ASSERT(format_json(*parsed, indent) == format_json(json, indent));
}

RC_GTEST_PROP(JsonProperty, AnyDoubleIsReadBackToTheBit, ()) {
    const auto bits = *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>());
    const auto value = std::bit_cast<double>(bits * 0x9E3779B97F4A7C15U);
    RC_PRE(value - value == 0);
    const auto parsed = parse_json(format_json(value));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(std::bit_cast<std::uint64_t>(*parsed->find_double()) ==
              std::bit_cast<std::uint64_t>(value));
}

RC_GTEST_PROP(JsonProperty, AnyBytesGiveADocument, ()) {
    const auto text = format_json(Json::Array{*testkit::any_bytes(20)});
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(parse_json(text).ok());
}

}  // namespace
}  // namespace highwater
