#include "engine/duckdb_files.h"

#include <filesystem>
#include <system_error>

namespace highwater::engine {

namespace {

constexpr std::string_view pattern_characters = "*?[";

}  // namespace

Result<DuckDbFiles> DuckDbFiles::make(const std::vector<std::string>& paths,
                                      const std::string& directory) {
    DuckDbFiles files;
    files.opened_.reserve(paths.size());
    for (const std::string& path : paths) {
        if (path.find_first_of(pattern_characters) == std::string::npos) {
            files.opened_.push_back(path);
            continue;
        }
        std::string link = directory + "/file-" + std::to_string(files.linked_.size()) + ".parquet";
        std::error_code reason;
        std::filesystem::create_symlink(path, link, reason);
        if (reason) return Error(Code::unavailable, "link " + link + ": " + reason.message());
        files.linked_.emplace(link, path);
        files.opened_.push_back(std::move(link));
    }
    return files;
}

std::string_view DuckDbFiles::path_of(std::string_view opened) const {
    const auto found = linked_.find(opened);
    return found == linked_.end() ? opened : std::string_view(found->second);
}

std::string escape_pattern(std::string_view path) {
    std::string pattern;
    for (const char character : path) {
        if (pattern_characters.find(character) == std::string_view::npos) {
            pattern += character;
        } else {
            pattern += '[';
            pattern += character;
            pattern += ']';
        }
    }
    return pattern;
}

}  // namespace highwater::engine
