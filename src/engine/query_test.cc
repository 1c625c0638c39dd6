#include "engine/query.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <thread>

#include "engine/duckdb_session.h"
#include "engine/format.h"
#include "engine/sample_table.h"
#include "engine/statement.h"
#include "env/clock.h"
#include "env/simulated_clock.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using model::ColumnType;
using ::testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};  // 2026-10-06T09
constexpr model::Hour ten{497'578};
constexpr model::Hour eleven{497'579};

class QueryTest : public ::testing::Test {
protected:
    QueryTest() : location_(directory_.path() + "/lake"), spill_(directory_.path() + "/spill") {
        fs::create_directory(location_);
        fs::create_directory(spill_);
        options_.directory = spill_;
        table_.emplace(location_, measurements(), "cpu");
    }

    // Nothing that a query needed stays behind.
    ~QueryTest() override { EXPECT_TRUE(fs::is_empty(spill_)); }

    /// Two published hours with 3,600 rows each, and an unpublished one between them.
    void publish_around_a_gap() {
        table_->add(nine, "a.parquet", sample_rows(table_->schema(), nine, 3'600, 1));
        table_->add(eleven, "b.parquet", sample_rows(table_->schema(), eleven, 3'600, 2));
        table_->planned().range = {model::start_of(nine), model::end_of(eleven)};
        table_->planned().gaps = {ten};
    }

    void publish_one_file() {
        file_ = table_->add(nine, "a.parquet", sample_rows(table_->schema(), nine, 100, 1));
    }

    Result<ResultTable> run(const std::string& sql, std::stop_token stop = {}) {
        return run_query(table_->plan(), sql, options_, clock_, std::move(stop));
    }

    std::string csv(const std::string& sql) {
        const auto answer = run(sql);
        EXPECT_THAT(answer, IsOk()) << sql;
        if (!answer.ok()) return {};
        std::ostringstream out;
        EXPECT_THAT(write_text(*answer, TextFormat::csv, out), IsOk());
        return out.str();
    }

    testkit::TemporaryDirectory directory_;
    std::string location_;
    std::string spill_;
    env::SystemClock clock_;
    QueryOptions options_;
    std::optional<SampleTable> table_;
    read::PlannedFile file_;
};

TEST_F(QueryTest, ATableIsAViewWithItsColumnsAndTheHour) {
    table_->add(nine, "a.parquet", sample_rows(table_->schema(), nine, 2, 4));
    table_->add(ten, "b.parquet", sample_rows(table_->schema(), ten, 2, 5));
    const auto answer = run("SELECT * FROM cpu");
    ASSERT_THAT(answer, IsOk());
    std::vector<std::string> names;
    for (const ResultColumn& column : answer->columns()) names.push_back(column.name);
    EXPECT_THAT(names, ::testing::ElementsAre("time", "host", "value", "count", "hour"));
    EXPECT_EQ(csv("SELECT time, hour FROM cpu ORDER BY time"),
              "time,hour\n"
              "2026-10-06T09:00:00Z,2026-10-06T09:00:00Z\n"
              "2026-10-06T09:30:00Z,2026-10-06T09:00:00Z\n"
              "2026-10-06T10:00:00Z,2026-10-06T10:00:00Z\n"
              "2026-10-06T10:30:00Z,2026-10-06T10:00:00Z\n");
    EXPECT_EQ(csv("SELECT hour, count(*) AS n FROM CPU GROUP BY hour ORDER BY hour"),
              "hour,n\n2026-10-06T09:00:00Z,2\n2026-10-06T10:00:00Z,2\n");
    EXPECT_EQ(csv("SELECT CAST(min(time) AS VARCHAR) AS t FROM memory.main.cpu"),
              "t\n2026-10-06 09:00:00+00\n");
}

TEST_F(QueryTest, HoursBeforeTheEpochAreRight) {
    const model::Hour early{-30'001};
    table_->add(early, "a.parquet", sample_rows(table_->schema(), early, 60, 1));
    EXPECT_EQ(csv("SELECT DISTINCT hour FROM cpu"),
              "hour\n" + format_time(model::start_of(early)) + "\n");
}

TEST_F(QueryTest, RowsOutsideTheRangeAreNotThere) {
    publish_one_file();
    table_->planned().range = {model::start_of(nine) + std::chrono::minutes(30),
                               model::start_of(nine) + std::chrono::minutes(45)};
    EXPECT_EQ(csv("SELECT count(*) AS n, min(time) AS t FROM cpu"),
              "n,t\n25,2026-10-06T09:30:00Z\n");
}

TEST_F(QueryTest, SeveralTablesAndVersionsInOneQuery) {
    publish_one_file();
    table_->add_column({.name = "zone", .type = ColumnType::string});
    table_->add(ten, "b.parquet", sample_rows(table_->schema(), ten, 100, 2));
    SampleTable other(location_ + "/other", measurements(), "memory use");
    fs::create_directory(location_ + "/other");
    other.add(nine, "c.parquet", sample_rows(other.schema(), nine, 100, 3));
    read::Plan plan = table_->plan();
    plan.tables.push_back(other.planned());
    const auto answer = run_query(
        plan,
        "WITH pairs AS (SELECT c.time FROM cpu c JOIN \"memory use\" m USING (time)) "
        "SELECT count(*) FROM pairs UNION ALL SELECT count(*) FROM cpu WHERE zone IS NULL",
        options_, clock_, {});
    ASSERT_THAT(answer, IsOk());
    std::ostringstream out;
    ASSERT_THAT(write_text(*answer, TextFormat::csv, out), IsOk());
    EXPECT_THAT(out.str(), HasSubstr("100\n"));
    EXPECT_EQ(answer->row_count(), 2U);
}

TEST_F(QueryTest, TablesThatDifferInCaseAloneAreUnsupported) {
    publish_one_file();
    read::Plan plan = table_->plan();
    plan.tables.push_back(plan.tables.front());
    plan.tables.back().table.name = "CPU";
    EXPECT_THAT(run_query(plan, "SELECT 1", options_, clock_, {}), FailsWith(Code::unsupported));
    model::Schema schema = measurements();
    schema.columns[1].name = "Value";
    SampleTable odd(location_, schema);
    EXPECT_THAT(run_query(odd.plan(), "SELECT 1", options_, clock_, {}),
                FailsWith(Code::unsupported));
}

TEST_F(QueryTest, OddPathsAndColumnsAreQuoted) {
    model::Schema schema = measurements();
    schema.columns[2].name = "it's a \"value\"; DROP VIEW cpu; --";
    const std::string odd = location_ + "/it's *?[a] {b} 100%";
    fs::create_directory(odd);
    table_.emplace(odd, schema, "cpu");
    table_->add(nine, "*.parquet", sample_rows(schema, nine, 10, 1));
    table_->add(nine, "a'; --.parquet", sample_rows(schema, nine, 10, 1));
    EXPECT_EQ(csv("SELECT count(*) AS n FROM cpu"), "n\n20\n");
    EXPECT_THAT(run("SELECT \"it's a \"\"value\"\"; DROP VIEW cpu; --\" FROM cpu"), IsOk());
}

TEST_F(QueryTest, AnEmptyHourHasNoRowsAndAllColumns) {
    table_->declare_empty(nine);
    EXPECT_EQ(csv("SELECT count(*) AS n, max(value) AS v FROM cpu"), "n,v\n0,\n");
}

// ---- gaps --------------------------------------------------------------------------------------

TEST_F(QueryTest, AQueryThatReachesIntoAGapFailsAndNamesIt) {
    publish_around_a_gap();
    for (const std::string sql : {
             "SELECT count(*) FROM cpu",
             "SELECT * FROM cpu",
             "SELECT max(time) FROM cpu",
             "SELECT count(*) FROM cpu WHERE host = 'web-01'",
             "SELECT count(*) FROM cpu WHERE host IS NULL",
             "SELECT count(*) FROM cpu WHERE host IS NOT NULL",
             "SELECT count(*) FROM cpu WHERE value > 1e308 AND count < 0",
             "SELECT count(*) FROM cpu WHERE time <= '2026-10-06 10:00:00+00'",
             "SELECT count(*) FROM cpu WHERE time > '2026-10-06 10:59:59.999998+00'",
             "SELECT count(*) FROM cpu WHERE time = '2026-10-06 10:20:00+00'",
             "SELECT count(*) FROM cpu WHERE time BETWEEN '2026-10-06 10:20:00+00' AND "
             "'2026-10-06 10:30:00+00'",
             "SELECT count(*) FROM cpu WHERE hour = '2026-10-06 10:00:00+00'",
             "SELECT count(*) FROM cpu WHERE hour >= '2026-10-06 10:00:00+00'",
             "SELECT count(*) FROM cpu WHERE time < '2026-10-06 10:00:00+00' OR host = 'x'",
             "SELECT count(*) FROM cpu WHERE extract(minute FROM time) = 61",
             "SELECT count(*) FROM cpu WHERE time < now()",
             "SELECT (SELECT count(*) FROM cpu)",
             "SELECT 1 WHERE EXISTS (SELECT 1 FROM cpu)",
             "SELECT * FROM range(3) r(i) WHERE i IN (SELECT count FROM cpu)",
             "WITH x AS MATERIALIZED (SELECT * FROM cpu) SELECT count(*) FROM x",
             "SELECT count(*) FROM cpu a JOIN cpu b USING (time) WHERE a.host = 'x'",
             "SELECT host, row_number() OVER (ORDER BY time) FROM cpu",
             "SELECT count(*) FROM cpu UNION ALL SELECT 1",
             "SELECT * FROM cpu ORDER BY time LIMIT 1",
             "SELECT * FROM cpu LIMIT 1",
             "SUMMARIZE cpu",
             "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r, cpu WHERE i < 2) "
             "SELECT * FROM r",
             "SELECT * FROM range(2) r(i), LATERAL (SELECT count(*) FROM cpu WHERE count > i)",
         }) {
        const auto answer = run(sql);
        ASSERT_THAT(answer, FailsWith(Code::precondition_failed)) << sql;
        EXPECT_THAT(answer.error().message(), HasSubstr("hour 2026-10-06T10 was never")) << sql;
    }
}

TEST_F(QueryTest, AQueryThatStaysOutOfTheGapIsAnswered) {
    publish_around_a_gap();
    for (const auto& [sql, expected] : std::vector<std::pair<std::string, std::string>>{
             {"SELECT count(*) FROM cpu WHERE time < '2026-10-06 10:00:00+00'", "3600"},
             {"SELECT count(*) FROM cpu WHERE time >= '2026-10-06 11:00:00+00'", "3600"},
             {"SELECT count(*) FROM cpu WHERE time > '2026-10-06 10:59:59.999999+00'", "3600"},
             {"SELECT count(*) FROM cpu WHERE hour = '2026-10-06 09:00:00+00'", "3600"},
             {"SELECT count(*) FROM cpu WHERE hour IN ('2026-10-06 09:00:00+00', "
              "'2026-10-06 11:00:00+00')",
              "7200"},
             {"SELECT count(*) FROM cpu WHERE time < '2026-10-06 10:00:00+00' OR "
              "time >= '2026-10-06 11:00:00+00'",
              "7200"},
             {"SELECT count(*) FROM (SELECT * FROM cpu WHERE count IS NULL OR count > -1e30) c "
              "WHERE time < '2026-10-06 09:00:01+00' AND host IS NULL OR "
              "time < '2026-10-06 09:00:01+00' AND host IS NOT NULL",
              "1"},
             {"WITH x AS (SELECT * FROM cpu) SELECT count(*) FROM x "
              "WHERE time < '2026-10-06 10:00:00+00'",
              "3600"},
             {"SELECT count(*) FROM cpu a JOIN cpu b USING (time) "
              "WHERE a.time < '2026-10-06 10:00:00+00'",
              "3600"},
             {"SELECT count(*) FROM cpu WHERE time < now() - INTERVAL 100 YEARS", "0"},
             {"SELECT 42", "42"},
             {"FROM cpu SELECT count(*) WHERE time < '2026-10-06 10:00:00+00'", "3600"},
             {"(SELECT count(*) FROM cpu WHERE time < '2026-10-06 10:00:00+00')", "3600"},
             {"SELECT count(*) FROM (DESCRIBE cpu)", "5"},
         }) {
        const std::string rows = csv(sql);
        EXPECT_EQ(rows.substr(rows.find('\n') + 1), expected + "\n") << sql;
    }
}

TEST_F(QueryTest, AGapOutsideTheRangeIsNoGap) {
    publish_around_a_gap();
    table_->planned().range.to = model::start_of(ten);
    EXPECT_EQ(csv("SELECT count(*) AS n FROM cpu"), "n\n3600\n");
    table_->planned().range.to = model::start_of(ten) + std::chrono::microseconds(1);
    EXPECT_THAT(run("SELECT count(*) FROM cpu"), FailsWith(Code::precondition_failed));
}

TEST_F(QueryTest, ManyGapsAreJoinedAndStillNeverPassed) {
    table_->planned().range = {model::start_of(nine), model::start_of({nine.since_epoch + 1'000})};
    for (std::int64_t i = 0; i < 200; ++i) {
        table_->planned().gaps.push_back({nine.since_epoch + 3 + 4 * i});
    }
    publish_one_file();
    EXPECT_EQ(csv("SELECT count(*) AS n FROM cpu WHERE time < '2026-10-06 10:00:00+00'"),
              "n\n100\n");
    EXPECT_THAT(run("SELECT count(*) FROM cpu WHERE time < '2026-10-06 13:00:00+00'"),
                FailsWith(Code::precondition_failed));
    EXPECT_THAT(run("SELECT count(*) FROM cpu WHERE time > '2026-10-20 13:00:00+00' AND "
                    "time < '2026-10-20 19:00:00+00'"),
                FailsWith(Code::precondition_failed));
}

// ---- confinement -------------------------------------------------------------------------------

TEST_F(QueryTest, WhatIsNoSelectOfTheTablesIsRefusedAndChangesNothing) {
    publish_one_file();
    const std::string path = SampleTable::path_of(file_);
    for (const std::string& sql : std::vector<std::string>{
             "SELECT 1; DROP VIEW cpu",
             "COPY cpu TO '" + path + "' (FORMAT parquet, USE_TMP_FILE false)",
             "COPY (SELECT 1) TO '" + directory_.path() + "/new.csv'",
             "ATTACH '" + directory_.path() + "/x.db'",
             "LOAD httpfs",
             "PRAGMA database_list",
             "SET threads = 1",
             "DROP VIEW cpu",
             "EXPLAIN ANALYZE SELECT * FROM cpu",
             "EXECUTE p",
             "SELECT $1",
             "SELECT ?",
             "SELECT * FROM cpu WHERE count = $count",
         }) {
        EXPECT_THAT(run(sql), FailsWith(Code::invalid_argument)) << sql;
    }
    for (const std::string& sql : std::vector<std::string>{
             "SELECT * FROM '" + path + "'",
             "SELECT * FROM read_parquet('" + path + "')",
             "SELECT * FROM read_text('/etc/passwd')",
             "SELECT * FROM glob('" + spill_ + "/*/spill/*')",
             "SELECT * FROM gaps.gap_0",
         }) {
        EXPECT_THAT(run(sql), FailsWith(Code::denied)) << sql;
    }
    EXPECT_EQ(csv("SELECT count(*) AS n FROM cpu"), "n\n100\n");
    EXPECT_FALSE(fs::exists(directory_.path() + "/new.csv"));
    EXPECT_EQ(fs::file_size(path), file_.identity.size_bytes);
}

TEST_F(QueryTest, FunctionsThatReachOutAreNotThere) {
    publish_one_file();
    for (const std::string sql : {
             "SELECT getenv('HOME')",
             "SELECT nextval('s')",
             "SELECT load_aws_credentials()",
             "SELECT st_point(1, 2)",  // Of an extension that would be loaded by itself.
             "SELECT read_text('/etc/passwd')",
         }) {
        EXPECT_THAT(run(sql), FailsWith(Code::invalid_argument)) << sql;
    }
}

TEST_F(QueryTest, RowMakersAndDescriptionsArePermitted) {
    publish_one_file();
    for (const std::string sql : {
             "SELECT * FROM range(3)",
             "SELECT * FROM generate_series(1, 3)",
             "SELECT unnest([1, 2])",
             "SELECT * FROM unnest([1, 2]) u(i)",
             "SELECT * FROM repeat('x', 3)",
             "SELECT * FROM json_each('[1,2]')",
             "VALUES (1), (2)",
             "TABLE cpu",
             "FROM cpu SELECT host LIMIT 2",
             "DESCRIBE cpu",
             "SUMMARIZE SELECT time, host FROM cpu",
             "SELECT * FROM cpu PIVOT (count(*) FOR host IN ('web-01', 'web-02'))",
             "SELECT 1;",
             "(SELECT 1)",
             "SELECT 1 -- a comment",
             "/* a comment */ SELECT 1",
             "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 9) "
             "SELECT max(i) FROM r",
         }) {
        EXPECT_THAT(run(sql), IsOk()) << sql;
    }
}

TEST_F(QueryTest, WrongSqlSaysWhatIsWrong) {
    publish_one_file();
    const auto unknown = run("SELECT nothing FROM cpu");
    ASSERT_THAT(unknown, FailsWith(Code::invalid_argument));
    EXPECT_THAT(unknown.error().message(), HasSubstr("nothing"));
    EXPECT_THAT(run("SELECT CAST('x' AS INTEGER)"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(run("SELECT error('boom')"), FailsWith(Code::invalid_argument));
    // Also when rows have come before it.
    EXPECT_THAT(run("SELECT CASE WHEN i = 90000 THEN error('boom') END FROM range(100000) t(i)"),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(run("SELECT " + std::string(3'000, '(') + "1" + std::string(3'000, ')')), IsOk());
    EXPECT_THAT(run("SELECT " + std::string(300'000, '(') + "1" + std::string(300'000, ')')),
                FailsWith(Code::exhausted));
    std::string deep = "1";
    for (int i = 0; i < expression_depth_max - 10; ++i) deep = "abs(" + deep + ")";
    EXPECT_THAT(run("SELECT " + deep), IsOk());
    for (int i = 0; i < 20; ++i) deep = "abs(" + deep + ")";
    EXPECT_THAT(run("SELECT " + deep), FailsWith(Code::invalid_argument));
}

// ---- limits ------------------------------------------------------------------------------------

TEST_F(QueryTest, AStatementHasASize) {
    publish_one_file();
    const std::string head = "SELECT '";
    const std::string fits = head + std::string(sql_size_max - head.size() - 1, 'x') + "'";
    EXPECT_THAT(run(fits), IsOk());
    EXPECT_THAT(run(fits + " "), FailsWith(Code::exhausted));
}

TEST_F(QueryTest, AnAnswerHasRowsAndASize) {
    publish_one_file();
    options_.limits.result.rows_max = 10;
    EXPECT_THAT(run("SELECT * FROM range(10)"), IsOk());
    EXPECT_THAT(run("SELECT * FROM range(11)"), FailsWith(Code::exhausted));
    options_.limits.result = {};
    options_.limits.result.size_bytes_max = 100'000;
    EXPECT_THAT(run("SELECT repeat('x', 50000)"), IsOk());
    EXPECT_THAT(run("SELECT repeat('x', 100001)"), FailsWith(Code::exhausted));
}

TEST_F(QueryTest, WorkThatDoesNotFitIntoMemoryIsSpilledUnderConfinement) {
    publish_one_file();
    options_.limits.memory_bytes = std::uint64_t{32} << 20U;
    const std::string sort =
        "SELECT count(*) FROM (SELECT i FROM range(4000000) t(i) ORDER BY hash(i) OFFSET 1)";
    EXPECT_THAT(run(sort), IsOk());
    options_.limits.spill_bytes = 1'000'000;
    EXPECT_THAT(run(sort), FailsWith(Code::exhausted));
}

TEST_F(QueryTest, BombsEndAtTheMemoryLimit) {
    publish_one_file();
    options_.limits.memory_bytes = std::uint64_t{32} << 20U;
    options_.limits.spill_bytes = std::uint64_t{8} << 20U;
    for (const std::string sql : {
             "WITH RECURSIVE r(i, s) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, s || s FROM r "
             "WHERE i < 60) SELECT max(length(s)) FROM r",
             "SELECT length(list(i)) FROM range(1000000000) t(i)",
             "SELECT string_agg(repeat('x', 100000)) FROM range(100000)",
         }) {
        EXPECT_THAT(run(sql), FailsWith(Code::exhausted)) << sql;
    }
}

TEST_F(QueryTest, TimeIsUpForEndlessWork) {
    publish_one_file();
    options_.timeout = std::chrono::milliseconds(50);
    for (const std::string sql : {
             "SELECT count(*) FROM range(1000000000) a(i), range(1000000) b(j) "
             "WHERE hash(i) = hash(j) + 1",
             "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i FROM r) SELECT count(*) FROM r",
         }) {
        const auto answer = run(sql);
        ASSERT_THAT(answer, FailsWith(Code::cancelled)) << sql;
        EXPECT_THAT(answer.error().message(), HasSubstr("longer than 50ms"));
    }
}

TEST_F(QueryTest, AStopIsHeard) {
    publish_one_file();
    std::stop_source stop;
    // The clock stands for somebody who changes their mind after a while.
    const std::jthread impatient([&] {
        clock_.wait(std::chrono::milliseconds(50), {});
        stop.request_stop();
    });
    const auto answer =
        run("SELECT count(*) FROM range(1000000000) a(i), range(1000000) b(j) "
            "WHERE hash(i) = hash(j) + 1",
            stop.get_token());
    ASSERT_THAT(answer, FailsWith(Code::cancelled));
    EXPECT_THAT(answer.error().message(), HasSubstr("stopped"));
    EXPECT_THAT(run("SELECT 1", stop.get_token()), FailsWith(Code::cancelled));
}

TEST_F(QueryTest, AMissingOrBrokenFileIsAnErrorOfItsOwn) {
    publish_one_file();
    const std::string path = SampleTable::path_of(file_);
    fs::permissions(path, fs::perms::owner_all);
    fs::resize_file(path, 40);
    EXPECT_THAT(run("SELECT count(*) FROM cpu"), FailsWith(Code::corrupt));
    fs::remove(path);
    const auto answer = run("SELECT count(*) FROM cpu");
    ASSERT_THAT(answer, FailsWith(Code::not_found));
    EXPECT_THAT(answer.error().message(), HasSubstr("a.parquet"));
}

// ---- what an answer can show -------------------------------------------------------------------

TEST_F(QueryTest, EveryKindOfValueIsShown) {
    publish_one_file();
    EXPECT_EQ(csv("SELECT sum(i) AS s FROM range(10) t(i)"), "s\n45\n");
    EXPECT_EQ(csv("SELECT 170141183460469231731687303715884105727::HUGEINT AS h, "
                  "'-170141183460469231731687303715884105728'::HUGEINT AS l"),
              "h,l\n170141183460469231731687303715884105727,"
              "-170141183460469231731687303715884105728\n");
    EXPECT_EQ(csv("SELECT 1.50::DECIMAL(4,2) AS a, -0.05::DECIMAL(38,2) AS b, 0.1::FLOAT AS c, "
                  "1e300 AS d, 'nan'::DOUBLE AS e, '-inf'::FLOAT AS f"),
              "a,b,c,d,e,f\n1.50,-0.05,0.1,1e+300,NaN,-Infinity\n");
    EXPECT_EQ(csv("SELECT DATE '2026-10-06' AS a, DATE '0001-01-01' AS b, TIME '09:00:00.5' AS c, "
                  "TIMESTAMP '2026-10-06 09:00:00' AS d, TIMESTAMPTZ '1969-12-31 23:59:59.5+00' "
                  "AS e, TIMESTAMP_S '2026-10-06 09:00:00' AS f, "
                  "TIMESTAMP_NS '2026-10-06 09:00:00.000000001' AS g, "
                  "'infinity'::TIMESTAMP AS h, INTERVAL '1 month 2 days 3.5 seconds' AS i, "
                  "TIMETZ '09:00:00+02' AS j"),
              "a,b,c,d,e,f,g,h,i,j\n2026-10-06,0001-01-01,09:00:00.500000,2026-10-06T09:00:00,"
              "1969-12-31T23:59:59.500Z,2026-10-06T09:00:00,2026-10-06T09:00:00.000000001,"
              "infinity,P1M2DT3.500000S,09:00:00+02:00\n");
    EXPECT_EQ(csv("SELECT true AS a, NULL AS b, '' AS c, 'a,\"b\"' AS d, '\\x00\\xff'::BLOB AS e, "
                  "'00000000-0000-0000-0000-0000000000ff'::UUID AS f, "
                  "'x'::ENUM('x', 'y') AS g"),
              "a,b,c,d,e,f,g\ntrue,,\"\",\"a,\"\"b\"\"\",00ff,"
              "00000000-0000-0000-0000-0000000000ff,x\n");
}

TEST_F(QueryTest, NestedValuesAreJson) {
    publish_one_file();
    const auto answer =
        run("SELECT [1, NULL, 3] AS l, {'a': 1, 'b': 'x\"y', 'c': i} AS s, MAP {'k': 1.5} AS m, "
            "[[1], []] AS n, [1.50::DECIMAL(4,2), NULL] AS d, array_value(1, 2) AS a, "
            "{'t': TIMESTAMPTZ '2026-10-06 09:00:00+00', 'f': 'nan'::DOUBLE} AS t, "
            "union_value(num := 7) AS u FROM range(2) r(i)");
    ASSERT_THAT(answer, IsOk());
    std::ostringstream out;
    ASSERT_THAT(write_text(*answer, TextFormat::json, out), IsOk());
    EXPECT_EQ(out.str(),
              "[\n"
              "{\"l\":[1,null,3],\"s\":{\"a\":1,\"b\":\"x\\\"y\",\"c\":0},"
              "\"m\":[{\"key\":\"k\",\"value\":1.5}],\"n\":[[1],[]],\"d\":[1.50,null],"
              "\"a\":[1,2],\"t\":{\"t\":\"2026-10-06T09:00:00Z\",\"f\":\"NaN\"},"
              "\"u\":{\"num\":7}},\n"
              "{\"l\":[1,null,3],\"s\":{\"a\":1,\"b\":\"x\\\"y\",\"c\":1},"
              "\"m\":[{\"key\":\"k\",\"value\":1.5}],\"n\":[[1],[]],\"d\":[1.50,null],"
              "\"a\":[1,2],\"t\":{\"t\":\"2026-10-06T09:00:00Z\",\"f\":\"NaN\"},"
              "\"u\":{\"num\":7}}\n"
              "]\n");
    EXPECT_THAT(run("SELECT '101'::BIT AS b"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(run("SELECT '101'::BIT::VARCHAR AS b"), IsOk());
    EXPECT_THAT(run("SELECT 340282366920938463463374607431768211455::UHUGEINT"),
                FailsWith(Code::invalid_argument));
}

TEST_F(QueryTest, NamesOfColumnsAreToldApart) {
    publish_one_file();
    EXPECT_EQ(csv("SELECT 1 AS n, 2 AS n, 3 AS n_1"), "n,n_2,n_1\n1,2,3\n");
}

}  // namespace
}  // namespace highwater::engine
