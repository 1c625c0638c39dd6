#include "model/object_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater::model {
namespace {

using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

TEST(ObjectPath, TakesOneSpelling) {
    for (const std::string_view path :
         {"a", "hour=09/telemetry-47.parquet", "hour=2026-10-06T09/part 1.parquet", "caf\xC3\xA9/x",
          "...", "a/..b/.c", "%61/%2F", "a:b", "highwater", "a/.highwater", ".highwater2/a",
          "\xC2\xA0/b", "*?[]"}) {
        EXPECT_THAT(verify_object_path(path), IsOk()) << path;
    }
}

TEST(ObjectPath, RefusesEveryOtherSpellingAndSaysWhy) {
    const std::pair<std::string_view, std::string_view> refused[] = {
        {"", "it is empty"},
        {"/a", "an empty segment at byte 0"},
        {"a/", "an empty segment at byte 2"},
        {"a//b", "an empty segment at byte 2"},
        {"/", "an empty segment at byte 0"},
        {".", "the segment . at byte 0"},
        {"..", "the segment .. at byte 0"},
        {"./a", "the segment . at byte 0"},
        {"a/./b", "the segment . at byte 2"},
        {"a/../b", "the segment .. at byte 2"},
        {"a/..", "the segment .. at byte 2"},
        {"a\\b", "a backslash or control character at byte 1"},
        {"a\nb", "a backslash or control character at byte 1"},
        {"a\x7F", "a backslash or control character at byte 1"},
        {"a\xC2\x85", "a backslash or control character at byte 1"},
        {std::string_view("a\0b", 3), "a backslash or control character at byte 1"},
        {"a\xFF", "not UTF-8"},
        {"a/\xED\xA0\x80", "not UTF-8"},
        {".highwater", "the store's own"},
        {".highwater/tmp/1", "the store's own"}};
    for (const auto& [path, why] : refused) {
        const auto verified = verify_object_path(path);
        EXPECT_THAT(verified, FailsWith(Code::invalid_argument)) << path;
        EXPECT_THAT(verified.error().message(), HasSubstr(why)) << path;
    }
}

TEST(ObjectPath, HasALimitOfBytes) {
    EXPECT_THAT(verify_object_path(std::string(object_path_size_max, 'a')), IsOk());
    const auto longer = verify_object_path(std::string(object_path_size_max + 1, 'a'));
    EXPECT_THAT(longer, FailsWith(Code::invalid_argument));
    EXPECT_THAT(longer.error().message(), HasSubstr("1025 bytes, more than 1024"));
}

TEST(ObjectPath, MessagesHaveNoControlCharacters) {
    EXPECT_EQ(verify_object_path("\x1B[2J").error().message().find('\x1B'), std::string::npos);
}

RC_GTEST_PROP(ObjectPathProperty, NoOtherSpellingOfAPathIsOneToo, ()) {
    // What a file system would take for the same place.
    const std::string path = *testkit::any_object_path();
    RC_ASSERT(verify_object_path(path).ok());
    RC_ASSERT(!verify_object_path("/" + path).ok());
    RC_ASSERT(!verify_object_path(path + "/").ok());
    RC_ASSERT(!verify_object_path("./" + path).ok());
    RC_ASSERT(!verify_object_path("x/../" + path).ok());
    RC_ASSERT(!verify_object_path(path + "/.").ok());
    const auto slash = path.find('/');
    if (slash != path.npos) {
        RC_ASSERT(!verify_object_path(std::string(path).insert(slash, "/")).ok());
        RC_ASSERT(!verify_object_path(std::string(path).insert(slash, "/.")).ok());
    }
}

}  // namespace
}  // namespace highwater::model
