#include "parquet/file.h"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/status.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "base/text.h"
#include "base/try.h"

namespace highwater::parquet {

namespace {

/// The most elements that one list of a footer or page header may claim.
constexpr std::uint64_t thrift_elements_max = 1'000'000;
constexpr std::uint64_t thrift_string_size_max = std::uint64_t{100} << 20U;

std::int32_t limited(std::uint64_t size, std::uint64_t limit) {
    // Page headers, too, are read under these limits, however small the footer is.
    constexpr std::uint64_t floor = 4'096;
    return static_cast<std::int32_t>(std::clamp(size, floor, limit));
}

}  // namespace

/// Arrow's memory up to a limit; beyond it an allocation fails as if the machine had no more.
class File::Pool final : public ::arrow::MemoryPool {
public:
    ::arrow::Status Allocate(std::int64_t size, std::int64_t alignment,
                             std::uint8_t** out) override {
        if (!reserve(size)) return refusal();
        const auto status = inner_->Allocate(size, alignment, out);
        if (!status.ok()) allocated_ -= size;
        return status;
    }

    ::arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                               std::uint8_t** pointer) override {
        if (!reserve(new_size - old_size)) return refusal();
        const auto status = inner_->Reallocate(old_size, new_size, alignment, pointer);
        if (!status.ok()) allocated_ -= new_size - old_size;
        return status;
    }

    void Free(std::uint8_t* buffer, std::int64_t size, std::int64_t alignment) override {
        inner_->Free(buffer, size, alignment);
        allocated_ -= size;
    }

    std::int64_t bytes_allocated() const override { return allocated_; }
    std::int64_t total_bytes_allocated() const override { return inner_->total_bytes_allocated(); }
    std::int64_t num_allocations() const override { return inner_->num_allocations(); }
    std::string backend_name() const override { return inner_->backend_name(); }

private:
    bool reserve(std::int64_t size) {
        const std::int64_t before = allocated_.fetch_add(size);
        if (size <= 0 || before <= decode_memory_max - size) return true;
        allocated_ -= size;
        return false;
    }

    static ::arrow::Status refusal() {
        return ::arrow::Status::OutOfMemory("decoding needs more than ",
                                            std::to_string(decode_memory_max), " bytes");
    }

    ::arrow::MemoryPool* inner_ = ::arrow::default_memory_pool();
    std::atomic<std::int64_t> allocated_ = 0;
};

/// The object as a file of Arrow's.
class File::Source final : public ::arrow::io::RandomAccessFile {
public:
    Source(const object::Reader& reader, ::arrow::MemoryPool* pool)
        : reader_(reader), pool_(pool) {}

    std::uint64_t size_bytes() const { return reader_.identity().size_bytes; }
    const std::optional<Error>& failure() const { return failure_; }

    Result<Bytes> read(std::uint64_t offset, std::uint64_t size) {
        if (size_bytes() > whole_read_max) return read_through(offset, size);
        if (!whole_) whole_ = TRY(read_through(0, size_bytes()));
        return whole_->substr(offset, size);
    }

    ::arrow::Result<std::int64_t> ReadAt(std::int64_t position, std::int64_t size,
                                         void* out) override {
        const std::int64_t end = static_cast<std::int64_t>(size_bytes());
        if (position < 0 || size < 0 || position > end) {
            return ::arrow::Status::Invalid("a read outside the file");
        }
        const std::int64_t length = std::min(size, end - position);
        const auto bytes =
            read(static_cast<std::uint64_t>(position), static_cast<std::uint64_t>(length));
        if (!bytes.ok()) return ::arrow::Status::IOError(bytes.error().message());
        std::memcpy(out, bytes->data(), bytes->size());
        return length;
    }

