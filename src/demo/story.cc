#include "demo/story.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/try.h"
#include "demo/scene.h"
#include "demo/workload.h"
#include "demo/write_file.h"

namespace highwater::demo {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view marker = "highwater-story";  // Marks a folder that may be emptied.

/// Makes `directory` an empty folder with the marker; what an earlier story left is removed.
Result<std::string> clear(const std::string& directory) {
    std::error_code reason;
    const fs::path path = fs::absolute(directory);
    const bool is_used = fs::exists(path, reason) && !fs::is_empty(path, reason);
    if (is_used && !fs::exists(path / marker, reason)) {
        return Error(Code::invalid_argument,
                     path.string() + " is in use and holds no story: name an empty folder");
    }
    fs::remove_all(path, reason);
    if (!reason) fs::create_directories(path / "evidence", reason);
    if (reason) return Error(Code::unavailable, path.string() + ": " + reason.message());
    TRY(write_file((path / marker).string(),
                   "Made by 'highwater demo'; emptied by the next run.\n"));
    return path.string();
}

Result<void> play_workload(const StoryOptions& options, const std::string& directory,
                           const Workload& workload, std::ostream& out) {
    const std::string evidence = directory + "/evidence/" + workload.name;
    std::error_code reason;
    fs::create_directories(evidence, reason);
    if (reason) return Error(Code::unavailable, evidence + ": " + reason.message());
    out << fmt::format("\n== {}: {}\n", workload.name, workload.description);
    Scene scene(Shell(options.program, directory + "/" + workload.name), evidence, out);
    return play(scene, workload).within(workload.name);
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) return Error(Code::unavailable, "write " + path);
    return {};
}

Result<void> tell_story(const StoryOptions& options, std::ostream& out) {
    const std::string directory = TRY(clear(options.directory));
    out << "Highwater publishes telemetry so that an incomplete or stale hour is never read.\n"
        << "Each step below is a process of its own; the numbers are what it answered.\n";
    const Workload generated = TRY(generate_workload(directory + "/input/generated", options.seed));
    TRY(play_workload(options, directory, generated, out));

    auto recorded = cut_recorded_workload(options.acceptance, directory + "/input/recorded");
    if (!recorded.ok() && recorded.error().code() != Code::not_found) return recorded.error();
    if (recorded.ok()) {
        TRY(play_workload(options, directory, *recorded, out));
    } else {
        out << "\n== recorded: left out, there is no recorded telemetry at " << options.acceptance
            << ";\n   a small set of the program's own takes its place\n";
        TRY(play_workload(options, directory,
                          TRY(generate_small_workload(directory + "/input/small", options.seed)),
                          out));
    }
    out << "\nEvery command's answer: " << directory << "/evidence\n";
    return {};
}

}  // namespace highwater::demo
