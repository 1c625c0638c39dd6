#include "object/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "base/try.h"

namespace highwater::object {

namespace {

Code code_of(int reason) {
    switch (reason) {
        case ENOENT: return Code::not_found;
        case EEXIST: return Code::already_exists;
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return Code::exhausted;
        case ENAMETOOLONG: return Code::invalid_argument;
        case EACCES:
        case EPERM:
        case EROFS:
        case ELOOP:
        case ENOTDIR:
        case EISDIR: return Code::denied;
        default: return Code::unavailable;
    }
}

/// What the machine said just now. Reads errno, so nothing may come between.
Error refusal(std::string_view call, const std::string& name) {
    const int reason = errno;
    const std::string what =
        name.empty() ? std::string(call) : std::string(call) + " '" + format_quoted(name) + "'";
    return {code_of(reason), what + ": " + std::generic_category().message(reason)};
}

template <typename Call>
auto restarted(Call call) {
    auto outcome = call();
    while (outcome < 0 && errno == EINTR) outcome = call();
    return outcome;
}

int at(const FileHandle& directory) {
    return directory.descriptor() < 0 ? AT_FDCWD : directory.descriptor();
}

int flags_of(FileSystem::Access access) {
    // Opening a pipe must not wait for someone at its other end.
    constexpr int always = O_CLOEXEC | O_NONBLOCK;
    switch (access) {
        case FileSystem::Access::root: return always | O_RDONLY | O_DIRECTORY;
        case FileSystem::Access::directory: return always | O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
        case FileSystem::Access::file: return always | O_RDONLY | O_NOFOLLOW;
        case FileSystem::Access::new_file: return always | O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    }
    return always;
}

FileType type_of(mode_t mode) {
    if (S_ISREG(mode)) return FileType::file;
    return S_ISDIR(mode) ? FileType::directory : FileType::other;
}

std::int64_t to_ns(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};
using Listing = std::unique_ptr<DIR, CloseDirectory>;

}  // namespace

FileHandle::~FileHandle() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileHandle> SystemFileSystem::open(const FileHandle& directory, const std::string& name,
                                          Access access) {
    constexpr mode_t read_only = 0444;
    const int descriptor = restarted(
        [&] { return ::openat(at(directory), name.c_str(), flags_of(access), read_only); });
    if (descriptor < 0) return refusal("open", name);
    return FileHandle(descriptor);
}

Result<FileStatus> SystemFileSystem::stat(const FileHandle& directory, const std::string& name) {
    struct stat found{};
    constexpr int flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    if (restarted([&] { return ::fstatat(at(directory), name.c_str(), &found, flags); }) != 0) {
        return refusal("stat", name);
    }
    return FileStatus{.type = type_of(found.st_mode),
                      .identity = {.size_bytes = static_cast<std::uint64_t>(found.st_size),
                                   .mtime_ns = to_ns(found.st_mtim),
                                   .ctime_ns = to_ns(found.st_ctim),
                                   .inode = found.st_ino}};
}

Result<std::vector<DirectoryEntry>> SystemFileSystem::list(const FileHandle& directory,
                                                           std::size_t entries_max) {
    // A listing moves the position of its descriptor, so it gets one of its own.
    const int own = restarted([&] { return ::openat(at(directory), ".", flags_of(Access::root)); });
    if (own < 0) return refusal("list", "");
    const Listing listing(::fdopendir(own));
    if (!listing) {
        auto error = refusal("list", "");
        ::close(own);
        return error;
    }
    std::vector<DirectoryEntry> entries;
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(listing.get());
        if (!entry && errno != 0) return refusal("list", "");
        if (!entry) return entries;
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (entries.size() == entries_max) {
            return Error(Code::exhausted,
                         "a folder has more than " + std::to_string(entries_max) + " entries");
        }
        entries.push_back({std::string(name), type_of(static_cast<mode_t>(DTTOIF(entry->d_type)))});
        if (entry->d_type != DT_UNKNOWN) continue;
        // Some file systems tell the type only when asked about the name.
        const auto status = stat(directory, entries.back().name);
        if (status.ok()) {
            entries.back().type = status->type;
        } else if (status.error().code() == Code::not_found) {
            entries.pop_back();
        } else {
            return status.error();
        }
    }
}

Result<std::size_t> SystemFileSystem::read(const FileHandle& file, std::uint64_t offset, char* to,
                                           std::size_t size) {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return 0U;
    const auto count =
        restarted([&] { return ::pread(file.descriptor(), to, size, static_cast<off_t>(offset)); });
    if (count < 0) return refusal("read", "");
    return static_cast<std::size_t>(count);
}

Result<std::size_t> SystemFileSystem::write(const FileHandle& file, BytesView bytes) {
    const auto count =
        restarted([&] { return ::write(file.descriptor(), bytes.data(), bytes.size()); });
    if (count < 0) return refusal("write", "");
    return static_cast<std::size_t>(count);
}

Result<void> SystemFileSystem::sync(const FileHandle& file) {
    if (restarted([&] { return ::fsync(file.descriptor()); }) != 0) return refusal("sync", "");
    return {};
}

Result<void> SystemFileSystem::make_directory(const FileHandle& directory,
                                              const std::string& name) {
    constexpr mode_t mode = 0777;  // Less what the user's umask takes away.
    if (::mkdirat(at(directory), name.c_str(), mode) != 0) return refusal("make folder", name);
    return {};
}

Result<void> SystemFileSystem::link(const FileHandle& directory, const std::string& name,
                                    const FileHandle& new_directory, const std::string& new_name) {
    if (::linkat(at(directory), name.c_str(), at(new_directory), new_name.c_str(), 0) != 0) {
        return refusal("link", new_name);
    }
    return {};
}

Result<void> SystemFileSystem::unlink(const FileHandle& directory, const std::string& name) {
    if (::unlinkat(at(directory), name.c_str(), 0) != 0) return refusal("unlink", name);
    return {};
}

}  // namespace highwater::object
