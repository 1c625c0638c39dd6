#include "engine/statement.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

using ::testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

const std::string path = "/lake/hour=2026-10-06T09/a.parquet";
const std::string other_path = "/lake/hour=2026-10-06T09/b.parquet";
const std::string directory = "/lake";
const std::string spill = "/spill";

std::vector<std::string> what_is_no_select() {
    return {
        "",
        ";",
        "-- nothing",
        "SELECT",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP VIEW cpu",
        "INSERT INTO cpu VALUES (1)",
        "UPDATE cpu SET value = 1",
        "DELETE FROM cpu",
        "CREATE TABLE x AS SELECT * FROM cpu",
        "CREATE MACRO f(a) AS a",
        "DROP VIEW cpu",
        "ALTER VIEW cpu RENAME TO x",
        "COPY cpu TO '" + path + "' (FORMAT parquet)",
        "COPY (SELECT 1) TO '" + path + "'",
        "COPY (SELECT 1) TO '" + directory + "/new.csv'",
        "EXPORT DATABASE '" + directory + "/db'",
        "IMPORT DATABASE '" + directory + "/db'",
        "ATTACH '" + directory + "/x.db'",
        "ATTACH ':memory:' AS m",
        "DETACH memory",
        "USE memory",
        "INSTALL httpfs",
        "LOAD httpfs",
        "FORCE INSTALL httpfs",
        "PRAGMA database_list",
        "PRAGMA enable_profiling",
        "SET threads = 1",
        "SET GLOBAL enable_external_access = true",
        "RESET lock_configuration",
        "SET VARIABLE x = 1",
        "CALL pragma_version()",
        "CHECKPOINT",
        "VACUUM",
        "ANALYZE",
        "BEGIN TRANSACTION",
        "COMMIT",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "DEALLOCATE p",
        "EXPLAIN SELECT * FROM cpu",
        "EXPLAIN ANALYZE SELECT * FROM cpu",
        "EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM cpu",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '" + path + "'",
        "WITH x AS (DELETE FROM cpu RETURNING *) SELECT * FROM x",
        "SELECT 1 INTO x",
        std::string("SELECT 1\0; DROP VIEW cpu", 24),
        "SELECT '\xff'",
    };
}

std::vector<std::string> what_reads_elsewhere() {
    return {
        "SELECT * FROM '" + path + "'",
        "FROM '" + path + "'",
        "SELECT * FROM read_parquet('" + path + "')",
        "SELECT * FROM read_parquet(['" + path + "', '" + other_path + "'])",
        "SELECT * FROM parquet_scan('" + other_path + "')",
        "SELECT * FROM READ_PARQUET('" + other_path + "')",
        "SELECT * FROM main.read_parquet('" + other_path + "')",
        "SELECT * FROM parquet_metadata('" + path + "')",
        "SELECT * FROM parquet_schema('" + path + "')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/proc/self/environ')",
        "SELECT * FROM read_json('/etc/passwd')",
        "SELECT * FROM read_ndjson_objects('/etc/passwd')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM read_text('" + spill + "/*/spill/*')",
        "SELECT * FROM 'https://example.com/a.parquet'",
        "SELECT * FROM 's3://bucket/a.parquet'",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query('COPY (SELECT 1) TO ''/tmp/x''')",
        "SELECT * FROM query_table('cpu')",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "SELECT * FROM arrow_scan(1::POINTER, 2::POINTER, 3::POINTER)",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_views()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM duckdb_temporary_files()",
        "SELECT * FROM pragma_table_info('cpu')",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM other.main.cpu",
        "SELECT * FROM gaps.gap_0",
        "SELECT * FROM gap_0",
        "SHOW TABLES",
        "SHOW ALL TABLES",
        "SELECT * FROM (SHOW TABLES)",
        "SELECT * FROM tpch_queries()",
        "SELECT * FROM test_all_types()",
        "SELECT (SELECT count(*) FROM read_text('/etc/passwd'))",
        "SELECT * FROM cpu WHERE host IN (SELECT content FROM read_text('/etc/passwd'))",
        "WITH x AS (SELECT * FROM read_text('/etc/passwd')) SELECT * FROM x",
        "WITH \"" + path + "\" AS (SELECT 1) SELECT * FROM \"" + path + "\"",
        "SELECT * FROM (WITH \"a.parquet\" AS (SELECT 1) SELECT 1), \"a.parquet\"",
        "SELECT * FROM cpu, LATERAL (SELECT * FROM glob(host))",
        "DESCRIBE '" + path + "'",
        "DESCRIBE SELECT * FROM read_text('/etc/passwd')",
        "SUMMARIZE '/etc/passwd'",
        "SELECT count(*) FROM cpu UNION ALL SELECT count(*) FROM glob('/*')",
        "SELECT * FROM cpu POSITIONAL JOIN '" + other_path + "'",
        "VALUES ((SELECT content FROM read_text('/etc/passwd')))",
    };
}

