#include "engine/export.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/duckdb_session.h"
#include "engine/duckdb_sql.h"
#include "engine/sample_table.h"
#include "object/local_store.h"
#include "parquet/read.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};

class ExportTest : public ::testing::Test {
protected:
    ExportTest()
        : schema_(every_type(model::TimeUnit::microsecond)),
          rows_(sample_rows(schema_, nine, 300, 1)) {}

    ResultTable make_table() const {
        std::vector<ResultColumn> columns;
        for (const model::Column& column : schema_.columns) {
            columns.push_back(make_result_column(column, schema_.unit));
        }
        ResultWriter writer(columns, directory_.path(), {});
        EXPECT_THAT(writer.append(rows_), IsOk());
        EXPECT_THAT(writer.append(rows_), IsOk());
        return std::move(writer).finish();
    }

    std::string path(const std::string& name) const { return directory_.path() + "/" + name; }

    testkit::TemporaryDirectory directory_;
    model::Schema schema_;
    parquet::RowBatch rows_;
};

TEST_F(ExportTest, AParquetFileHoldsTheSameRows) {
    ASSERT_THAT(write_file(make_table(), FileFormat::parquet, path("out.parquet")), IsOk());
    object::SystemFileSystem files;
    env::SystemRandom random;
    object::LocalStore store(files, random);
    const auto object = store.open({directory_.path(), "out.parquet"});
    ASSERT_THAT(object, IsOk());
    const auto facts = parquet::scan_file(**object, schema_);
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->verdict, parquet::Verdict::readable) << facts->reason;
    EXPECT_EQ(facts->record_count, 600U);
    model::RowFingerprint expected;
    for (int i = 0; i < 2; ++i) {
        for (std::size_t row = 0; row < rows_.rows(); ++row) {
            ASSERT_TRUE(parquet::add_row(expected, schema_, rows_, row));
        }
    }
    EXPECT_EQ(facts->row_fingerprint, to_digest(expected.sum()));
}

TEST_F(ExportTest, AnArrowFileIsWholeAndHoldsWhatWasGiven) {
    ASSERT_THAT(write_file(make_table(), FileFormat::arrow, path("out.arrow")), IsOk());
    std::ifstream file(path("out.arrow"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(bytes.starts_with("ARROW1"));
    EXPECT_TRUE(bytes.ends_with("ARROW1"));
    for (const model::Column& column : schema_.columns) {
        EXPECT_NE(bytes.find(column.name), std::string::npos) << column.name;
    }
    // Uncompressed, so that every value is in it as it is.
    EXPECT_NE(bytes.find("it's \"100 %\""), std::string::npos);
    EXPECT_GT(bytes.size(), rows_.size_bytes());
}

TEST_F(ExportTest, WhatIsThereIsNeverReplaced) {
    std::ofstream(path("taken")) << "mine";
    for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow}) {
        EXPECT_THAT(write_file(make_table(), format, path("taken")),
                    FailsWith(Code::already_exists));
        EXPECT_THAT(write_file(make_table(), format, path("nowhere/out")),
                    FailsWith(Code::unavailable));
    }
    EXPECT_EQ(fs::file_size(path("taken")), 4U);
    // And nothing half-made is left.
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(ExportTest, AValueThatTheFormatCannotHoldLeavesNoFile) {
    auto session = Session::open({.temporary_directory = path("spill")});
    ASSERT_THAT(session, IsOk());
    const auto write = [&](const std::string& sql) -> Result<void> {
        auto cursor = session->query(sql);
        EXPECT_THAT(cursor, IsOk());
        ResultWriter writer(cursor->columns(), directory_.path(), {});
        EXPECT_THAT(writer.append(**cursor->next()), IsOk());
        return write_file(std::move(writer).finish(), FileFormat::parquet, path("out"));
    };
    EXPECT_THAT(write("SELECT 170141183460469231731687303715884105727::HUGEINT"),
                FailsWith(Code::invalid_argument));
    EXPECT_FALSE(fs::exists(path("out")));
    EXPECT_THAT(write("SELECT 99999999999999999999999999999999999999::HUGEINT AS h, [1] AS l, "
                      "TIMESTAMP '2026-10-06 09:00:00' AS t"),
                IsOk());
    const auto read = session->query_text("SELECT CAST((h, l, t) AS VARCHAR) FROM read_parquet(" +
                                          quote_literal(path("out")) + ")");
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, "(99999999999999999999999999999999999999, '[1]', '2026-10-06 09:00:00')");
}

TEST_F(ExportTest, NamesOfFormats) {
    EXPECT_EQ(parse_file_format(to_text(FileFormat::parquet)), FileFormat::parquet);
    EXPECT_EQ(parse_file_format(to_text(FileFormat::arrow)), FileFormat::arrow);
    EXPECT_EQ(parse_file_format("orc"), std::nullopt);
}

}  // namespace
}  // namespace highwater::engine
