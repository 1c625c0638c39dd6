#include "engine/duckdb_session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/duckdb_sql.h"
#include "engine/sample_table.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};

/// A session alone, without what query.h puts around it.
class SessionTest : public ::testing::Test {
protected:
    SessionTest() : table_(directory_.path(), measurements()) {
        planned_ = SampleTable::path_of(
            table_.add(nine, "a.parquet", sample_rows(table_.schema(), nine, 10, 1)));
        other_ = SampleTable::path_of(
            table_.write(nine, "b.parquet", sample_rows(table_.schema(), nine, 10, 2)));
        auto session = Session::open({.temporary_directory = directory_.path() + "/spill"});
        EXPECT_THAT(session, IsOk());
        session_.emplace(*std::move(session));
    }

    std::string text(const std::string& sql) {
        const auto found = session_->query_text(sql);
        EXPECT_THAT(found, IsOk()) << sql;
        return found.ok() ? *found : "";
    }

    testkit::TemporaryDirectory directory_;
    SampleTable table_;
    std::string planned_;
    std::string other_;
    std::optional<Session> session_;
};

TEST_F(SessionTest, ConfinementHoldsByItself) {
    fs::permissions(planned_, fs::perms::owner_all);
    const auto size = fs::file_size(planned_);
    const std::string planned = quote_literal(planned_);
    const std::string other = quote_literal(other_);
    const std::string somewhere = quote_literal(directory_.path() + "/new");
    EXPECT_THAT(session_->run("SELECT count(*) FROM read_parquet(" + other + ")"), IsOk());
    ASSERT_THAT(session_->confine({planned_}), IsOk());
    for (const std::string& sql : std::vector<std::string>{
             "SELECT * FROM read_parquet(" + other + ")",
             "SELECT * FROM read_csv('/etc/passwd')",
             "SELECT * FROM read_text('/etc/passwd')",
             "SELECT * FROM read_blob('/proc/self/environ')",
             "SELECT * FROM glob('/etc/*')",
             "SELECT * FROM glob(" + quote_literal(directory_.path() + "/*") + ")",
             "COPY (SELECT 1) TO " + somewhere,
             "COPY (SELECT 1) TO " + other + " (FORMAT parquet)",
             "ATTACH " + somewhere,
             "EXPORT DATABASE " + somewhere,
             "INSTALL httpfs",
             "LOAD httpfs",
             "LOAD " + somewhere,
         }) {
        EXPECT_THAT(session_->run(sql), FailsWith(Code::denied)) << sql;
    }
    for (const std::string sql : {
             "SET enable_external_access = true",
             "SET allowed_paths = ['/etc/passwd']",
             "SET allowed_directories = ['/etc']",
             "SET lock_configuration = false",
             "RESET lock_configuration",
             "SET threads = 64",
             "SET memory_limit = '1TB'",
             "SET temp_directory = '/tmp'",
             "SET autoload_known_extensions = true",
             "SET TimeZone = 'Europe/Paris'",
             "PRAGMA memory_limit = '1TB'",
         }) {
        EXPECT_THAT(session_->run(sql), FailsWith(Code::invalid_argument)) << sql;
    }
    // What is allowed is allowed whole: that is why statements are looked at before (statement.h).
    EXPECT_THAT(session_->run("SELECT count(*) FROM read_parquet(" + planned + ")"), IsOk());
    EXPECT_EQ(fs::file_size(planned_), size);
    EXPECT_FALSE(fs::exists(directory_.path() + "/new"));
}

TEST_F(SessionTest, AnAllowedFileCouldBeOverwrittenWereThereNoOtherGuard) {
    // The reason for two guards more: statements are SELECTs, and objects are read-only files.
    fs::permissions(planned_, fs::perms::owner_all);
    ASSERT_THAT(session_->confine({planned_}), IsOk());
    ASSERT_THAT(session_->run("COPY (SELECT 1) TO " + quote_literal(planned_) +
                              " (FORMAT csv, USE_TMP_FILE false)"),
                IsOk());
    EXPECT_LT(fs::file_size(planned_), 10U);
}

TEST_F(SessionTest, TimesAreInUtc) {
    EXPECT_EQ(text("SELECT current_setting('TimeZone')"), "UTC");
    EXPECT_EQ(text("SELECT CAST(make_timestamptz(0) AS VARCHAR)"), "1970-01-01 00:00:00+00");
}

TEST_F(SessionTest, NothingOfTheHomeDirectoryIsLookedAt) {
    EXPECT_EQ(text("SELECT current_setting('secret_directory')"),
              directory_.path() + "/spill/secrets");
    EXPECT_EQ(text("SELECT current_setting('extension_directory')"),
              directory_.path() + "/spill/extensions");
    EXPECT_EQ(text("SELECT CAST(current_setting('autoload_known_extensions') AS VARCHAR)"),
              "false");
}

TEST_F(SessionTest, ErrorsSayWhatTheyMean) {
    const auto code = [&](const std::string& sql) { return session_->run(sql); };
    EXPECT_THAT(code("SELEC"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(code("SELECT 1; SELECT 2"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(code(""), FailsWith(Code::invalid_argument));
    EXPECT_THAT(code("SELECT * FROM read_parquet('/nowhere/a.parquet')"),
                FailsWith(Code::not_found));
    std::ofstream(directory_.path() + "/no.parquet") << "this is no Parquet file at all";
    std::ofstream(directory_.path() + "/short.parquet") << "PAR1";
    for (const std::string file : {"/no.parquet", "/short.parquet"}) {
        EXPECT_THAT(
            code("SELECT * FROM read_parquet(" + quote_literal(directory_.path() + file) + ")"),
            FailsWith(Code::corrupt))
            << file;
    }
    ASSERT_THAT(session_->add_refusal("refuse", "never"), IsOk());
    const auto refused = code("SELECT refuse()");
    ASSERT_THAT(refused, FailsWith(Code::precondition_failed));
    EXPECT_EQ(refused.error().message(), "DuckDB: Invalid Input Error: refused: never");
}

TEST_F(SessionTest, AFailureAfterTheFirstRowsIsNoEnd) {
    auto cursor = session_->query(
        "SELECT CASE WHEN i = 500000 THEN error('boom') END FROM range(1000000) t(i)");
    ASSERT_THAT(cursor, IsOk());
    std::size_t rows = 0;
    for (;;) {
        const auto batch = cursor->next();
        if (!batch.ok()) {
            EXPECT_THAT(batch, FailsWith(Code::invalid_argument));
            break;
        }
        ASSERT_TRUE(batch->has_value()) << "the failure was taken for the end";
        rows += (*batch)->rows();
    }
    EXPECT_GT(rows, 0U);
}

TEST_F(SessionTest, TextIsQuoted) {
    EXPECT_EQ(quote_literal("it's"), "'it''s'");
    EXPECT_EQ(quote_identifier("a \"b\""), "\"a \"\"b\"\"\"");
    EXPECT_EQ(quote_list({}), "[]");
    for (const std::string given : {"", "it's", "\\", "a\nb", "\"", "--", "h\xc3\xb6", "''"}) {
        EXPECT_EQ(text("SELECT " + quote_literal(given)), given);
        EXPECT_EQ(text("SELECT " + quote_list({"x", given}) + "[2]"), given);
    }
    EXPECT_EQ(sql_time(time_from_ns(1)), "make_timestamptz(1)");
    EXPECT_EQ(sql_time(time_from_ns(-1)), "make_timestamptz(0)");
    EXPECT_EQ(sql_time(time_from_ns(-1'000)), "make_timestamptz(-1)");
}

}  // namespace
}  // namespace highwater::engine
