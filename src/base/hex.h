#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace highwater {

/// Two lower-case hexadecimal digits for each byte.
std::string format_hex(BytesView bytes);

/// The inverse of `format_hex`; nothing for an odd length or any other character.
std::optional<Bytes> parse_hex(std::string_view text);

}  // namespace highwater
