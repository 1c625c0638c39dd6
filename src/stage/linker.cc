#include "stage/linker.h"

#include "base/assert.h"
#include "base/try.h"
#include "stage/intake.h"
#include "stage/stager.h"

namespace highwater::stage {

Linker::Linker(object::Store& store, const catalog::Table& table, std::vector<PlannedObject> plan,
               std::function<Result<void>()> before_first_link)
    : store_(store),
      table_(table),
      plan_(std::move(plan)),
      before_first_link_(std::move(before_first_link)),
      time_index_(find_time_index(table.current().schema)) {}

model::Hour Linker::hour_at(const parquet::RowBatch& batch, std::size_t row) const {
    const auto time =
        parquet::to_time(batch.columns[time_index_].integer_at(row), table_.current().schema.unit);
    ASSERT(time.has_value());  // The intake refused it otherwise.
    return model::hour_of(*time);
}

Result<void> Linker::open_next(model::Hour hour) {
    // Rows that were dropped as identical may have left shares of earlier hours unused.
    while (next_ < plan_.size() && plan_[next_].hour < hour) ++next_;
    ASSERT(next_ < plan_.size() && plan_[next_].hour == hour);
    Open open{.planned = &plan_[next_++], .upload = nullptr, .writer = nullptr};
    open.upload = TRY(store_.create({table_.location, open.planned->path}));
    open.writer = std::make_unique<parquet::ObjectWriter>(
        *open.upload, table_.current().schema,
        parquet::WriteOptions{.table_id = format_uuid(table_.id.value),
                              .schema_version = table_.current().version});
    current_ = std::move(open);
    return {};
}

Result<void> Linker::close_current() {
    const auto written = TRY(current_->writer->close());
    TRY(current_->upload->seal());
    current_->writer.reset();
    claims_[current_->planned->hour].push_back({.path = current_->planned->path,
                                                .size_bytes = written.size_bytes,
                                                .record_count = written.record_count,
                                                .sha256 = written.sha256,
                                                .min_time = written.min_time,
                                                .max_time = written.max_time,
                                                .row_fingerprint = written.row_fingerprint});
    sealed_.push_back(*std::move(current_));
    current_.reset();
    ++objects_written_;
    hours_written_ = claims_.size();
    return sealed_.size() < open_uploads_max ? Result<void>() : link_sealed();
}

Result<void> Linker::link_sealed() {
    if (before_first_link_ && !sealed_.empty()) {
        TRY(before_first_link_());
        before_first_link_ = nullptr;
    }
    for (Open& open : sealed_) {
        const auto linked = open.upload->finish();
        const bool may_be_ours = linked.ok() || linked.error().code() == Code::outcome_unknown;
        if (may_be_ours) linked_.push_back(open.planned->path);
        TRY(linked);
    }
    sealed_.clear();
    return {};
}

Result<void> Linker::add(const parquet::RowBatch& batch) {
    for (std::size_t row = 0; row < batch.rows();) {
        const model::Hour hour = hour_at(batch, row);
        if (current_ && current_->planned->hour != hour) TRY(close_current());
        if (!current_) TRY(open_next(hour));
        std::size_t end = row;
        const std::uint64_t room = current_->planned->rows - current_->writer->rows();
        while (end < batch.rows() && end - row < room && hour_at(batch, end) == hour) ++end;
        TRY(current_->writer->append(batch, row, end));
        row = end;
        if (current_->writer->rows() == current_->planned->rows) TRY(close_current());
    }
    return {};
}

Result<std::map<model::Hour, std::vector<manifest::ObjectClaim>>> Linker::finish() {
    if (current_) TRY(close_current());
    TRY(link_sealed());
    return std::move(claims_);
}

}  // namespace highwater::stage
