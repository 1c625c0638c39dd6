#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/schema.h"
#include "object/store.h"
#include "parquet/rows.h"

namespace highwater::stage {

/// What rows may take in memory while they are sorted, read, merged and written.
constexpr std::size_t sort_memory_default = std::size_t{256} << 20U;
constexpr std::size_t sort_memory_min = std::size_t{4} << 10U;

/// Runs that are merged at a time; more are merged in several passes.
constexpr std::size_t merge_ways_max = 64;

/// Rows of one sorted batch at most.
constexpr std::size_t sorted_batch_rows = 4'096;

struct SortOptions {
    std::size_t memory = sort_memory_default;
    std::size_t merge_ways = merge_ways_max;
    bool drop_identical = false;  // Of rows that are equal in every cell, keep one.
    std::stop_token stop = {};
};

/// Sorts any number of rows in bounded memory: by time, then by the other columns in table order,
/// so that the same rows come out in the same order however they came in.
///
/// What does not fit is written as sorted runs beneath a private root of `scratch` and merged from
/// there; every run is removed when this goes, whatever happened.
/// Not thread-safe. Lifetime: `scratch` outlives it.
/// Cost: O(n log n) comparisons; about `memory` bytes, twice while the rows in memory grow.
class Sorter {
public:
    /// Requires: options.memory >= sort_memory_min, options.merge_ways >= 2, and nobody else uses
    /// `scratch_root`.
    Sorter(const model::Schema& schema, object::Store& scratch, std::string scratch_root,
           const SortOptions& options);
    ~Sorter();
    Sorter(const Sorter&) = delete;
    Sorter& operator=(const Sorter&) = delete;

    /// Adds one row. Errors: those of object::Upload; cancelled.
    Result<void> add(const parquet::RowBatch& batch, std::size_t row);

    /// Ends the input. Called once, before the first `next`. Errors: as `add`, and of
    /// object::Reader.
    Result<void> finish();

    /// The next rows in order, at least one; nothing after the last.
    ///
    /// Errors: those of object::Reader; corrupt (a run that changed); cancelled.
    Result<std::optional<parquet::RowBatch>> next();

    std::uint64_t runs_spilled() const { return runs_spilled_; }
    std::uint64_t rows_dropped() const { return rows_dropped_; }

private:
    class Cursor;
    class Merge;

    int compare(const parquet::RowBatch& left, std::size_t left_row, const parquet::RowBatch& right,
                std::size_t right_row) const;
    void sort_pending();
    Result<void> spill_pending();
    Result<std::unique_ptr<Merge>> open_merge(const std::vector<std::string>& runs);
    Result<void> merge_once();
    Result<void> write_run(const std::string& name, Merge& merge);
    std::string next_run_name();
    void remove_run(const std::string& name);
    bool is_repeated(const parquet::RowBatch& batch, std::size_t row);

    const model::Schema schema_;
    object::Store& scratch_;
    const std::string scratch_root_;
    const SortOptions options_;
    std::vector<std::size_t> order_;  // Columns, the time column first.

    parquet::RowBatch pending_;
    std::vector<std::size_t> sorted_;  // Rows of pending_ in order, once the input has ended.
    std::size_t next_sorted_ = 0;

    std::vector<std::string> runs_;
    std::unique_ptr<Merge> merge_;
    std::uint64_t runs_spilled_ = 0;
    std::uint64_t runs_named_ = 0;

    parquet::RowBatch last_;  // The row that was returned last, when identical ones are dropped.
    std::uint64_t rows_dropped_ = 0;
};

}  // namespace highwater::stage
