#include "embed/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/try.h"

namespace highwater::embed {

namespace {

/// Holds the lock file of the metrics for the length of a scope.
class FileLock {
public:
    explicit FileLock(const std::string& path)
        : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        if (file_ >= 0) ::flock(file_, LOCK_EX);
    }
    ~FileLock() {
        if (file_ >= 0) ::close(file_);
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    bool is_held() const { return file_ >= 0; }

private:
    int file_;
};

std::string name_of(const std::string& series) {
    return series.substr(0, series.find('{'));
}

std::string format_file(const std::map<std::string, double>& values) {
    std::string text;
    std::set<std::string> named;
    for (const auto& [series, value] : values) {
        const std::string name = name_of(series);
        if (named.insert(name).second) {
            text +=
                fmt::format("# TYPE {} {}\n", name, name.ends_with("_total") ? "counter" : "gauge");
        }
        text += fmt::format("{} {}\n", series, value);
    }
    return text;
}

Error failure(const std::string& path) {
    const Code code = errno == ENOSPC || errno == EDQUOT ? Code::exhausted : Code::unavailable;
    return Error(code, "write " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<std::map<std::string, double>> MetricsFile::load() const {
    std::map<std::string, double> values;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
        const auto space = line.rfind(' ');
        if (line.starts_with('#') || space == line.npos) continue;
        double value = 0;
        const char* end = line.data() + line.size();
        const auto parsed = std::from_chars(line.data() + space + 1, end, value);
        if (parsed.ec != std::errc() || parsed.ptr != end) continue;
        values[line.substr(0, space)] = value;
    }
    return values;
}

Result<void> MetricsFile::add(const Change& change) {
    const FileLock lock(path_ + ".lock");
    if (!lock.is_held()) return failure(path_ + ".lock");
    auto values = TRY(load());
    for (const auto& [series, value] : change.gauges) values[series] = value;
    for (const auto& [series, value] : change.counters) {
        values[series] += static_cast<double>(value);
    }
    const std::string next = path_ + ".next";
    {
        std::ofstream file(next, std::ios::trunc);
        file << format_file(values);
        file.close();
        if (!file) return failure(next);
    }
    if (std::rename(next.c_str(), path_.c_str()) != 0) return failure(path_);
    return {};
}

}  // namespace highwater::embed
