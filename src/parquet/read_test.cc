#include "parquet/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "object/ledger.h"
#include "object/memory_store.h"
#include "parquet/write.h"
#include "testkit/matchers.h"

namespace highwater::parquet {
namespace {

using model::ColumnType;
using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

model::Schema schema() {
    return {.columns = {{.id = 1, .name = "ts", .type = ColumnType::timestamp, .nullable = false},
                        {.id = 2, .name = "blob", .type = ColumnType::binary}},
            .time_column = "ts",
            .unit = model::TimeUnit::microsecond};
}

/// Rows with blobs of `size` bytes that do not compress.
RowBatch blobs(std::size_t rows, std::size_t size) {
    std::mt19937_64 random(1);
    RowBatch batch = make_batch(schema());
    for (std::size_t row = 0; row < rows; ++row) {
        Bytes blob(size, '\0');
        for (char& c : blob) c = static_cast<char>(random());
        batch.columns[0].append_integer(static_cast<std::int64_t>(row));
        batch.columns[1].append_bytes(blob);
    }
    return batch;
}

Bytes file_of(const RowBatch& batch) {
    object::MemoryStore store;
    auto upload = store.create({"mem", "x"});
    ObjectWriter writer(**upload, schema(), {.table_id = "t"});
    EXPECT_THAT(writer.append(batch, 0, batch.rows()), IsOk());
    EXPECT_THAT(writer.close(), IsOk());
    EXPECT_THAT((*upload)->finish(), IsOk());
    return *object::get(store, {"mem", "x"}, 1 << 30);
}

/// A store with one file, whose reads are counted.
class OneFile {
public:
    explicit OneFile(const Bytes& bytes) {
        EXPECT_THAT(object::put_new(inner_, {"mem", "x"}, bytes), IsOk());
        reader_ = *store_.open({"mem", "x"});
    }

    const object::Reader& reader() const { return *reader_; }
    std::uint64_t gets() const { return store_.ledger().gets; }

private:
    object::MemoryStore inner_;
    object::MeteredStore store_{inner_};
    std::unique_ptr<object::Reader> reader_;
};

TEST(RowReader, ReadsASmallFileWithOneRequest) {
    const OneFile file(file_of(blobs(100, 1'000)));
    ASSERT_LT(file.reader().identity().size_bytes, std::size_t{4} << 20U);
    const auto facts = scan_file(file.reader(), schema());
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->record_count, 100U);
    EXPECT_EQ(file.gets(), 1U);
}

TEST(RowReader, ReadsALargeFileInPieces) {
    const RowBatch batch = blobs(600, 10'000);
    const OneFile file(file_of(batch));
    ASSERT_GT(file.reader().identity().size_bytes, std::size_t{4} << 20U);
    auto rows = RowReader::open(file.reader(), schema());
    ASSERT_THAT(rows, IsOk());
    RowBatch all = make_batch(schema());
    for (auto next = rows->next(); *next; next = rows->next()) {
        for (std::size_t row = 0; row < (*next)->rows(); ++row) append_row(all, **next, row);
    }
    EXPECT_EQ(all, batch);
    EXPECT_GT(file.gets(), 4U);  // About one for each MiB.
    EXPECT_LT(file.gets(), 100U);
}

TEST(RowReader, EndsABatchThatHoldsEnough) {
    const OneFile file(file_of(blobs(1'000, 100)));
    const auto count_batches = [&](const ReadLimits& limits) {
        auto rows = RowReader::open(file.reader(), schema(), {.limits = limits});
        std::vector<std::size_t> sizes;
        for (auto next = rows->next(); *next; next = rows->next()) sizes.push_back((*next)->rows());
        return sizes;
    };
    EXPECT_THAT(count_batches({}), testing::ElementsAre(1'000));
    EXPECT_THAT(count_batches({.batch_size_soft = 1}),
                testing::ElementsAre(step_rows, step_rows, step_rows, 1'000 - 3 * step_rows));
}

TEST(RowReader, EndsABatchAfterItsRows) {
    const OneFile file(file_of(blobs(batch_rows_max + 1, 1)));
    auto rows = RowReader::open(file.reader(), schema());
    EXPECT_EQ((**rows->next()).rows(), batch_rows_max);
    EXPECT_EQ((**rows->next()).rows(), 1U);
    EXPECT_EQ(*rows->next(), std::nullopt);
}

TEST(RowReader, RefusesRowsThatHoldTooMuch) {
    const OneFile file(file_of(blobs(step_rows, 100)));
    // A time takes 9 bytes in memory, a blob of 100 takes 109.
    constexpr std::size_t size = step_rows * (9 + 109);
    const auto read = [&](std::size_t limit) {
        auto rows = RowReader::open(file.reader(), schema(), {.limits = {.step_size_max = limit}});
        return rows->next();
    };
    EXPECT_THAT(read(size), IsOk());
    const auto beyond = read(size - 1);
    ASSERT_THAT(beyond, FailsWith(Code::unsupported));
    EXPECT_THAT(beyond.error().message(), HasSubstr("hold more than"));
}

TEST(ObjectWriter, EndsAnUploadThatWasGivenUpNowhere) {
    object::MemoryStore store;
    auto upload = store.create({"mem", "x"});
    const RowBatch batch = blobs(10, 10);
    {
        ObjectWriter writer(**upload, schema(), {.table_id = "t", .row_group_rows = 5});
        ASSERT_THAT(writer.append(batch, 0, 10), IsOk());
    }
    // What was buffered is not passed on by the destructor, which cannot say whether it succeeded.
    ASSERT_THAT((*upload)->finish(), IsOk());
    EXPECT_EQ(object::get(store, {"mem", "x"}, 1 << 20)->size(), 0U);
}

}  // namespace
}  // namespace highwater::parquet
