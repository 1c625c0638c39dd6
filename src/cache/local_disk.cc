#include "cache/local_disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/try.h"

namespace highwater::cache {

namespace {

constexpr mode_t file_mode = 0644;

Error refusal(const std::string& step, const std::string& path, int reason) {
    const Code code = reason == ENOSPC || reason == EDQUOT ? Code::exhausted : Code::unavailable;
    return {code, step + " '" + path + "': " + std::generic_category().message(reason)};
}

/// A file that is closed with its holder.
class Handle {
public:
    explicit Handle(int descriptor) : descriptor_(descriptor) {}
    ~Handle() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Handle(Handle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Handle& operator=(Handle&&) = delete;

    int get() const { return descriptor_; }

private:
    int descriptor_;
};

class Flock final : public DiskLock {
public:
    explicit Flock(Handle handle) : handle_(std::move(handle)) {}

private:
    Handle handle_;  // Closing it gives the lock back.
};

Result<Handle> open_file(const std::string& path, int flags) {
    for (;;) {
        const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, file_mode);
        if (descriptor >= 0) return Handle(descriptor);
        if (errno == EINTR) continue;
        if (errno == ENOENT) return Error(Code::not_found, "no file '" + path + "'");
        return refusal("open", path, errno);
    }
}

FileState state_of(const struct stat& status) {
    constexpr std::int64_t ns = 1'000'000'000;
    return {status.st_ino, static_cast<std::uint64_t>(status.st_size),
            status.st_mtim.tv_sec * ns + status.st_mtim.tv_nsec};
}

Result<void> sync_path(const std::string& path, int flags) {
    const Handle file = TRY(open_file(path, flags));
    if (::fsync(file.get()) == 0) return {};
    return refusal("sync", path, errno);
}

}  // namespace

Result<std::optional<FileState>> LocalDisk::find_state(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0) return std::optional(state_of(status));
    if (errno == ENOENT) return std::optional<FileState>();
    return refusal("look up", path, errno);
}

Result<FileBytes> LocalDisk::read(const std::string& path, std::uint64_t offset,
                                  std::uint64_t size_max) {
    const Handle file = TRY(open_file(path, O_RDONLY));
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return refusal("look up", path, errno);
    FileBytes read{state_of(status), {}};
    if (offset >= read.state.size_bytes) return read;
    read.bytes.resize(std::min(read.state.size_bytes - offset, size_max));
    std::size_t done = 0;
    while (done < read.bytes.size()) {
        const ssize_t got = ::pread(file.get(), read.bytes.data() + done, read.bytes.size() - done,
                                    static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return refusal("read", path, errno);
        if (got == 0) break;  // Cut meanwhile.
        done += static_cast<std::size_t>(got);
    }
    read.bytes.resize(done);
    return read;
}

Result<void> LocalDisk::write(const std::string& path, std::uint64_t offset, BytesView bytes) {
    const Handle file = TRY(open_file(path, O_WRONLY | O_CREAT));
    if (::ftruncate(file.get(), static_cast<off_t>(offset)) != 0) {
        return refusal("cut", path, errno);
    }
    while (!bytes.empty()) {
        const ssize_t put =
            ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return refusal("write", path, errno);
        bytes.remove_prefix(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return {};
}

Result<void> LocalDisk::sync(const std::string& path) {
    return sync_path(path, O_WRONLY);
}

Result<void> LocalDisk::rename(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return refusal("rename", from, errno);
    return sync_path(std::filesystem::path(to).parent_path().string(), O_RDONLY | O_DIRECTORY);
}

Result<std::unique_ptr<DiskLock>> LocalDisk::try_lock(const std::string& path) {
    Handle file = TRY(open_file(path, O_RDWR | O_CREAT));
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno == EWOULDBLOCK) return std::unique_ptr<DiskLock>();
        return refusal("lock", path, errno);
    }
    return std::unique_ptr<DiskLock>(std::make_unique<Flock>(std::move(file)));
}

}  // namespace highwater::cache
