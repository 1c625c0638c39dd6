#include "object/local_folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

namespace fs = std::filesystem;

using testkit::FailsWith;
using testkit::IsOk;

class CountingFileSystem final : public SystemFileSystem {
public:
    Result<FileHandle> open(const FileHandle& directory, const std::string& name,
                            Access access) override {
        if (name == denied) return Error(Code::denied, "open: permission denied");
        return SystemFileSystem::open(directory, name, access);
    }
    Result<void> sync(const FileHandle& file) override {
        ++syncs;
        return SystemFileSystem::sync(file);
    }

    std::string denied;
    int syncs = 0;
};

class LocalFoldersTest : public ::testing::Test {
protected:
    testkit::TemporaryDirectory directory;
    std::string root = directory.path() + "/objects";
    CountingFileSystem files;
    LocalFolders folders{files};
};

TEST(SplitPath, CutsBeforeTheLastSegment) {
    EXPECT_EQ(split_path("a/b/c").folder, "a/b");
    EXPECT_EQ(split_path("a/b/c").leaf, "c");
    EXPECT_EQ(split_path("c").folder, "");
    EXPECT_EQ(split_path("c").leaf, "c");
    EXPECT_EQ(split_path("/c").folder, "");
}

TEST_F(LocalFoldersTest, MakesWhatIsMissingAndSyncsEachFolderOnce) {
    ASSERT_THAT(folders.make_root(root), IsOk());
    EXPECT_EQ(files.syncs, 1);
    ASSERT_THAT(folders.make(root, "a/b"), IsOk());
    EXPECT_EQ(files.syncs, 3);
    EXPECT_TRUE(fs::is_directory(root + "/a/b"));

    ASSERT_THAT(folders.make_root(root), IsOk());
    ASSERT_THAT(folders.make(root, "a/b"), IsOk());
    ASSERT_THAT(folders.open(root, "a/b"), IsOk());
    EXPECT_EQ(files.syncs, 3);
}

TEST_F(LocalFoldersTest, SyncsAFolderThatSomeoneElseMade) {
    fs::create_directories(root + "/a");

    ASSERT_THAT(folders.make(root, "a"), IsOk());

    EXPECT_EQ(files.syncs, 1);
}

TEST_F(LocalFoldersTest, RemembersAsManyFoldersAsItMayAndSyncsTheOthersAgain) {
    fs::create_directories(root);
    LocalFolders two(files, 2);
    ASSERT_THAT(two.make(root, "a"), IsOk());
    ASSERT_THAT(two.make(root, "b"), IsOk());
    ASSERT_THAT(two.make(root, "a"), IsOk());
    EXPECT_EQ(files.syncs, 2);

    ASSERT_THAT(two.make(root, "c"), IsOk());
    ASSERT_THAT(two.make(root, "a"), IsOk());
    EXPECT_EQ(files.syncs, 4);
}

TEST_F(LocalFoldersTest, MakesNoRootOnTheWay) {
    EXPECT_THAT(folders.make(root, "a"), FailsWith(Code::not_found));
    EXPECT_THAT(folders.make_root(root + "/deep"), FailsWith(Code::not_found));
    EXPECT_FALSE(fs::exists(root));
}

TEST_F(LocalFoldersTest, TrustsARootInADirectoryThatItMayNotRead) {
    files.denied = directory.path();
    EXPECT_THAT(folders.make_root(root), FailsWith(Code::denied))
        << "made, but perhaps not for long";

    EXPECT_THAT(folders.make_root(root), IsOk());
    EXPECT_EQ(files.syncs, 0);
}

TEST_F(LocalFoldersTest, OpensNothingBeneathAnObject) {
    fs::create_directories(root);
    ASSERT_THAT(files.open({}, root + "/object", FileSystem::Access::new_file), IsOk());

    EXPECT_THAT(folders.open(root, "object"), FailsWith(Code::not_found));
    EXPECT_THAT(folders.open(root, "object/a"), FailsWith(Code::not_found));
    EXPECT_THAT(folders.make(root, "object"), FailsWith(Code::denied));
    EXPECT_THAT(folders.make(root, "object/a"), FailsWith(Code::denied));
}

}  // namespace
}  // namespace highwater::object
