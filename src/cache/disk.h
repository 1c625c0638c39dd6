#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace highwater::cache {

/// Tells, without reading it, that a file is not as it was.
struct FileState {
    std::uint64_t inode = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t mtime_ns = 0;

    friend bool operator==(const FileState&, const FileState&) = default;
};

/// The rest of a file, and the state of the file that it was read from.
struct FileBytes {
    FileState state;
    Bytes bytes;
};

/// Held until it is destroyed, by one holder of all threads and processes.
class DiskLock {
public:
    virtual ~DiskLock() = default;
};

/// Files that are changed in place: what the cache file needs of a disk, step by step, so that each
/// step can be made to fail.
///
/// Thread-safety: every method, from any thread and process.
/// Errors of every method: unavailable (for a reading: nothing was read; for a writing: any part of
/// it may have been done), exhausted (no space).
class Disk {
public:
    virtual ~Disk() = default;

    /// Nothing when there is no such file.
    virtual Result<std::optional<FileState>> find_state(const std::string& path) = 0;

    /// The file from `offset` to its end, at most `size_max` bytes of it.
    ///
    /// Errors: not_found.
    virtual Result<FileBytes> read(const std::string& path, std::uint64_t offset,
                                   std::uint64_t size_max) = 0;

    /// Cuts the file at `offset`, or makes it, and writes `bytes` there. Not yet durable.
    virtual Result<void> write(const std::string& path, std::uint64_t offset, BytesView bytes) = 0;

    /// After it a crash keeps what was written to the file.
    virtual Result<void> sync(const std::string& path) = 0;

    /// Puts `from` in the place of `to`, at once; durable after it.
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;

    /// The lock that goes by the name `path`, or null when someone else holds it.
    virtual Result<std::unique_ptr<DiskLock>> try_lock(const std::string& path) = 0;
};

}  // namespace highwater::cache
