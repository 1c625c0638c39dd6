// Walks a failure through every call that a commit makes to the file system, and lets the process
// die or the power go after it: the catalog is then as it was or as it should be, and the answer
// told the truth.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "catalog/sqlite_catalog.h"
#include "sqlite_fault_vfs.h"
#include "testkit/commits.h"
#include "testkit/fault.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::catalog {
namespace {

using testkit::FailsWith;
using testkit::Fault;
using testkit::IsOk;
using Kind = CommitOutcome::Kind;

constexpr model::Hour nine{496'017};
constexpr int calls_max = 2'000;  // More than any of these walks is long.

/// How the world goes on after the failing call.
enum class Ending { goes_on, killed, power_cut, power_cut_some_kept };

constexpr Ending endings[] = {Ending::goes_on, Ending::killed, Ending::power_cut,
                              Ending::power_cut_some_kept};

struct Walk {
    Fault::When when;
    Fault::Lasting lasting;
    Ending ending;
};

std::vector<Walk> all_walks() {
    std::vector<Walk> walks;
    for (const auto when : {Fault::When::before_effect, Fault::When::after_effect}) {
        for (const auto lasting : {Fault::Lasting::once, Fault::Lasting::from_then_on}) {
            for (const Ending ending : endings) walks.push_back({when, lasting, ending});
        }
    }
    return walks;
}

/// A catalog, a commit, and files that fail.
class CatalogOnFaultyFiles {
protected:
    /// On the failing files; what is reopened is, too, when they fail no more: without waiting
    /// for the disk of this machine.
    SqliteOptions faulty() const {
        return {.busy_timeout = std::chrono::milliseconds(0), .vfs = SqliteFaultVfs::name};
    }

    /// A catalog at generation 2 in `path`, and a commit that would make it generation 3.
    void prepare() {
        env::SeededRandom random(7);
        const auto catalog = SqliteCatalog::create(path, random);
        ASSERT_THAT(catalog, IsOk());
        const auto commit = [&](const std::string& batch, std::vector<Table> tables,
                                std::vector<Partition> partitions) {
            auto made = testkit::make_commit(**catalog, Operation::publish, batch,
                                             std::move(tables), std::move(partitions));
            ASSERT_THAT(made, IsOk());
            ASSERT_THAT((*catalog)->commit(*made), IsOk());
        };
        commit("tables", {table}, {});
        commit("nine", {}, {testkit::make_partition(table, nine, {"a", "b"})});
        const auto made = testkit::make_commit(
            **catalog, Operation::publish, "the commit", {testkit::with_column(table, "extra")},
            {testkit::make_partition(table, nine, {"a", "c"}),
             testkit::make_partition(table, model::next(nine), {"d"})});
        ASSERT_THAT(made, IsOk());
        the_commit = *made;
        old_state = load(**catalog);
    }

    /// All that a reader can see.
    struct State {
        Generation head;
        std::vector<Table> tables;
        std::vector<Partition> partitions;
        std::vector<GenerationRecord> log;
        std::vector<KnownName> names;

        friend bool operator==(const State&, const State&) = default;
    };

    State load(Catalog& catalog) {
        State state;
        const auto view = catalog.load_view({{{table.id, {}}}, {}, true});
        EXPECT_THAT(view, IsOk());
        const auto log = catalog.load_log(0, 100);
        EXPECT_THAT(log, IsOk());
        std::vector<std::string> paths;
        for (const Partition& partition : the_commit.partitions) {
            for (const auto& object : partition.objects) paths.push_back(object.path);
        }
        const auto names = catalog.find_names(table.id, paths);
        EXPECT_THAT(names, IsOk());
        if (!view || !log || !names) return state;
        state = {view->generation, view->tables, {}, *log, *names};
        for (const auto& partition : view->partitions) state.partitions.push_back(*partition);
        return state;
    }

    /// Puts the files back as they were after `prepare`.
    void copy_files(const std::string& from, const std::string& to) {
        for (const std::string suffix : {"", "-wal", "-shm", "-journal"}) {
            std::filesystem::remove(to + suffix);
            if (std::filesystem::exists(from + suffix)) {
                std::filesystem::copy_file(from + suffix, to + suffix);
            }
        }
    }

    void end(SqliteFaultVfs& vfs, std::unique_ptr<SqliteCatalog>& catalog, Ending ending,
             int at_call) {
        vfs.fail_with(nullptr);
        if (ending == Ending::goes_on) return;
        vfs.kill();
        catalog.reset();
        if (ending == Ending::killed) return;
        vfs.cut_power(ending == Ending::power_cut
                          ? std::nullopt
                          : std::optional(static_cast<std::uint64_t>(at_call)));
        std::filesystem::remove(path + "-shm");
    }

    /// What may be there after an answer. The commit was sent once.
    void check_told_the_truth(const Result<CommitOutcome>& outcome, const State& state) {
        const bool is_old = state == old_state;
        const bool is_new = state == new_state;
        EXPECT_TRUE(is_old || is_new) << "a third state";
        if (outcome.ok()) {
            EXPECT_TRUE(outcome->kind == Kind::committed || outcome->kind == Kind::repeated);
            EXPECT_EQ(outcome->record, new_state.log.back());
            EXPECT_TRUE(is_new) << "told as done";
        } else if (outcome.error().code() != Code::outcome_unknown) {
            EXPECT_EQ(outcome.error().code(), Code::unavailable) << outcome.error().message();
            EXPECT_TRUE(is_old) << "told as not done: " << outcome.error().message();
        }
    }

    testkit::TemporaryDirectory directory_;
    const std::string path = directory_.path() + "/catalog.db";
    const std::string prepared = directory_.path() + "/prepared.db";
    const Table table = testkit::make_table("sensors", "/data/sensors");
    Commit the_commit;
    State old_state;
    State new_state;
};

class CatalogSpaceTest : public ::testing::Test, protected CatalogOnFaultyFiles {};

class CatalogFaultTest : public ::testing::TestWithParam<Walk>, protected CatalogOnFaultyFiles {};

INSTANTIATE_TEST_SUITE_P(Walks, CatalogFaultTest, ::testing::ValuesIn(all_walks()));

TEST_F(CatalogSpaceTest, ACommitWithoutSpaceIsExhaustedAndChangesNothing) {
    ASSERT_NO_FATAL_FAILURE(prepare());
    SqliteFaultVfs vfs;
    {
        const auto catalog = SqliteCatalog::open(path, faulty());
        ASSERT_THAT(catalog, IsOk());
        vfs.set_full(true);
        EXPECT_THAT((*catalog)->commit(the_commit), FailsWith(Code::exhausted));
        EXPECT_THAT((*catalog)->add_attempt({}), FailsWith(Code::exhausted));
        EXPECT_EQ(load(**catalog), old_state);
        vfs.kill();
    }
    vfs.set_full(false);
    vfs.start_again();
    const auto catalog = SqliteCatalog::open(path, faulty());
    ASSERT_THAT(catalog, IsOk());
    EXPECT_EQ(load(**catalog), old_state);
    EXPECT_THAT((*catalog)->commit(the_commit), IsOk());
}

using CatalogCreationFaultTest = CatalogFaultTest;

// One failure of creation is like another: what differs is how the world goes on.
INSTANTIATE_TEST_SUITE_P(
    Walks, CatalogCreationFaultTest,
    ::testing::Values(
        Walk{Fault::When::before_effect, Fault::Lasting::once, Ending::goes_on},
        Walk{Fault::When::after_effect, Fault::Lasting::once, Ending::power_cut},
        Walk{Fault::When::before_effect, Fault::Lasting::from_then_on, Ending::killed},
        Walk{Fault::When::before_effect, Fault::Lasting::from_then_on, Ending::power_cut},
        Walk{Fault::When::before_effect, Fault::Lasting::from_then_on,
             Ending::power_cut_some_kept}));

TEST_P(CatalogFaultTest, ACommitIsDoneOrNotAndTheAnswerTellsTheTruth) {
    ASSERT_NO_FATAL_FAILURE(prepare());
    copy_files(path, prepared);
    {
        const auto catalog = SqliteCatalog::open(path);
        ASSERT_THAT((*catalog)->commit(the_commit), IsOk());
        new_state = load(**catalog);
        ASSERT_EQ(new_state.head.number, 3U);
    }
    int unknown = 0;
    for (int at_call = 0; at_call < calls_max; ++at_call) {
        SCOPED_TRACE("call " + std::to_string(at_call));
        copy_files(prepared, path);
        SqliteFaultVfs vfs;
        auto opened = SqliteCatalog::open(path, faulty());
        ASSERT_THAT(opened, IsOk());
        std::unique_ptr<SqliteCatalog> catalog = *std::move(opened);
        Fault fault(at_call, GetParam().when, GetParam().lasting);
        vfs.fail_with(&fault);
        const auto outcome = catalog->commit(the_commit);
        end(vfs, catalog, GetParam().ending, at_call);
        if (!outcome.ok() && outcome.error().code() == Code::outcome_unknown) ++unknown;

        if (catalog) check_told_the_truth(outcome, load(*catalog));
        catalog.reset();
        vfs.start_again();
        const auto reopened = SqliteCatalog::open(path, faulty());
        ASSERT_THAT(reopened, IsOk());
        check_told_the_truth(outcome, load(**reopened));

        const auto again = (*reopened)->commit(the_commit);
        ASSERT_THAT(again, IsOk());
        EXPECT_EQ(again->record, new_state.log.back());
        EXPECT_EQ(load(**reopened), new_state);
        if (HasFailure()) return;
        if (!fault.fired()) {
            EXPECT_GT(at_call, 10) << "the walk is too short to be one";
            // The truth is not told by never telling: one failure alone leaves no doubt.
            const bool is_once = GetParam().lasting == Fault::Lasting::once;
            EXPECT_TRUE(!is_once || unknown == 0) << unknown;
            return;
        }
    }
    FAIL() << "the walk did not come to an end";
}

TEST_P(CatalogCreationFaultTest, ACatalogIsMadeOrNotAndCanBeMadeAgain) {
    for (int at_call = 0; at_call < calls_max; ++at_call) {
        SCOPED_TRACE("call " + std::to_string(at_call));
        copy_files(prepared, path);  // There is nothing: this removes what was.
        SqliteFaultVfs vfs;
        env::SeededRandom random(7);
        Fault fault(at_call, GetParam().when, GetParam().lasting);
        vfs.fail_with(&fault);
        auto created = SqliteCatalog::create(path, random, faulty());
        std::unique_ptr<SqliteCatalog> catalog;
        if (created) catalog = *std::move(created);
        const bool is_made = catalog != nullptr;
        end(vfs, catalog, GetParam().ending, at_call);
        catalog.reset();
        vfs.start_again();

        auto reopened = SqliteCatalog::open(path, faulty());
        if (is_made) {
            ASSERT_THAT(reopened, IsOk());
        } else if (!reopened) {
            const Code code = reopened.error().code();
            EXPECT_TRUE(code == Code::not_found || code == Code::corrupt)
                << reopened.error().message();
            reopened = SqliteCatalog::create(path, random, faulty());
            ASSERT_THAT(reopened, IsOk()) << "it can be made again";
        }
        EXPECT_EQ((*reopened)->head()->number, 0U);
        if (HasFailure()) return;
        if (!fault.fired()) {
            EXPECT_GT(at_call, 10);
            return;
        }
    }
    FAIL() << "the walk did not come to an end";
}

TEST_P(CatalogFaultTest, AReadingIsRightOrFails) {
    ASSERT_NO_FATAL_FAILURE(prepare());
    for (int at_call = 0; at_call < calls_max; ++at_call) {
        SCOPED_TRACE("call " + std::to_string(at_call));
        SqliteFaultVfs vfs;
        Fault fault(at_call, GetParam().when, GetParam().lasting);
        vfs.fail_with(&fault);
        auto catalog = SqliteCatalog::open(path, faulty());
        if (catalog.ok()) {
            const auto view = (*catalog)->load_view({{{table.id, {}}}, {}, true});
            if (view.ok()) {
                EXPECT_EQ(view->generation, old_state.head);
                EXPECT_EQ(view->tables, old_state.tables);
                ASSERT_EQ(view->partitions.size(), 1U);
                EXPECT_EQ(*view->partitions[0], old_state.partitions[0]);
            } else {
                EXPECT_EQ(view.error().code(), Code::unavailable) << view.error().message();
            }
        } else {
            EXPECT_EQ(catalog.error().code(), Code::unavailable) << catalog.error().message();
        }
        vfs.fail_with(nullptr);
        if (HasFailure()) return;
        if (!fault.fired()) {
            EXPECT_GT(at_call, 5);
            return;
        }
    }
    FAIL() << "the walk did not come to an end";
}

}  // namespace
}  // namespace highwater::catalog
