#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testkit::FailsWith;
using testkit::IsOk;

std::string message_of(std::string_view text, const JsonLimits& limits = {}) {
    const auto json = parse_json(text, limits);
    EXPECT_FALSE(json.ok()) << text;
    return json.ok() ? "" : json.error().message();
}

TEST(ParseJson, TakesEveryKindOfValue) {
    const auto json = parse_json(
        " {\"null\": null, \"yes\": true, \"no\": false, \"int\": -5, \"double\": 2.5e-1,\n"
        "  \"text\": \"caf\\u00e9 \\ud83c\\udf0a\", \"list\": [1, [], {}], \"object\": {\"a\": "
        "1}}\n");
    ASSERT_THAT(json, IsOk());
    EXPECT_TRUE(json->find("null")->is_null());
    EXPECT_TRUE(*json->find("yes")->find_bool());
    EXPECT_FALSE(*json->find("no")->find_bool());
    EXPECT_EQ(json->find("int")->as_int64(), -5);
    EXPECT_EQ(*json->find("double")->find_double(), 0.25);
    EXPECT_EQ(*json->find("text")->find_string(), "caf\xC3\xA9 \xF0\x9F\x8C\x8A");
    EXPECT_EQ(json->find("list")->find_array()->size(), 3u);
    EXPECT_EQ(json->find("object")->find("a")->as_int64(), 1);
}

TEST(ParseJson, MembersKeepTheirOrder) {
    const auto json = parse_json(R"({"z":1,"a":2,"":3})");
    ASSERT_THAT(json, IsOk());
    EXPECT_EQ(*json, Json::object({{"z", 1}, {"a", 2}, {"", 3}}));
}

TEST(ParseJson, TakesAScalarAloneAndPassesOverAByteOrderMark) {
    EXPECT_EQ(*parse_json("5"), Json(5));
    EXPECT_EQ(*parse_json("\"x\""), Json("x"));
    EXPECT_EQ(*parse_json("\xEF\xBB\xBF[1]"), Json(Json::Array{1}));
}

