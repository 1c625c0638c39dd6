#include "cache/memory_disk.h"

namespace highwater::cache {

namespace {

Error no_file(const std::string& path) {
    return {Code::not_found, "no file '" + path + "'"};
}

}  // namespace

class MemoryDisk::Held final : public DiskLock {
public:
    Held(std::shared_ptr<Locks> locks, std::string path)
        : locks_(std::move(locks)), path_(std::move(path)) {}
    ~Held() override {
        const Lock lock(locks_->mutex);
        locks_->names.erase(path_);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

private:
    std::shared_ptr<Locks> locks_;
    std::string path_;
};

Result<std::optional<FileState>> MemoryDisk::find_state(const std::string& path) {
    const Lock lock(mutex_);
    const auto found = files_.find(path);
    if (found == files_.end()) return std::optional<FileState>();
    const File& file = *found->second;
    return std::optional(FileState{file.inode, file.bytes.size(), file.writes});
}

Result<FileBytes> MemoryDisk::read(const std::string& path, std::uint64_t offset,
                                   std::uint64_t size_max) {
    const Lock lock(mutex_);
    const auto found = files_.find(path);
    if (found == files_.end()) return no_file(path);
    const File& file = *found->second;
    FileBytes read{{file.inode, file.bytes.size(), file.writes}, {}};
    if (offset < file.bytes.size()) read.bytes = file.bytes.substr(offset, size_max);
    return read;
}

Result<void> MemoryDisk::write(const std::string& path, std::uint64_t offset, BytesView bytes) {
    const Lock lock(mutex_);
    auto& file = files_[path];
    if (!file) file = std::make_shared<File>(File{++inodes_, 0, {}, {}});
    file->bytes.resize(offset);
    file->bytes += bytes;
    ++file->writes;
    return {};
}

Result<void> MemoryDisk::sync(const std::string& path) {
    const Lock lock(mutex_);
    const auto found = files_.find(path);
    if (found == files_.end()) return no_file(path);
    found->second->durable = found->second->bytes;
    durable_files_[path] = found->second;
    return {};
}

Result<void> MemoryDisk::rename(const std::string& from, const std::string& to) {
    const Lock lock(mutex_);
    const auto found = files_.find(from);
    if (found == files_.end()) return no_file(from);
    files_[to] = durable_files_[to] = found->second;
    files_.erase(found);
    durable_files_.erase(from);
    return {};
}

Result<std::unique_ptr<DiskLock>> MemoryDisk::try_lock(const std::string& path) {
    const Lock lock(mutex_);
    const Lock names(locks_->mutex);
    if (!locks_->names.insert(path).second) return std::unique_ptr<DiskLock>();
    return std::unique_ptr<DiskLock>(std::make_unique<Held>(locks_, path));
}

void MemoryDisk::crash() {
    const Lock lock(mutex_);
    files_ = durable_files_;
    for (auto& [path, file] : files_) {
        file->bytes = file->durable;
        ++file->writes;
    }
    locks_ = std::make_shared<Locks>();
}

}  // namespace highwater::cache
