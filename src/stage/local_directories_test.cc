#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "object/local_store.h"
#include "stage/adopt.h"
#include "stage/cleanup.h"
#include "stage/stager.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/temporary_directory.h"

namespace highwater::stage {
namespace {

namespace fs = std::filesystem;

using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::IsOk;

constexpr model::Hour nine = testkit::PublishWorld::nine;

/// Regular files beneath `folder`, in order, relative to it.
std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        files.push_back(fs::relative(entry.path(), folder).string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// A table in a directory, its catalog in memory.
class LocalDirectoriesTest : public testing::Test {
protected:
    LocalDirectoriesTest() {
        for (const char* folder : {"in", "lake", "out", "scratch"}) {
            fs::create_directory(folder_.path() + "/" + folder);
        }
        table_ = testkit::make_table("t", root());
        world_.commit(catalog::Operation::create_table, {table_}, {});
        table_ = world_.table("t");
    }

    std::string root() const { return folder_.path() + "/lake"; }

    testkit::TemporaryDirectory folder_;
    object::SystemFileSystem files_;
    testkit::PublishWorld world_;  // Its catalog and randomness.
    object::LocalStore store_{files_, world_.random};
    catalog::Table table_;
};

TEST_F(LocalDirectoriesTest, StageLeavesObjectsAManifestAndNothingElse) {
    Bytes text = "time,value\n";
    for (int i = 0; i < 500; ++i) {
        text += "2026-10-06 0" + std::to_string(8 + i % 2) + ":00:00," + std::to_string(i) + "\n";
    }
    std::ofstream(folder_.path() + "/in/a.csv") << text;
    const auto staged = Stager(store_, store_, world_.catalog, world_.catalog)
                            .stage({.table = "t",
                                    .batch = "b",
                                    .inputs = {{.file = {folder_.path() + "/in", "a.csv"}}},
                                    .manifest = object::Name{folder_.path() + "/out", "m.json"},
                                    .scratch_root = folder_.path() + "/scratch",
                                    .memory = sort_memory_min,
                                    .id = env::make_uuid(world_.random)});
    ASSERT_THAT(staged, IsOk());
    ASSERT_EQ(staged->refusal, std::nullopt) << staged->refusal->why;
    EXPECT_GT(staged->runs_spilled, 1U);
    EXPECT_THAT(files_in(root()), SizeIs(2));
    EXPECT_THAT(files_in(folder_.path() + "/out"), SizeIs(1));
    EXPECT_THAT(files_in(folder_.path() + "/scratch"), IsEmpty());

    const auto abandoned =
        Cleaner(store_, world_.catalog, world_.catalog).abandon_batch(table_.id, "b");
    ASSERT_THAT(abandoned, IsOk());
    EXPECT_THAT(abandoned->removed, SizeIs(2));
    EXPECT_THAT(files_in(root()), IsEmpty());
}

TEST_F(LocalDirectoriesTest, QuarantineWorksInALakeThatWeNeverWroteTo) {
    fs::create_directory(root() + "/hour=2026-10-06T09");
    std::ofstream(root() + "/hour=2026-10-06T09/stray.parquet") << "stray";
    const auto quarantined = Cleaner(store_, world_.catalog, world_.catalog)
                                 .quarantine(table_, nine, world_.clock.now());
    ASSERT_THAT(quarantined, IsOk());
    ASSERT_THAT(quarantined->moved, SizeIs(1));
    const auto left = files_in(root());
    ASSERT_THAT(left, SizeIs(1));
    EXPECT_EQ(root() + "/" + left[0],
              quarantined->moved[0].to.root + "/" + quarantined->moved[0].to.path);
    EXPECT_THAT(left[0], EndsWith(".quarantined"));
    const auto listed = object::list_all(store_, root(), "");
    EXPECT_THAT(*listed, IsEmpty());
}

TEST_F(LocalDirectoriesTest, AdoptionTouchesNothing) {
    fs::create_directories(root() + "/date=2026-10-06/hour=09");
    std::ofstream(root() + "/date=2026-10-06/hour=09/a.parquet", std::ios::binary)
        << testkit::PublishWorld::make_file(nine, 3);
    const auto adoption = plan_adoption(store_, {.root = root(), .table = "t", .batch = "adopted"});
    ASSERT_THAT(adoption, IsOk());
    EXPECT_THAT(adoption->manifest.partitions, SizeIs(1));
    EXPECT_THAT(files_in(root()), SizeIs(1));
}

}  // namespace
}  // namespace highwater::stage
