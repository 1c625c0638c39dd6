#include "embed/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/assert.h"

namespace highwater::embed {

namespace {

void set_aside_when_large(const std::string& path) {
    struct stat facts{};
    const bool is_large = ::stat(path.c_str(), &facts) == 0 &&
                          static_cast<std::uint64_t>(facts.st_size) >= log_size_max;
    if (is_large) static_cast<void>(std::rename(path.c_str(), (path + ".1").c_str()));
}

}  // namespace

Result<void> LogFile::append(Time time, std::string_view event, const Json& fields) {
    ASSERT(fields.find_object() != nullptr);
    Json line;
    line.set("time", format_time(time)).set("event", std::string(event));
    for (const auto& [name, value] : *fields.find_object()) line.set(name, value);
    const std::string text = format_json(line) + "\n";

    set_aside_when_large(path_);
    const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    // One write of a whole line: O_APPEND keeps lines of several processes apart.
    const auto written = file < 0 ? -1 : ::write(file, text.data(), text.size());
    const int reason = errno;
    if (file >= 0) ::close(file);
    if (written == static_cast<ssize_t>(text.size())) return {};
    const Code code = reason == ENOSPC || reason == EDQUOT ? Code::exhausted : Code::unavailable;
    return Error(code, "append to " + path_ + ": " + std::strerror(reason));
}

}  // namespace highwater::embed
