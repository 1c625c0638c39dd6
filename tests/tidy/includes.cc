#include "includes.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace highwater::tidy {
namespace {

const std::set<std::string, std::less<>> write_river = {"stage", "publish", "retain"};
const std::set<std::string, std::less<>> read_river = {"cache", "read", "engine"};

bool crosses_rivers(std::string_view from, std::string_view to) {
    return (write_river.contains(from) && read_river.contains(to)) ||
           (read_river.contains(from) && write_river.contains(to));
}

/// A library of others: the first part of its headers' names, and the rooms that may include it.
struct Library {
    std::string_view header;
    std::set<std::string, std::less<>> rooms;
};

// <fmt/...> is for every .cc file and is not listed.
const std::vector<Library> libraries = {
    {"arrow", {"parquet", "engine"}},
    {"parquet", {"parquet", "engine"}},
    {"duckdb.h", {"engine"}},
    {"sqlite3.h", {"catalog"}},
    {"immintrin.h", {"family"}},  // The processor's own vectors, chosen when the program runs.
    {"nettle", {"base"}},
    {"nlohmann", {"base"}},
    {"CLI", {"cli"}},
    {"rocksdb", {"kv"}},
};

const std::set<std::string, std::less<>> test_libraries = {"gtest", "gmock", "rapidcheck.h",
                                                           "rapidcheck"};

// POSIX; <stdlib.h> for mkdtemp and the like, which <cstdlib> need not declare.
const std::set<std::string, std::less<>> system_headers = {
    "sys",     "linux",   "unistd.h",  "fcntl.h", "dirent.h", "signal.h",
    "spawn.h", "poll.h",  "pthread.h", "sched.h", "errno.h",  "stdlib.h",
    "dlfcn.h", "netdb.h", "termios.h", "netinet", "arpa",
};

std::string_view first_part(std::string_view path) {
    return path.substr(0, path.find('/'));
}

/// Each #include of the file: its line, its name, and whether it stands in angle brackets.
struct Include {
    std::size_t line = 0;
    std::string name;
    bool is_foreign = false;
};

std::vector<Include> find_includes(const Source& source) {
    static const std::regex pattern(R"(^#\s*include\s*([<"])([^>"]+)[>"])");
    std::vector<Include> found;
    std::smatch match;
    for (std::size_t i = 0; i < source.code.size(); ++i) {
        if (!std::regex_search(source.code[i], match, pattern)) continue;
        found.push_back({i + 1, match[2], match[1] == "<"});
    }
    return found;
}

// Why a source of `room` may not include one of `used`, or nothing.
std::string forbid_use(const Source& source, std::string_view used, const FloorPlan& plan) {
    const std::string_view room = room_of(source);
    if (used == "highwater" || used == room) return {};
    if (source.path.starts_with("include/")) return "a public header uses public headers alone";
    if (!plan.contains(used)) return "the floor plan has no room " + std::string(used);
    if (used == "testkit") return is_test(source) ? "" : "the test kit is for tests";
    if (room.empty()) return {};
    const auto line = plan.find(room);
    if (line == plan.end()) return "the floor plan has no room " + std::string(room);
    if (crosses_rivers(room, used)) return "one river may not know the other";
    if (line->second.contains(used)) return {};
    return std::string(room) + " may not use " + std::string(used);
}

bool may_include(const Source& source, std::string_view library) {
    if (is_test(source) || room_of(source) == "testkit") {
        if (test_libraries.contains(library)) return true;
    }
    if (is_header(source)) return false;
    if (source.path.starts_with("tests/") || source.path.starts_with("bench/")) return true;
    if (library == "fmt" || system_headers.contains(library)) return true;
    const auto listed = std::ranges::find(libraries, library, &Library::header);
    return listed != libraries.end() && listed->rooms.contains(room_of(source));
}

}  // namespace

FloorPlan parse_floor_plan(std::string_view text) {
    FloorPlan plan;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        auto& uses = plan[line.substr(0, colon)];
        std::istringstream words(line.substr(colon + 1));
        for (std::string word; words >> word;) uses.insert(word);
    }
    return plan;
}

Findings find_plan_errors(const FloorPlan& plan) {
    Findings findings;
    for (const auto& [room, uses] : plan) {
        for (const std::string& used : uses) {
            if (!crosses_rivers(room, used)) continue;
            findings.push_back({"CMakeLists.txt", 0, room + " and " + used + " are two rivers"});
        }
    }
    return findings;
}

Findings find_upward_includes(const Source& source, const FloorPlan& plan) {
    Findings findings;
    for (const Include& include : find_includes(source)) {
        if (include.is_foreign) continue;
        const bool is_beside = include.name.find('/') == std::string::npos;
        const bool is_room = source.path.starts_with("src/") || source.path.starts_with("include/");
        std::string why;
        if (!is_beside) {
            why = forbid_use(source, first_part(include.name), plan);
        } else if (is_room) {
            why = "name the room: \"room/" + include.name + "\"";
        }
        if (!why.empty()) findings.push_back({source.path, include.line, why});
    }
    return findings;
}

Findings find_foreign_includes(const Source& source) {
    static const std::regex standard("^[a-z0-9_]+$");
    Findings findings;
    for (const Include& include : find_includes(source)) {
        if (!include.is_foreign || std::regex_match(include.name, standard)) continue;
        if (may_include(source, first_part(include.name))) continue;
        findings.push_back({source.path, include.line, "<" + include.name + "> is not for here"});
    }
    return findings;
}

Findings find_header_errors(const Source& source) {
    if (!is_header(source)) return {};
    Findings findings;
    if (std::ranges::find(source.code, "#pragma once") == source.code.end()) {
        findings.push_back({source.path, 0, "no #pragma once"});
    }
    for (const Include& include : find_includes(source)) {
        if (include.name != "base/try.h") continue;
        findings.push_back({source.path, include.line, "TRY is for .cc files"});
    }
    return findings;
}

}  // namespace highwater::tidy