class StatementTest : public ::testing::Test {
protected:
    StatementTest() {
        auto session = Session::open({.temporary_directory = directory_.path() + "/spill"});
        EXPECT_THAT(session, IsOk());
        session_.emplace(*std::move(session));
    }

    Result<void> verify(const std::string& sql) {
        return verify_statement(*session_, sql, {"cpu", "memory use"});
    }

    testkit::TemporaryDirectory directory_;
    std::optional<Session> session_;
};

TEST_F(StatementTest, WhatIsNoSelectIsRefused) {
    for (const std::string& sql : what_is_no_select()) {
        EXPECT_THAT(verify(sql), FailsWith(Code::invalid_argument)) << sql;
    }
}

TEST_F(StatementTest, NothingButTheTablesCanBeRead) {
    for (const std::string& sql : what_reads_elsewhere()) {
        EXPECT_THAT(verify(sql), FailsWith(Code::denied)) << sql;
    }
}

TEST_F(StatementTest, TablesAndOwnNamesMayBeRead) {
    for (const std::string sql : {
             "SELECT * FROM cpu",
             "SELECT * FROM CPU c, \"Memory Use\" m",
             "SELECT * FROM main.cpu",
             "SELECT * FROM memory.main.cpu",
             "WITH x AS (SELECT * FROM cpu) SELECT * FROM x, X y",
             "SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x)",
             "SELECT * FROM cpu WHERE EXISTS (SELECT 1 FROM \"memory use\")",
             "SELECT * FROM range(3), generate_series(1, 2), repeat('x', 3)",
             "SELECT * FROM unnest([1]) u(i), json_each('[1]'), json_tree('[1]')",
             "DESCRIBE cpu",
             "SUMMARIZE SELECT * FROM cpu",
             "SELECT 1",
         }) {
        EXPECT_THAT(verify(sql), IsOk()) << sql;
    }
}

TEST_F(StatementTest, ARefusalNamesWhatIsRefused) {
    EXPECT_THAT(verify("SELECT * FROM '" + path + "'").error().message(), HasSubstr(path));
    EXPECT_THAT(verify("SELECT * FROM read_text('x')").error().message(), HasSubstr("read_text"));
    EXPECT_THAT(verify("SELECT * FROM x.cpu").error().message(), HasSubstr("cpu"));
    EXPECT_THAT(verify("SELECT FROM WHERE").error().message(), HasSubstr("syntax error"));
}

TEST_F(StatementTest, AStatementHasASize) {
    const std::string head = "SELECT 1 WHERE 1 IN (";
    std::string list = "1";
    while (head.size() + list.size() + 3 <= sql_size_max) list += ",1";
    const std::string fits =
        head + list + ")" + std::string(sql_size_max - head.size() - list.size() - 1, ' ');
    ASSERT_EQ(fits.size(), sql_size_max);
    EXPECT_THAT(verify(fits), IsOk());
    EXPECT_THAT(verify(fits + " "), FailsWith(Code::exhausted));
}

}  // namespace
}  // namespace highwater::engine
