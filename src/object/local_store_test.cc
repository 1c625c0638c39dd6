#include "object/local_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "env/random.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;

class LocalStoreTest : public ::testing::Test {
protected:
    Name name(const std::string& path) const { return {root, path}; }
    std::string file_of(const std::string& path) const { return root + "/" + path; }

    void put(const std::string& path, BytesView bytes = "x") {
        ASSERT_THAT(put_new(store, name(path), bytes), IsOk());
    }

    /// Writes a file as someone does who knows nothing of the store.
    void plant(const std::string& path, const std::string& bytes = "x") {
        fs::create_directories(fs::path(file_of(path)).parent_path());
        std::ofstream(file_of(path)) << bytes;
    }

    std::vector<std::string> list(Store& from, const std::string& prefix = "") {
        const auto entries = list_all(from, root, prefix);
        EXPECT_THAT(entries, IsOk());
        std::vector<std::string> texts;
        if (!entries.ok()) return texts;
        for (const Entry& entry : *entries) {
            texts.push_back((entry.kind == Entry::Kind::other ? "other " : "") + entry.path);
        }
        return texts;
    }

    std::size_t count_staged() const {
        const fs::path staged = file_of(".highwater/staged");
        if (!fs::exists(staged)) return 0;
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(staged), fs::directory_iterator()));
    }

    testkit::TemporaryDirectory directory;
    std::string root = directory.path() + "/objects";
    SystemFileSystem files;
    env::SeededRandom random{1};
    LocalStore store{files, random};
};

