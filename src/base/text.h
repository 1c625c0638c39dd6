#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace highwater {

/// True when `text` is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

/// The bytes of the UTF-8 character that `text` begins with; 0 when it begins with none.
std::size_t utf8_size_at_start(std::string_view text);

/// `text` for a message to people: control characters, marks that reorder or hide text and bytes
/// that are not UTF-8 as \xNN, and cut after `size_max` bytes of `text`, never within a character,
/// with "..." in place of the rest. Nothing from outside reaches a terminal unescaped. It adds no
/// quotation marks.
std::string format_quoted(std::string_view text, std::size_t size_max = 256);

}  // namespace highwater
