// Changes bytes of a small catalog's files: what is then read is right, or `corrupt`, or the
// catalog does not open. A damaged log may give an older generation, but that one whole.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "catalog/sqlite_catalog.h"
#include "sqlite_fault_vfs.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::catalog {
namespace {

using testkit::IsOk;

constexpr model::Hour nine{496'017};

// A sample that meets every page many times and, over the pages, every place in one: 61 is prime.
constexpr std::size_t stride = 61;
constexpr std::size_t log_stride = 211;

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Every answer that a catalog has, as of one head.
struct Answers {
    Generation head;
    std::vector<View> views;  // Of every generation.
    std::vector<Changes> changes;
    std::vector<GenerationRecord> log;
    std::vector<KnownName> names;
    std::vector<Attempt> attempts;
    std::vector<Intent> intents;
};

bool is_same(const View& left, const View& right) {
    const auto same = [](const auto& one, const auto& other) { return *one == *other; };
    return left.generation == right.generation && left.tables == right.tables &&
           std::ranges::equal(left.partitions, right.partitions, same);
}

bool is_same(const Changes& left, const Changes& right) {
    return left.from == right.from && left.to == right.to && left.tables == right.tables &&
           left.partitions == right.partitions;
}

class CatalogCorruptionTest : public ::testing::Test {
protected:
    void SetUp() override {
        env::SeededRandom random(7);
        auto catalog = SqliteCatalog::create(path, random);
        ASSERT_THAT(catalog, IsOk());
        const auto note = [&] { right.push_back(load(**catalog)); };
        note();
        commit(**catalog, "tables", {table}, {});
        note();
        commit(**catalog, "nine", {}, {testkit::make_partition(table, nine, {"a", "b"})});
        note();
        Attempt attempt;
        attempt.idempotency_key = "key";
        attempt.report_json = "{}";
        ASSERT_THAT((*catalog)->add_attempt(attempt), IsOk());
        note();
        Intent intent;
        intent.table = table.id;
        intent.paths = {"a", "b"};
        ASSERT_THAT((*catalog)->put_intent(intent), IsOk());
        note();
        commit(**catalog, "more", {testkit::with_column(table, "extra")},
               {testkit::make_partition(table, nine, {"a", "c"}),
                testkit::make_partition(table, model::next(nine), {})});
        note();
        // A process that died here would leave these two files.
        std::filesystem::copy_file(path, cut_path);
        std::filesystem::copy_file(path + "-wal", cut_path + "-wal");
        catalog->reset();
    }

    void commit(Catalog& catalog, const std::string& batch, std::vector<Table> tables,
                std::vector<Partition> partitions) {
        const auto made = testkit::make_commit(catalog, Operation::publish, batch,
                                               std::move(tables), std::move(partitions));
        ASSERT_THAT(made, IsOk());
        ASSERT_THAT(catalog.commit(*made), IsOk());
    }

    /// Takes an answer, or notes why there is none.
    template <typename T>
    std::optional<T> take(Result<T> result) {
        if (result.ok()) return *std::move(result);
        EXPECT_EQ(result.error().code(), Code::corrupt) << result.error().message();
        ++refused;
        return std::nullopt;
    }

    Answers load(Catalog& catalog) {
        Answers answers;
        answers.head = *catalog.head();
        for (std::uint64_t at = 0; at <= answers.head.number; ++at) {
            answers.views.push_back(*catalog.load_view({{{table.id, {}}}, at, true}));
            answers.changes.push_back(*catalog.load_changes(at));
        }
        answers.log = *catalog.load_log(0, 100);
        answers.names = *catalog.find_names(table.id, paths());
        auto& journal = dynamic_cast<SqliteCatalog&>(catalog);
        answers.attempts = *journal.load_attempts({}, 100);
        answers.intents = *journal.load_intents(table.id);
        return answers;
    }

    std::vector<std::string> paths() const {
        std::vector<std::string> all;
        for (const auto& object : testkit::make_partition(table, nine, {"a", "b", "c"}).objects) {
            all.push_back(object.path);
        }
        return all;
    }

    /// Asks a damaged catalog everything; what it answers is what `expected` says.
    void expect_nothing_wrong(SqliteCatalog& catalog, const Answers& expected) {
        const auto head = take(catalog.head());
        EXPECT_TRUE(!head || *head == expected.head);
        for (std::uint64_t at = 0; at <= expected.head.number; ++at) {
            const auto view = take(catalog.load_view({{{table.id, {}}}, at, true}));
            EXPECT_TRUE(!view || is_same(*view, expected.views[at]));
            const auto changes = take(catalog.load_changes(at));
            EXPECT_TRUE(!changes || is_same(*changes, expected.changes[at]));
        }
        const auto log = take(catalog.load_log(0, 100));
        EXPECT_TRUE(!log || *log == expected.log);
        const auto names = take(catalog.find_names(table.id, paths()));
        EXPECT_TRUE(!names || *names == expected.names);
        const auto attempts = take(catalog.load_attempts({}, 100));
        EXPECT_TRUE(!attempts || *attempts == expected.attempts);
        const auto intents = take(catalog.load_intents(table.id));
        EXPECT_TRUE(!intents || *intents == expected.intents);
    }

    /// A commit to a damaged catalog is made, as it should be, or refused as corrupt.
    void expect_no_wrong_commit(SqliteCatalog& catalog) {
        const Table other = testkit::make_table("others", "/data/others");
        Commit made;
        made.batch = made.idempotency_key = "after the damage";
        made.basis.epoch = right.back().head.epoch;
        made.tables = {other};
        testkit::renew_digests(made);
        const auto outcome = take(catalog.commit(made));
        if (!outcome) return;
        EXPECT_EQ(outcome->kind, CommitOutcome::Kind::committed) << outcome->what;
        EXPECT_EQ(outcome->record->parent_chain, right.back().head.chain);
        EXPECT_EQ(outcome->record->generation.number, right.back().head.number + 1);
    }

    // Damage does not depend on whether the disk of this machine is waited for.
    SqliteFaultVfs vfs_;
    const SqliteOptions unsynced{.vfs = SqliteFaultVfs::name};

    testkit::TemporaryDirectory directory_;
    const std::string path = directory_.path() + "/catalog.db";
    const std::string cut_path = directory_.path() + "/cut.db";
    const Table table = testkit::make_table("sensors", "/data/sensors");
    std::vector<Answers> right;  // After each change, the last one at the end.
    int refused = 0;
};

TEST_F(CatalogCorruptionTest, AChangedByteOfTheDatabaseIsNoticedOrDoesNotMatter) {
    const std::string bytes = read_file(path);
    int opened = 0;
    for (std::size_t at = 0; at < bytes.size(); at += at < 100 ? 1 : stride) {
        SCOPED_TRACE("byte " + std::to_string(at));
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ (at % 3 == 0 ? 0xFF : 1 << (at % 8)));
        write_file(path, damaged);
        if (const auto catalog = take(SqliteCatalog::open(path, unsynced))) {
            ++opened;
            expect_nothing_wrong(**catalog, right.back());
            if (at % 7 == 0) expect_no_wrong_commit(**catalog);
        }
        if (HasFailure()) return;
    }
    EXPECT_GT(opened, 100);
    EXPECT_GT(refused, 1'000);
}

TEST_F(CatalogCorruptionTest, ACutDatabaseIsNoticedOrDoesNotMatter) {
    const std::string bytes = read_file(path);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 20) {
        SCOPED_TRACE("size " + std::to_string(size));
        write_file(path, bytes.substr(0, size));
        if (const auto catalog = take(SqliteCatalog::open(path, unsynced))) {
            expect_nothing_wrong(**catalog, right.back());
        }
        if (HasFailure()) return;
    }
}

TEST_F(CatalogCorruptionTest, AChangedByteOfTheLogGivesAnOlderStateWhole) {
    const std::string bytes = read_file(cut_path);
    const std::string log = read_file(cut_path + "-wal");
    int older = 0;
    for (std::size_t at = 0; at < log.size(); at += at < 60 ? 1 : log_stride) {
        SCOPED_TRACE("byte " + std::to_string(at));
        std::string damaged = log;
        damaged[at] = static_cast<char>(damaged[at] ^ (at % 3 == 0 ? 0xFF : 1 << (at % 8)));
        write_file(cut_path, bytes);
        write_file(cut_path + "-wal", damaged);
        std::filesystem::remove(cut_path + "-shm");
        const auto catalog = take(SqliteCatalog::open(cut_path, unsynced));
        if (!catalog) continue;
        const auto head = take((*catalog)->head());
        const auto attempts = take((*catalog)->load_attempts({}, 100));
        const auto intents = take((*catalog)->load_intents(table.id));
        if (!head || !attempts || !intents) continue;
        const auto as_then = std::ranges::find_if(right, [&](const Answers& then) {
            return then.head == *head && then.attempts == *attempts && then.intents == *intents;
        });
        ASSERT_NE(as_then, right.end()) << "a state that never was";
        older += as_then->head != right.back().head;
        expect_nothing_wrong(**catalog, *as_then);
        if (HasFailure()) return;
    }
    EXPECT_GT(older, 10);
}

}  // namespace
}  // namespace highwater::catalog
