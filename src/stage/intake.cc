#include "stage/intake.h"

#include "base/assert.h"
#include "base/try.h"

namespace highwater::stage {

std::size_t find_time_index(const model::Schema& schema) {
    const model::Column* const time = schema.find(schema.time_column);
    ASSERT(time != nullptr);
    return static_cast<std::size_t>(time - schema.columns.data());
}

Intake::Intake(const StageRequest& request, const model::Schema& schema, object::Store& local,
               Sorter& sorter, RejectFile& rejects)
    : request_(request),
      schema_(schema),
      local_(local),
      sorter_(sorter),
      rejects_(rejects),
      time_index_(find_time_index(schema)) {}

Result<void> Intake::add_row(const parquet::RowBatch& batch, std::size_t row) {
    const auto time = parquet::to_time(batch.columns[time_index_].integer_at(row), schema_.unit);
    if (!time) return Error(Code::invalid_argument, "a time is outside 1677 to 2262");
    ++progress_.rows_read;
    // Once too many lines are bad nothing will be staged; the rest is read for its bad lines alone.
    if (progress_.bad_lines > request_.bad_lines_max) return {};
    ++rows_of_hour_[model::hour_of(*time)];
    if (rows_of_hour_.size() > hours_max) {
        return Error(Code::exhausted, "rows of more than " + std::to_string(hours_max) + " hours");
    }
    return sorter_.add(batch, row);
}

Result<void> Intake::add_bad(BadLine line) {
    ++progress_.bad_lines;
    TRY(rejects_.add(line));
    if (first_bad_lines_.size() < bad_lines_kept_max) first_bad_lines_.push_back(std::move(line));
    return {};
}

Result<void> Intake::step() {
    if (request_.stop.stop_requested()) return Error(Code::cancelled, "stopped while reading");
    if (request_.on_progress) request_.on_progress(progress_);
    return {};
}

Result<void> Intake::run() {
    const InputListener listener{
        .on_row = [this](const parquet::RowBatch& batch,
                         std::size_t row) { return add_row(batch, row); },
        .on_bad = [this](BadLine line) { return add_bad(std::move(line)); },
        .on_step = [this] { return step(); }};
    for (const Input& input : request_.inputs) {
        TRY(read_input(local_, input, request_.options, schema_, listener));
        ++progress_.inputs_read;
    }
    return step();
}

}  // namespace highwater::stage
