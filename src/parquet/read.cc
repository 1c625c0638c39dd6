#include "parquet/read.h"

#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"
#include "parquet/decode.h"
#include "parquet/file.h"
#include "parquet/match.h"

namespace highwater::parquet {

namespace {

/// The values of one column chunk. Throws as Arrow does.
class Chunk {
public:
    virtual ~Chunk() = default;
    /// Appends exactly `rows` cells. Errors: corrupt when there are fewer, those of decode.h.
    virtual Result<void> read(std::size_t rows, Cells& cells) = 0;
    virtual bool has_more() = 0;
};

template <typename Physical>
class TypedChunk final : public Chunk {
public:
    TypedChunk(std::shared_ptr<::parquet::ColumnReader> reader, const CellPlan& plan)
        : reader_(std::dynamic_pointer_cast<::parquet::TypedColumnReader<Physical>>(reader)),
          plan_(plan),
          width_(static_cast<std::size_t>(std::max(reader->descr()->type_length(), 0))) {
        ASSERT(reader_ != nullptr);
    }

    Result<void> read(std::size_t rows, Cells& cells) override {
        for (std::size_t done = 0; done < rows;) {
            const std::size_t wanted = std::min(rows - done, step_rows);
            std::int64_t values = 0;
            // A column that is required has no levels: they stay at 1, "there".
            levels_.fill(1);
            const std::int64_t count =
                reader_->ReadBatch(static_cast<std::int64_t>(wanted), levels_.data(), nullptr,
                                   values_.data(), &values);
            if (count <= 0 || static_cast<std::size_t>(count) > wanted) {
                return Error(Code::corrupt, "fewer values than rows");
            }
            TRY(append(static_cast<std::size_t>(count), values, cells));
            done += static_cast<std::size_t>(count);
        }
        return {};
    }

    bool has_more() override { return reader_->HasNext(); }

private:
    Result<void> append(std::size_t count, std::int64_t values, Cells& cells) {
        std::int64_t next = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (levels_[i] == 0) {
                cells.append_null();
                continue;
            }
            if (next == values) return Error(Code::corrupt, "fewer values than levels");
            TRY(append_value(values_[static_cast<std::size_t>(next++)], cells));
        }
        if (next != values) return Error(Code::corrupt, "more values than levels");
        return {};
    }

    Result<void> append_value(const typename Physical::c_type& value, Cells& cells) {
        using Value = typename Physical::c_type;
        if (!plan_.from.type) {
            cells.append_null();
            return {};
        }
        if constexpr (std::is_floating_point_v<Value>) {
            cells.append_floating(static_cast<double>(value));
            return {};
        } else if constexpr (std::is_integral_v<Value>) {
            return append_integer(plan_, static_cast<std::int64_t>(value), cells);
        } else if constexpr (std::is_same_v<Value, ::parquet::Int96>) {
            return append_int96(plan_, {value.value[0], value.value[1], value.value[2]}, cells);
        } else {
            const auto* data = reinterpret_cast<const char*>(value.ptr);
            if constexpr (std::is_same_v<Value, ::parquet::ByteArray>) {
                return append_bytes(plan_, BytesView(data, value.len), cells);
            } else {
                return append_bytes(plan_, BytesView(data, width_), cells);
            }
        }
    }

    std::shared_ptr<::parquet::TypedColumnReader<Physical>> reader_;
    const CellPlan& plan_;
    std::size_t width_;  // Of fixed-length values.
    std::array<std::int16_t, step_rows> levels_;
    std::array<typename Physical::c_type, step_rows> values_;
};

std::unique_ptr<Chunk> make_chunk(const std::shared_ptr<::parquet::ColumnReader>& reader,
                                  const CellPlan& plan) {
    switch (reader->type()) {
        case ::parquet::Type::BOOLEAN:
            return std::make_unique<TypedChunk<::parquet::BooleanType>>(reader, plan);
        case ::parquet::Type::INT32:
            return std::make_unique<TypedChunk<::parquet::Int32Type>>(reader, plan);
        case ::parquet::Type::INT64:
            return std::make_unique<TypedChunk<::parquet::Int64Type>>(reader, plan);
        case ::parquet::Type::INT96:
            return std::make_unique<TypedChunk<::parquet::Int96Type>>(reader, plan);
        case ::parquet::Type::FLOAT:
            return std::make_unique<TypedChunk<::parquet::FloatType>>(reader, plan);
        case ::parquet::Type::DOUBLE:
            return std::make_unique<TypedChunk<::parquet::DoubleType>>(reader, plan);
        case ::parquet::Type::BYTE_ARRAY:
            return std::make_unique<TypedChunk<::parquet::ByteArrayType>>(reader, plan);
        case ::parquet::Type::FIXED_LEN_BYTE_ARRAY:
            return std::make_unique<TypedChunk<::parquet::FLBAType>>(reader, plan);
        default: return nullptr;
    }
}

}  // namespace

class RowReader::State {
public:
    explicit State(const object::Reader& reader) : file_(reader) {}

    Result<void> open(const model::Schema& schema, const ReadOptions& options) {
        TRY(open_footer());
        schema_ = schema;
        limits_ = options.limits;
        for (const model::Column& column : schema_.columns) {
            auto& source = columns_.emplace_back();
            const auto index = find_file_column(footer_.facts, column);
            if (!index) continue;
            source.index = static_cast<int>(*index);
            source.plan = {.from = footer_.facts.columns[*index],
                           .unit = schema_.unit,
                           .local_zone = options.local_zone,
                           .truncate_times = options.truncate_times};
            ASSERT(source.plan.from.type.has_value());
        }
        return open_data();
    }

