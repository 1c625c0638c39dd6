#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "cache/disk.h"

namespace highwater::cache {

/// Files in memory that forget, in a crash, whatever was not made durable.
class MemoryDisk final : public Disk {
public:
    Result<std::optional<FileState>> find_state(const std::string& path) override;
    Result<FileBytes> read(const std::string& path, std::uint64_t offset,
                           std::uint64_t size_max) override;
    Result<void> write(const std::string& path, std::uint64_t offset, BytesView bytes) override;
    Result<void> sync(const std::string& path) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    Result<std::unique_ptr<DiskLock>> try_lock(const std::string& path) override;

    /// Every file is as it was when it was last made durable; every lock is free.
    void crash();

private:
    class Held;

    struct Locks {
        Mutex mutex;
        std::set<std::string> names GUARDED_BY(mutex);
    };

    struct File {
        std::uint64_t inode = 0;
        std::int64_t writes = 0;
        Bytes bytes;
        Bytes durable;
    };

    Mutex mutex_;
    std::map<std::string, std::shared_ptr<File>> files_ GUARDED_BY(mutex_);
    std::map<std::string, std::shared_ptr<File>> durable_files_ GUARDED_BY(mutex_);
    std::uint64_t inodes_ GUARDED_BY(mutex_) = 0;
    // Shared with the holders; those from before a crash hold locks that count no more.
    std::shared_ptr<Locks> locks_ GUARDED_BY(mutex_) = std::make_shared<Locks>();
};

}  // namespace highwater::cache
