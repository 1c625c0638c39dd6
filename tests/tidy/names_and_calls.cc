#include "names_and_calls.h"

#include <cctype>
#include <regex>
#include <set>

namespace highwater::tidy {
namespace {

bool is_in(const Source& source, std::initializer_list<std::string_view> folders) {
    for (const std::string_view folder : folders) {
        if (source.path.starts_with(folder)) return true;
    }
    return false;
}

bool is_ours_to_ship(const Source& source) {
    return is_in(source, {"src/", "include/", "app/"});
}

/// Something that may be said in some places only.
struct PlacedCall {
    std::regex pattern;
    bool (*is_allowed)(const Source&);
    std::string_view what;
};

const std::vector<PlacedCall>& placed_calls() {
    static const std::vector<PlacedCall> calls = {
        {std::regex(R"(\b(system_clock|steady_clock|high_resolution_clock|utc_clock|file_clock)\b|)"
                    R"(\b(clock_gettime|gettimeofday|timespec_get)\b|\bstd::time\b)"),
         [](const Source& s) { return is_in(s, {"src/env/"}) || !is_ours_to_ship(s); },
         "the clock is read through env::Clock"},
        {std::regex(R"(\brandom_device\b|\b(rand|srand|drand48|getrandom|getentropy)\s*\()"),
         [](const Source& s) { return is_in(s, {"src/env/"}); },
         "randomness comes from env::Random"},
        {std::regex(R"(\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|sleep)\s*\()"),
         [](const Source& s) { return is_in(s, {"src/env/"}); },
         "waiting goes through env, and tests do not wait"},
        {std::regex(R"(\b(secure_)?getenv\b|\bsetenv\b)"),
         [](const Source& s) { return is_in(s, {"app/", "src/testkit/", "tests/", "bench/"}); },
         "app alone reads the environment"},
        {std::regex(R"(\bstd::(cout|cerr|clog)\b|\b(printf|puts|putchar)\s*\()"),
         [](const Source& s) { return is_in(s, {"app/"}) || !is_ours_to_ship(s); },
         "return an Error, or write to the stream that you are given"},
    };
    return calls;
}

Findings find_matches(const Source& source, const std::vector<std::string>& lines,
                      const std::regex& pattern, std::string_view what) {
    Findings findings;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!std::regex_search(lines[i], pattern)) continue;
        findings.push_back({source.path, i + 1, std::string(what)});
    }
    return findings;
}

void append(Findings& to, Findings more) {
    to.insert(to.end(), more.begin(), more.end());
}

// "LeaseContext", "lease_context" and "lease-context" all have the words lease and context.
std::vector<std::string> split_words(std::string_view name) {
    std::vector<std::string> words(1);
    bool was_lower = false;
    for (const char character : name) {
        const auto byte = static_cast<unsigned char>(character);
        if (std::isalnum(byte) == 0 || (std::isupper(byte) != 0 && was_lower)) {
            words.emplace_back();
        }
        if (std::isalnum(byte) != 0) words.back() += static_cast<char>(std::tolower(byte));
        was_lower = std::islower(byte) != 0;
    }
    return words;
}

bool says_nothing(std::string_view name) {
    static const std::set<std::string, std::less<>> empty_words = {
        "util",    "utils",   "utility",  "utilities", "common", "helper",
        "helpers", "manager", "managers", "context",   "core"};
    for (const std::string& word : split_words(name)) {
        if (empty_words.contains(word)) return true;
    }
    return false;
}

}  // namespace

Findings find_misplaced_calls(const Source& source) {
    Findings findings;
    for (const PlacedCall& call : placed_calls()) {
        if (call.is_allowed(source)) continue;
        append(findings, find_matches(source, source.code, call.pattern, call.what));
    }
    return findings;
}

Findings find_boolean_results(const Source& source) {
    static const std::regex pattern(R"(\bResult\s*<\s*bool\s*>)");
    return find_matches(source, source.code, pattern,
                        "a Result<bool> hides which of its three answers is a failure");
}

Findings find_empty_names(const Source& source) {
    static const std::regex definition(
        R"(\b(?:namespace|class|struct|enum|union|using|concept)\s+)"
        R"((?:class\s+|struct\s+|\[\[\w+\]\]\s*|HIGHWATER_ATTRIBUTE\([^)]*\)\)?\s*)*([\w:]+)(.*))");
    static const std::regex names_own(R"(^\s*([={:<;]|final\b|$))");
    Findings findings;
    if (says_nothing(source.path)) {
        findings.push_back({source.path, 0, "the file's name says nothing"});
    }
    std::smatch match;
    for (std::size_t i = 0; i < source.code.size(); ++i) {
        if (!std::regex_search(source.code[i], match, definition)) continue;
        const std::string name = match[1];
        const std::string rest = match[2];
        // `using std::x;` and `struct X x = ...` name what others defined.
        const bool is_own = std::regex_search(rest, names_own) && !name.starts_with("std::");
        if (!is_own || !says_nothing(name)) continue;
        findings.push_back({source.path, i + 1, "the name " + name + " says nothing"});
    }
    return findings;
}

Findings find_unfinished_work(const Source& source) {
    static const std::regex words(
        R"(\b(TODO|FIXME|XXX|HACK|not implemented|unimplemented|stub|stubs)\b)", std::regex::icase);
    static const std::regex switched_off(R"(\bDISABLED_\w|#\s*if\s+0\b|\bif\s*\(false\))");
    Findings findings = find_matches(source, source.lines, words, "unfinished work");
    append(findings, find_matches(source, source.code, switched_off, "code that is switched off"));
    return findings;
}

}  // namespace highwater::tidy
