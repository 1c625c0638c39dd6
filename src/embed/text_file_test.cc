#include "embed/text_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::embed {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

TEST(TextFileTest, WritesANewFileAndNeverOverAnotherOne) {
    const testkit::TemporaryDirectory folder;
    const std::string path = folder.path() + "/m.json";
    ASSERT_THAT(verify_new_file(path), IsOk());
    ASSERT_THAT(write_new_file(path, "one"), IsOk());
    EXPECT_THAT(verify_new_file(path), FailsWith(Code::already_exists));
    EXPECT_THAT(write_new_file(path, "two"), FailsWith(Code::already_exists));
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "one");
}

TEST(TextFileTest, ADanglingLinkIsATakenName) {
    const testkit::TemporaryDirectory folder;
    const std::string path = folder.path() + "/link";
    std::filesystem::create_symlink(folder.path() + "/target", path);
    EXPECT_THAT(verify_new_file(path), FailsWith(Code::already_exists));
    EXPECT_THAT(write_new_file(path, "x"), FailsWith(Code::already_exists));
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/target"));
}

TEST(TextFileTest, AnAbsentFolderIsNamed) {
    const auto refused = verify_new_file("/absent-folder/m.json");
    ASSERT_THAT(refused, FailsWith(Code::not_found));
    EXPECT_NE(refused.error().message().find("/absent-folder"), std::string::npos);
    EXPECT_THAT(write_new_file("/absent-folder/m.json", "x"), FailsWith(Code::not_found));
}

}  // namespace
}  // namespace highwater::embed
