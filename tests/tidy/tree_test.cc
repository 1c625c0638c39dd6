// Holds the whole tree against the rules, and prints each breach as file:line.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "includes.h"
#include "names_and_calls.h"
#include "pages.h"
#include "shape.h"
#include "source.h"

namespace highwater::tidy {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Every file of the tree with one of the extensions, but for builds and hidden folders.
std::vector<Source> read_tree(const std::set<std::string>& extensions) {
    const fs::path root(HIGHWATER_SOURCE_DIR);
    std::vector<Source> sources;
    for (auto at = fs::recursive_directory_iterator(root); at != fs::end(at); ++at) {
        const std::string name = at->path().filename().string();
        if (at->is_directory() && (name.starts_with('.') || (name == "build" && at.depth() == 0))) {
            at.disable_recursion_pending();
        } else if (at->is_regular_file() && extensions.contains(at->path().extension().string())) {
            sources.push_back(make_source(at->path().lexically_relative(root).generic_string(),
                                          read_file(at->path())));
        }
    }
    std::ranges::sort(sources, {}, &Source::path);
    return sources;
}

const std::vector<Source>& code() {
    static const std::vector<Source> read = read_tree({".h", ".cc"});
    return read;
}

const std::vector<Source>& pages() {
    static const std::vector<Source> read = read_tree({".md"});
    return read;
}

bool exists(const std::string& path) {
    return fs::exists(fs::path(HIGHWATER_SOURCE_DIR) / path);
}

void expect_none(const Findings& findings) {
    for (const Finding& finding : findings) ADD_FAILURE() << format_finding(finding);
}

using Rule = std::function<Findings(const Source&)>;

void expect_code(const Rule& rule) {
    ASSERT_FALSE(code().empty());
    for (const Source& source : code()) expect_none(rule(source));
}

void expect_pages(std::string_view folder, const Rule& rule) {
    ASSERT_FALSE(pages().empty());
    for (const Source& page : pages()) {
        if (page.path.starts_with(folder)) expect_none(rule(page));
    }
}

TEST(TreeTest, IncludesPointDown) {
    const FloorPlan plan = parse_floor_plan(read_file(LAYERS_FILE));
    ASSERT_TRUE(plan.contains("base"));
    expect_none(find_plan_errors(plan));
    expect_code([&](const Source& source) { return find_upward_includes(source, plan); });
}

TEST(TreeTest, LibrariesOfOthersStayInTheirRooms) {
    expect_code(find_foreign_includes);
}

TEST(TreeTest, HeadersAreWhole) {
    expect_code(find_header_errors);
}

TEST(TreeTest, LinesFitOnHalfAScreen) {
    expect_code(find_long_lines);
}

TEST(TreeTest, FilesAreOneIdea) {
    expect_code(find_long_files);
}

TEST(TreeTest, FunctionsFitOnOneScreen) {
    expect_code(find_long_functions);
}

TEST(TreeTest, CallsAreInTheirPlace) {
    expect_code(find_misplaced_calls);
}

TEST(TreeTest, ResultsAreNotBooleans) {
    expect_code(find_boolean_results);
}

TEST(TreeTest, NamesSaySomething) {
    expect_code(find_empty_names);
}

TEST(TreeTest, NothingIsUnfinished) {
    expect_code([](const Source& source) {
        // This folder names what it looks for.
        return source.path.starts_with("tests/tidy/") ? Findings{} : find_unfinished_work(source);
    });
}

TEST(TreeTest, RoomsHaveDoorSigns) {
    std::set<std::string> rooms;
    for (const Source& source : code()) {
        if (!room_of(source).empty()) rooms.insert("src/" + std::string(room_of(source)) + "/");
    }
    for (const std::string& room : rooms) {
        EXPECT_TRUE(exists(room + "README.md")) << room << " has no door sign";
    }
    expect_pages("src/", find_door_sign_errors);
}

TEST(TreeTest, FormatsHaveGoldenBytes) {
    expect_pages("docs/formats/", [](const Source& page) {
        if (page.path.ends_with("/README.md")) return Findings{};
        return find_format_page_errors(page, exists);
    });
}

TEST(TreeTest, LinksLeadSomewhere) {
    expect_pages("", [](const Source& page) { return find_broken_links(page, exists); });
}

TEST(TreeTest, ChangesSaySomething) {
    ASSERT_TRUE(exists("changes"));
    expect_pages("changes/", find_empty_notes);
}

TEST(TreeTest, ThePublicInterfaceIsSmall) {
    const auto headers = std::ranges::count_if(
        code(), [](const Source& source) { return source.path.starts_with("include/"); });
    EXPECT_LE(headers, 10);
}

}  // namespace
}  // namespace highwater::tidy
