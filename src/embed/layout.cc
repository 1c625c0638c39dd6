#include "embed/layout.h"

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "base/try.h"

namespace highwater::embed {

namespace fs = std::filesystem;

namespace {

/// A path in a message.
std::string shown(const std::string& path) {
    return format_quoted(path, 4'096);
}

Result<std::string> resolve(const std::string& directory) {
    std::error_code reason;
    const fs::path path = fs::canonical(directory, reason);
    if (reason) return Error(Code::not_found, shown(directory) + ": " + reason.message());
    return path.string();
}

}  // namespace

Layout layout_of(const std::string& directory) {
    return {.directory = directory,
            .objects = directory + "/objects",
            .catalog = directory + "/catalog.db",
            .cache = directory + "/cache.bin",
            .records = directory + "/records",
            .spill = directory + "/spill",
            .metrics = directory + "/metrics.prom",
            .log = directory + "/log.jsonl"};
}

Result<Layout> make_layout(const std::string& directory) {
    std::error_code reason;
    fs::create_directories(directory, reason);
    if (reason) return Error(Code::denied, "make " + shown(directory) + ": " + reason.message());
    const Layout layout = layout_of(TRY(resolve(directory)));
    if (fs::exists(layout.catalog, reason)) {
        return Error(Code::already_exists, shown(layout.directory) + " holds a catalog already");
    }
    for (const auto& folder : {layout.objects, layout.records, layout.spill}) {
        fs::create_directories(folder, reason);
        if (reason) return Error(Code::denied, "make " + shown(folder) + ": " + reason.message());
    }
    return layout;
}

Result<Layout> find_layout(const std::string& directory) {
    std::error_code reason;
    const bool is_there = fs::exists(fs::path(directory) / "catalog.db", reason);
    if (!is_there) {
        return Error(Code::not_found, shown(directory) +
                                          " is no data directory: make one with 'highwater "
                                          "--dir " +
                                          shown(directory) + " init', or name one with --dir");
    }
    return layout_of(TRY(resolve(directory)));
}

Result<Layout> find_records(const std::string& directory) {
    Layout layout = layout_of(TRY(resolve(directory)));
    std::error_code reason;
    if (fs::is_directory(layout.records, reason)) return layout;
    return Error(Code::not_found, shown(layout.records) + " is no folder of records");
}

}  // namespace highwater::embed
