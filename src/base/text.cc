#include "base/text.h"

#include <array>
#include <cstdint>

#include "base/hex.h"

namespace highwater {

namespace {

/// How many bytes a character has that begins with `lead`, and which second bytes it may have: the
/// bounds leave out overlong forms, surrogates and what lies beyond U+10FFFF.
struct Form {
    std::uint8_t lead_min;
    std::uint8_t lead_max;
    std::uint8_t size;
    std::uint8_t second_min;
    std::uint8_t second_max;
};

// Source: The Unicode Standard, table 3-7.
constexpr std::array<Form, 8> forms{{{0xC2, 0xDF, 2, 0x80, 0xBF},
                                     {0xE0, 0xE0, 3, 0xA0, 0xBF},
                                     {0xE1, 0xEC, 3, 0x80, 0xBF},
                                     {0xED, 0xED, 3, 0x80, 0x9F},
                                     {0xEE, 0xEF, 3, 0x80, 0xBF},
                                     {0xF0, 0xF0, 4, 0x90, 0xBF},
                                     {0xF1, 0xF3, 4, 0x80, 0xBF},
                                     {0xF4, 0xF4, 4, 0x80, 0x8F}}};

std::uint8_t byte_at(std::string_view text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
}

/// True for what a terminal may obey, or show in another place than where it stands.
bool is_unprintable(std::string_view character) {
    const auto first = byte_at(character, 0);
    if (character.size() == 1) return first < 0x20 || first == 0x7F;
    const auto last = byte_at(character, character.size() - 1);
    if (character.size() == 2) return first == 0xC2 && last < 0xA0;  // U+0080 to U+009F
    if (first != 0xE2 || character.size() != 3) return false;
    // Line and paragraph separators, marks and overrides of direction, zero-width characters.
    if (byte_at(character, 1) == 0x80)
        return (last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE);
    return byte_at(character, 1) == 0x81 && last >= 0xA0 && last <= 0xAF;
}

}  // namespace

std::size_t utf8_size_at_start(std::string_view text) {
    if (text.empty()) return 0;
    const auto lead = byte_at(text, 0);
    if (lead < 0x80) return 1;
    for (const Form& form : forms) {
        if (lead < form.lead_min || lead > form.lead_max) continue;
        if (text.size() < form.size) return 0;
        const auto second = byte_at(text, 1);
        if (second < form.second_min || second > form.second_max) return 0;
        for (std::size_t i = 2; i < form.size; ++i) {
            if ((byte_at(text, i) & 0xC0U) != 0x80U) return 0;
        }
        return form.size;
    }
    return 0;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto size = utf8_size_at_start(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string format_quoted(std::string_view text, std::size_t size_max) {
    std::string out;
    std::size_t taken = 0;
    while (!text.empty()) {
        const auto size = utf8_size_at_start(text);
        const auto character = text.substr(0, size == 0 ? 1 : size);
        taken += character.size();
        if (taken > size_max) return out + "...";
        if (size == 0 || is_unprintable(character)) {
            for (const char byte : character) out += "\\x" + format_hex({&byte, 1});
        } else {
            out += character;
        }
        text.remove_prefix(character.size());
    }
    return out;
}

}  // namespace highwater
