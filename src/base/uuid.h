#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater {

/// A 128-bit identifier, made at random by env::Random and never used again.
///
/// Source: RFC 9562.
struct Uuid {
    std::array<std::uint8_t, 16> bytes{};

    friend auto operator<=>(const Uuid&, const Uuid&) = default;
    friend bool operator==(const Uuid&, const Uuid&) = default;
};

/// "8-4-4-4-12" lower-case hexadecimal digits.
std::string format_uuid(const Uuid& uuid);

/// Errors: invalid_argument  any other form.
Result<Uuid> parse_uuid(std::string_view text);

}  // namespace highwater
