#include "shape.h"

#include <gmock/gmock.h>

namespace highwater::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string repeat(std::string_view text, std::size_t count) {
    std::string repeated;
    for (; count > 0; --count) repeated += text;
    return repeated;
}

Findings lines(std::string_view text) {
    return find_long_lines(make_source("a.cc", text));
}

TEST(LongLinesTest, AreOver100Characters) {
    EXPECT_THAT(lines(repeat("x", 100)), IsEmpty());
    EXPECT_THAT(lines(repeat("\u00e9", 100)), IsEmpty());
    EXPECT_THAT(lines("\n" + repeat("x", 101)), ElementsAre(Finding{"a.cc", 2, "101 columns"}));
}

TEST(LongFilesTest, AreOver600Lines) {
    EXPECT_THAT(find_long_files(make_source("a.cc", repeat("x\n", 600))), IsEmpty());
    EXPECT_THAT(find_long_files(make_source("a.cc", repeat("x\n", 601))), SizeIs(1));
}

Findings functions(const std::string& text) {
    return find_long_functions(make_source("a.cc", text));
}

TEST(LongFunctionsTest, AreOver60LinesWithSignatureAndBrace) {
    EXPECT_THAT(functions("int a;\nint f(\n    int b) {\n" + repeat("b();\n", 57) + "}\n"),
                IsEmpty());
    EXPECT_THAT(functions("int a;\nint f(\n    int b) {\n" + repeat("b();\n", 58) + "}\n"),
                ElementsAre(Finding{"a.cc", 2, "a function of 61 lines"}));
}

TEST(LongFunctionsTest, AreFoundInClassesTemplatesTestsAndConstructors) {
    const std::string body = " {\n" + repeat("if (a) { b(); }\n", 60) + "}\n";
    EXPECT_THAT(functions("class A : public B {\nint f() const" + body + "};\n"), SizeIs(1));
    EXPECT_THAT(functions("template <typename T, class U = A<T>>\nT f(U u)" + body), SizeIs(1));
    EXPECT_THAT(functions("TEST(GateTest, Refuses)" + body), SizeIs(1));
    EXPECT_THAT(functions("A::A(int b) : b_(b), c_{b}, d_(b)" + body), SizeIs(1));
    EXPECT_THAT(functions("namespace a {\nvoid f()" + body + "void g()" + body + "}\n"), SizeIs(2));
}

TEST(LongFunctionsTest, ScopesAndTablesAreNone) {
    const std::string body = " {\n" + repeat("{1, f(2)},\n", 70) + "};\n";
    EXPECT_THAT(functions("namespace a" + body), IsEmpty());
    EXPECT_THAT(functions("class HIGHWATER_ATTRIBUTE(capability()) Mutex" + body), IsEmpty());
    EXPECT_THAT(functions("const std::map<int, int> table =" + body), IsEmpty());
    EXPECT_THAT(functions("enum class Code : int" + body), IsEmpty());
}

TEST(LongFunctionsTest, ALambdaIsPartOfItsFunction) {
    const std::string lambda = "const auto g = [&](int a) {\n" + repeat("a;\n", 30) + "};\n";
    EXPECT_THAT(functions("void f() {\n" + lambda + "}\nvoid h() {\n" + lambda + "}\n"), IsEmpty());
    EXPECT_THAT(functions("void f() {\n" + lambda + lambda + "}\n"), SizeIs(1));
}

TEST(LongFunctionsTest, BracesInTextAndDirectivesDoNotCount) {
    const std::string text = "void f() {\n  g(\"{\"); // {\n#define OPEN { \\\n  {\n}\n";
    EXPECT_THAT(functions(text + repeat("int a;\n", 70)), IsEmpty());
}

}  // namespace
}  // namespace highwater::tidy
