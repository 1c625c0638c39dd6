#include "parquet/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "object/memory_store.h"
#include "parquet/inspect.h"
#include "parquet/read.h"
#include "testkit/fault.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"

namespace highwater::parquet {
namespace {

using model::ColumnType;
using testkit::FailsWith;
using testkit::IsOk;

constexpr std::int64_t start_us = 1'759'741'200'000'000;  // 2025-10-06T09:00:00Z

model::Schema every_type() {
    model::Schema schema{.columns = {}, .time_column = "ts"};
    const auto add = [&](std::string name, ColumnType type, bool nullable = true,
                         std::int32_t precision = 0, std::int32_t scale = 0) {
        schema.columns.push_back({.id = static_cast<std::int32_t>(schema.columns.size() * 2 + 1),
                                  .name = std::move(name),
                                  .type = type,
                                  .nullable = nullable,
                                  .decimal_precision = precision,
                                  .decimal_scale = scale});
    };
    add("ts", ColumnType::timestamp, false);
    add("flag", ColumnType::boolean);
    add("i8", ColumnType::int8);
    add("i16", ColumnType::int16);
    add("i32", ColumnType::int32);
    add("i64", ColumnType::int64);
    add("u8", ColumnType::uint8);
    add("u16", ColumnType::uint16);
    add("u32", ColumnType::uint32);
    add("u64", ColumnType::uint64);
    add("f32", ColumnType::float32);
    add("f64", ColumnType::float64, false);
    add("text", ColumnType::string, false);
    add("blob", ColumnType::binary);
    add("day", ColumnType::date);
    add("seen", ColumnType::timestamp);
    add("price", ColumnType::decimal, true, 38, 4);
    return schema;
}

/// Any value of `type`, extremes often.
class Values {
public:
    explicit Values(std::uint64_t seed) : random_(seed) {}

    template <typename Integer>
    std::int64_t integer() {
        using Limits = std::numeric_limits<Integer>;
        switch (random_() % 4) {
            case 0: return static_cast<std::int64_t>(Limits::min());
            case 1: return static_cast<std::int64_t>(Limits::max());
            default: return static_cast<std::int64_t>(static_cast<Integer>(random_()));
        }
    }

    double floating(bool narrow) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        switch (random_() % 6) {
            case 0: return -0.0;
            case 1: return std::numeric_limits<double>::quiet_NaN();
            case 2: return -infinity;
            case 3: return narrow ? double{std::numeric_limits<float>::denorm_min()} : 1e308;
            default: return static_cast<double>(static_cast<float>(random_() % 1000) / 8);
        }
    }

    Bytes bytes(bool text) {
        Bytes bytes(random_() % 20, '\0');
        for (char& c : bytes) c = static_cast<char>(text ? 'a' + random_() % 26 : random_() % 256);
        return bytes;
    }

    Bytes decimal() {
        Bytes bytes(decimal_size_bytes, random_() % 2 ? '\0' : '\xFF');
        for (std::size_t i = 0; i < 9; ++i) bytes[i] = static_cast<char>(random_());
        return bytes;
    }

    void append(const model::Column& column, std::size_t row, Cells& cells) {
        if (column.nullable && random_() % 5 == 0) return cells.append_null();
        switch (column.type) {
            case ColumnType::boolean: return cells.append_integer(random_() % 2);
            case ColumnType::int8: return cells.append_integer(integer<std::int8_t>());
            case ColumnType::int16: return cells.append_integer(integer<std::int16_t>());
            case ColumnType::date:
            case ColumnType::int32: return cells.append_integer(integer<std::int32_t>());
            case ColumnType::uint64:
            case ColumnType::int64: return cells.append_integer(integer<std::int64_t>());
            case ColumnType::uint8: return cells.append_integer(integer<std::uint8_t>());
            case ColumnType::uint16: return cells.append_integer(integer<std::uint16_t>());
            case ColumnType::uint32: return cells.append_integer(integer<std::uint32_t>());
            case ColumnType::float32: return cells.append_floating(floating(true));
            case ColumnType::float64: return cells.append_floating(floating(false));
            case ColumnType::string: return cells.append_bytes(bytes(true));
            case ColumnType::binary: return cells.append_bytes(bytes(false));
            case ColumnType::decimal: return cells.append_bytes(decimal());
            case ColumnType::timestamp:
                return cells.append_integer(start_us + static_cast<std::int64_t>(row));
        }
    }

private:
    std::mt19937_64 random_;
};

RowBatch any_rows(const model::Schema& schema, std::size_t count, std::uint64_t seed) {
    Values values(seed);
    RowBatch batch = make_batch(schema);
    for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t i = 0; i < schema.columns.size(); ++i) {
            values.append(schema.columns[i], row, batch.columns[i]);
        }
    }
    return batch;
}

