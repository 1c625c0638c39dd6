#include "object/local_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testkit::FailsWith;
using testkit::IsOk;

/// Files that someone changes while they are listed, and folders that may not be read.
class RestlessFileSystem final : public SystemFileSystem {
public:
    Result<FileHandle> open(const FileHandle& directory, const std::string& name,
                            Access access) override {
        if (name == denied) return Error(Code::denied, "open: permission denied");
        return SystemFileSystem::open(directory, name, access);
    }
    Result<std::vector<DirectoryEntry>> list(const FileHandle& directory,
                                             std::size_t entries_max) override {
        auto entries = SystemFileSystem::list(directory, entries_max);
        if (after_list) after_list();
        return entries;
    }

    std::string denied;
    std::function<void()> after_list;
};

class LocalListingTest : public ::testing::Test {
protected:
    void plant(const std::string& path) {
        const fs::path file = directory.path() + "/" + path;
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "x";
    }

    Result<Page> list(const std::string& after = "", std::size_t page_size = 100) {
        auto root = files.open({}, directory.path(), FileSystem::Access::root);
        if (!root.ok()) return root.error();
        return list_folder(files, *root, "", after, {.page_size = page_size});
    }

    static std::vector<std::string> paths_of(const Result<Page>& page) {
        std::vector<std::string> paths;
        for (const Entry& entry : page->entries) paths.push_back(entry.path);
        return paths;
    }

    testkit::TemporaryDirectory directory;
    RestlessFileSystem files;
};

TEST_F(LocalListingTest, SkipsWhatVanishesMeanwhile) {
    for (const auto* path : {"a", "b/1", "b/2", "c/1", "d"}) plant(path);
    files.after_list = [&] {
        fs::remove(directory.path() + "/a");
        fs::remove(directory.path() + "/b/1");
        fs::remove_all(directory.path() + "/c");
    };

    const auto page = list();

    ASSERT_THAT(page, IsOk());
    EXPECT_THAT(paths_of(page), ElementsAre("b/2", "d"));
}

TEST_F(LocalListingTest, IsEmptyWhenTheFolderItselfVanishes) {
    auto root = files.open({}, directory.path(), FileSystem::Access::root);
    ASSERT_THAT(root, IsOk());
    fs::remove_all(directory.path());

    const auto page = list_folder(files, *root, "", "", {});

    ASSERT_THAT(page, IsOk());
    EXPECT_THAT(page->entries, IsEmpty());
}

TEST_F(LocalListingTest, FailsOverAFileThatBecomesAFolder) {
    plant("a");
    files.after_list = [&] {
        fs::remove(directory.path() + "/a");
        plant("a/1");
    };

    EXPECT_THAT(list(), FailsWith(Code::unavailable));
}

TEST_F(LocalListingTest, FailsOverAFolderThatBecomesALink) {
    plant("a/1");
    files.after_list = [&] {
        fs::remove_all(directory.path() + "/a");
        fs::create_symlink("/etc", directory.path() + "/a");
    };

    EXPECT_THAT(list(), FailsWith(Code::denied));
}

TEST_F(LocalListingTest, FailsOverAFolderThatMayNotBeRead) {
    for (const auto* path : {"a/1", "b/1", "c/1"}) plant(path);
    files.denied = "b";

    EXPECT_THAT(list(), FailsWith(Code::denied));
    // What lies before it, or after it, does not need it.
    EXPECT_THAT(list("", 1), IsOk());
    EXPECT_THAT(paths_of(list("b0")), ElementsAre("c/1"));
}

TEST_F(LocalListingTest, GoesOnAfterAnyPath) {
    for (const auto* path : {"a.b", "a/1", "a/2", "a0", "b"}) plant(path);

    EXPECT_THAT(paths_of(list("a")), ElementsAre("a.b", "a/1", "a/2", "a0", "b"));
    EXPECT_THAT(paths_of(list("a.b")), ElementsAre("a/1", "a/2", "a0", "b"));
    EXPECT_THAT(paths_of(list("a/")), ElementsAre("a/1", "a/2", "a0", "b"));
    EXPECT_THAT(paths_of(list("a/1")), ElementsAre("a/2", "a0", "b"));
    EXPECT_THAT(paths_of(list("a/9")), ElementsAre("a0", "b"));
    EXPECT_THAT(paths_of(list("b")), IsEmpty());
}

}  // namespace
}  // namespace highwater::object
