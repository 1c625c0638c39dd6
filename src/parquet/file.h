#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "object/store.h"
#include "parquet/inspect.h"

// Names of Arrow that pass through here without their headers.
namespace arrow {
class MemoryPool;
namespace io {
class RandomAccessFile;
}
}  // namespace arrow
namespace parquet {
class FileMetaData;
class ReaderProperties;
}  // namespace parquet

namespace highwater::parquet {

/// Memory that decoding one file may hold at a time, beside the rows that were decoded.
constexpr std::int64_t decode_memory_max = std::int64_t{1} << 30;

/// Files of up to this size are read with one request and decoded from memory.
constexpr std::uint64_t whole_read_max = std::uint64_t{4} << 20U;

/// What is read ahead of each column of a larger file.
constexpr std::int64_t column_buffer_size = std::int64_t{256} << 10;

/// One object as Arrow reads it: the store's own failures are kept, so that they are told apart
/// from bytes that Arrow cannot make sense of; memory is limited; nothing of Arrow's leaves as
/// exception.
///
/// Lifetime: `reader` outlives the file. Not thread-safe.
class File {
public:
    explicit File(const object::Reader& reader);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::uint64_t size_bytes() const;

    /// Bytes [offset, offset + size). Requires: they lie within `size_bytes`.
    ///
    /// Errors: unavailable (the store); corrupt (the store gave fewer).
    Result<Bytes> read(std::uint64_t offset, std::uint64_t size);

    std::shared_ptr<::arrow::io::RandomAccessFile> source() const;
    ::arrow::MemoryPool* pool() const;

    /// How to read, with every limit of this room set, for a footer of `footer_size` bytes.
    ::parquet::ReaderProperties properties(std::uint64_t footer_size) const;

    /// Runs `step`, which may throw as Arrow does. An exception becomes
    ///   unavailable  the store failed meanwhile;
    ///   unsupported  Arrow cannot do it, or a limit was reached;
    ///   corrupt      anything else: bytes that make no sense.
    template <typename Step>
    Result<void> guard(Step step) {
        try {
            return step();
        } catch (...) {
            return error_of_exception();
        }
    }

private:
    class Pool;
    class Source;

    Error error_of_exception() const;

    std::unique_ptr<Pool> pool_;
    std::shared_ptr<Source> source_;
};

/// A footer that was read: what it says, and Arrow's own form of it when it is readable.
struct Footer {
    FileFacts facts;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<::parquet::FileMetaData> metadata;
};

/// Reads and checks the footer. Broken bytes are a verdict. Errors: unavailable.
Result<Footer> load_footer(File& file, std::string_view time_column);

}  // namespace highwater::parquet
