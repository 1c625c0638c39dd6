#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "model/hour.h"
#include "model/schema.h"
#include "object/store.h"
#include "stage/rejects.h"
#include "stage/sort.h"
#include "stage/stager.h"

namespace highwater::stage {

/// Reads every input of a request into a sorter, counts rows by hour, and keeps account of bad
/// lines.
class Intake {
public:
    /// Lifetime: all that is given outlives it.
    Intake(const StageRequest& request, const model::Schema& schema, object::Store& local,
           Sorter& sorter, RejectFile& rejects);

    /// Errors: those of read_input, Sorter::add and RejectFile; cancelled; exhausted (hours_max).
    Result<void> run();

    const std::map<model::Hour, std::uint64_t>& rows_of_hour() const { return rows_of_hour_; }
    const Progress& progress() const { return progress_; }
    std::vector<BadLine> take_first_bad_lines() { return std::move(first_bad_lines_); }

private:
    Result<void> add_row(const parquet::RowBatch& batch, std::size_t row);
    Result<void> add_bad(BadLine line);
    Result<void> step();

    const StageRequest& request_;
    const model::Schema& schema_;
    object::Store& local_;
    Sorter& sorter_;
    RejectFile& rejects_;
    std::size_t time_index_ = 0;
    std::map<model::Hour, std::uint64_t> rows_of_hour_;
    Progress progress_;
    std::vector<BadLine> first_bad_lines_;
};

/// The position of the time column. Requires: model::verify_schema(schema).
std::size_t find_time_index(const model::Schema& schema);

}  // namespace highwater::stage
