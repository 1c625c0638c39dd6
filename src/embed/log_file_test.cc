#include "embed/log_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::embed {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

class LogFileTest : public ::testing::Test {
protected:
    testkit::TemporaryDirectory folder;
    const std::string path = folder.path() + "/log.jsonl";
    LogFile log{path};
};

TEST_F(LogFileTest, EachLineIsOneDocumentWithTimeAndEvent) {
    const Time time = time_from_ns(0);
    ASSERT_THAT(log.append(time, "publish", Json::object({{"outcome", "served"}})), IsOk());
    ASSERT_THAT(log.append(time, "read", Json::object({{"text", "two\nlines"}})), IsOk());
    std::ifstream file(path);
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(line, R"({"time":"1970-01-01T00:00:00Z","event":"publish","outcome":"served"})");
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_THAT(parse_json(line), IsOk());
    EXPECT_FALSE(std::getline(file, line));
}

TEST_F(LogFileTest, ALargeFileIsSetAsideAndOneBelowTheLimitIsNot) {
    std::ofstream(path).close();
    std::filesystem::resize_file(path, log_size_max - 1);
    ASSERT_THAT(log.append({}, "small", Json(Json::Object{})), IsOk());
    EXPECT_FALSE(std::filesystem::exists(path + ".1"));
    ASSERT_THAT(log.append({}, "large", Json(Json::Object{})), IsOk());
    EXPECT_TRUE(std::filesystem::exists(path + ".1"));
    EXPECT_LT(std::filesystem::file_size(path), 100u);
}

TEST_F(LogFileTest, AnUnwritableFileIsAnError) {
    LogFile nowhere(folder.path() + "/absent/log.jsonl");
    EXPECT_THAT(nowhere.append({}, "x", Json(Json::Object{})), FailsWith(Code::unavailable));
}

}  // namespace
}  // namespace highwater::embed
