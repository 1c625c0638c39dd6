#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "engine/result.h"

namespace highwater::engine {

/// How rows are written as text.
enum class TextFormat : std::uint8_t {
    table,  // Aligned columns for people. Control characters are escaped, wide cells cut.
    csv,    // RFC 4180 with "\n"; null is nothing, empty text is "".
    json,   // One array; one object a row, one line each.
};

std::string_view to_text(TextFormat format);
std::optional<TextFormat> parse_text_format(std::string_view text);

constexpr std::size_t table_cell_width_max = 80;  // Characters.

/// Writes every row. The same answer gives the same bytes.
///
/// Errors: unavailable (the rows cannot be read back, or `out` does not take them), corrupt.
Result<void> write_text(const ResultTable& table, TextFormat format, std::ostream& out);

}  // namespace highwater::engine