TEST_F(LocalStoreTest, StoresAnObjectAsAFileThatNobodyMayWrite) {
    const mode_t umask_before = ::umask(022);
    put("a/object", "bytes");
    ::umask(umask_before);

    struct stat found{};
    ASSERT_EQ(::stat(file_of("a/object").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0444U);
    EXPECT_EQ(found.st_nlink, 1U);
    const auto entry = *store.head(name("a/object"));
    EXPECT_EQ(entry->identity.inode, found.st_ino);
    EXPECT_EQ(entry->identity.size_bytes, 5U);
    EXPECT_EQ(entry->identity.mtime_ns,
              found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec);
    EXPECT_EQ(entry->identity.version, 0U);
}

TEST_F(LocalStoreTest, ServesAFileThatIsThereAlready) {
    plant("lake/part.parquet", "adopted");

    EXPECT_THAT(list(store), ElementsAre("lake/part.parquet"));
    EXPECT_EQ(*get(store, name("lake/part.parquet"), 100), "adopted");
}

TEST_F(LocalStoreTest, TellsAChangedFileByItsIdentity) {
    put("object", "12345");
    const auto before = *store.head(name("object"));
    fs::permissions(file_of("object"), fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(file_of("object")) << "54321";

    EXPECT_NE((*store.head(name("object")))->identity, before->identity);
}

TEST_F(LocalStoreTest, MakesTheLastDirectoryOfARootOnly) {
    EXPECT_THAT(store.create({directory.path() + "/no/objects", "a"}),
                FailsWith(Code::precondition_failed));
    EXPECT_FALSE(fs::exists(directory.path() + "/no"));

    EXPECT_THAT(store.open(name("a")), FailsWith(Code::not_found));
    EXPECT_THAT(store.head(name("a")), IsOk());
    EXPECT_THAT(store.remove(name("a")), IsOk());
    EXPECT_THAT(list(store), IsEmpty());
    EXPECT_FALSE(fs::exists(root)) << "only create makes a root";

    EXPECT_THAT(store.create(name("a")), IsOk());
    EXPECT_TRUE(fs::exists(root));
}

TEST_F(LocalStoreTest, DoesNotMakeARootAgainThatVanishedDuringAnUpload) {
    const auto upload = store.create(name("a"));
    ASSERT_THAT(upload, IsOk());
    fs::remove_all(root);

    EXPECT_THAT((*upload)->finish(), FailsWith(Code::unavailable));

    EXPECT_FALSE(fs::exists(root));
}

TEST_F(LocalStoreTest, TakesARootInItsOneSpellingOnly) {
    put("a");
    for (const std::string& spelling :
         {root + "/", root + "//", "/" + root, root + "/.", root + "/../objects",
          std::string("objects"), std::string("/"), "file://" + root}) {
        SCOPED_TRACE(spelling);
        EXPECT_THAT(store.create({spelling, "a"}), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.open({spelling, "a"}), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.head({spelling, "a"}), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.remove({spelling, "a"}), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.list_page(spelling, "", ""), FailsWith(Code::invalid_argument));
    }
}

TEST_F(LocalStoreTest, RefusesARootThatIsAFile) {
    std::ofstream(root) << "x";

    EXPECT_THAT(store.create(name("a")), FailsWith(Code::denied));
    EXPECT_THAT(store.head(name("a")), FailsWith(Code::denied));
    EXPECT_THAT(store.list_page(root, "", ""), FailsWith(Code::denied));
}

TEST_F(LocalStoreTest, FollowsNoLinkToAFile) {
    put("target", "secret");
    ASSERT_EQ(::symlink(file_of("target").c_str(), file_of("link").c_str()), 0);
    ASSERT_EQ(::symlink("nowhere", file_of("dangling").c_str()), 0);

    for (const auto* link : {"link", "dangling"}) {
        EXPECT_THAT(store.open(name(link)), FailsWith(Code::denied));
        EXPECT_THAT(store.remove(name(link)), FailsWith(Code::denied));
        EXPECT_THAT(put_new(store, name(link), "x"), FailsWith(Code::already_exists));
        const auto entry = store.head(name(link));
        ASSERT_THAT(entry, IsOk());
        EXPECT_EQ((*entry)->kind, Entry::Kind::other);
        EXPECT_TRUE(fs::is_symlink(file_of(link)));
    }
    EXPECT_THAT(list(store), ElementsAre("other dangling", "other link", "target"));
}

TEST_F(LocalStoreTest, FollowsNoLinkToAFolder) {
    put("hour/object", "secret");
    ASSERT_EQ(::symlink(file_of("hour").c_str(), file_of("link").c_str()), 0);
    ASSERT_EQ(::symlink("/etc", file_of("hour/etc").c_str()), 0);

    for (const auto* path : {"link/object", "hour/etc/hostname", "hour/etc/deep/er"}) {
        SCOPED_TRACE(path);
        EXPECT_THAT(store.create(name(path)), FailsWith(Code::denied));
        EXPECT_THAT(store.open(name(path)), FailsWith(Code::denied));
        EXPECT_THAT(store.head(name(path)), FailsWith(Code::denied));
        EXPECT_THAT(store.remove(name(path)), FailsWith(Code::denied));
    }
    EXPECT_THAT(store.list_page(root, "link", ""), FailsWith(Code::denied));
    EXPECT_THAT(list(store), ElementsAre("other hour/etc", "hour/object", "other link"));
    EXPECT_EQ(count_staged(), 0U);
}

TEST_F(LocalStoreTest, RefusesAFolderThatBecameALinkDuringAnUpload) {
    const auto upload = store.create(name("hour/object"));
    ASSERT_THAT(upload, IsOk());
    fs::create_directory(directory.path() + "/elsewhere");
    ASSERT_EQ(::symlink((directory.path() + "/elsewhere").c_str(), file_of("hour").c_str()), 0);

    EXPECT_THAT((*upload)->finish(), FailsWith(Code::denied));

    EXPECT_TRUE(fs::is_empty(directory.path() + "/elsewhere"));
}

TEST_F(LocalStoreTest, FollowsLinksOnTheWayToTheRoot) {
    put("a", "bytes");
    const std::string other = directory.path() + "/other";
    ASSERT_EQ(::symlink(root.c_str(), other.c_str()), 0);

    EXPECT_EQ(*get(store, {other, "a"}, 100), "bytes");
}

TEST_F(LocalStoreTest, TellsPipesAndSocketsAsOtherAndOpensNone) {
    put("object");
    ASSERT_EQ(::mkfifo(file_of("pipe").c_str(), 0600), 0);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_GE(socket, 0);
    const fs::path working_directory = fs::current_path();
    fs::current_path(root);  // The name of a socket must be short.
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = "socket"};
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    fs::current_path(working_directory);
    ::close(socket);

    EXPECT_THAT(list(store), ElementsAre("object", "other pipe", "other socket"));
    EXPECT_THAT(store.open(name("pipe")), FailsWith(Code::denied));
    EXPECT_THAT(store.open(name("socket")), FailsWith(Code::denied));
    EXPECT_THAT(store.remove(name("pipe")), FailsWith(Code::denied));
    EXPECT_EQ((*store.head(name("pipe")))->kind, Entry::Kind::other);
}

TEST_F(LocalStoreTest, ListsNamesThatNoObjectCanHaveAsOtherWithTheirOddBytesEscaped) {
    put("a/object");
    plant("a/line\nbreak");
    plant("a/back\\slash");
    plant("a/\xFF\xC3\xA9");
    plant("a/\\xff\\xc3\\xa9");
    plant("odd\tfolder/object");

    EXPECT_THAT(list(store),
                ElementsAre("other a/\\x5cxff\\x5cxc3\\x5cxa9", "other a/\\xff\\xc3\\xa9",
                            "other a/back\\x5cslash", "other a/line\\x0abreak", "a/object",
                            "other odd\\x09folder"));
}

TEST_F(LocalStoreTest, ListsWhatLiesTooDeepAsOther) {
    std::string path;
    fs::create_directory(root);
    fs::current_path(root);
    for (int depth = 0; depth < 6; ++depth) {
        const std::string segment(200, 'd');
        fs::create_directory(segment);
        fs::current_path(segment);
        path += segment + "/";
    }
    std::ofstream("object") << "x";
    fs::current_path("/");

    // Five segments are a path; the sixth makes it longer than a path may be.
    EXPECT_THAT(list(store), ElementsAre("other " + path.substr(0, path.size() - 1)));
}

TEST_F(LocalStoreTest, HidesItsOwnFolderAtTheRootOnly) {
    const auto upload = store.create(name("a"));
    ASSERT_THAT(upload, IsOk());
    ASSERT_EQ(count_staged(), 1U);
    put("b/.highwater/object");

    EXPECT_THAT(list(store), ElementsAre("b/.highwater/object"));
    EXPECT_THAT(store.list_page(root, ".highwater", ""), FailsWith(Code::invalid_argument));
}

TEST_F(LocalStoreTest, KeepsNoStagedFileOfAFinishedOrDroppedUpload) {
    put("a");
    EXPECT_EQ(count_staged(), 0U);
    EXPECT_THAT(put_new(store, name("a"), "x"), FailsWith(Code::already_exists));
    EXPECT_EQ(count_staged(), 0U);
    EXPECT_THAT(store.create(name("b")), IsOk());
    EXPECT_EQ(count_staged(), 0U);
}

TEST_F(LocalStoreTest, SweepsOnlyOldStagedFilesOfOurOwn) {
    put("a");
    plant(".highwater/staged/12-0123456789abcdef.staged");
    plant(".highwater/staged/12-0123456789abcdef.stage");
    plant(".highwater/staged/12-0123456789abcde.staged");
    plant(".highwater/staged/x-0123456789abcdef.staged");
    plant(".highwater/staged/-0123456789abcdef.staged");
    plant(".highwater/staged/README");
    const auto old = files.stat({}, file_of(".highwater/staged/12-0123456789abcdef.staged"));
    const Time written = time_from_ns(old->identity.mtime_ns);

    const auto none = store.sweep_staged(root, written);
    ASSERT_THAT(none, IsOk());
    EXPECT_EQ(*none, 0U);
    EXPECT_EQ(count_staged(), 6U);

    const auto one = store.sweep_staged(root, written + Duration(1));
    ASSERT_THAT(one, IsOk());
    EXPECT_EQ(*one, 1U);
    EXPECT_EQ(count_staged(), 5U);
    EXPECT_FALSE(fs::exists(file_of(".highwater/staged/12-0123456789abcdef.staged")));

    EXPECT_EQ(*store.sweep_staged(directory.path() + "/absent", written), 0U);
}

TEST_F(LocalStoreTest, TellsAnUploadThatWasSweptThatNothingIsVisible) {
    const auto upload = store.create(name("a/object"));
    ASSERT_THAT(upload, IsOk());
    ASSERT_THAT((*upload)->seal(), IsOk());
    ASSERT_EQ(*store.sweep_staged(root, Time::max()), 1U);

    EXPECT_THAT((*upload)->finish(), FailsWith(Code::unavailable));
    EXPECT_THAT(list(store), IsEmpty());
}

TEST_F(LocalStoreTest, TakesASegmentOf255BytesAndNoMore) {
    const std::string longest(255, 'a');
    put(longest);
    put(std::string(255, 'b') + "/" + longest);
    const std::string longer(256, 'a');
    for (const std::string& path : {longer, longer + "/a", "a/" + longer, "a/" + longer + "/b"}) {
        SCOPED_TRACE(path.size());
        EXPECT_THAT(store.create(name(path)), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.open(name(path)), FailsWith(Code::not_found));
        EXPECT_EQ(*store.head(name(path)), std::nullopt);
        EXPECT_THAT(store.remove(name(path)), IsOk());
        EXPECT_THAT(list(store, path), IsEmpty());
    }
}

TEST_F(LocalStoreTest, TellsAnObjectThatWasCutShortWhileOpenAsCorrupt) {
    put("object", "0123456789");
    const auto reader = store.open(name("object"));
    ASSERT_THAT(reader, IsOk());
    fs::permissions(file_of("object"), fs::perms::owner_write, fs::perm_options::add);
    fs::resize_file(file_of("object"), 5);

    EXPECT_EQ(*(*reader)->read_at(0, 5), "01234");
    EXPECT_THAT((*reader)->read_at(0, 6), FailsWith(Code::corrupt));
}

TEST_F(LocalStoreTest, ReadsNothingBeyondTheSizeThatItTold) {
    put("object", "01234");
    const auto reader = store.open(name("object"));
    ASSERT_THAT(reader, IsOk());
    fs::permissions(file_of("object"), fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(file_of("object"), std::ios::app) << "56789";

    EXPECT_EQ(*(*reader)->read_at(3, 100), "34");
}

/// A machine that refuses to unlink, and may then have gone away.
class RefusingFileSystem final : public SystemFileSystem {
public:
    Result<FileStatus> stat(const FileHandle& directory, const std::string& name) override {
        if (refused && is_gone_after) return Error(Code::unavailable, "stat: gone");
        return SystemFileSystem::stat(directory, name);
    }
    Result<void> unlink(const FileHandle&, const std::string&) override {
        refused = true;
        return refusal;
    }

    Error refusal{Code::unavailable, "unlink: input/output error"};
    bool is_gone_after = false;
    bool refused = false;
};

TEST_F(LocalStoreTest, TellsARefusedRemovalByWhatIsThere) {
    put("object");
    RefusingFileSystem refusing;
    LocalStore removing(refusing, random);

    EXPECT_THAT(removing.remove(name("object")), FailsWith(Code::unavailable));
    refusing.refusal = Error(Code::denied, "unlink: operation not permitted");
    EXPECT_THAT(removing.remove(name("object")), FailsWith(Code::denied));
    refusing.refusal = Error(Code::exhausted, "unlink: disk quota exceeded");
    EXPECT_THAT(removing.remove(name("object")), FailsWith(Code::unavailable));
    refusing.refused = false;
    refusing.is_gone_after = true;
    EXPECT_THAT(removing.remove(name("object")), FailsWith(Code::outcome_unknown));
    EXPECT_TRUE(fs::exists(file_of("object")));
}

TEST_F(LocalStoreTest, ListsAFolderOfAsManyEntriesAsItMaySortAndNoMore) {
    LocalStore limited(files, random, {.page_size = 1, .folder_entries_max = 3});
    for (const auto* path : {"d/a", "d/b", "d/c"}) put(path);
    EXPECT_THAT(list(limited, "d"), SizeIs(3));

    put("d/d");

    EXPECT_THAT(limited.list_page(root, "d", ""), FailsWith(Code::exhausted));
}

TEST_F(LocalStoreTest, FillsPagesOfTheSizeThatItWasGiven) {
    LocalStore limited(files, random, {.page_size = 2});
    for (const auto* path : {"a/1", "b/1", "b/2", "c"}) put(path);

    const auto first = limited.list_page(root, "", "");
    ASSERT_THAT(first, IsOk());
    EXPECT_THAT(first->entries, SizeIs(2));
    ASSERT_TRUE(first->next_token.has_value());
    const auto last = limited.list_page(root, "", *first->next_token);
    ASSERT_THAT(last, IsOk());
    EXPECT_THAT(last->entries, SizeIs(2));
    EXPECT_EQ(last->next_token, std::nullopt);
}

TEST_F(LocalStoreTest, GoesOnAfterATokenWhoseObjectAndFolderAreGone) {
    LocalStore limited(files, random, {.page_size = 2});
    for (const auto* path : {"a/1", "b/1", "b/2", "c"}) put(path);
    const auto first = limited.list_page(root, "", "");
    ASSERT_THAT(first, IsOk());
    fs::remove_all(file_of("b"));

    const auto last = limited.list_page(root, "", *first->next_token);

    ASSERT_THAT(last, IsOk());
    ASSERT_THAT(last->entries, SizeIs(1));
    EXPECT_EQ(last->entries[0].path, "c");
}

}  // namespace
}  // namespace highwater::object
