#include "object/local_upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "env/random.h"
#include "object/local_store.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

using ::testing::IsEmpty;
using testkit::FailsWith;
using testkit::IsOk;

/// A machine whose answers to a call are chosen by a test.
class StubbornFileSystem final : public SystemFileSystem {
public:
    Result<std::size_t> write(const FileHandle& file, BytesView bytes) override {
        if (write_refusal) return *write_refusal;
        return SystemFileSystem::write(file, bytes.substr(0, write_size_max));
    }
    Result<void> sync(const FileHandle& file) override {
        if (sync_refusal) return *std::exchange(sync_refusal, {});
        return SystemFileSystem::sync(file);
    }
    Result<void> link(const FileHandle& directory, const std::string& name,
                      const FileHandle& new_directory, const std::string& new_name) override {
        auto linked = SystemFileSystem::link(directory, name, new_directory, new_name);
        if (link_refusal) return *link_refusal;
        return linked;
    }

    std::size_t write_size_max = BytesView::npos;
    std::optional<Error> write_refusal;
    std::optional<Error> sync_refusal;  // Once.
    std::optional<Error> link_refusal;  // After the effect.
};

class LocalUploadTest : public ::testing::Test {
protected:
    std::unique_ptr<Upload> create() {
        auto upload = store.create(object);
        EXPECT_THAT(upload, IsOk());
        return *std::move(upload);
    }

    testkit::TemporaryDirectory directory;
    Name object{directory.path(), "a/object"};
    StubbornFileSystem files;
    env::SeededRandom random{1};
    LocalStore store{files, random};
};

TEST_F(LocalUploadTest, WritesOnWhenTheMachineTakesLittleAtATime) {
    files.write_size_max = 3;
    const auto upload = create();
    ASSERT_THAT(upload->append("0123456789"), IsOk());
    ASSERT_THAT(upload->append("abcde"), IsOk());
    ASSERT_THAT(upload->finish(), IsOk());

    EXPECT_EQ(*get(store, object, 100), "0123456789abcde");
}

TEST_F(LocalUploadTest, GivesUpOnAMachineThatTakesNothing) {
    files.write_size_max = 0;

    EXPECT_THAT(create()->append("bytes"), FailsWith(Code::unavailable));
}

TEST_F(LocalUploadTest, TellsAFullDiskAsExhaustedAndStaysFailed) {
    files.write_refusal = Error(Code::exhausted, "write: no space left on device");
    const auto upload = create();
    EXPECT_THAT(upload->append("bytes"), FailsWith(Code::exhausted));

    files.write_refusal = {};
    EXPECT_THAT(upload->append("bytes"), FailsWith(Code::exhausted));
    EXPECT_THAT(upload->seal(), FailsWith(Code::exhausted));
    EXPECT_THAT(upload->finish(), FailsWith(Code::exhausted));

    EXPECT_THAT(*list_all(store, object.root, ""), IsEmpty());
}

TEST_F(LocalUploadTest, TrustsNoSecondSyncAfterAFailedOne) {
    const auto upload = create();
    ASSERT_THAT(upload->append("bytes"), IsOk());
    files.sync_refusal = Error(Code::exhausted, "sync: no space left on device");
    EXPECT_THAT(upload->seal(), FailsWith(Code::exhausted));

    EXPECT_THAT(upload->finish(), FailsWith(Code::exhausted));
    EXPECT_THAT(*list_all(store, object.root, ""), IsEmpty());
}

TEST_F(LocalUploadTest, KnowsItsOwnFileUnderATakenName) {
    // As a file system does whose reply to the first request was lost.
    files.link_refusal = Error(Code::already_exists, "link: file exists");
    const auto upload = create();
    ASSERT_THAT(upload->append("bytes"), IsOk());

    EXPECT_THAT(upload->finish(), IsOk());
    EXPECT_EQ(*get(store, object, 100), "bytes");
}

TEST_F(LocalUploadTest, TellsARefusedLinkByTheNameThatIsThere) {
    ASSERT_THAT(put_new(store, object, "old"), IsOk());
    files.link_refusal = Error(Code::unavailable, "link: input/output error");

    EXPECT_THAT(create()->finish(), FailsWith(Code::already_exists));
    EXPECT_EQ(*get(store, object, 100), "old");
}

TEST_F(LocalUploadTest, StopsTheProgramThatWritesOnAfterTheEnd) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto upload = create();
    ASSERT_THAT(upload->seal(), IsOk());
    EXPECT_DEATH(static_cast<void>(upload->append("x")), "!sealed_");
    ASSERT_THAT(upload->finish(), IsOk());
    EXPECT_DEATH(static_cast<void>(upload->finish()), "!finished_");
}

}  // namespace
}  // namespace highwater::object
