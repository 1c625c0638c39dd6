#include "pages.h"

#include <algorithm>
#include <filesystem>
#include <regex>

namespace highwater::tidy {
namespace {

std::vector<std::string> find_all(const std::string& text, const std::regex& pattern) {
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
        found.push_back((*at)[1]);
    }
    return found;
}

}  // namespace

Findings find_door_sign_errors(const Source& page) {
    Findings findings;
    if (page.lines.size() > door_sign_lines_max) {
        findings.push_back({page.path, 0, "a door sign has at most 20 lines"});
    }
    for (const std::string label : {"*For:*", "*In:*", "*Out:*", "*May touch:*", "*Never:*"}) {
        const bool is_there = std::ranges::any_of(page.lines, [&](const std::string& line) {
            return line.find(label) != std::string::npos;
        });
        if (!is_there) findings.push_back({page.path, 0, "the door sign lacks " + label});
    }
    return findings;
}

Findings find_format_page_errors(const Source& page, const Exists& exists) {
    static const std::regex golden(R"((tests/golden/[\w./-]*\w))");
    Findings findings;
    bool has_golden_bytes = false;
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
        for (const std::string& path : find_all(page.lines[i], golden)) {
            has_golden_bytes = true;
            if (exists(path)) continue;
            findings.push_back({page.path, i + 1, path + " is not there"});
        }
    }
    if (!has_golden_bytes) findings.push_back({page.path, 0, "names no bytes under tests/golden"});
    return findings;
}

Findings find_broken_links(const Source& page, const Exists& exists) {
    static const std::regex link(R"(\]\(([^)#\s]+)(?:#[^)]*)?\))");
    static const std::regex elsewhere(R"(^[a-z]+:)");
    const std::filesystem::path folder = std::filesystem::path(page.path).parent_path();
    Findings findings;
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
        for (const std::string& target : find_all(page.lines[i], link)) {
            if (std::regex_search(target, elsewhere)) continue;
            if (exists((folder / target).lexically_normal().string())) continue;
            findings.push_back({page.path, i + 1, "the link to " + target + " leads nowhere"});
        }
    }
    return findings;
}

Findings find_empty_notes(const Source& page) {
    const bool says_something = std::ranges::any_of(page.lines, [](const std::string& line) {
        return !line.starts_with('#') && line.find_first_not_of(" \t") != std::string::npos;
    });
    if (says_something) return {};
    return {{page.path, 0, "a note that says nothing"}};
}

}  // namespace highwater::tidy
