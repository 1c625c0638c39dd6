#include "cli/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/text.h"

namespace highwater::cli {

namespace fs = std::filesystem;

namespace {

Error failure(const std::string& path, int reason) {
    const std::string message = format_quoted(path, 4'096) + ": " + std::strerror(reason);
    if (reason == ENOENT) return Error(Code::not_found, message);
    if (reason == ENOSPC || reason == EDQUOT) return Error(Code::exhausted, message);
    if (reason == EACCES || reason == EISDIR || reason == EROFS || reason == EPERM) {
        return Error(Code::denied, message);
    }
    return Error(Code::unavailable, message);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t size_max) {
    std::error_code reason;
    if (fs::is_directory(path, reason)) return failure(path, EISDIR);
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return failure(path, errno != 0 ? errno : ENOENT);
    std::string text;
    std::string piece(std::size_t{1} << 20U, '\0');
    while (file) {
        file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
        if (text.size() > size_max) {
            return Error(Code::exhausted, format_quoted(path, 4'096) + " is larger than " +
                                              std::to_string(size_max) + " bytes");
        }
    }
    if (file.bad()) return failure(path, EIO);
    return text;
}

Result<void> write_file(const std::string& path, std::string_view text) {
    const std::string next = path + ".next";
    errno = 0;
    std::ofstream file(next, std::ios::binary | std::ios::trunc);
    if (!file) return failure(next, errno != 0 ? errno : EIO);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file || std::rename(next.c_str(), path.c_str()) != 0) {
        const int reason = errno != 0 ? errno : EIO;
        std::remove(next.c_str());
        return failure(path, reason);
    }
    return {};
}

Result<std::string> absolute_path(const std::string& path) {
    std::error_code reason;
    const fs::path resolved = fs::weakly_canonical(fs::absolute(path, reason), reason);
    if (reason) return Error(Code::denied, format_quoted(path, 4'096) + ": " + reason.message());
    std::string text = resolved.lexically_normal().string();
    if (text.size() > 1 && text.ends_with('/')) text.pop_back();
    return text;
}

}  // namespace highwater::cli
