// Many processes with many threads commit to one catalog: of those that want the same, exactly one
// wins; nothing is lost; the chain holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>
#include <tuple>

#include "catalog/sqlite_catalog.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::catalog {
namespace {

using testkit::IsOk;
using Kind = CommitOutcome::Kind;

constexpr int processes = 3;
constexpr int threads = 2;
constexpr int rounds = 12;
constexpr std::int64_t contested = 496'017;  // The hours from here on are wanted by all,
constexpr std::int64_t own = 600'000;        // those from here on by one thread each.

struct Tally {
    int won = 0;
    int lost = 0;
    int failed = 0;  // Anything but a win or a conflict that names its winner.
};

/// Sends until the catalog was not busy.
Result<CommitOutcome> send(Catalog& catalog, const Commit& commit) {
    while (true) {
        auto outcome = catalog.commit(commit);
        if (outcome.ok() || outcome.error().code() != Code::unavailable) return outcome;
    }
}

/// One thread of one process: in each round it wants an hour that all want, and one of its own.
Tally take_part(Catalog& catalog, const Table& table, int thread) {
    Tally tally;
    for (int round = 0; round < rounds; ++round) {
        for (const bool is_own : {false, true}) {
            const std::int64_t hour = is_own ? own + thread * rounds + round : contested + round;
            const std::string name = std::to_string(thread) + "-" + std::to_string(round) +
                                     (is_own ? "-own" : "-contested");
            // The basis says that nobody was there before, whoever was.
            auto commit = testkit::make_commit(catalog, Operation::publish, name, {},
                                               {testkit::make_partition(table, {hour}, {name})});
            if (!commit.ok()) {
                ++tally.failed;
                continue;
            }
            commit->basis.partitions[0].changed = 0;
            const auto outcome = send(catalog, *commit);
            const bool has_won = outcome.ok() && outcome->kind == Kind::committed;
            const bool has_lost = outcome.ok() && outcome->kind == Kind::conflict &&
                                  outcome->record &&
                                  outcome->record->partitions.at(0).hour.since_epoch == hour &&
                                  outcome->record->batch.ends_with("contested");
            has_won ? ++tally.won : has_lost && !is_own ? ++tally.lost : ++tally.failed;
        }
    }
    return tally;
}

/// Runs the threads of one process on its own opening of the catalog; gives back the sums.
Tally run_process(const std::string& path, const Table& table, int process) {
    const auto catalog = SqliteCatalog::open(path, {.busy_timeout = std::chrono::seconds(30)});
    if (!catalog.ok()) return {0, 0, 1};
    std::array<Tally, threads> tallies;
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back([&, i] {
            tallies[static_cast<std::size_t>(i)] =
                take_part(**catalog, table, process * threads + i);
        });
    }
    for (std::thread& thread : running) thread.join();
    Tally sum;
    for (const Tally& tally : tallies) {
        sum = {sum.won + tally.won, sum.lost + tally.lost, sum.failed + tally.failed};
    }
    return sum;
}

TEST(CatalogProcesses, ExactlyOneWinsAndNothingIsLost) {
    const testkit::TemporaryDirectory directory;
    const std::string path = directory.path() + "/catalog.db";
    const Table table = testkit::make_table("sensors", "/data/sensors");
    {
        env::SeededRandom random(7);
        const auto catalog = SqliteCatalog::create(path, random);
        ASSERT_THAT(catalog, IsOk());
        const auto commit =
            testkit::make_commit(**catalog, Operation::create_table, "tables", {table}, {});
        ASSERT_THAT((*catalog)->commit(*commit), IsOk());
    }  // Closed: a connection does not survive a fork.
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            const Tally tally = run_process(path, table, process);
            const auto written = write(pipe_ends[1], &tally, sizeof(tally));
            _exit(written == sizeof(tally) ? 0 : 1);
        }
        children.push_back(child);
    }
    Tally sum;
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
        Tally tally;
        ASSERT_EQ(read(pipe_ends[0], &tally, sizeof(tally)), sizeof(tally));
        sum = {sum.won + tally.won, sum.lost + tally.lost, sum.failed + tally.failed};
    }
    close(pipe_ends[0]);
    close(pipe_ends[1]);

    constexpr int all = processes * threads;
    EXPECT_EQ(sum.failed, 0);
    EXPECT_EQ(sum.won, rounds + all * rounds);
    EXPECT_EQ(sum.lost, (all - 1) * rounds);
    const auto catalog = SqliteCatalog::open(path);
    ASSERT_THAT(catalog, IsOk());
    const auto log = (*catalog)->load_log(0, 10'000);  // Checks the chain.
    ASSERT_THAT(log, IsOk());
    EXPECT_EQ(log->size(), 1U + rounds + all * rounds);
    const auto view = (*catalog)->load_view({{{table.id, {}}}, {}, false});
    ASSERT_THAT(view, IsOk());
    EXPECT_EQ(view->partitions.size(), std::size_t{rounds + all * rounds});
}

}  // namespace
}  // namespace highwater::catalog