    ::arrow::Result<std::shared_ptr<::arrow::Buffer>> ReadAt(std::int64_t position,
                                                             std::int64_t size) override {
        // Before anything is allocated: a footer may claim any length.
        const std::int64_t end = static_cast<std::int64_t>(size_bytes());
        if (position < 0 || size < 0 || position > end) {
            return ::arrow::Status::Invalid("a read outside the file");
        }
        const std::int64_t length = std::min(size, end - position);
        ARROW_ASSIGN_OR_RAISE(auto buffer, ::arrow::AllocateBuffer(length, pool_));
        ARROW_ASSIGN_OR_RAISE(const std::int64_t read,
                              ReadAt(position, length, buffer->mutable_data()));
        static_cast<void>(read);
        return std::shared_ptr<::arrow::Buffer>(std::move(buffer));
    }

    ::arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override {
        ARROW_ASSIGN_OR_RAISE(const std::int64_t read, ReadAt(position_, size, out));
        position_ += read;
        return read;
    }

    ::arrow::Result<std::shared_ptr<::arrow::Buffer>> Read(std::int64_t size) override {
        ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, size));
        position_ += buffer->size();
        return buffer;
    }

    ::arrow::Result<std::int64_t> GetSize() override {
        return static_cast<std::int64_t>(size_bytes());
    }
    ::arrow::Status Seek(std::int64_t position) override {
        position_ = position;
        return ::arrow::Status::OK();
    }
    ::arrow::Result<std::int64_t> Tell() const override { return position_; }
    ::arrow::Status Close() override {
        closed_ = true;
        return ::arrow::Status::OK();
    }
    bool closed() const override { return closed_; }

private:
    Result<Bytes> read_through(std::uint64_t offset, std::uint64_t size) {
        auto bytes = reader_.read_at(offset, size);
        if (bytes.ok() && bytes->size() != size) {
            bytes = Error(Code::corrupt, "the object ends before its size says");
        }
        if (!bytes.ok() && !failure_) failure_ = bytes.error();
        return bytes;
    }

    const object::Reader& reader_;
    ::arrow::MemoryPool* const pool_;
    std::optional<Bytes> whole_;
    std::optional<Error> failure_;
    std::int64_t position_ = 0;
    bool closed_ = false;
};

File::File(const object::Reader& reader)
    : pool_(std::make_unique<Pool>()), source_(std::make_shared<Source>(reader, pool_.get())) {}

File::~File() = default;

std::uint64_t File::size_bytes() const {
    return source_->size_bytes();
}

Result<Bytes> File::read(std::uint64_t offset, std::uint64_t size) {
    return source_->read(offset, size);
}

std::shared_ptr<::arrow::io::RandomAccessFile> File::source() const {
    return source_;
}

::arrow::MemoryPool* File::pool() const {
    return pool_.get();
}

::parquet::ReaderProperties File::properties(std::uint64_t footer_size) const {
    ::parquet::ReaderProperties properties(pool_.get());
    properties.set_page_checksum_verification(true);
    properties.set_thrift_string_size_limit(limited(footer_size, thrift_string_size_max));
    properties.set_thrift_container_size_limit(limited(footer_size, thrift_elements_max));
    if (size_bytes() > whole_read_max) {
        properties.enable_buffered_stream();
        properties.set_buffer_size(column_buffer_size);
    }
    return properties;
}

Error File::error_of_exception() const {
    if (source_->failure()) return *source_->failure();
    try {
        throw;
    } catch (const ::parquet::ParquetStatusException& exception) {
        const bool known =
            exception.status().IsNotImplemented() || exception.status().IsOutOfMemory();
        return Error(known ? Code::unsupported : Code::corrupt,
                     format_quoted(exception.status().message()));
    } catch (const std::bad_alloc&) {
        return Error(Code::unsupported, "decoding needs more memory than there is");
    } catch (const std::exception& exception) {
        const std::string_view what = exception.what();
        const bool known = what.starts_with("Not yet implemented") ||
                           what.find("Unknown encoding") != std::string_view::npos ||
                           what.find("Unsupported encoding") != std::string_view::npos;
        return Error(known ? Code::unsupported : Code::corrupt, format_quoted(what));
    }
}

}  // namespace highwater::parquet
