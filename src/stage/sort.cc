#include "stage/sort.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/assert.h"
#include "base/try.h"
#include "stage/run.h"

namespace highwater::stage {

namespace {

using parquet::RowBatch;

/// What is read of a run at a time: a share of the memory, within these.
constexpr std::size_t run_read_min = std::size_t{16} << 10U;
constexpr std::size_t run_read_max = std::size_t{4} << 20U;

constexpr std::size_t run_write_size = std::size_t{1} << 20U;

/// The memory that a batch may take before it is handed on.
constexpr std::size_t sorted_batch_size_soft = std::size_t{8} << 20U;

/// Makes a run visible. Whether it is matters to nobody but us, who remove it either way.
Result<void> finish_run(object::Upload& upload) {
    const auto finished = upload.finish();
    if (finished.ok()) return {};
    const bool is_unknown = finished.error().code() == Code::outcome_unknown;
    return Error(is_unknown ? Code::unavailable : finished.error().code(),
                 finished.error().message());
}

Error cancelled() {
    return Error(Code::cancelled, "stopped while sorting");
}

}  // namespace

/// Walks through one run.
class Sorter::Cursor {
public:
    Cursor(std::unique_ptr<object::Reader> reader, const model::Schema& schema,
           std::size_t read_size)
        : reader_(std::move(reader)), read_size_(read_size), rows_(parquet::make_batch(schema)) {}

    const RowBatch& rows() const { return rows_; }
    std::size_t row() const { return row_; }
    bool is_at_end() const { return row_ == rows_.rows(); }

    /// Goes to the next row, the first one at first.
    Result<void> advance() {
        if (row_ < rows_.rows()) ++row_;
        if (row_ < rows_.rows() || offset_ == reader_->identity().size_bytes) return {};
        for (parquet::Cells& cells : rows_.columns) cells.clear();
        row_ = 0;
        Bytes bytes = TRY(reader_->read_at(offset_, read_size_));
        if (bytes.size() >= run_prefix_size && run_row_size(bytes) > bytes.size()) {
            bytes = TRY(reader_->read_at(offset_, run_row_size(bytes)));
        }
        BytesView left = bytes;
        do {
            TRY(take_run_row(left, rows_));
        } while (left.size() >= run_prefix_size && run_row_size(left) <= left.size());
        offset_ += bytes.size() - left.size();
        return {};
    }

private:
    std::unique_ptr<object::Reader> reader_;
    const std::size_t read_size_;
    std::uint64_t offset_ = 0;
    RowBatch rows_;
    std::size_t row_ = 0;
};

/// Walks through several runs at once, in order.
class Sorter::Merge {
public:
    explicit Merge(const Sorter& sorter) : sorter_(sorter), heap_(Later{this}) {}

    Result<void> add(std::unique_ptr<Cursor> cursor) {
        TRY(cursor->advance());
        cursors_.push_back(std::move(cursor));
        if (!cursors_.back()->is_at_end()) heap_.push(cursors_.size() - 1);
        return {};
    }

    bool is_at_end() const { return heap_.empty(); }
    const Cursor& top() const { return *cursors_[heap_.top()]; }

    Result<void> advance() {
        const std::size_t index = heap_.top();
        heap_.pop();
        TRY(cursors_[index]->advance());
        if (!cursors_[index]->is_at_end()) heap_.push(index);
        return {};
    }

private:
    struct Later {
        const Merge* merge;
        bool operator()(std::size_t left, std::size_t right) const {
            const Cursor& a = *merge->cursors_[left];
            const Cursor& b = *merge->cursors_[right];
            return merge->sorter_.compare(a.rows(), a.row(), b.rows(), b.row()) > 0;
        }
    };

