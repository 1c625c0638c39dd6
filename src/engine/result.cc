#include "engine/result.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/try.h"
#include "engine/spill_file.h"

namespace highwater::engine {

namespace {

using parquet::Cells;
using parquet::RowBatch;
using parquet::Storage;

void append_word(Bytes& out, std::uint64_t value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_cell(Bytes& out, const Cells& cells, std::size_t row) {
    out += static_cast<char>(cells.is_null(row));
    if (cells.is_null(row)) return;
    switch (parquet::storage_of(cells.type())) {
        case Storage::integer:
            return append_word(out, static_cast<std::uint64_t>(cells.integer_at(row)));
        case Storage::floating: {
            const double value = cells.floating_at(row);
            out.append(reinterpret_cast<const char*>(&value), sizeof(value));
            return;
        }
        case Storage::bytes: {
            const BytesView value = cells.bytes_at(row);
            append_word(out, value.size());
            out.append(value);
            return;
        }
    }
}

/// Native byte order: the bytes never leave the process.
Bytes encode_batch(const RowBatch& batch) {
    Bytes out;
    out.reserve(batch.size_bytes() + batch.size_bytes() / 4);
    append_word(out, batch.rows());
    for (const Cells& cells : batch.columns) {
        for (std::size_t row = 0; row < cells.size(); ++row) append_cell(out, cells, row);
    }
    return out;
}

/// Takes what append_cell wrote; false when the bytes end early.
class Decoder {
public:
    explicit Decoder(BytesView bytes) : rest_(bytes) {}

    bool is_empty() const { return rest_.empty(); }

    bool take(void* out, std::size_t size) {
        if (rest_.size() < size) return false;
        std::memcpy(out, rest_.data(), size);
        rest_.remove_prefix(size);
        return true;
    }

    bool take_cell(Cells& cells) {
        char is_null = 0;
        if (!take(&is_null, 1)) return false;
        if (is_null != 0) {
            cells.append_null();
            return true;
        }
        std::uint64_t word = 0;
        if (!take(&word, sizeof(word))) return false;
        switch (parquet::storage_of(cells.type())) {
            case Storage::integer: cells.append_integer(static_cast<std::int64_t>(word)); break;
            case Storage::floating: {
                double value = 0;
                std::memcpy(&value, &word, sizeof(value));
                cells.append_floating(value);
                break;
            }
            case Storage::bytes:
                if (rest_.size() < word) return false;
                cells.append_bytes(rest_.substr(0, word));
                rest_.remove_prefix(word);
                break;
        }
        return true;
    }

private:
    BytesView rest_;
};

std::optional<RowBatch> decode_batch(BytesView bytes, const std::vector<ResultColumn>& columns) {
    Decoder decoder(bytes);
    std::uint64_t rows = 0;
    if (!decoder.take(&rows, sizeof(rows))) return std::nullopt;
    RowBatch batch;
    for (const ResultColumn& column : columns) {
        Cells& cells = batch.columns.emplace_back(column.type);
        for (std::uint64_t row = 0; row < rows; ++row) {
            if (!decoder.take_cell(cells)) return std::nullopt;
        }
    }
    if (!decoder.is_empty()) return std::nullopt;
    return batch;
}

void tell_apart(std::vector<ResultColumn>& columns) {
    std::set<std::string> taken;
    for (const ResultColumn& column : columns) taken.insert(column.name);
    std::set<std::string> used;
    for (ResultColumn& column : columns) {
        const std::string name = column.name;
        for (int suffix = 1; !used.insert(column.name).second; ++suffix) {
            std::string other = name + "_" + std::to_string(suffix);
            if (!taken.contains(other)) column.name = std::move(other);
        }
    }
}

}  // namespace

struct ResultTable::State {
    std::vector<ResultColumn> columns;
    std::string directory;
    ResultLimits limits;
    std::uint64_t row_count = 0;
    std::uint64_t size_bytes = 0;
    std::vector<RowBatch> batches;  // Until they are too many; then all of them are in the file.
    std::optional<SpillFile> file;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;  // Offset and size, a batch each.

    Result<void> write(const RowBatch& batch) {
        const Bytes bytes = encode_batch(batch);
        const std::uint64_t offset = file->size_bytes();
        TRY(file->append(bytes));
        extents.emplace_back(offset, bytes.size());
        return {};
    }

    Result<void> spill() {
        file.emplace(TRY(SpillFile::create(directory)));
        for (const RowBatch& batch : batches) TRY(write(batch));
        batches = {};
        return {};
    }
};

ResultColumn make_result_column(const model::Column& column, model::TimeUnit unit) {
    return {.name = column.name,
            .type = column.type,
            .unit = unit,
            .decimal_precision = column.decimal_precision,
            .decimal_scale = column.decimal_scale};
}

ResultTable::ResultTable(std::shared_ptr<const State> state) : state_(std::move(state)) {}

const std::vector<ResultColumn>& ResultTable::columns() const {
    return state_->columns;
}

std::uint64_t ResultTable::row_count() const {
    return state_->row_count;
}

std::uint64_t ResultTable::size_bytes() const {
    return state_->size_bytes;
}

bool ResultTable::is_spilled() const {
    return state_->file.has_value();
}

RowCursor ResultTable::read() const {
    return RowCursor(state_);
}

RowCursor::RowCursor(std::shared_ptr<const ResultTable::State> state) : state_(std::move(state)) {}

Result<std::optional<RowBatch>> RowCursor::next() {
    if (!state_->file) {
        if (at_batch_ == state_->batches.size()) return std::optional<RowBatch>();
        return std::optional(state_->batches[at_batch_++]);
    }
    if (at_batch_ == state_->extents.size()) return std::optional<RowBatch>();
    const auto [offset, size] = state_->extents[at_batch_++];
    const Bytes bytes = TRY(state_->file->read_at(offset, size));
    auto batch = decode_batch(bytes, state_->columns);
    if (!batch) return Error(Code::corrupt, "a temporary file is not what was written to it");
    return batch;
}

ResultWriter::ResultWriter(std::vector<ResultColumn> columns, std::string directory,
                           const ResultLimits& limits)
    : state_(std::make_shared<ResultTable::State>()) {
    tell_apart(columns);
    state_->columns = std::move(columns);
    state_->directory = std::move(directory);
    state_->limits = limits;
}

ResultWriter::~ResultWriter() = default;
ResultWriter::ResultWriter(ResultWriter&&) noexcept = default;
ResultWriter& ResultWriter::operator=(ResultWriter&&) noexcept = default;

const std::vector<ResultColumn>& ResultWriter::columns() const {
    return state_->columns;
}

Result<void> ResultWriter::append(RowBatch batch) {
    ASSERT(batch.columns.size() == state_->columns.size());
    if (batch.rows() == 0) return {};
    const ResultLimits& limits = state_->limits;
    state_->row_count += batch.rows();
    if (state_->row_count > limits.rows_max) {
        return Error(Code::exhausted,
                     "the answer has more than " + std::to_string(limits.rows_max) + " rows");
    }
    state_->size_bytes += batch.size_bytes();
    if (state_->size_bytes > limits.size_bytes_max) {
        return Error(Code::exhausted, "the answer has more than " +
                                          std::to_string(limits.size_bytes_max) + " bytes");
    }
    if (!state_->file && state_->size_bytes > limits.memory_bytes_max) TRY(state_->spill());
    if (state_->file) return state_->write(batch);
    state_->batches.push_back(std::move(batch));
    return {};
}

ResultTable ResultWriter::finish() && {
    return ResultTable(std::move(state_));
}

}  // namespace highwater::engine