struct Stored {
    WrittenObject written;
    std::unique_ptr<object::Reader> reader;
    Bytes bytes;
};

/// Writes `batch` as one object in pieces of `piece` rows and opens it again.
Stored store_rows(object::Store& store, const std::string& path, const model::Schema& schema,
                  const RowBatch& batch, std::size_t piece, std::size_t row_group_rows) {
    auto upload = store.create({"mem", path});
    EXPECT_THAT(upload, IsOk());
    ObjectWriter writer(**upload, schema,
                        {.table_id = "a-table", .row_group_rows = row_group_rows});
    for (std::size_t from = 0; from < batch.rows(); from += piece) {
        EXPECT_THAT(writer.append(batch, from, std::min(from + piece, batch.rows())), IsOk());
    }
    auto written = writer.close();
    EXPECT_THAT(written, IsOk());
    EXPECT_THAT((*upload)->finish(), IsOk());
    auto reader = store.open({"mem", path});
    EXPECT_THAT(reader, IsOk());
    auto bytes = (*reader)->read_at(0, (*reader)->identity().size_bytes);
    return {*written, std::move(*reader), *bytes};
}

RowBatch read_all(const object::Reader& reader, const model::Schema& schema) {
    RowBatch all = make_batch(schema);
    auto rows = RowReader::open(reader, schema);
    EXPECT_THAT(rows, IsOk());
    while (true) {
        auto batch = rows->next();
        EXPECT_THAT(batch, IsOk());
        if (!batch.ok() || !*batch) return all;
        for (std::size_t row = 0; row < (*batch)->rows(); ++row) append_row(all, **batch, row);
    }
}

/// Equal cells; NaNs are one NaN.
void expect_equal_rows(const RowBatch& left, const RowBatch& right) {
    ASSERT_EQ(left.rows(), right.rows());
    for (std::size_t i = 0; i < left.columns.size(); ++i) {
        for (std::size_t row = 0; row < left.rows(); ++row) {
            ASSERT_EQ(compare_cells(left.columns[i], row, right.columns[i], row), 0)
                << "column " << i << " row " << row;
        }
    }
}

RC_GTEST_PROP(ObjectWriter, KeepsEveryValueOfEveryType, (std::uint64_t seed)) {
    const model::Schema schema = every_type();
    const auto count = *rc::gen::inRange<std::size_t>(0, 700);
    const auto piece = *rc::gen::inRange<std::size_t>(1, 300);
    const RowBatch batch = any_rows(schema, count, seed);
    object::MemoryStore store;
    const Stored stored = store_rows(store, "a", schema, batch, piece, 256);
    expect_equal_rows(read_all(*stored.reader, schema), batch);
}

RC_GTEST_PROP(ObjectWriter, TellsWhatAScanFinds, (std::uint64_t seed)) {
    const model::Schema schema = every_type();
    const RowBatch batch = any_rows(schema, *rc::gen::inRange<std::size_t>(0, 600), seed);
    object::MemoryStore store;
    const Stored stored = store_rows(store, "a", schema, batch, 100, 256);
    const auto facts = inspect_file(*stored.reader, "ts");
    RC_ASSERT(facts.ok());
    RC_ASSERT(facts->verdict == Verdict::readable);
    RC_ASSERT(facts->is_ours);
    RC_ASSERT(find_schema_differences(*facts, schema).empty());
    const auto scanned = scan_file(*stored.reader, schema);
    RC_ASSERT(scanned.ok());
    RC_ASSERT(scanned->verdict == Verdict::readable);
    RC_ASSERT(scanned->record_count == batch.rows());
    RC_ASSERT(scanned->row_fingerprint == stored.written.row_fingerprint);
    RC_ASSERT(scanned->min_time == stored.written.min_time);
    RC_ASSERT(scanned->max_time == stored.written.max_time);
    RC_ASSERT(facts->record_count == batch.rows());
    RC_ASSERT(facts->times.has_value() == (batch.rows() > 0));
    if (facts->times) {
        RC_ASSERT(facts->times->min_time == stored.written.min_time);
        RC_ASSERT(facts->times->max_time == stored.written.max_time);
        RC_ASSERT(facts->times->null_count == 0U);
    }
    RC_ASSERT(stored.written.sha256 == digest_of(stored.bytes));
    RC_ASSERT(stored.written.size_bytes == stored.bytes.size());
}

