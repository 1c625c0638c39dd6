#include "parquet/write.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/status.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"

namespace highwater::parquet {

namespace {

using model::ColumnType;
using ::parquet::LogicalType;
using ::parquet::schema::PrimitiveNode;

/// What is gathered before it is handed to the upload.
constexpr std::size_t sink_buffer_size = std::size_t{256} << 10U;

/// The upload as a stream of Arrow's: digests what passes and keeps the upload's own failure.
class Sink final : public ::arrow::io::OutputStream {
public:
    explicit Sink(object::Upload& upload) : upload_(upload) {}

    using ::arrow::io::OutputStream::Write;
    ::arrow::Status Write(const void* data, std::int64_t size) override {
        buffer_.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
        position_ += size;
        return buffer_.size() < sink_buffer_size ? ::arrow::Status::OK() : flush();
    }

    ::arrow::Status Close() override {
        closed_ = true;
        return flush();
    }
    bool closed() const override { return closed_; }
    ::arrow::Result<std::int64_t> Tell() const override { return position_; }

    const std::optional<Error>& failure() const { return failure_; }
    std::uint64_t size_bytes() const { return static_cast<std::uint64_t>(position_); }
    /// What comes later is not passed on: Arrow ends a file even when its writer is dropped.
    void abandon() { failure_ = Error(Code::cancelled, "the object was given up"); }
    Digest finish_digest() { return digest_.finish(); }

