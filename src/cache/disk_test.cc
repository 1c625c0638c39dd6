// Goal: the disk in memory, on which faults are walked, is the disk of this machine.

#include "cache/disk.h"

#include <gtest/gtest.h>

#include "cache/local_disk.h"
#include "cache/memory_disk.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::cache {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

class DiskTest : public ::testing::TestWithParam<bool> {
protected:
    Disk& disk() { return GetParam() ? static_cast<Disk&>(local_) : memory_; }
    std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

private:
    testkit::TemporaryDirectory folder_;
    LocalDisk local_;
    MemoryDisk memory_;
};

TEST_P(DiskTest, AnAbsentFileIsAnAnswerOnlyToFindState) {
    const auto state = disk().find_state(path("none"));
    ASSERT_THAT(state, IsOk());
    EXPECT_FALSE(state->has_value());
    EXPECT_THAT(disk().read(path("none"), 0, 10), FailsWith(Code::not_found));
    EXPECT_FALSE(disk().sync(path("none")).ok());
    EXPECT_FALSE(disk().rename(path("none"), path("other")).ok());
}

TEST_P(DiskTest, WritesCutWhatWasBehind) {
    ASSERT_THAT(disk().write(path("a"), 0, "0123456789"), IsOk());
    ASSERT_THAT(disk().write(path("a"), 4, "xy"), IsOk());
    ASSERT_THAT(disk().sync(path("a")), IsOk());
    const auto read = disk().read(path("a"), 0, 100);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(read->bytes, "0123xy");
    EXPECT_EQ(read->state.size_bytes, 6u);
}

TEST_P(DiskTest, ReadsFromAnOffsetAndNotTooMuch) {
    ASSERT_THAT(disk().write(path("a"), 0, "0123456789"), IsOk());
    EXPECT_EQ(disk().read(path("a"), 7, 100)->bytes, "789");
    EXPECT_EQ(disk().read(path("a"), 2, 3)->bytes, "234");
    EXPECT_EQ(disk().read(path("a"), 10, 3)->bytes, "");
    EXPECT_EQ(disk().read(path("a"), 11, 3)->bytes, "");
}

TEST_P(DiskTest, TheStateTellsAReplacedFile) {
    ASSERT_THAT(disk().write(path("a"), 0, "one"), IsOk());
    const auto before = disk().find_state(path("a"));
    ASSERT_THAT(disk().write(path("b"), 0, "two"), IsOk());
    ASSERT_THAT(disk().rename(path("b"), path("a")), IsOk());
    const auto after = disk().find_state(path("a"));
    ASSERT_THAT(after, IsOk());
    EXPECT_NE(**after, **before);
    EXPECT_EQ(disk().read(path("a"), 0, 9)->bytes, "two");
    EXPECT_FALSE(disk().find_state(path("b"))->has_value());
}

TEST_P(DiskTest, ALockHasOneHolder) {
    auto held = disk().try_lock(path("lock"));
    ASSERT_THAT(held, IsOk());
    ASSERT_NE(*held, nullptr);
    EXPECT_EQ(*disk().try_lock(path("lock")), nullptr);
    EXPECT_NE(*disk().try_lock(path("other")), nullptr);
    held->reset();
    EXPECT_NE(*disk().try_lock(path("lock")), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Disks, DiskTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "local" : "memory"; });

TEST(LocalDiskTest, AFolderThatIsNotThereIsAnError) {
    LocalDisk disk;
    EXPECT_FALSE(disk.write("/nowhere/at/all", 0, "x").ok());
    EXPECT_FALSE(disk.try_lock("/nowhere/at/all").ok());
}

TEST(MemoryDiskTest, ACrashKeepsWhatWasMadeDurable) {
    MemoryDisk disk;
    ASSERT_THAT(disk.write("a", 0, "kept"), IsOk());
    ASSERT_THAT(disk.sync("a"), IsOk());
    ASSERT_THAT(disk.write("a", 4, " and lost"), IsOk());
    ASSERT_THAT(disk.write("b", 0, "lost"), IsOk());
    disk.crash();
    EXPECT_EQ(disk.read("a", 0, 99)->bytes, "kept");
    EXPECT_FALSE(disk.find_state("b")->has_value());
}

}  // namespace
}  // namespace highwater::cache
