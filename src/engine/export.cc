#include "engine/export.h"

#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <errno.h>
#include <fcntl.h>
#include <parquet/arrow/writer.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/try.h"
#include "engine/arrow_columns.h"

namespace highwater::engine {

namespace {

Result<void> check(const ::arrow::Status& status) {
    if (!status.ok()) return error_of(status);
    return {};
}

/// A file beside its place that goes unless it is put there.
class NewFile {
public:
    static Result<NewFile> create(const std::string& path) {
        std::string temporary = path + ".XXXXXX";
        const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
        if (descriptor < 0) return reason_of("create " + format_quoted(path), errno);
        constexpr unsigned readable_by_all = 0644;
        ::fchmod(descriptor, readable_by_all);
        ::close(descriptor);
        return NewFile(path, std::move(temporary));
    }

    NewFile(NewFile&& other) noexcept
        : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile() {
        if (!temporary_.empty()) ::unlink(temporary_.c_str());
    }

    const std::string& temporary() const { return temporary_; }

    /// A link never replaces what is there.
    Result<void> put_in_place() const {
        if (::link(temporary_.c_str(), path_.c_str()) == 0) return {};
        return reason_of("create " + format_quoted(path_), errno);
    }

private:
    NewFile(std::string path, std::string temporary)
        : path_(std::move(path)), temporary_(std::move(temporary)) {}

    static Error reason_of(const std::string& what, int reason) {
        const Code code = reason == EEXIST   ? Code::already_exists
                          : reason == ENOSPC ? Code::exhausted
                                             : Code::unavailable;
        return {code, what + ": " + std::generic_category().message(reason)};
    }

    std::string path_;
    std::string temporary_;
};

using Write = std::function<::arrow::Status(const ::arrow::RecordBatch&)>;

Result<void> write_batches(const ResultTable& table, const std::shared_ptr<::arrow::Schema>& schema,
                           const Write& write) {
    RowCursor cursor = table.read();
    while (const auto batch = TRY(cursor.next())) {
        std::vector<std::shared_ptr<::arrow::Array>> arrays;
        for (std::size_t i = 0; i < batch->columns.size(); ++i) {
            arrays.push_back(TRY(make_array(table.columns()[i], batch->columns[i])));
        }
        const auto rows = static_cast<std::int64_t>(batch->rows());
        TRY(check(write(*::arrow::RecordBatch::Make(schema, rows, std::move(arrays)))));
    }
    return {};
}

Result<void> write_parquet(const ResultTable& table, const std::shared_ptr<::arrow::Schema>& schema,
                           const std::shared_ptr<::arrow::io::OutputStream>& out) {
    const auto properties = ::parquet::WriterProperties::Builder()
                                .compression(::arrow::Compression::ZSTD)
                                ->version(::parquet::ParquetVersion::PARQUET_2_6)
                                ->build();
    const auto arrow_properties =
        ::parquet::ArrowWriterProperties::Builder().store_schema()->build();
    auto opened = ::parquet::arrow::FileWriter::Open(*schema, ::arrow::default_memory_pool(), out,
                                                     properties, arrow_properties);
    TRY(check(opened.status()));
    const auto writer = *std::move(opened);
    // Batches are collected into row groups of the writer's own size.
    TRY(write_batches(table, schema, [&](const ::arrow::RecordBatch& batch) {
        return writer->WriteRecordBatch(batch);
    }));
    return check(writer->Close());
}

Result<void> write_ipc(const ResultTable& table, const std::shared_ptr<::arrow::Schema>& schema,
                       const std::shared_ptr<::arrow::io::OutputStream>& out) {
    auto opened = ::arrow::ipc::MakeFileWriter(out, schema);
    TRY(check(opened.status()));
    const auto writer = *std::move(opened);
    TRY(write_batches(table, schema, [&](const ::arrow::RecordBatch& batch) {
        return writer->WriteRecordBatch(batch);
    }));
    return check(writer->Close());
}

Result<void> write_to(const ResultTable& table, FileFormat format, const std::string& path) {
    std::vector<std::shared_ptr<::arrow::Field>> fields;
    for (const ResultColumn& column : table.columns()) {
        fields.push_back(::arrow::field(column.name, arrow_type(column)));
    }
    const auto schema = ::arrow::schema(std::move(fields));
    auto opened = ::arrow::io::FileOutputStream::Open(path);
    TRY(check(opened.status()));
    const auto out = *std::move(opened);
    TRY(format == FileFormat::parquet ? write_parquet(table, schema, out)
                                      : write_ipc(table, schema, out));
    return check(out->Close());
}

}  // namespace

std::string_view to_text(FileFormat format) {
    return format == FileFormat::parquet ? "parquet" : "arrow";
}

std::optional<FileFormat> parse_file_format(std::string_view text) {
    if (text == "parquet") return FileFormat::parquet;
    if (text == "arrow") return FileFormat::arrow;
    return std::nullopt;
}

Result<void> write_file(const ResultTable& table, FileFormat format, const std::string& path) {
    const NewFile file = TRY(NewFile::create(path));
    TRY(guard([&]() -> Result<void> { return write_to(table, format, file.temporary()); }));
    return file.put_in_place();
}

}  // namespace highwater::engine