    ::arrow::Status flush() {
        if (failure_) return ::arrow::Status::IOError(failure_->message());
        if (buffer_.empty()) return ::arrow::Status::OK();
        digest_.update(buffer_);
        const auto appended = upload_.append(buffer_);
        buffer_.clear();
        if (appended.ok()) return ::arrow::Status::OK();
        failure_ = appended.error();
        return ::arrow::Status::IOError(failure_->message());
    }

private:
    object::Upload& upload_;
    Bytes buffer_;
    Sha256 digest_;
    std::int64_t position_ = 0;
    bool closed_ = false;
    std::optional<Error> failure_;
};

LogicalType::TimeUnit::unit unit_of(model::TimeUnit unit) {
    switch (unit) {
        case model::TimeUnit::millisecond: return LogicalType::TimeUnit::MILLIS;
        case model::TimeUnit::microsecond: return LogicalType::TimeUnit::MICROS;
        case model::TimeUnit::nanosecond: return LogicalType::TimeUnit::NANOS;
    }
    return LogicalType::TimeUnit::MICROS;
}

struct FileType {
    ::parquet::Type::type physical;
    std::shared_ptr<const LogicalType> logical;
    int length = -1;
};

FileType file_type_of(const model::Column& column, model::TimeUnit unit) {
    using ::parquet::Type;
    switch (column.type) {
        case ColumnType::boolean: return {Type::BOOLEAN, LogicalType::None()};
        case ColumnType::int8: return {Type::INT32, LogicalType::Int(8, true)};
        case ColumnType::int16: return {Type::INT32, LogicalType::Int(16, true)};
        case ColumnType::int32: return {Type::INT32, LogicalType::None()};
        case ColumnType::int64: return {Type::INT64, LogicalType::None()};
        case ColumnType::uint8: return {Type::INT32, LogicalType::Int(8, false)};
        case ColumnType::uint16: return {Type::INT32, LogicalType::Int(16, false)};
        case ColumnType::uint32: return {Type::INT32, LogicalType::Int(32, false)};
        case ColumnType::uint64: return {Type::INT64, LogicalType::Int(64, false)};
        case ColumnType::float32: return {Type::FLOAT, LogicalType::None()};
        case ColumnType::float64: return {Type::DOUBLE, LogicalType::None()};
        case ColumnType::string: return {Type::BYTE_ARRAY, LogicalType::String()};
        case ColumnType::binary: return {Type::BYTE_ARRAY, LogicalType::None()};
        case ColumnType::date: return {Type::INT32, LogicalType::Date()};
        case ColumnType::timestamp:
            return {Type::INT64, LogicalType::Timestamp(true, unit_of(unit))};
        case ColumnType::decimal:
            return {Type::FIXED_LEN_BYTE_ARRAY,
                    LogicalType::Decimal(column.decimal_precision, column.decimal_scale),
                    static_cast<int>(decimal_size_bytes)};
    }
    ASSERT(false);
    return {};
}

std::shared_ptr<::parquet::schema::GroupNode> make_file_schema(const model::Schema& schema) {
    ::parquet::schema::NodeVector fields;
    for (const model::Column& column : schema.columns) {
        const FileType type = file_type_of(column, schema.unit);
        fields.push_back(PrimitiveNode::Make(
            column.name,
            column.nullable ? ::parquet::Repetition::OPTIONAL : ::parquet::Repetition::REQUIRED,
            type.logical, type.physical, type.length, column.id));
    }
    return std::static_pointer_cast<::parquet::schema::GroupNode>(
        ::parquet::schema::GroupNode::Make("schema", ::parquet::Repetition::REQUIRED, fields));
}

std::shared_ptr<::parquet::WriterProperties> make_properties() {
    ::parquet::WriterProperties::Builder builder;
    builder.version(::parquet::ParquetVersion::PARQUET_2_6)
        ->compression(::parquet::Compression::ZSTD)
        ->enable_page_checksum()
        ->created_by(std::string(created_by));
    return builder.build();
}

/// The values of one column of a row group as Arrow takes them, without the nulls.
template <typename Physical>
std::vector<typename Physical::c_type> gather(const Cells& cells, Bytes& scratch) {
    using Value = typename Physical::c_type;
    std::vector<Value> values;
    values.reserve(cells.size());
    scratch.reserve(cells.size() * decimal_size_bytes);  // The values point into it.
    for (std::size_t row = 0; row < cells.size(); ++row) {
        if (cells.is_null(row)) continue;
        if constexpr (std::is_floating_point_v<Value>) {
            values.push_back(static_cast<Value>(cells.floating_at(row)));
        } else if constexpr (std::is_same_v<Value, bool>) {
            values.push_back(cells.integer_at(row) != 0);
        } else if constexpr (std::is_integral_v<Value>) {
            values.push_back(static_cast<Value>(cells.integer_at(row)));
        } else if constexpr (std::is_same_v<Value, ::parquet::ByteArray>) {
            const BytesView bytes = cells.bytes_at(row);
            values.emplace_back(static_cast<std::uint32_t>(bytes.size()),
                                reinterpret_cast<const std::uint8_t*>(bytes.data()));
        } else {
            const BytesView little = cells.bytes_at(row);
            scratch.append(little.rbegin(), little.rend());
            values.emplace_back(reinterpret_cast<const std::uint8_t*>(
                scratch.data() + scratch.size() - decimal_size_bytes));
        }
    }
    return values;
}

template <typename Physical>
void write_cells(::parquet::ColumnWriter& writer, const Cells& cells, bool nullable) {
    auto& typed = dynamic_cast<::parquet::TypedColumnWriter<Physical>&>(writer);
    std::vector<std::int16_t> levels;
    if (nullable) {
        levels.resize(cells.size());
        for (std::size_t row = 0; row < cells.size(); ++row) levels[row] = !cells.is_null(row);
    }
    Bytes scratch;
    const auto rows = static_cast<std::int64_t>(cells.size());
    if constexpr (std::is_same_v<Physical, ::parquet::BooleanType>) {
        // A vector<bool> has no array of bools to point at.
        const auto values = gather<::parquet::Int32Type>(cells, scratch);
        const auto plain = std::make_unique<bool[]>(values.size() + 1);
        std::copy(values.begin(), values.end(), plain.get());
        typed.WriteBatch(rows, nullable ? levels.data() : nullptr, nullptr, plain.get());
    } else {
        const auto values = gather<Physical>(cells, scratch);
        typed.WriteBatch(rows, nullable ? levels.data() : nullptr, nullptr, values.data());
    }
}

void write_column(::parquet::ColumnWriter& writer, const Cells& cells, bool nullable) {
    using ::parquet::Type;
    switch (writer.type()) {
        case Type::BOOLEAN: return write_cells<::parquet::BooleanType>(writer, cells, nullable);
        case Type::INT32: return write_cells<::parquet::Int32Type>(writer, cells, nullable);
        case Type::INT64: return write_cells<::parquet::Int64Type>(writer, cells, nullable);
        case Type::FLOAT: return write_cells<::parquet::FloatType>(writer, cells, nullable);
        case Type::DOUBLE: return write_cells<::parquet::DoubleType>(writer, cells, nullable);
        case Type::BYTE_ARRAY:
            return write_cells<::parquet::ByteArrayType>(writer, cells, nullable);
        case Type::FIXED_LEN_BYTE_ARRAY:
            return write_cells<::parquet::FLBAType>(writer, cells, nullable);
        default: ASSERT(false);
    }
}

/// Checks that row `row` may stand in a file of `schema`.
Result<void> verify_row(const model::Schema& schema, const RowBatch& batch, std::size_t row) {
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        const model::Column& column = schema.columns[i];
        const Cells& cells = batch.columns[i];
        const std::string name = "column '" + format_quoted(column.name) + "'";
        if (cells.is_null(row)) {
            if (!column.nullable) return Error(Code::invalid_argument, name + " is null");
        } else if (column.type == ColumnType::string && !is_utf8(cells.bytes_at(row))) {
            return Error(Code::invalid_argument, name + " is not UTF-8");
        }
    }
    return {};
}

}  // namespace