    const Sorter& sorter_;
    std::vector<std::unique_ptr<Cursor>> cursors_;
    std::priority_queue<std::size_t, std::vector<std::size_t>, Later> heap_;
};

Sorter::Sorter(const model::Schema& schema, object::Store& scratch, std::string scratch_root,
               const SortOptions& options)
    : schema_(schema),
      scratch_(scratch),
      scratch_root_(std::move(scratch_root)),
      options_(options),
      pending_(parquet::make_batch(schema)),
      last_(parquet::make_batch(schema)) {
    ASSERT(options_.memory >= sort_memory_min && options_.merge_ways >= 2);
    for (std::size_t i = 0; i < schema_.columns.size(); ++i) order_.push_back(i);
    std::stable_partition(order_.begin(), order_.end(), [&](std::size_t i) {
        return schema_.columns[i].name == schema_.time_column;
    });
}

Sorter::~Sorter() {
    merge_.reset();
    while (!runs_.empty()) remove_run(runs_.back());
}

int Sorter::compare(const RowBatch& left, std::size_t left_row, const RowBatch& right,
                    std::size_t right_row) const {
    for (const std::size_t i : order_) {
        const int order =
            parquet::compare_cells(left.columns[i], left_row, right.columns[i], right_row);
        if (order != 0) return order;
    }
    return 0;
}

Result<void> Sorter::add(const RowBatch& batch, std::size_t row) {
    ASSERT(sorted_.empty() && !merge_);
    parquet::append_row(pending_, batch, row);
    const std::size_t size = pending_.size_bytes() + pending_.rows() * sizeof(std::size_t);
    return size < options_.memory ? Result<void>() : spill_pending();
}

void Sorter::sort_pending() {
    sorted_.resize(pending_.rows());
    std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
    std::sort(sorted_.begin(), sorted_.end(), [&](std::size_t left, std::size_t right) {
        return compare(pending_, left, pending_, right) < 0;
    });
}

std::string Sorter::next_run_name() {
    return "run-" + std::to_string(++runs_named_);
}

Result<void> Sorter::spill_pending() {
    if (options_.stop.stop_requested()) return cancelled();
    sort_pending();
    const std::string name = next_run_name();
    const auto upload = TRY(scratch_.create({scratch_root_, name}));
    Bytes bytes;
    for (const std::size_t row : sorted_) {
        append_run_row(pending_, row, bytes);
        if (bytes.size() < run_write_size) continue;
        TRY(upload->append(bytes));
        bytes.clear();
    }
    TRY(upload->append(bytes));
    runs_.push_back(name);  // Before it is there: it is removed whatever becomes of it.
    TRY(finish_run(*upload));
    ++runs_spilled_;
    for (parquet::Cells& cells : pending_.columns) cells.clear();
    sorted_.clear();
    return {};
}

Result<std::unique_ptr<Sorter::Merge>> Sorter::open_merge(const std::vector<std::string>& runs) {
    auto merge = std::make_unique<Merge>(*this);
    const std::size_t read_size =
        std::clamp(options_.memory / (2 * runs.size()), run_read_min, run_read_max);
    for (const std::string& name : runs) {
        auto reader = TRY(scratch_.open({scratch_root_, name}));
        TRY(merge->add(std::make_unique<Cursor>(std::move(reader), schema_, read_size)));
    }
    return merge;
}

Result<void> Sorter::write_run(const std::string& name, Merge& merge) {
    const auto upload = TRY(scratch_.create({scratch_root_, name}));
    Bytes bytes;
    while (!merge.is_at_end()) {
        append_run_row(merge.top().rows(), merge.top().row(), bytes);
        TRY(merge.advance());
        if (bytes.size() < run_write_size) continue;
        if (options_.stop.stop_requested()) return cancelled();
        TRY(upload->append(bytes));
        bytes.clear();
    }
    TRY(upload->append(bytes));
    runs_.push_back(name);
    TRY(finish_run(*upload));
    return {};
}

/// Merges the oldest runs into one.
Result<void> Sorter::merge_once() {
    const std::vector<std::string> oldest(
        runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(options_.merge_ways));
    {
        const auto merge = TRY(open_merge(oldest));
        TRY(write_run(next_run_name(), *merge));
    }
    for (const std::string& name : oldest) remove_run(name);
    return {};
}

void Sorter::remove_run(const std::string& name) {
    // What cannot be removed now goes with the scratch folder, which is its owner's to remove.
    static_cast<void>(scratch_.remove({scratch_root_, name}));
    runs_.erase(std::find(runs_.begin(), runs_.end(), name));
}

Result<void> Sorter::finish() {
    if (runs_.empty()) {
        sort_pending();
        return {};
    }
    if (pending_.rows() > 0) TRY(spill_pending());
    while (runs_.size() > options_.merge_ways) TRY(merge_once());
    merge_ = TRY(open_merge(runs_));
    return {};
}

bool Sorter::is_repeated(const RowBatch& batch, std::size_t row) {
    if (!options_.drop_identical) return false;
    if (last_.rows() > 0 && compare(last_, 0, batch, row) == 0) {
        ++rows_dropped_;
        return true;
    }
    for (parquet::Cells& cells : last_.columns) cells.clear();
    parquet::append_row(last_, batch, row);
    return false;
}

Result<std::optional<RowBatch>> Sorter::next() {
    if (options_.stop.stop_requested()) return cancelled();
    RowBatch batch = parquet::make_batch(schema_);
    while (batch.rows() < sorted_batch_rows && batch.size_bytes() < sorted_batch_size_soft) {
        if (merge_) {
            if (merge_->is_at_end()) break;
            const Cursor& top = merge_->top();
            if (!is_repeated(top.rows(), top.row())) {
                parquet::append_row(batch, top.rows(), top.row());
            }
            TRY(merge_->advance());
        } else {
            if (next_sorted_ == sorted_.size()) break;
            const std::size_t row = sorted_[next_sorted_++];
            if (!is_repeated(pending_, row)) parquet::append_row(batch, pending_, row);
        }
    }
    if (batch.rows() == 0) return std::optional<RowBatch>();
    return std::optional(std::move(batch));
}

}  // namespace highwater::stage
