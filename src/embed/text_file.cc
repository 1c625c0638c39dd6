#include "embed/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "base/try.h"

namespace highwater::embed {

namespace fs = std::filesystem;

namespace {

Error failure(const std::string& path, int reason) {
    const std::string message = format_quoted(path, 4'096) + ": " + std::strerror(reason);
    switch (reason) {
        case EEXIST: return Error(Code::already_exists, message + ": name another file");
        case ENOENT:
        case ENOTDIR: return Error(Code::not_found, message);
        case ENOSPC:
        case EDQUOT: return Error(Code::exhausted, message);
        case EACCES:
        case EPERM:
        case EROFS: return Error(Code::denied, message);
        default: return Error(Code::unavailable, message);
    }
}

/// 0, or why not all of it is written and durable.
int write_all(int file, std::string_view rest) {
    while (!rest.empty()) {
        const auto written = ::write(file, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(file) == 0 ? 0 : errno;
}

}  // namespace

Result<void> verify_new_file(const std::string& path) {
    std::error_code reason;
    if (fs::exists(fs::symlink_status(path, reason))) return failure(path, EEXIST);
    const fs::path folder = fs::absolute(path, reason).parent_path();
    if (!fs::is_directory(folder, reason)) return failure(folder.string(), ENOENT);
    return {};
}

Result<void> write_new_file(const std::string& path, std::string_view text) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return failure(path, errno);
    const int reason = write_all(file, text);
    ::close(file);
    if (reason == 0) return {};
    ::unlink(path.c_str());
    return failure(path, reason);
}

}  // namespace highwater::embed
