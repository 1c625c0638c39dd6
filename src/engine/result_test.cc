#include "engine/result.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/sample_table.h"
#include "engine/spill_file.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::engine {
namespace {

namespace fs = std::filesystem;

using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine{497'577};

std::vector<ResultColumn> columns_of(const model::Schema& schema) {
    std::vector<ResultColumn> columns;
    for (const model::Column& column : schema.columns) {
        columns.push_back(make_result_column(column, schema.unit));
    }
    return columns;
}

std::vector<parquet::RowBatch> read_all(const ResultTable& table) {
    std::vector<parquet::RowBatch> batches;
    RowCursor cursor = table.read();
    for (;;) {
        auto batch = cursor.next();
        EXPECT_THAT(batch, IsOk());
        if (!batch.ok() || !*batch) return batches;
        batches.push_back(*std::move(*batch));
    }
}

class ResultTest : public ::testing::Test {
protected:
    ResultTest() : schema_(every_type(model::TimeUnit::microsecond)) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            batches_.push_back(sample_rows(schema_, nine, 100, seed));
        }
    }

    Result<ResultTable> fill(const ResultLimits& limits) {
        ResultWriter writer(columns_of(schema_), directory_.path(), limits);
        for (const parquet::RowBatch& batch : batches_) {
            if (const auto done = writer.append(batch); !done.ok()) return done.error();
        }
        return std::move(writer).finish();
    }

    std::uint64_t total_size() const {
        std::uint64_t size = 0;
        for (const parquet::RowBatch& batch : batches_) size += batch.size_bytes();
        return size;
    }

    testkit::TemporaryDirectory directory_;
    model::Schema schema_;
    std::vector<parquet::RowBatch> batches_;
};

// Cells that are NaN differ from themselves: they are compared by their bytes.
bool is_identical(const std::vector<parquet::RowBatch>& left,
                  const std::vector<parquet::RowBatch>& right) {
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].rows() != right[i].rows()) return false;
        for (std::size_t c = 0; c < left[i].columns.size(); ++c) {
            for (std::size_t row = 0; row < left[i].rows(); ++row) {
                if (parquet::compare_cells(left[i].columns[c], row, right[i].columns[c], row) !=
                    0) {
                    return false;
                }
            }
        }
    }
    return true;
}

TEST_F(ResultTest, RowsComeBackFromMemoryAndFromAFile) {
    for (const std::uint64_t memory : {total_size(), total_size() - 1, std::uint64_t{0}}) {
        ResultLimits limits;
        limits.memory_bytes_max = memory;
        const auto table = fill(limits);
        ASSERT_THAT(table, IsOk());
        EXPECT_EQ(table->is_spilled(), memory < total_size());
        EXPECT_EQ(table->row_count(), 400U);
        EXPECT_EQ(table->size_bytes(), total_size());
        // More than once, and by several at a time.
        EXPECT_TRUE(is_identical(read_all(*table), batches_));
        EXPECT_TRUE(is_identical(read_all(*table), batches_));
        RowCursor one = table->read();
        RowCursor other = table->read();
        ASSERT_THAT(one.next(), IsOk());
        ASSERT_THAT(one.next(), IsOk());
        EXPECT_EQ(other.next()->value().rows(), 100U);
        // And nobody else can find them.
        EXPECT_TRUE(fs::is_empty(directory_.path()));
    }
}

TEST_F(ResultTest, LimitsHoldOnBothSides) {
    ResultLimits limits;
    limits.rows_max = 400;
    limits.size_bytes_max = total_size();
    EXPECT_THAT(fill(limits), IsOk());
    limits.rows_max = 399;
    EXPECT_THAT(fill(limits), FailsWith(Code::exhausted));
    limits.rows_max = 400;
    --limits.size_bytes_max;
    EXPECT_THAT(fill(limits), FailsWith(Code::exhausted));
}

TEST_F(ResultTest, AFileThatCannotBeMadeIsUnavailable) {
    ResultLimits limits;
    limits.memory_bytes_max = 0;
    ResultWriter writer(columns_of(schema_), directory_.path() + "/nowhere", limits);
    EXPECT_THAT(writer.append(batches_.front()), FailsWith(Code::unavailable));
}

TEST_F(ResultTest, AnAnswerWithoutRowsHasColumns) {
    batches_.clear();
    const auto table = fill({});
    ASSERT_THAT(table, IsOk());
    EXPECT_EQ(table->row_count(), 0U);
    EXPECT_EQ(table->columns().size(), schema_.columns.size());
    EXPECT_TRUE(read_all(*table).empty());
}

TEST_F(ResultTest, EqualNamesAreToldApart) {
    const auto names = [&](std::vector<std::string> given) {
        std::vector<ResultColumn> columns(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) columns[i].name = given[i];
        const ResultWriter writer(columns, directory_.path(), {});
        for (std::size_t i = 0; i < given.size(); ++i) given[i] = writer.columns()[i].name;
        return given;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(names({"a", "b"}), (Names{"a", "b"}));
    EXPECT_EQ(names({"a", "a", "a"}), (Names{"a", "a_1", "a_2"}));
    EXPECT_EQ(names({"a", "a", "a_1", "a_1"}), (Names{"a", "a_2", "a_1", "a_1_1"}));
    EXPECT_EQ(names({"", ""}), (Names{"", "_1"}));
}

TEST(SpillFileTest, GivesBackWhatItTookAndNothingElse) {
    const testkit::TemporaryDirectory directory;
    auto file = SpillFile::create(directory.path());
    ASSERT_THAT(file, IsOk());
    ASSERT_THAT(file->append("first"), IsOk());
    ASSERT_THAT(file->append("second"), IsOk());
    EXPECT_EQ(file->size_bytes(), 11U);
    EXPECT_EQ(*file->read_at(5, 6), "second");
    EXPECT_EQ(*file->read_at(11, 0), "");
    EXPECT_THAT(file->read_at(5, 7), FailsWith(Code::corrupt));
    EXPECT_THAT(file->read_at(12, 0), FailsWith(Code::corrupt));
    EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(PrivateDirectoryTest, GoesWithAllThatIsInIt) {
    const testkit::TemporaryDirectory directory;
    {
        const auto made = PrivateDirectory::create(directory.path());
        ASSERT_THAT(made, IsOk());
        EXPECT_EQ(fs::status(made->path()).permissions(), fs::perms::owner_all);
        fs::create_directories(made->path() + "/a/b");
    }
    EXPECT_TRUE(fs::is_empty(directory.path()));
    EXPECT_THAT(PrivateDirectory::create(directory.path() + "/nowhere"),
                FailsWith(Code::unavailable));
}

}  // namespace
}  // namespace highwater::engine
