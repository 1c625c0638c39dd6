#include "base/uuid.h"

#include <algorithm>

#include "base/hex.h"
#include "base/text.h"

namespace highwater {

namespace {

constexpr std::array<std::size_t, 4> dashes{8, 13, 18, 23};

}  // namespace

std::string format_uuid(const Uuid& uuid) {
    std::string text =
        format_hex({reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()});
    for (const auto at : dashes) text.insert(at, 1, '-');
    return text;
}

Result<Uuid> parse_uuid(std::string_view text) {
    const Error error(
        Code::invalid_argument,
        "a UUID is 8-4-4-4-12 lower-case hexadecimal digits, not " + format_quoted(text));
    Uuid uuid;
    std::string digits(text);
    if (text.size() != 2 * uuid.bytes.size() + dashes.size()) return error;
    for (auto at = dashes.rbegin(); at != dashes.rend(); ++at) {
        if (digits[*at] != '-') return error;
        digits.erase(*at, 1);
    }
    const auto bytes = parse_hex(digits);
    if (!bytes) return error;
    std::copy(bytes->begin(), bytes->end(), uuid.bytes.begin());
    return uuid;
}

}  // namespace highwater