    /// To decode every column by the file's own word. Values of no type of ours, and times without
    /// a declared unit, become nulls.
    Result<void> open_all_columns() {
        TRY(open_footer());
        for (std::size_t i = 0; i < footer_.facts.columns.size(); ++i) {
            FileColumn column = footer_.facts.columns[i];
            if (column.is_int96) column.type.reset();
            schema_.columns.push_back({.id = static_cast<std::int32_t>(i) + 1,
                                       .name = column.name,
                                       .type = column.type.value_or(model::ColumnType::boolean),
                                       .decimal_precision = column.decimal_precision,
                                       .decimal_scale = column.decimal_scale});
            const model::TimeUnit unit = column.unit.value_or(model::TimeUnit::nanosecond);
            auto& source = columns_.emplace_back();
            source.index = static_cast<int>(i);
            source.plan = {.from = std::move(column), .unit = unit};
        }
        return open_data();
    }

    Result<std::optional<RowBatch>> next() {
        RowBatch batch = make_batch(schema_);
        while (batch.rows() < batch_rows_max && batch.size_bytes() < limits_.batch_size_soft) {
            if (rows_left_ == 0) TRY(open_next_group());
            if (rows_left_ == 0) break;
            const std::size_t rows =
                std::min<std::uint64_t>({rows_left_, step_rows, batch_rows_max - batch.rows()});
            TRY(read_step(rows, batch));
            rows_left_ -= rows;
            if (rows_left_ == 0) TRY(verify_group_ends());
        }
        if (batch.rows() == 0) return std::optional<RowBatch>();
        return std::optional(std::move(batch));
    }

    const FileFacts& facts() const { return footer_.facts; }

private:
    struct ColumnSource {
        int index = -1;  // In the file; -1: the file lacks it.
        CellPlan plan;
        std::unique_ptr<Chunk> chunk;
    };

    Result<void> open_footer() {
        footer_ = TRY(load_footer(file_, ""));
        switch (footer_.facts.verdict) {
            case Verdict::readable: return {};
            case Verdict::footer_invalid: return Error(Code::corrupt, footer_.facts.reason);
            case Verdict::unsupported: return Error(Code::unsupported, footer_.facts.reason);
        }
        return {};
    }

    Result<void> open_data() {
        return file_.guard([&]() -> Result<void> {
            parquet_ = ::parquet::ParquetFileReader::Open(
                file_.source(), file_.properties(footer_.size_bytes), footer_.metadata);
            return {};
        });
    }

    /// Opens the next row group that has rows; after the last, no rows are left.
    Result<void> open_next_group() {
        while (group_ < footer_.metadata->num_row_groups()) {
            const int index = group_++;
            for (ColumnSource& source : columns_) {
                if (source.index < 0) continue;
                TRY(guard_column(source, [&]() -> Result<void> {
                    const auto group = parquet_->RowGroup(index);
                    rows_left_ = static_cast<std::uint64_t>(group->metadata()->num_rows());
                    source.chunk = make_chunk(group->Column(source.index), source.plan);
                    ASSERT(source.chunk != nullptr);
                    return {};
                }));
            }
            if (rows_left_ > 0) return {};
        }
        return {};
    }

    Result<void> read_step(std::size_t rows, RowBatch& batch) {
        const std::size_t size_before = batch.size_bytes();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            Cells& cells = batch.columns[i];
            if (columns_[i].index < 0) {
                for (std::size_t row = 0; row < rows; ++row) cells.append_null();
                continue;
            }
            TRY(guard_column(columns_[i], [&] { return columns_[i].chunk->read(rows, cells); }));
            if (batch.size_bytes() - size_before > limits_.step_size_max) {
                return Error(Code::unsupported, std::to_string(rows) + " rows hold more than " +
                                                    std::to_string(limits_.step_size_max) +
                                                    " bytes");
            }
        }
        return {};
    }

    Result<void> verify_group_ends() {
        for (ColumnSource& source : columns_) {
            if (source.index < 0) continue;
            TRY(guard_column(source, [&]() -> Result<void> {
                if (source.chunk->has_more()) return Error(Code::corrupt, "more values than rows");
                return {};
            }));
        }
        return {};
    }

    /// Runs `step` on one column; what goes wrong names the column.
    template <typename Step>
    Result<void> guard_column(const ColumnSource& source, Step step) {
        auto done = file_.guard(step);
        if (done.ok()) return done;
        return std::move(done).within("column '" + format_quoted(source.plan.from.name) + "'");
    }

    File file_;
    model::Schema schema_;
    ReadLimits limits_;
    Footer footer_;
    std::unique_ptr<::parquet::ParquetFileReader> parquet_;
    std::vector<ColumnSource> columns_;
    int group_ = 0;
    std::uint64_t rows_left_ = 0;  // In the open row group.
};

RowReader::RowReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader& RowReader::operator=(RowReader&&) noexcept = default;
RowReader::~RowReader() = default;

Result<RowReader> RowReader::open(const object::Reader& file, const model::Schema& schema,
                                  const ReadOptions& options) {
    auto state = std::make_unique<State>(file);
    TRY(state->open(schema, options));
    return RowReader(std::move(state));
}

Result<RowReader> RowReader::open_all_columns(const object::Reader& file) {
    auto state = std::make_unique<State>(file);
    TRY(state->open_all_columns());
    return RowReader(std::move(state));
}

Result<std::optional<RowBatch>> RowReader::next() {
    return state_->next();
}

const FileFacts& RowReader::facts() const {
    return state_->facts();
}

}  // namespace highwater::parquet
