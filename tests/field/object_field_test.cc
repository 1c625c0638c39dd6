// Do we fail where others did? What users of the field reported about listings and paths of object
// stores, each a test named after its line in the list of field failures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "env/random.h"
#include "env/simulated_clock.h"
#include "object/local_store.h"
#include "object/memory_store.h"
#include "testkit/matchers.h"
#include "testkit/simulated_store.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::Mishap;
using testkit::SimulatedStore;

/// A store far away with five objects, in pages of two.
struct FarWorld {
    FarWorld() {
        for (const auto* path : {"hour/1", "hour/2", "hour/3", "hour/4", "hour/5"}) {
            EXPECT_THAT(put_new(memory, {"/r", path}, "x"), IsOk());
        }
    }

    MemoryStore memory;
    env::SimulatedClock clock{Time()};
    SimulatedStore store{memory, clock, {.page_size = 2}};
};

// SPARK-16313: listing exceptions were swallowed, and the plan silently had no rows.
TEST(Field, A22_AFailingListIsAnErrorAndNotEmpty) {
    const std::pair<Mishap, Code> failures[] = {
        {Mishap::denied, Code::denied},
        {Mishap::unavailable, Code::unavailable},
        {Mishap::timeout_before_effect, Code::unavailable},
        {Mishap::timeout_after_effect, Code::unavailable},
        {Mishap::truncated, Code::unavailable},
    };
    for (const auto& [mishap, code] : failures) {
        for (int page = 0; page < 3; ++page) {
            FarWorld world;
            world.store.schedule(SimulatedStore::Call::list, mishap, page);
            EXPECT_THAT(list_all(world.store, "/r", "hour"), FailsWith(code)) << page;
        }
    }
    FarWorld world;
    EXPECT_THAT(*list_all(world.store, "/r", "hour"), SizeIs(5));
}

/// A machine that refuses to open one folder.
class UnreadableFileSystem final : public SystemFileSystem {
public:
    Result<FileHandle> open(const FileHandle& directory, const std::string& name,
                            Access access) override {
        if (name == "secret") return Error(Code::denied, "open: permission denied");
        return SystemFileSystem::open(directory, name, access);
    }
};

TEST(Field, A22_AFolderThatMayNotBeReadIsAnErrorAndNotEmpty) {
    const testkit::TemporaryDirectory directory;
    SystemFileSystem files;
    UnreadableFileSystem refusing_files;
    env::SeededRandom random(1);
    LocalStore writer(files, random);
    LocalStore reader(refusing_files, random);
    for (const auto* path : {"hour/a", "hour/secret/b"}) {
        ASSERT_THAT(put_new(writer, {directory.path(), path}, "x"), IsOk());
    }

    EXPECT_THAT(list_all(reader, directory.path(), ""), FailsWith(Code::denied));
    EXPECT_THAT(list_all(reader, directory.path(), "hour"), FailsWith(Code::denied));
    EXPECT_THAT(list_all(reader, directory.path(), "hour/secret"), FailsWith(Code::denied));
}

// ClickHouse 118615: an empty page with a continuation token was taken for the end.
TEST(Field, A27_AnEmptyPageWithATokenIsNotTheEnd) {
    for (int page = 0; page < 3; ++page) {
        for (int empty_pages = 1; empty_pages <= 3; ++empty_pages) {
            FarWorld world;
            world.store.schedule(SimulatedStore::Call::list, Mishap::empty_page, page, empty_pages);
            const auto listed = list_all(world.store, "/r", "hour");
            ASSERT_THAT(listed, IsOk());
            EXPECT_THAT(*listed, SizeIs(5));
        }
    }
}

// DuckLake 815, 84, 916: a sweep deleted live files, since one path had several spellings.
TEST(Field, A58_APathHasOneSpelling) {
    const testkit::TemporaryDirectory directory;
    SystemFileSystem files;
    env::SeededRandom random(1);
    LocalStore local(files, random);
    MemoryStore memory;
    for (Store* store : {static_cast<Store*>(&local), static_cast<Store*>(&memory)}) {
        const std::string& root = directory.path();
        ASSERT_THAT(put_new(*store, {root, "hour/a.parquet"}, "live"), IsOk());

        for (const auto* spelling :
             {"hour//a.parquet", "./hour/a.parquet", "hour/./a.parquet", "/hour/a.parquet",
              "hour/a.parquet/", "hour/../hour/a.parquet", "hour\\a.parquet"}) {
            EXPECT_THAT(store->remove({root, spelling}), FailsWith(Code::invalid_argument));
            EXPECT_THAT(store->head({root, spelling}), FailsWith(Code::invalid_argument));
            EXPECT_THAT(store->open({root, spelling}), FailsWith(Code::invalid_argument));
            EXPECT_THAT(store->create({root, spelling}), FailsWith(Code::invalid_argument));
        }
        // Nothing is decoded or folded: these are paths, but others.
        for (const auto* other : {"hour/a%2Eparquet", "hour%2Fa.parquet", "Hour/a.parquet",
                                  "hour/a.parquet ", "hour/a.parquet?x"}) {
            EXPECT_EQ(*store->head({root, other}), std::nullopt) << other;
            EXPECT_THAT(store->remove({root, other}), IsOk()) << other;
        }
        // The listing tells the one spelling, which is the one that finds the object again.
        const auto listed = list_all(*store, root, "");
        ASSERT_THAT(listed, IsOk());
        ASSERT_THAT(*listed, SizeIs(1));
        EXPECT_EQ((*listed)[0].path, "hour/a.parquet");
        EXPECT_EQ(*get(*store, {root, (*listed)[0].path}, 100), "live");
    }
}

TEST(Field, A58_AnUploadInFlightIsNeitherListedNorSweptBeforeItsAge) {
    const testkit::TemporaryDirectory directory;
    SystemFileSystem files;
    env::SeededRandom random(1);
    LocalStore store(files, random);
    const Name name{directory.path(), "hour/a.parquet"};
    const auto upload = store.create(name);
    ASSERT_THAT(upload, IsOk());
    ASSERT_THAT((*upload)->append("bytes"), IsOk());
    const auto staged = files.stat({}, directory.path() + "/.highwater/staged");
    ASSERT_THAT(staged, IsOk());
    constexpr Duration age = std::chrono::hours(24);
    const Time began = time_from_ns(staged->identity.mtime_ns);

    EXPECT_THAT(*list_all(store, directory.path(), ""), IsEmpty());
    EXPECT_EQ(*store.sweep_staged(directory.path(), began - age), 0U);
    ASSERT_THAT((*upload)->finish(), IsOk());
    EXPECT_EQ(*get(store, name, 100), "bytes");
}

}  // namespace
}  // namespace highwater::object