class ObjectWriter::State {
public:
    State(object::Upload& upload, const model::Schema& schema, const WriteOptions& options)
        : schema_(schema),
          options_(options),
          sink_(std::make_shared<Sink>(upload)),
          pending_(make_batch(schema)) {
        ASSERT(options.row_group_rows > 0);
        const model::Column* const time = schema_.find(schema_.time_column);
        ASSERT(time != nullptr);
        time_index_ = static_cast<std::size_t>(time - schema_.columns.data());
    }

    ~State() { sink_->abandon(); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Result<void> append(const RowBatch& batch, std::size_t from, std::size_t to) {
        ASSERT(from <= to && to <= batch.rows());
        for (std::size_t row = from; row < to; ++row) {
            TRY(verify_row(schema_, batch, row));
            if (!add_row(fingerprint_, schema_, batch, row)) {
                return Error(Code::invalid_argument, "a time is outside 1677 to 2262");
            }
            const Time time = *to_time(batch.columns[time_index_].integer_at(row), schema_.unit);
            written_.min_time = std::min(written_.min_time.value_or(time), time);
            written_.max_time = std::max(written_.max_time.value_or(time), time);
            append_row(pending_, batch, row);
            if (pending_.rows() == options_.row_group_rows ||
                pending_.size_bytes() >= row_group_size_max) {
                TRY(guard([&] { write_row_group(); }));
            }
        }
        return {};
    }

    std::uint64_t rows() const { return fingerprint_.rows(); }

    Result<WrittenObject> close() {
        TRY(guard([&] {
            if (pending_.rows() > 0) write_row_group();
            open();
            writer_->Close();
            PARQUET_THROW_NOT_OK(sink_->flush());
        }));
        written_.size_bytes = sink_->size_bytes();
        written_.record_count = fingerprint_.rows();
        written_.sha256 = sink_->finish_digest();
        written_.row_fingerprint = to_digest(fingerprint_.sum());
        return written_;
    }

private:
    template <typename Step>
    Result<void> guard(Step step) {
        try {
            step();
            return {};
        } catch (const std::exception& exception) {
            if (sink_->failure()) return *sink_->failure();
            return Error(Code::exhausted, format_quoted(exception.what()));
        }
    }

    void open() {
        if (writer_) return;
        const auto metadata = ::arrow::key_value_metadata(
            {"highwater.table_id", "highwater.schema_version"},
            {options_.table_id, std::to_string(options_.schema_version)});
        writer_ = ::parquet::ParquetFileWriter::Open(sink_, make_file_schema(schema_),
                                                     make_properties(), metadata);
    }

    void write_row_group() {
        open();
        ::parquet::RowGroupWriter* const group = writer_->AppendRowGroup();
        for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
            ::parquet::ColumnWriter* const column = group->NextColumn();
            write_column(*column, pending_.columns[i], schema_.columns[i].nullable);
            column->Close();
        }
        group->Close();
        for (Cells& cells : pending_.columns) cells.clear();
    }

    const model::Schema schema_;
    const WriteOptions options_;
    std::shared_ptr<Sink> sink_;
    std::unique_ptr<::parquet::ParquetFileWriter> writer_;
    RowBatch pending_;
    std::size_t time_index_ = 0;
    model::RowFingerprint fingerprint_;
    WrittenObject written_;
};

ObjectWriter::ObjectWriter(object::Upload& upload, const model::Schema& schema,
                           const WriteOptions& options)
    : state_(std::make_unique<State>(upload, schema, options)) {}

ObjectWriter::~ObjectWriter() = default;

Result<void> ObjectWriter::append(const RowBatch& batch, std::size_t from, std::size_t to) {
    return state_->append(batch, from, to);
}

std::uint64_t ObjectWriter::rows() const {
    return state_->rows();
}

Result<WrittenObject> ObjectWriter::close() {
    return state_->close();
}

}  // namespace highwater::parquet
