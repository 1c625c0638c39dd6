#include "engine/duckdb_files.h"

#include <filesystem>
#include <system_error>

#include "base/text.h"

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

std::vector<std::string> find_absent(const std::vector<std::string>& paths) {
    std::vector<std::string> absent;
    for (const std::string& path : paths) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) absent.push_back(path);
    }
    return absent;
}

Error absent_file(const std::string& path) {
    return {Code::not_found, "no file " + format_quoted(path)};
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
