#include "catalog/sqlite_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "catalog/checked_pages.h"
#include "catalog/sqlite_pool.h"
#include "catalog/sqlite_schema.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::catalog {
namespace {

using ::testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{496'017};

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

const std::string golden = HIGHWATER_SOURCE_DIR "/tests/golden/formats/";

void commit(Catalog& catalog, const std::string& batch, std::vector<Table> tables,
            std::vector<Partition> partitions) {
    const auto made = testkit::make_commit(catalog, Operation::publish, batch, std::move(tables),
                                           std::move(partitions));
    ASSERT_THAT(made, IsOk());
    const auto outcome = catalog.commit(*made);
    ASSERT_THAT(outcome, IsOk());
    ASSERT_EQ(outcome->kind, CommitOutcome::Kind::committed) << outcome->what;
}

/// What the golden catalog holds: something in every table.
void fill(SqliteCatalog& catalog, const Table& table) {
    commit(catalog, "tables", {table}, {});
    commit(catalog, "nine", {}, {testkit::make_partition(table, nine, {"a", "b"})});
    commit(catalog, "more", {testkit::with_column(table, "extra")},
           {testkit::make_partition(table, nine, {"a", "c"}),
            testkit::make_partition(table, model::next(nine), {})});
    ASSERT_THAT(catalog.set_name_state(table.id,
                                       testkit::make_partition(table, nine, {"b"}).objects[0].path,
                                       KnownName::State::tombstoned),
                IsOk());
    Attempt attempt;
    attempt.idempotency_key = "nine";
    attempt.batch = "nine";
    attempt.code = "object_missing";
    attempt.report_json = "{}";
    ASSERT_THAT(catalog.add_attempt(attempt), IsOk());
    Intent intent;
    intent.table = table.id;
    intent.batch = "eleven";
    intent.root = table.location;
    intent.paths = {"d", "e"};
    ASSERT_THAT(catalog.put_intent(intent), IsOk());
}

class SqliteCatalogTest : public ::testing::Test {
protected:
    std::unique_ptr<SqliteCatalog> make() {
        auto made = SqliteCatalog::create(path, random_);
        EXPECT_THAT(made, IsOk());
        return made.ok() ? *std::move(made) : nullptr;
    }

    /// A catalog of one table and one hour, closed.
    void make_small() {
        const auto catalog = make();
        commit(*catalog, "tables", {table}, {});
        commit(*catalog, "nine", {}, {testkit::make_partition(table, nine, {"a", "b"})});
    }

    /// Runs SQL on the database, as somebody with a tool would, under an SQLite VFS of that name.
    void run(const std::string& sql, const char* vfs = nullptr) {
        sqlite3* db = nullptr;
        ASSERT_EQ(
            sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs),
            SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(db);
        ASSERT_EQ(sqlite3_close(db), SQLITE_OK);
    }

    Result<View> load_all() {
        auto catalog = SqliteCatalog::open(path);
        if (!catalog) return catalog.error();
        return (*catalog)->load_view({{{table.id, {}}}, {}, true});
    }

    env::SeededRandom random_{7};
    testkit::TemporaryDirectory directory_;
    const std::string path = directory_.path() + "/catalog.db";
    const Table table = testkit::make_table("sensors", "/data/sensors");
};

TEST_F(SqliteCatalogTest, KeepsItsEpochAndItsGenerations) {
    const Generation head = *make()->head();
    const auto again = SqliteCatalog::open(path);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(*(*again)->head(), head);
}

TEST_F(SqliteCatalogTest, IsNotMadeTwice) {
    make_small();
    EXPECT_THAT(SqliteCatalog::create(path, random_), FailsWith(Code::already_exists));
    EXPECT_EQ(SqliteCatalog::open(path).operator*()->head()->number, 2U);
}

TEST_F(SqliteCatalogTest, IsNotMadeByOpening) {
    EXPECT_THAT(SqliteCatalog::open(path), FailsWith(Code::not_found));
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_THAT(SqliteCatalog::create(directory_.path() + "/absent/catalog.db", random_),
                FailsWith(Code::not_found));
    EXPECT_THAT(SqliteCatalog::create(path, random_, {.mode = SqliteOptions::Mode::read_only}),
                FailsWith(Code::invalid_argument));
}

TEST_F(SqliteCatalogTest, AFileOfSomethingElseIsRefused) {
    const std::string text(10'000, 'x');
    write_file(path, text);
    EXPECT_THAT(SqliteCatalog::open(path), FailsWith(Code::corrupt));
    EXPECT_THAT(SqliteCatalog::create(path, random_), FailsWith(Code::corrupt));
    EXPECT_EQ(read_file(path), text);
}

TEST_F(SqliteCatalogTest, TheDatabaseOfAnotherProgramIsRefused) {
    run("CREATE TABLE other (x); INSERT INTO other VALUES (1)");
    const std::string bytes = read_file(path);
    EXPECT_THAT(SqliteCatalog::open(path), FailsWith(Code::corrupt));
    EXPECT_THAT(SqliteCatalog::create(path, random_), FailsWith(Code::denied));
    EXPECT_EQ(read_file(path), bytes);
}

TEST_F(SqliteCatalogTest, AnEmptyFileBecomesACatalog) {
    write_file(path, "");
    EXPECT_THAT(SqliteCatalog::open(path), FailsWith(Code::corrupt));
    EXPECT_THAT(SqliteCatalog::create(path, random_), IsOk());
}

TEST_F(SqliteCatalogTest, OneOfANewerVersionIsNotTouched) {
    make_small();
    run("PRAGMA user_version = 2", checked_pages_vfs(""));
    const auto opened = SqliteCatalog::open(path);
    ASSERT_THAT(opened, FailsWith(Code::unsupported));
    EXPECT_THAT(opened.error().message(), HasSubstr("version 2"));
    EXPECT_THAT(SqliteCatalog::create(path, random_), FailsWith(Code::already_exists));
}

TEST_F(SqliteCatalogTest, OneThatIsNotWholeIsMadeAnew) {
    run("PRAGMA page_size = 4096; PRAGMA application_id = " + std::to_string(application_id));
    EXPECT_THAT(SqliteCatalog::open(path), FailsWith(Code::corrupt));
    // The pages of that file have no room for seals.
    EXPECT_THAT(SqliteCatalog::create(path, random_), FailsWith(Code::corrupt));
}

TEST_F(SqliteCatalogTest, OpenedForReadingItChangesNothing) {
    make_small();
    const auto writer = SqliteCatalog::open(path);
    auto reader = SqliteCatalog::open(path, {.mode = SqliteOptions::Mode::read_only});
    ASSERT_THAT(reader, IsOk());
    EXPECT_EQ((*reader)->head()->number, 2U);
    const auto made = testkit::make_commit(**reader, Operation::publish, "more",
                                           {testkit::make_table("more", "/data/more")}, {});
    ASSERT_THAT(made, IsOk());
    EXPECT_THAT((*reader)->commit(*made), FailsWith(Code::denied));
    EXPECT_THAT((*reader)->add_attempt({}), FailsWith(Code::denied));
    EXPECT_THAT((*writer)->commit(*made), IsOk());
    EXPECT_EQ((*reader)->head()->number, 3U);
}

TEST_F(SqliteCatalogTest, AWriterWaitsOnlySoLong) {
    make_small();
    auto hurried = SqliteCatalog::open(path, {.busy_timeout = std::chrono::milliseconds(1)});
    ASSERT_THAT(hurried, IsOk());
    SqlitePool pool(path, {});
    auto connection = pool.take();
    ASSERT_THAT(connection, IsOk());
    {
        auto transaction = SqliteTransaction::begin(**connection, SqliteTransaction::Kind::write);
        ASSERT_THAT(transaction, IsOk());
        const auto refused = (*hurried)->add_attempt({});
        ASSERT_THAT(refused, FailsWith(Code::unavailable));
        EXPECT_THAT(refused.error().message(), HasSubstr("busy, try again"));
        EXPECT_EQ((*hurried)->head()->number, 2U) << "readers never wait";
    }
    EXPECT_THAT((*hurried)->add_attempt({}), IsOk());
}

TEST_F(SqliteCatalogTest, AReadingIsOneMomentWhateverIsCommittedMeanwhile) {
    make_small();
    SqlitePool pool(path, {});
    auto connection = pool.take();
    const auto transaction = SqliteTransaction::begin(**connection, SqliteTransaction::Kind::read);
    ASSERT_THAT(transaction, IsOk());
    const std::string count = "SELECT count(*) FROM generations";
    EXPECT_EQ(*(*connection)->load_number(count), 2);
    commit(**SqliteCatalog::open(path), "more", {testkit::make_table("more", "/data/more")}, {});
    EXPECT_EQ(*(*connection)->load_number(count), 2);
}

TEST_F(SqliteCatalogTest, APartitionThatIsNotAsCommittedIsNamed) {
    for (const std::string sql :
         {"UPDATE objects SET size_bytes = size_bytes + 1", "DELETE FROM objects",
          "UPDATE objects SET identity_inode = 6", "UPDATE partitions SET root = '/other'",
          "UPDATE partitions SET digest_policy = 'never'",
          "UPDATE partitions SET inventory = zeroblob(32)",
          "UPDATE partitions SET digest = zeroblob(31)", "UPDATE partitions SET has_own_root = 2",
          "UPDATE partitions SET digest_policy = 'x'"}) {
        make_small();
        run(sql, checked_pages_vfs(""));
        const auto view = load_all();
        ASSERT_THAT(view, FailsWith(Code::corrupt)) << sql;
        EXPECT_THAT(view.error().message(), HasSubstr("2026-08-02T09")) << sql;
        std::filesystem::remove(path);
    }
}

TEST_F(SqliteCatalogTest, ATableThatIsNotAsCommittedIsNamed) {
    for (const std::string sql :
         {"UPDATE table_states SET location = '/other'", "UPDATE table_states SET pattern = 'x'",
          "UPDATE columns SET nullable = 0", "UPDATE columns SET type = 'x'",
          "UPDATE schemas SET unit = 'x'", "UPDATE schemas SET version = 2; DELETE FROM columns",
          "UPDATE table_states SET dropped = 1"}) {
        make_small();
        run(sql, checked_pages_vfs(""));
        const auto view = load_all();
        ASSERT_THAT(view, FailsWith(Code::corrupt)) << sql;
        EXPECT_THAT(view.error().message(), HasSubstr("table 'sensors'")) << sql;
        std::filesystem::remove(path);
    }
}

TEST_F(SqliteCatalogTest, AGenerationThatIsNotAsCommittedIsNamed) {
    for (const std::string sql :
         {"UPDATE generations SET time_ns = 5 WHERE number = 2",
          "UPDATE generations SET operation = 'x' WHERE number = 2",
          "UPDATE generations SET chain = zeroblob(32) WHERE number = 2",
          "UPDATE generations SET manifests = zeroblob(32) WHERE number = 2",
          "DELETE FROM partitions", "UPDATE partitions SET hour = 5"}) {
        make_small();
        run(sql, checked_pages_vfs(""));
        const auto log = (*SqliteCatalog::open(path))->load_log(0, 10);
        ASSERT_THAT(log, FailsWith(Code::corrupt)) << sql;
        EXPECT_THAT(log.error().message(), HasSubstr("generation 2")) << sql;
        std::filesystem::remove(path);
    }
}

TEST_F(SqliteCatalogTest, AHoleInTheLineIsNoticed) {
    make_small();
    run("DELETE FROM generations WHERE number = 1", checked_pages_vfs(""));
    EXPECT_THAT((*SqliteCatalog::open(path))->load_log(0, 10), FailsWith(Code::corrupt));
}

TEST_F(SqliteCatalogTest, APageThatWasWrittenPastTheSealsIsNoticed) {
    make_small();
    run("UPDATE names SET size_bytes = 7");
    const auto catalog = SqliteCatalog::open(path);
    ASSERT_THAT(catalog, IsOk());
    const auto path_of_a = testkit::make_partition(table, nine, {"a"}).objects[0].path;
    EXPECT_THAT((*catalog)->find_names(table.id, {path_of_a}), FailsWith(Code::corrupt));
    EXPECT_EQ((*catalog)->head()->number, 2U) << "other pages are as they were";
}

TEST_F(SqliteCatalogTest, OthersMayReadItAndWriteItsLogBack) {
    {
        // The log of a process that died is written back by whoever opens the database next.
        const auto catalog = make();
        commit(*catalog, "tables", {table}, {});
        commit(*catalog, "nine", {}, {testkit::make_partition(table, nine, {"a", "b"})});
        std::filesystem::copy_file(path, path + "2");
        std::filesystem::copy_file(path + "-wal", path + "2-wal");
    }
    std::filesystem::rename(path + "2", path);
    std::filesystem::rename(path + "2-wal", path + "-wal");
    run("SELECT count(*) FROM objects");
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    const auto view = load_all();
    ASSERT_THAT(view, IsOk());
    EXPECT_EQ(view->partitions.size(), 1U);
    commit(**SqliteCatalog::open(path), "more", {testkit::make_table("more", "/data/more")}, {});
    EXPECT_THAT(load_all(), IsOk());
}

TEST_F(SqliteCatalogTest, MakesTheTablesOfTheReleasedFormat) {
    EXPECT_EQ(schema_sql(), read_file(golden + "catalog-sqlite.sql"));
}

TEST_F(SqliteCatalogTest, ReadsACatalogOfTheReleasedFormat) {
    write_file(path, read_file(golden + "catalog-sqlite-1.db"));
    const auto released = SqliteCatalog::open(path);
    ASSERT_THAT(released, IsOk());
    std::filesystem::create_directory(directory_.path() + "/new");
    env::SeededRandom random(7);
    const auto made = SqliteCatalog::create(directory_.path() + "/new/catalog.db", random);
    ASSERT_THAT(made, IsOk());
    fill(**made, table);

    EXPECT_EQ(*(*released)->head(), *(*made)->head());
    EXPECT_EQ(*(*released)->load_log(0, 100), *(*made)->load_log(0, 100));
    for (std::uint64_t at = 0; at <= (*made)->head()->number; ++at) {
        const ViewRequest request{{{table.id, {}}}, at, true};
        const auto expected = (*made)->load_view(request);
        const auto view = (*released)->load_view(request);
        ASSERT_THAT(view, IsOk());
        EXPECT_EQ(view->tables, expected->tables);
        ASSERT_EQ(view->partitions.size(), expected->partitions.size());
        for (std::size_t i = 0; i < view->partitions.size(); ++i) {
            EXPECT_EQ(*view->partitions[i], *expected->partitions[i]);
        }
    }
    EXPECT_EQ(*(*released)->load_attempts({}, 9), *(*made)->load_attempts({}, 9));
    EXPECT_EQ(*(*released)->load_intents(table.id), *(*made)->load_intents(table.id));
    const std::vector<std::string> paths = {
        testkit::make_partition(table, nine, {"a"}).objects[0].path};
    EXPECT_EQ(*(*released)->find_names(table.id, paths), *(*made)->find_names(table.id, paths));
}

TEST_F(SqliteCatalogTest, ACutFileIsNoticed) {
    make_small();
    const std::string bytes = read_file(path);
    for (const std::size_t size :
         {bytes.size() - page_size_bytes, page_size_bytes, page_size_bytes / 2, std::size_t{50}}) {
        write_file(path, bytes.substr(0, size));
        EXPECT_THAT(load_all(), FailsWith(Code::corrupt)) << size;
    }
}

}  // namespace
}  // namespace highwater::catalog
