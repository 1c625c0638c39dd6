// Goal: whatever call to the machine fails inside the local store, readers see the old state or the
// new one, never a third; the error tells which, or says that it does not know; and what was
// acknowledged is on disk. Method: walk one fault, or all faults from one call on, through every
// call, each before and after its effect; beside it, keep count of the names not yet synced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "env/random.h"
#include "object/file_system.h"
#include "object/local_store.h"
#include "object/store.h"
#include "testkit/fault.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

namespace fs = std::filesystem;

using testkit::Fault;
using testkit::IsOk;

// The walk must end: each operation makes a bounded number of calls.
constexpr int calls_max = 200;

/// What would be lost if the machine stopped now.
class Unsynced {
public:
    void change_name(std::uint64_t folder, const std::string& name) { names_[folder].insert(name); }
    void change_bytes(std::uint64_t file) { files_.insert(file); }
    void sync(std::uint64_t inode) {
        names_.erase(inode);
        files_.erase(inode);
    }

    /// True when neither a name on the way from `top` to `path`, nor the bytes there, may be lost.
    bool is_safe(const fs::path& top, const fs::path& path) const {
        for (fs::path at = path; at != top; at = at.parent_path()) {
            const auto names = names_.find(inode_of(at.parent_path()));
            if (names != names_.end() && names->second.contains(at.filename())) return false;
        }
        return !fs::exists(path) || !files_.contains(inode_of(path));
    }

private:
    static std::uint64_t inode_of(const fs::path& path) {
        SystemFileSystem files;
        const auto status = files.stat({}, path.string());
        return status.ok() ? status->identity.inode : 0;
    }

    std::map<std::uint64_t, std::set<std::string>> names_;
    std::set<std::uint64_t> files_;
};

/// The machine's files, failing where a Fault says, with every change noted in an Unsynced.
class FaultyFileSystem final : public FileSystem {
public:
    FaultyFileSystem(Fault& fault, Unsynced& unsynced) : fault_(fault), unsynced_(unsynced) {}

    Result<FileHandle> open(const FileHandle& directory, const std::string& name,
                            Access access) override {
        return fault_.around_read([&] { return inner_.open(directory, name, access); });
    }
    Result<FileStatus> stat(const FileHandle& directory, const std::string& name) override {
        return fault_.around_read([&] { return inner_.stat(directory, name); });
    }
    Result<std::vector<DirectoryEntry>> list(const FileHandle& directory,
                                             std::size_t entries_max) override {
        return fault_.around_read([&] { return inner_.list(directory, entries_max); });
    }
    Result<std::size_t> read(const FileHandle& file, std::uint64_t offset, char* to,
                             std::size_t size) override {
        return fault_.around_read([&] { return inner_.read(file, offset, to, size); });
    }
    Result<std::size_t> write(const FileHandle& file, BytesView bytes) override {
        return fault_.around_read([&] {
            unsynced_.change_bytes(inode_of(file, ""));
            return inner_.write(file, bytes);
        });
    }
    Result<void> sync(const FileHandle& file) override {
        return fault_.around_read([&] {
            // Only noted, since the disk takes its time.
            unsynced_.sync(inode_of(file, ""));
            return Result<void>();
        });
    }
    Result<void> make_directory(const FileHandle& directory, const std::string& name) override {
        return fault_.around_read([&] {
            auto made = inner_.make_directory(directory, name);
            const fs::path path = name;
            const auto parent = path.is_absolute() ? inode_of({}, path.parent_path().string())
                                                   : inode_of(directory, "");
            if (made.ok()) unsynced_.change_name(parent, path.filename());
            return made;
        });
    }
    Result<void> link(const FileHandle& directory, const std::string& name,
                      const FileHandle& new_directory, const std::string& new_name) override {
        return fault_.around_read([&] {
            auto linked = inner_.link(directory, name, new_directory, new_name);
            if (linked.ok()) unsynced_.change_name(inode_of(new_directory, ""), new_name);
            return linked;
        });
    }
    Result<void> unlink(const FileHandle& directory, const std::string& name) override {
        return fault_.around_read([&] {
            auto unlinked = inner_.unlink(directory, name);
            if (unlinked.ok()) unsynced_.change_name(inode_of(directory, ""), name);
            return unlinked;
        });
    }

private:
    std::uint64_t inode_of(const FileHandle& directory, const std::string& name) {
        const auto status = inner_.stat(directory, name);
        return status.ok() ? status->identity.inode : 0;
    }

