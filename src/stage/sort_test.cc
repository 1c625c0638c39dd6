#include "stage/sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "object/memory_store.h"
#include "testkit/fault.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"

namespace highwater::stage {
namespace {

using model::ColumnType;
using parquet::RowBatch;
using testkit::FailsWith;
using testkit::IsOk;

model::Schema schema() {
    return {.columns = {{.id = 1, .name = "host", .type = ColumnType::string},
                        {.id = 2, .name = "ts", .type = ColumnType::timestamp, .nullable = false},
                        {.id = 3, .name = "value", .type = ColumnType::float64}},
            .time_column = "ts",
            .unit = model::TimeUnit::microsecond};
}

RowBatch any_rows(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    RowBatch batch = parquet::make_batch(schema());
    for (std::size_t i = 0; i < count; ++i) {
        random() % 6 ? batch.columns[0].append_bytes(Bytes(random() % 30, 'h'))
                     : batch.columns[0].append_null();
        batch.columns[1].append_integer(static_cast<std::int64_t>(random() % 20));
        random() % 6 ? batch.columns[2].append_floating(static_cast<double>(random() % 5))
                     : batch.columns[2].append_null();
    }
    return batch;
}

RowBatch permuted(const RowBatch& batch, std::uint64_t seed) {
    std::vector<std::size_t> order(batch.rows());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    RowBatch result = parquet::make_batch(schema());
    for (const std::size_t row : order) parquet::append_row(result, batch, row);
    return result;
}

struct Sorted {
    RowBatch rows = parquet::make_batch(schema());
    std::uint64_t spilled = 0;
    std::uint64_t dropped = 0;
};

Result<Sorted> sort_rows(const RowBatch& batch, object::Store& scratch,
                         const SortOptions& options) {
    Sorter sorter(schema(), scratch, "scratch", options);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        if (auto added = sorter.add(batch, row); !added.ok()) return added.error();
    }
    if (auto finished = sorter.finish(); !finished.ok()) return finished.error();
    Sorted sorted;
    while (true) {
        auto next = sorter.next();
        if (!next.ok()) return next.error();
        if (!*next) break;
        EXPECT_LE((*next)->rows(), sorted_batch_rows);
        for (std::size_t row = 0; row < (*next)->rows(); ++row) {
            parquet::append_row(sorted.rows, **next, row);
        }
    }
    sorted.spilled = sorter.runs_spilled();
    sorted.dropped = sorter.rows_dropped();
    return sorted;
}

/// By time, then host, then value.
bool is_sorted(const RowBatch& batch) {
    for (std::size_t row = 1; row < batch.rows(); ++row) {
        for (const std::size_t column : {1U, 0U, 2U}) {
            const int order =
                parquet::compare_cells(batch.columns[column], row - 1, batch.columns[column], row);
            if (order > 0) return false;
            if (order < 0) break;
        }
    }
    return true;
}

model::RowFingerprint fingerprint_of(const RowBatch& batch) {
    model::RowFingerprint fingerprint;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
        EXPECT_TRUE(parquet::add_row(fingerprint, schema(), batch, row));
    }
    return fingerprint;
}

std::size_t count_objects(object::Store& store) {
    return object::list_all(store, "scratch", "")->size();
}

RC_GTEST_PROP(Sorter, GivesTheSameRowsInOrderHoweverTheyCame, (std::uint64_t seed)) {
    const RowBatch batch = any_rows(*rc::gen::inRange<std::size_t>(0, 800), seed);
    object::MemoryStore scratch;
    const auto in_memory = sort_rows(batch, scratch, {});
    RC_ASSERT(in_memory.ok());
    RC_ASSERT(in_memory->spilled == 0U);
    RC_ASSERT(is_sorted(in_memory->rows));
    RC_ASSERT(fingerprint_of(in_memory->rows).sum() == fingerprint_of(batch).sum());
    // Little memory and two ways: many runs, several passes.
    const auto spilled =
        sort_rows(permuted(batch, seed + 1), scratch, {.memory = sort_memory_min, .merge_ways = 2});
    RC_ASSERT(spilled.ok());
    RC_ASSERT(spilled->rows == in_memory->rows);
    RC_ASSERT(batch.rows() < 600 || spilled->spilled >= 3U);
    RC_ASSERT(count_objects(scratch) == 0U);
}

TEST(Sorter, DropsIdenticalRowsWhenAskedTo) {
    const RowBatch batch = any_rows(3'000, 5);
    object::MemoryStore scratch;
    const auto kept = sort_rows(batch, scratch, {});
    const auto once = sort_rows(batch, scratch, {.drop_identical = true});
    const auto spilled =
        sort_rows(batch, scratch, {.memory = sort_memory_min, .drop_identical = true});
    ASSERT_THAT(once, IsOk());
    ASSERT_THAT(spilled, IsOk());
    EXPECT_EQ(kept->rows.rows(), 3'000U);
    EXPECT_GT(once->dropped, 0U);
    EXPECT_EQ(once->rows.rows() + once->dropped, 3'000U);
    EXPECT_EQ(spilled->rows, once->rows);
    EXPECT_EQ(spilled->dropped, once->dropped);
}

TEST(Sorter, KeepsARowThatIsLargerThanItsReads) {
    RowBatch batch = parquet::make_batch(schema());
    for (int i = 3; i > 0; --i) {
        batch.columns[0].append_bytes(Bytes(100'000, 'x'));
        batch.columns[1].append_integer(i);
        batch.columns[2].append_null();
    }
    object::MemoryStore scratch;
    const auto sorted = sort_rows(batch, scratch, {.memory = sort_memory_min});
    ASSERT_THAT(sorted, IsOk());
    EXPECT_EQ(sorted->spilled, 3U);
    EXPECT_EQ(sorted->rows.columns[1].integer_at(0), 1);
    EXPECT_EQ(sorted->rows.columns[0].bytes_at(2).size(), 100'000U);
}

TEST(Sorter, StopsWhenItIsToldTo) {
    std::stop_source stop;
    stop.request_stop();
    object::MemoryStore scratch;
    EXPECT_THAT(sort_rows(any_rows(10, 1), scratch, {.stop = stop.get_token()}),
                FailsWith(Code::cancelled));
    EXPECT_THAT(sort_rows(any_rows(5'000, 1), scratch,
                          {.memory = sort_memory_min, .stop = stop.get_token()}),
                FailsWith(Code::cancelled));
    EXPECT_EQ(count_objects(scratch), 0U);
}

TEST(Sorter, LeavesNoRunWhateverFails) {
    const RowBatch batch = any_rows(700, 9);
    using Fault = testkit::Fault;
    for (const auto when : {Fault::When::before_effect, Fault::When::after_effect}) {
        for (int at_call = 0;; ++at_call) {
            object::MemoryStore inner;
            Fault fault(at_call, when);
            testkit::FaultyStore scratch(inner, fault);
            const auto sorted =
                sort_rows(batch, scratch, {.memory = sort_memory_min, .merge_ways = 2});
            const auto left = count_objects(inner);
            if (!fault.fired()) {
                EXPECT_THAT(sorted, IsOk());
                EXPECT_EQ(left, 0U);
                break;
            }
            // A removal that failed may leave its run to the owner of the scratch folder.
            if (sorted.ok()) {
                EXPECT_LE(left, 1U) << "call " << at_call;
            } else {
                EXPECT_EQ(left, 0U) << "call " << at_call;
            }
        }
    }
}

}  // namespace
}  // namespace highwater::stage
