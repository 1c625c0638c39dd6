#include "base/text.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "testkit/generators.h"

namespace highwater {
namespace {

TEST(Utf8, TakesTheEdgesOfEachForm) {
    for (const std::string text :
         {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
          "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(is_utf8(text)) << format_quoted(text);
        EXPECT_EQ(utf8_size_at_start(text), text.size());
    }
    EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, RefusesWhatLiesBeyondThem) {
    for (const std::string text :
         {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xC2\xC0", "\xE0\x9F\xBF",
          "\xE0\xA0", "\xE1\x80\x7F", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF",
          "\xF0\x90\x80", "\xF1\x80\x80\xC0", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE",
          "\xFF"}) {
        EXPECT_FALSE(is_utf8(text)) << format_quoted(text);
        EXPECT_FALSE(is_utf8("good " + text + " text")) << format_quoted(text);
        EXPECT_EQ(utf8_size_at_start(text), 0u) << format_quoted(text);
    }
}

TEST(Quoted, LeavesPrintableTextAsItIs) {
    EXPECT_EQ(format_quoted("hour=09/caf\xC3\xA9 \xF0\x9F\x8C\x8A"),
              "hour=09/caf\xC3\xA9 \xF0\x9F\x8C\x8A");
}

TEST(Quoted, EscapesWhatATerminalWouldObey) {
    EXPECT_EQ(format_quoted("\x1B[31m\n\t\x7F"), "\\x1b[31m\\x0a\\x09\\x7f");
    EXPECT_EQ(format_quoted(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(format_quoted("\xC2\x9B"), "\\xc2\\x9b");           // The other CSI.
    EXPECT_EQ(format_quoted("\xC2\xA0"), "\xC2\xA0");             // Just beyond them.
    EXPECT_EQ(format_quoted("\xE2\x80\xAE"), "\\xe2\\x80\\xae");  // Right-to-left override.
    EXPECT_EQ(format_quoted("\xE2\x81\xA6"), "\\xe2\\x81\\xa6");  // An isolate.
    EXPECT_EQ(format_quoted("\xE2\x80\xA6"), "\xE2\x80\xA6");     // An ellipsis is text.
    EXPECT_EQ(format_quoted("\xE2\x82\xAC"), "\xE2\x82\xAC");     // So is a euro sign.
}

TEST(Quoted, EscapesBytesThatAreNotUtf8) {
    EXPECT_EQ(format_quoted("a\xFFz\xC3"), "a\\xffz\\xc3");
}

TEST(Quoted, IsCutBetweenCharacters) {
    EXPECT_EQ(format_quoted("abcdef", 6), "abcdef");
    EXPECT_EQ(format_quoted("abcdefg", 6), "abcdef...");
    EXPECT_EQ(format_quoted("abcde\xC3\xA9", 6), "abcde...");
    EXPECT_EQ(format_quoted("a", 0), "...");
    EXPECT_EQ(format_quoted("", 0), "");
    EXPECT_EQ(format_quoted(std::string(256, 'a')), std::string(256, 'a'));
    EXPECT_EQ(format_quoted(std::string(257, 'a')), std::string(256, 'a') + "...");
}

RC_GTEST_PROP(QuotedProperty, IsAlwaysPrintableUtf8, ()) {
    const auto quoted = format_quoted(*testkit::any_bytes(40) + *testkit::any_text(20));
    RC_ASSERT(is_utf8(quoted));
    RC_ASSERT(format_quoted(quoted, quoted.size()) == quoted);
}

}  // namespace
}  // namespace highwater
