#include "parquet/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace highwater::parquet {
namespace {

using model::ColumnType;

Cells integers(ColumnType type, std::initializer_list<std::int64_t> values) {
    Cells cells(type);
    for (const std::int64_t value : values) cells.append_integer(value);
    return cells;
}

TEST(Cells, OrderByValueWithNullFirst) {
    Cells cells = integers(ColumnType::int64, {-1, 2});
    cells.append_null();
    EXPECT_LT(compare_cells(cells, 0, cells, 1), 0);
    EXPECT_GT(compare_cells(cells, 1, cells, 0), 0);
    EXPECT_LT(compare_cells(cells, 2, cells, 0), 0);
    EXPECT_GT(compare_cells(cells, 0, cells, 2), 0);
    EXPECT_EQ(compare_cells(cells, 2, cells, 2), 0);
}

TEST(Cells, OrderUnsignedAsUnsigned) {
    const Cells cells = integers(ColumnType::uint64, {-1, 2});  // -1 is 2^64 - 1.
    EXPECT_GT(compare_cells(cells, 0, cells, 1), 0);
}

TEST(Cells, OrderFloatsTotally) {
    Cells cells(ColumnType::float64);
    cells.append_floating(-0.0);
    cells.append_floating(0.0);
    cells.append_floating(std::numeric_limits<double>::quiet_NaN());
    EXPECT_LT(compare_cells(cells, 0, cells, 1), 0);
    EXPECT_LT(compare_cells(cells, 1, cells, 2), 0);
    EXPECT_EQ(compare_cells(cells, 2, cells, 2), 0);
}

TEST(Cells, OrderBytesAsUnsigned) {
    Cells cells(ColumnType::binary);
    cells.append_bytes("a");
    cells.append_bytes("\xFF");
    cells.append_bytes("");
    EXPECT_LT(compare_cells(cells, 0, cells, 1), 0);
    EXPECT_LT(compare_cells(cells, 2, cells, 0), 0);
}

TEST(Cells, OrderDecimalsAsNumbers) {
    Cells cells(ColumnType::decimal);
    const auto append = [&](std::int64_t value) {
        Bytes bytes(decimal_size_bytes, value < 0 ? '\xFF' : '\0');
        for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
        cells.append_bytes(bytes);
    };
    for (const std::int64_t value : {-300, -2, -1, 0, 1, 255, 256, 70'000}) append(value);
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
        EXPECT_LT(compare_cells(cells, i, cells, i + 1), 0) << i;
        EXPECT_GT(compare_cells(cells, i + 1, cells, i), 0) << i;
    }
}

TEST(Cells, KeepNullsApartFromEmptyBytes) {
    Cells cells(ColumnType::string);
    cells.append_bytes("one");
    cells.append_null();
    cells.append_bytes("");
    cells.append_bytes("two");
    EXPECT_TRUE(cells.is_null(1));
    EXPECT_FALSE(cells.is_null(2));
    EXPECT_EQ(cells.bytes_at(2), "");
    EXPECT_EQ(cells.bytes_at(3), "two");
    Cells copy(ColumnType::string);
    for (std::size_t row = 0; row < cells.size(); ++row) copy.append_from(cells, row);
    EXPECT_EQ(copy, cells);
}

TEST(RowBatch, FingerprintsEachCellUnderItsColumnId) {
    const model::Schema schema{
        .columns = {{.id = 1, .name = "ts", .type = ColumnType::timestamp, .nullable = false},
                    {.id = 7, .name = "value", .type = ColumnType::float64}},
        .time_column = "ts",
        .unit = model::TimeUnit::millisecond};
    RowBatch batch = make_batch(schema);
    batch.columns[0].append_integer(5);
    batch.columns[1].append_floating(0.5);
    batch.columns[0].append_integer(6);
    batch.columns[1].append_null();
    model::RowFingerprint found;
    ASSERT_TRUE(add_row(found, schema, batch, 0));
    ASSERT_TRUE(add_row(found, schema, batch, 1));

    model::RowFingerprint expected;
    expected.begin_row();
    expected.add_timestamp_ns(1, 5'000'000);
    expected.add_double(7, 0.5);
    expected.end_row();
    expected.begin_row();
    expected.add_timestamp_ns(1, 6'000'000);
    expected.end_row();
    EXPECT_EQ(found.sum(), expected.sum());
    EXPECT_EQ(found.rows(), 2U);
}

TEST(RowBatch, AddsNoRowWhoseTimeIsOutOfRange) {
    const model::Schema schema{
        .columns = {{.id = 1, .name = "ts", .type = ColumnType::timestamp, .nullable = false}},
        .time_column = "ts",
        .unit = model::TimeUnit::microsecond};
    RowBatch batch = make_batch(schema);
    batch.columns[0].append_integer(std::numeric_limits<std::int64_t>::max() / 1'000);
    batch.columns[0].append_integer(std::numeric_limits<std::int64_t>::max() / 1'000 + 1);
    model::RowFingerprint fingerprint;
    EXPECT_TRUE(add_row(fingerprint, schema, batch, 0));
    EXPECT_FALSE(add_row(fingerprint, schema, batch, 1));
    EXPECT_EQ(fingerprint.rows(), 1U);
}

}  // namespace
}  // namespace highwater::parquet