    SystemFileSystem inner_;
    Fault& fault_;
    Unsynced& unsynced_;
};

using Kind = std::tuple<Fault::When, Fault::Lasting>;

/// One step of a walk: a fresh directory, a store that may fail, and one that does not.
struct Step {
    explicit Step(int at_call, const Kind& kind)
        : fault(at_call, std::get<0>(kind), std::get<1>(kind)) {}

    Name name(const std::string& path) const { return {root, path}; }
    bool is_there(const std::string& path) const { return fs::exists(root + "/" + path); }
    bool is_safe(const std::string& path) const {
        return unsynced.is_safe(directory.path(), root + "/" + path);
    }
    std::string bytes_of(const std::string& path) { return *get(healthy, name(path), 1'000); }

    testkit::TemporaryDirectory directory;
    std::string root = directory.path() + "/objects";
    Fault fault;
    Unsynced unsynced;
    FaultyFileSystem faulty_files{fault, unsynced};
    env::SeededRandom random{1};
    LocalStore faulty{faulty_files, random, {.page_size = 2}};
    // Another store on the same files, which knows nothing of what the first one has seen.
    Fault no_fault{std::numeric_limits<int>::max(), Fault::When::before_effect};
    FaultyFileSystem healthy_files{no_fault, unsynced};
    LocalStore healthy{healthy_files, random};
};

class LocalStoreFaultTest : public ::testing::TestWithParam<Kind> {
protected:
    /// Runs `check`, which does one operation on a faulty store and looks at the world afterwards,
    /// with a fault at each call in turn; last without any.
    void walk(const std::function<void(Step&)>& check) {
        for (int at_call = 0;; ++at_call) {
            ASSERT_LT(at_call, calls_max);
            SCOPED_TRACE("fault at call " + std::to_string(at_call));
            Step step(at_call, GetParam());
            check(step);
            if (HasFatalFailure()) return;
            if (!step.fault.fired()) {
                EXPECT_GT(at_call, 0) << "the operation made no calls at all";
                return;
            }
        }
    }
};

void put(Store& store, const Name& name, BytesView bytes) {
    ASSERT_THAT(put_new(store, name, bytes), IsOk());
}

Result<Identity> upload(Store& store, const Name& name) {
    const auto created = store.create(name);
    if (!created.ok()) return created.error();
    for (const auto* piece : {"by", "tes"}) {
        const auto appended = (*created)->append(piece);
        if (!appended.ok()) return appended.error();
    }
    const auto sealed = (*created)->seal();
    if (!sealed.ok()) return sealed.error();
    return (*created)->finish();
}

TEST_P(LocalStoreFaultTest, WritesAWholeObjectOrNone) {
    walk([](Step& step) {
        const std::string path = "a/b/object";
        const auto written = upload(step.faulty, step.name(path));

        if (!step.fault.fired()) {
            ASSERT_THAT(written, IsOk());
        }
        if (written.ok()) {
            ASSERT_TRUE(step.is_there(path));
            EXPECT_TRUE(step.is_safe(path));
            EXPECT_EQ((*step.healthy.head(step.name(path)))->identity.size_bytes, 5U);
        } else if (written.error().code() != Code::outcome_unknown) {
            ASSERT_EQ(written.error().code(), Code::unavailable) << written.error().message();
            ASSERT_FALSE(step.is_there(path));
        }
        const auto listed = list_all(step.healthy, step.root, "");
        ASSERT_THAT(listed, IsOk());
        EXPECT_EQ(listed->size(), step.is_there(path) ? 1U : 0U);
        if (step.is_there(path)) {
            EXPECT_EQ(step.bytes_of(path), "bytes");
        }
    });
}

TEST_P(LocalStoreFaultTest, MakesSafeWhatASecondTryAcknowledges) {
    walk([](Step& step) {
        const std::string path = "a/b/object";
        if (upload(step.faulty, step.name(path)).ok()) return;

        // The fault may last, so another store goes on; the folders may be there, but unsynced.
        const bool once = std::get<1>(GetParam()) == Fault::Lasting::once;
        Store& second = once ? static_cast<Store&>(step.faulty) : step.healthy;
        const auto again = upload(second, step.name(path));
        ASSERT_TRUE(again.ok() || again.error().code() == Code::already_exists);
        if (again.ok()) {
            EXPECT_TRUE(step.is_safe(path));
        }
        EXPECT_THAT(upload(step.healthy, step.name("a/b/next")), IsOk());
        EXPECT_TRUE(step.is_safe("a/b/next"));
    });
}

TEST_P(LocalStoreFaultTest, NeverHarmsTheObjectThatHasTheName) {
    walk([](Step& step) {
        put(step.healthy, step.name("a/object"), "old");

        const auto written = upload(step.faulty, step.name("a/object"));

        ASSERT_FALSE(written.ok());
        if (!step.fault.fired()) {
            EXPECT_EQ(written.error().code(), Code::already_exists);
        }
        EXPECT_EQ(step.bytes_of("a/object"), "old");
    });
}

TEST_P(LocalStoreFaultTest, LeavesOnlyWhatASweepRemoves) {
    walk([](Step& step) {
        static_cast<void>(upload(step.faulty, step.name("a/object")));

        constexpr auto end_of_time = Time::max();
        ASSERT_THAT(step.healthy.sweep_staged(step.root, end_of_time), IsOk());

        const fs::path staged = step.root + "/.highwater/staged";
        EXPECT_TRUE(!fs::exists(staged) || fs::is_empty(staged));
        if (step.is_there("a/object")) {
            EXPECT_EQ(step.bytes_of("a/object"), "bytes");
        }
    });
}

TEST_P(LocalStoreFaultTest, RemovesAnObjectOrLeavesItWhole) {
    walk([](Step& step) {
        put(step.healthy, step.name("a/object"), "bytes");

        const auto removed = step.faulty.remove(step.name("a/object"));

        if (!step.fault.fired()) {
            ASSERT_THAT(removed, IsOk());
        }
        if (removed.ok()) {
            EXPECT_FALSE(step.is_there("a/object"));
            EXPECT_TRUE(step.is_safe("a/object"));
        } else if (removed.error().code() != Code::outcome_unknown) {
            ASSERT_EQ(removed.error().code(), Code::unavailable);
            ASSERT_TRUE(step.is_there("a/object"));
        }
        if (step.is_there("a/object")) {
            EXPECT_EQ(step.bytes_of("a/object"), "bytes");
        }
    });
}

TEST_P(LocalStoreFaultTest, MakesSafeTheRemovalThatASecondTryAcknowledges) {
    walk([](Step& step) {
        put(step.healthy, step.name("a/object"), "bytes");
        if (step.faulty.remove(step.name("a/object")).ok()) return;

        ASSERT_THAT(step.healthy.remove(step.name("a/object")), IsOk());
        EXPECT_FALSE(step.is_there("a/object"));
        EXPECT_TRUE(step.is_safe("a/object"));
    });
}

TEST_P(LocalStoreFaultTest, ListsAllOrFails) {
    walk([](Step& step) {
        for (const auto* path : {"a/1", "a/2", "a/b/3", "c/4", "d"}) {
            put(step.healthy, step.name(path), "x");
        }

        const auto listed = list_all(step.faulty, step.root, "");

        if (!step.fault.fired()) {
            ASSERT_THAT(listed, IsOk());
        }
        if (listed.ok()) {
            EXPECT_EQ(listed->size(), 5U);
        } else {
            EXPECT_EQ(listed.error().code(), Code::unavailable);
        }
    });
}

TEST_P(LocalStoreFaultTest, ReadsTheBytesOrFails) {
    walk([](Step& step) {
        put(step.healthy, step.name("a/object"), "bytes");

        const auto entry = step.faulty.head(step.name("a/object"));
        const auto bytes = get(step.faulty, step.name("a/object"), 100);

        if (!step.fault.fired()) {
            ASSERT_THAT(bytes, IsOk());
        }
        if (entry.ok()) {
            EXPECT_TRUE(entry->has_value());
        } else {
            EXPECT_EQ(entry.error().code(), Code::unavailable);
        }
        if (bytes.ok()) {
            EXPECT_EQ(*bytes, "bytes");
        } else {
            EXPECT_EQ(bytes.error().code(), Code::unavailable);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(
    Faults, LocalStoreFaultTest,
    ::testing::Combine(::testing::Values(Fault::When::before_effect, Fault::When::after_effect),
                       ::testing::Values(Fault::Lasting::once, Fault::Lasting::from_then_on)),
    [](const auto& tested) {
        const bool before = std::get<0>(tested.param) == Fault::When::before_effect;
        const bool once = std::get<1>(tested.param) == Fault::Lasting::once;
        return std::string(before ? "before" : "after") + (once ? "_once" : "_from_then_on");
    });

}  // namespace
}  // namespace highwater::object
