#pragma once

#include "source.h"

namespace highwater::tidy {

constexpr std::size_t line_columns_max = 100;
constexpr std::size_t file_lines_max = 600;
constexpr std::size_t function_lines_max = 60;

/// Lines of more than 100 characters (UTF-8 code points).
Findings find_long_lines(const Source& source);

/// A file of more than 600 lines.
Findings find_long_files(const Source& source);

/// Functions of more than 60 lines, counted from the first line of the signature to the closing
/// brace.
///
/// A heuristic over braces, not a parser: a block outside any function is a function when the words
/// between the last ';', '{' or '}' and its '{' have a parenthesis and do not begin with namespace,
/// class, struct, union, enum or extern, nor assign with '='. Blocks inside a function, lambdas
/// too, count as its lines. Preprocessor lines are skipped.
Findings find_long_functions(const Source& source);

}  // namespace highwater::tidy
