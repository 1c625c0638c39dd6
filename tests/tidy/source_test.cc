#include "source.h"

#include <gmock/gmock.h>

namespace highwater::tidy {
namespace {

using ::testing::ElementsAre;

TEST(SourceTest, CodeHasNeitherCommentsNorLiterals) {
    const Source source = make_source("src/a/b.cc",
                                      "int a = 1'000;  // one\n"
                                      "call(\"rand()\", '\"', 'x');\n"
                                      "/* two\n"
                                      "lines */ b();\n");
    EXPECT_THAT(source.code, ElementsAre("int a = 1'000;        ",  //
                                         "call(        ,    ,    );", "      ", "         b();"));
    EXPECT_EQ(source.lines[0], "int a = 1'000;  // one");
}

TEST(SourceTest, RawStringsEndAtTheirDelimiter) {
    const Source source = make_source("x.cc", "f(R\"x(a\")b)x\");g();");
    EXPECT_THAT(source.code, ElementsAre("f(" + std::string(11, ' ') + ");g();"));
}

TEST(SourceTest, AnEscapedQuoteDoesNotEndAString) {
    EXPECT_THAT(make_source("x.cc", R"(f("a\"b", '\'');)").code, ElementsAre("f(      ,     );"));
}

TEST(SourceTest, IncludesKeepTheirNames) {
    EXPECT_THAT(make_source("x.cc", "#include \"a/b.h\"").code, ElementsAre("#include \"a/b.h\""));
}

TEST(SourceTest, KnowsItsPlace) {
    EXPECT_EQ(room_of(make_source("src/gate/x.h", "")), "gate");
    EXPECT_EQ(room_of(make_source("app/x.cc", "")), "");
    EXPECT_TRUE(is_header(make_source("src/gate/x.h", "")));
    EXPECT_FALSE(is_header(make_source("src/gate/x.cc", "")));
    EXPECT_TRUE(is_test(make_source("src/gate/x_test.cc", "")));
    EXPECT_TRUE(is_test(make_source("tests/fault/walk.h", "")));
    EXPECT_FALSE(is_test(make_source("src/gate/test.cc", "")));
}

TEST(SourceTest, FindingsReadLikeACompilersWords) {
    EXPECT_EQ(format_finding({"a.h", 3, "too long"}), "a.h:3: too long");
    EXPECT_EQ(format_finding({"a.h", 0, "too long"}), "a.h: too long");
}

}  // namespace
}  // namespace highwater::tidy
