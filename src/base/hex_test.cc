#include "base/hex.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "testkit/generators.h"

namespace highwater {
namespace {

TEST(Hex, WritesLowerCase) {
    EXPECT_EQ(format_hex(""), "");
    EXPECT_EQ(format_hex(BytesView("\x00\x7F\xAB\xFF", 4)), "007fabff");
}

TEST(Hex, RefusesOddLengthsAndOtherCharacters) {
    EXPECT_EQ(parse_hex("0"), std::nullopt);
    EXPECT_EQ(parse_hex("AB"), std::nullopt);
    EXPECT_EQ(parse_hex("0g"), std::nullopt);
    EXPECT_EQ(parse_hex("g0"), std::nullopt);
    EXPECT_EQ(parse_hex(" 0"), std::nullopt);
    EXPECT_EQ(parse_hex(""), Bytes());
}

RC_GTEST_PROP(HexProperty, IsReadBack, ()) {
    const Bytes bytes = *testkit::any_bytes(40);
    RC_ASSERT(parse_hex(format_hex(bytes)) == bytes);
}

}  // namespace
}  // namespace highwater
