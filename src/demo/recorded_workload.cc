#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include "base/time.h"
#include "base/try.h"
#include "demo/workload.h"

namespace highwater::demo {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t rows_per_object = 24;
constexpr std::size_t series_max = 8;  // A few series: the story stays quick.
constexpr std::int64_t span_hours = baseline_hours + 1;

/// One recorded file: its lines by hour, in the order in which they stand.
struct Recording {
    fs::path path;
    std::string header;
    std::map<model::Hour, std::vector<std::string>> lines;
};

std::optional<model::Hour> hour_of_line(const std::string& line) {
    const auto time = parse_local_time(line.substr(0, line.find(',')), std::chrono::minutes(0));
    if (!time.ok()) return std::nullopt;
    return model::hour_of(*time);
}

/// Nothing for a file that is not `timestamp,value`.
std::optional<Recording> load_recording(const fs::path& path) {
    Recording recording{path, {}, {}};
    std::ifstream file(path, std::ios::binary);
    std::string line;
    if (!std::getline(file, line) || !line.starts_with("timestamp,value")) return std::nullopt;
    recording.header = line;
    while (std::getline(file, line)) {
        if (line.empty()) continue;
        const auto hour = hour_of_line(line);
        if (!hour) return std::nullopt;
        recording.lines[*hour].push_back(line);
    }
    return recording;
}

Result<std::vector<Recording>> load_recordings(const std::string& folder) {
    std::error_code reason;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder, reason)) {
        if (entry.path().extension() == ".csv") paths.push_back(entry.path());
    }
    if (reason) return Error(Code::not_found, folder + ": " + reason.message());
    std::ranges::sort(paths);
    std::vector<Recording> recordings;
    for (const auto& path : paths) {
        auto recording = load_recording(path);
        if (recording) recordings.push_back(*std::move(recording));
    }
    return recordings;
}

/// How many of the span's hours from `first` on the recording has rows for.
bool covers(const Recording& recording, model::Hour first) {
    for (std::int64_t i = 0; i < span_hours; ++i) {
        if (!recording.lines.contains({first.since_epoch + i})) return false;
    }
    return true;
}

/// The first hour of the span that most recordings cover whole; the earliest of equals.
std::optional<model::Hour> find_span(const std::vector<Recording>& recordings) {
    std::map<model::Hour, int> votes;
    for (const auto& recording : recordings) {
        for (const auto& [hour, lines] : recording.lines) {
            if (covers(recording, hour)) ++votes[hour];
        }
    }
    const auto best = std::ranges::max_element(
        votes, [](const auto& left, const auto& right) { return left.second < right.second; });
    if (best == votes.end()) return std::nullopt;
    return best->first;
}

Result<std::string> write_cut(const Recording& recording, model::HourRange hours,
                              const std::string& folder, Workload& workload) {
    const std::string path = folder + "/" + recording.path.filename().string();
    std::ofstream file(path, std::ios::binary);
    file << recording.header << "\n";
    for (model::Hour hour = hours.from; hour < hours.to; hour = model::next(hour)) {
        for (const auto& line : recording.lines.at(hour)) file << line << "\n";
        workload.rows[hour] += recording.lines.at(hour).size();
    }
    file.close();
    if (!file) return Error(Code::unavailable, "write " + path);
    return path;
}

}  // namespace

Result<Workload> cut_recorded_workload(const std::string& acceptance, const std::string& folder) {
    const auto recordings = TRY(load_recordings(acceptance + "/telemetry"));
    const auto first = find_span(recordings);
    if (!first) return Error(Code::not_found, acceptance + ": no recording covers 48 hours");

    Workload workload;
    workload.name = "recorded";
    workload.first = *first;
    workload.next = {first->since_epoch + baseline_hours};
    workload.rows_per_object = rows_per_object;
    workload.labels = {"series={stem}"};
    workload.time_column = "timestamp";
    std::error_code reason;
    fs::create_directories(folder + "/baseline", reason);
    if (!reason) fs::create_directories(folder + "/next", reason);
    if (reason) return Error(Code::unavailable, "make " + folder + ": " + reason.message());

    for (const auto& recording : recordings) {
        if (workload.baseline.size() == series_max || !covers(recording, *first)) continue;
        workload.baseline.push_back(TRY(
            write_cut(recording, {workload.first, workload.next}, folder + "/baseline", workload)));
        workload.next_hour.push_back(TRY(write_cut(
            recording, {workload.next, model::next(workload.next)}, folder + "/next", workload)));
    }
    workload.description = std::to_string(workload.baseline.size()) +
                           " recorded monitoring series, 48 hours from " +
                           model::format_hour(workload.first);
    return workload;
}

}  // namespace highwater::demo
