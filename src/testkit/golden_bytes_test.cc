#include "testkit/golden_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::testkit {
namespace {

class GoldenBytesTest : public ::testing::Test {
protected:
    Result<std::map<std::string, Bytes>> read(std::string_view text) {
        const std::string path = directory.path() + "/golden.hex";
        std::ofstream(path) << text;
        return read_golden_bytes(path);
    }

    TemporaryDirectory directory;
};

TEST_F(GoldenBytesTest, AreNamedLinesOfDigits) {
    const auto golden = read("# what they are\nfirst 00ff\n\nempty \n");
    ASSERT_THAT(golden, IsOk());
    EXPECT_EQ(*golden,
              (std::map<std::string, Bytes>{{"first", Bytes("\0\xFF", 2)}, {"empty", ""}}));
}

TEST_F(GoldenBytesTest, RefusesOtherLines) {
    for (const std::string_view text : {"first", "first 0", "first 0g", "a 00\na 01", "a  00"}) {
        EXPECT_THAT(read(text), FailsWith(Code::corrupt)) << text;
    }
}

TEST_F(GoldenBytesTest, RefusesAFileThatIsNotThere) {
    EXPECT_THAT(read_golden_bytes(directory.path() + "/none.hex"), FailsWith(Code::not_found));
}

}  // namespace
}  // namespace highwater::testkit
