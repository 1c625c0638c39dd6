#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The rules that a compiler cannot see, as functions from one file (or page) to what is wrong with
// it. tree_test.cc holds the whole tree against them; the other tests show that each can fail.

namespace highwater::tidy {

/// A text file of the tree.
struct Source {
    std::string path;                // Relative to the root, with '/'.
    std::vector<std::string> lines;  // As written.
    std::vector<std::string> code;   // The same lines; comments and literals are spaces.
};

/// One breach of a rule.
struct Finding {
    std::string path;
    std::size_t line = 0;  // From 1; 0 for the file as a whole.
    std::string what;

    friend bool operator==(const Finding&, const Finding&) = default;
};

using Findings = std::vector<Finding>;

/// "src/gate.h:12: too long", so that an editor jumps there.
std::string format_finding(const Finding& finding);

/// Splits `text` into lines and blanks out C++ comments, strings and characters in `code`, keeping
/// every column. The names of #include lines stay.
Source make_source(std::string path, std::string_view text);

bool is_header(const Source& source);
bool is_test(const Source& source);  // *_test.cc, or anything under tests/

/// The room of "src/<room>/...", else nothing.
std::string_view room_of(const Source& source);

}  // namespace highwater::tidy
