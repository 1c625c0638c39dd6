#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace highwater {

/// True when `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

/// `text` for a message to people: control characters and bytes that are not UTF-8 as \xNN, cut
/// after `size_max` bytes with an ellipsis. Nothing from outside reaches a terminal unescaped.
std::string format_quoted(std::string_view text, std::size_t size_max = 256);

}  // namespace highwater
