#pragma once

#include "cache/disk.h"

namespace highwater::cache {

/// The files of this machine. Paths are absolute, their folders are there.
class LocalDisk final : public Disk {
public:
    Result<std::optional<FileState>> find_state(const std::string& path) override;
    Result<FileBytes> read(const std::string& path, std::uint64_t offset,
                           std::uint64_t size_max) override;
    Result<void> write(const std::string& path, std::uint64_t offset, BytesView bytes) override;
    Result<void> sync(const std::string& path) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    /// Takes flock(2) on a file of that name, made when it is not there: it goes with its process.
    Result<std::unique_ptr<DiskLock>> try_lock(const std::string& path) override;
};

}  // namespace highwater::cache