TEST(ObjectWriter, GivesEqualBytesHoweverTheRowsWereBatched) {
    const model::Schema schema = every_type();
    const RowBatch batch = any_rows(schema, 1'000, 7);
    object::MemoryStore store;
    const Stored whole = store_rows(store, "a", schema, batch, 1'000, 300);
    const Stored pieces = store_rows(store, "b", schema, batch, 17, 300);
    EXPECT_EQ(whole.bytes, pieces.bytes);
    EXPECT_EQ(whole.written, pieces.written);
}

TEST(ObjectWriter, EndsARowGroupAtItsRows) {
    const model::Schema schema = every_type();
    object::MemoryStore store;
    // One row more makes one row group, and so a dictionary and a page a column, more.
    const Stored at = store_rows(store, "a", schema, any_rows(schema, 300, 1), 300, 300);
    const Stored beyond = store_rows(store, "b", schema, any_rows(schema, 301, 1), 301, 300);
    EXPECT_LT(at.bytes.size() + schema.columns.size() * 50, beyond.bytes.size());
    EXPECT_EQ(read_all(*beyond.reader, schema).rows(), 301U);
}

TEST(ObjectWriter, WritesFieldIdsNamesAndUnits) {
    model::Schema schema = every_type();
    schema.unit = model::TimeUnit::nanosecond;
    object::MemoryStore store;
    const Stored stored = store_rows(store, "a", schema, make_batch(schema), 1, 10);
    const auto facts = inspect_file(*stored.reader, "");
    ASSERT_THAT(facts, IsOk());
    ASSERT_EQ(facts->columns.size(), schema.columns.size());
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        EXPECT_EQ(facts->columns[i].name, schema.columns[i].name);
        EXPECT_EQ(facts->columns[i].field_id, schema.columns[i].id);
        EXPECT_EQ(facts->columns[i].type, schema.columns[i].type);
        EXPECT_EQ(facts->columns[i].nullable, schema.columns[i].nullable);
    }
    EXPECT_EQ(facts->columns[0].unit, model::TimeUnit::nanosecond);
    EXPECT_TRUE(facts->columns[0].is_utc_adjusted);
    const auto inferred = infer_schema(*facts, "ts");
    ASSERT_THAT(inferred, IsOk());
    EXPECT_EQ(*inferred, schema);
}

TEST(ObjectWriter, RefusesWhatMayNotStandInAFile) {
    const model::Schema schema{
        .columns = {{.id = 1, .name = "ts", .type = ColumnType::timestamp, .nullable = false},
                    {.id = 2, .name = "text", .type = ColumnType::string}},
        .time_column = "ts",
        .unit = model::TimeUnit::millisecond};
    object::MemoryStore store;
    const auto append = [&](std::optional<std::int64_t> time, BytesView text) {
        auto upload = store.create({"mem", "x"});
        ObjectWriter writer(**upload, schema, {});
        RowBatch batch = make_batch(schema);
        time ? batch.columns[0].append_integer(*time) : batch.columns[0].append_null();
        batch.columns[1].append_bytes(text);
        return writer.append(batch, 0, 1);
    };
    EXPECT_THAT(append(0, "ok"), IsOk());
    EXPECT_THAT(append(std::nullopt, "ok"), FailsWith(Code::invalid_argument));
    EXPECT_THAT(append(0, "\xFF"), FailsWith(Code::invalid_argument));
    // The last whole millisecond that int64 nanoseconds hold, and the next.
    EXPECT_THAT(append(9'223'372'036'854, "ok"), IsOk());
    EXPECT_THAT(append(9'223'372'036'855, "ok"), FailsWith(Code::invalid_argument));
}

TEST(ObjectWriter, TellsTheStoresOwnFailure) {
    const model::Schema schema = every_type();
    const RowBatch batch = any_rows(schema, 500, 3);
    for (int at_call = 0;; ++at_call) {
        object::MemoryStore inner;
        testkit::Fault fault(at_call, testkit::Fault::When::before_effect);
        testkit::FaultyStore store(inner, fault);
        auto upload = store.create({"mem", "x"});
        if (!upload.ok()) continue;
        ObjectWriter writer(**upload, schema, {.table_id = "a-table", .row_group_rows = 100});
        auto appended = writer.append(batch, 0, batch.rows());
        auto closed = appended.ok() ? writer.close() : Result<WrittenObject>(appended.error());
        if (!fault.fired()) {
            EXPECT_THAT(closed, IsOk());
            break;
        }
        EXPECT_THAT(closed, FailsWith(Code::unavailable)) << "call " << at_call;
    }
}

}  // namespace
}  // namespace highwater::parquet