TEST(ParseJson, IntegersKeepAll64BitsAndNoMore) {
    EXPECT_EQ(parse_json("9223372036854775807")->as_int64(),
              std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(parse_json("9223372036854775808")->as_uint64(), std::uint64_t{1} << 63U);
    EXPECT_EQ(parse_json("18446744073709551615")->as_uint64(),
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(parse_json("-9223372036854775808")->as_int64(),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(*parse_json("-0"), Json(0));
    for (const std::string_view text : {"18446744073709551616", "-9223372036854775809"}) {
        EXPECT_THAT(parse_json(text), FailsWith(Code::invalid_argument));
        EXPECT_THAT(message_of(text), HasSubstr(std::string(text) + " does not fit 64 bits"));
    }
}

TEST(ParseJson, DoublesAreFinite) {
    EXPECT_TRUE(std::signbit(*parse_json("-0.0")->find_double()));
    EXPECT_EQ(*parse_json("1e2")->find_double(), 100.0);
    EXPECT_EQ(*parse_json("18446744073709551616.0")->find_double(), 18446744073709551616.0);
    EXPECT_EQ(*parse_json("1.7976931348623157e308")->find_double(),
              std::numeric_limits<double>::max());
    EXPECT_EQ(*parse_json("1e-400")->find_double(), 0.0);
    for (const std::string_view text : {"1.8e308", "-1e999", "[1e400]"}) {
        EXPECT_THAT(parse_json(text), FailsWith(Code::invalid_argument));
        EXPECT_THAT(message_of(text), HasSubstr("out of the range of doubles"));
    }
}

TEST(ParseJson, RefusesWhatIsNoDocument) {
    for (const std::string_view text : {"",
                                        " ",
                                        "[",
                                        "]",
                                        "{",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "[1,]",
                                        "[1 2]",
                                        "[1],",
                                        "1 2",
                                        "nul",
                                        "NaN",
                                        "Infinity",
                                        "+1",
                                        "01",
                                        "1.",
                                        ".5",
                                        "1e",
                                        "0x1",
                                        "\"",
                                        "\"a",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "\"\\ud800\"",
                                        "\"\n\"",
                                        "// c\n1",
                                        "[1]//",
                                        "\xEF\xBB",
                                        "\"\xFF\"",
                                        "\"\xED\xA0\x80\"",
                                        "\"\xC0\x80\""}) {
        EXPECT_THAT(parse_json(text), FailsWith(Code::invalid_argument)) << text;
    }
}

TEST(ParseJson, RefusesANulByteWhateverFollows) {
    using namespace std::string_view_literals;
    for (const std::string_view text : {"\0"sv, "1\0"sv, "[1]\0]"sv, "\"a\0b\""sv, "[\0]"sv}) {
        EXPECT_THAT(parse_json(text), FailsWith(Code::invalid_argument));
    }
    EXPECT_EQ(message_of("[1]\n\0 and more"sv), "line 2, column 1: a NUL byte");
}

TEST(ParseJson, SaysWhereAndWhy) {
    EXPECT_THAT(message_of("[1,\n  2,\n  x]"),
                AllOf(StartsWith("line 3, column 3: "), HasSubstr("invalid literal")));
    EXPECT_THAT(message_of("[1, 2"), AllOf(StartsWith("line 1, column "), HasSubstr("']'")));
    EXPECT_THAT(message_of(""), StartsWith("line 1, column 1: "));
    EXPECT_THAT(message_of("\"\xFF\""), HasSubstr("ill-formed UTF-8"));
    EXPECT_THAT(message_of("{\n\"a\": 1e999}"), StartsWith("line 2, column "));
}

TEST(ParseJson, ShowsTextFromOutsideWithoutControlCharacters) {
    EXPECT_THAT(message_of("{\"\\u001b\":1,\"\\u001b\":2}"), HasSubstr("'\\x1b'"));
    EXPECT_EQ(message_of("[\x1B]").find('\x1B'), std::string::npos);
}

TEST(ParseJson, RefusesAMemberTwiceAndNamesIt) {
    const std::string_view text = "{\"a\": 1,\n \"b\": {\"a\": 2},\n \"a\": 3}";
    EXPECT_THAT(parse_json(text), FailsWith(Code::invalid_argument));
    EXPECT_EQ(message_of(text), "line 3, column 4: the member 'a' is there twice");
    EXPECT_THAT(parse_json(R"({"a":1,"\u0061":2})"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(parse_json(R"([{"a":1},{"a":2}])"), IsOk());
}

/// {"m0":0,"m1":0,...} and then one more member, `last`.
std::string object_of(std::size_t count, const std::string& last) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) text += "\"m" + std::to_string(i) + "\":0,";
    return text + "\"" + last + "\":0}";
}

TEST(ParseJson, RefusesAMemberTwiceInObjectsOfEachSize) {
    for (const std::size_t count : {1U, 63U, 64U, 65U, 66U, 200U}) {
        EXPECT_THAT(parse_json(object_of(count, "last")), IsOk()) << count;
        for (const std::size_t twice : {std::size_t{0}, count / 2, count - 1}) {
            EXPECT_THAT(parse_json(object_of(count, "m" + std::to_string(twice))),
                        FailsWith(Code::invalid_argument))
                << count << " " << twice;
        }
    }
}

TEST(ParseJson, HasALimitOfBytes) {
    EXPECT_THAT(parse_json("[10]", {.size_bytes_max = 4}), IsOk());
    EXPECT_THAT(parse_json("[100]", {.size_bytes_max = 4}), FailsWith(Code::exhausted));
    EXPECT_EQ(message_of("[100]", {.size_bytes_max = 4}),
              "a JSON document has at most 4 bytes, not 5");
}

TEST(ParseJson, HasALimitOfDepth) {
    EXPECT_THAT(parse_json("[{\"a\":[]}]", {.depth_max = 3}), IsOk());
    EXPECT_THAT(parse_json("[{\"a\":[[]]}]", {.depth_max = 3}), FailsWith(Code::exhausted));
    EXPECT_EQ(message_of("[[]]", {.depth_max = 1}),
              "a JSON document has at most 1 levels of nesting");
    const std::string deep = std::string(64, '[') + std::string(64, ']');
    EXPECT_THAT(parse_json(deep), IsOk());
    EXPECT_THAT(parse_json("[" + deep + "]"), FailsWith(Code::exhausted));
    EXPECT_THAT(parse_json(std::string(1'000'000, '[')), FailsWith(Code::exhausted));
}

TEST(ParseJson, HasALimitOfValues) {
    EXPECT_THAT(parse_json("[1,{\"a\":2}]", {.values_max = 4}), IsOk());
    EXPECT_THAT(parse_json("[1,{\"a\":2},3]", {.values_max = 4}), FailsWith(Code::exhausted));
    EXPECT_THAT(parse_json("[1,{\"a\":2},[]]", {.values_max = 4}), FailsWith(Code::exhausted));
    EXPECT_EQ(message_of("[1]", {.values_max = 1}), "a JSON document has at most 1 values");
}

TEST(ParseJson, TakesVeryManyMembersOfOneObject) {
    // Quadratic work would take minutes.
    const auto json = parse_json(object_of(200'000, "last"));
    ASSERT_THAT(json, IsOk());
    EXPECT_EQ(json->find_object()->size(), 200'001u);
    Json copy;
    for (const auto& [name, value] : *json->find_object()) copy.set(name, value);
    EXPECT_EQ(copy, *json);
}

}  // namespace
}  // namespace highwater
