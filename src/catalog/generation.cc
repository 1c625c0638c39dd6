#include "catalog/generation.h"

#include <charconv>
#include <optional>

#include "base/canonical.h"
#include "base/hex.h"
#include "base/text.h"
#include "base/try.h"

namespace highwater::catalog {

namespace {

constexpr std::string_view batch_mark = "batch:";
constexpr std::size_t epoch_digits = 16;
constexpr std::size_t chain_digits = 8;

/// A number in its one spelling: decimal digits, no sign, no leading zero.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end) return std::nullopt;
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    return value;
}

std::optional<std::uint64_t> parse_random(std::string_view text) {
    const auto bytes = parse_hex(text);
    if (!bytes || text.size() != epoch_digits) return std::nullopt;
    std::uint64_t value = 0;
    for (const char byte : *bytes) value = value << 8U | static_cast<std::uint8_t>(byte);
    return value;
}

bool is_chain_prefix(std::string_view text) {
    return text.size() == chain_digits && parse_hex(text).has_value();
}

std::optional<Token> parse_token(std::string_view text) {
    const auto dot = text.find('.');
    const auto first = text.find('-');
    const auto last = text.rfind('-');
    if (dot == std::string_view::npos || dot > first || first == last) return std::nullopt;
    const auto ordinal = parse_number<std::uint32_t>(text.substr(0, dot));
    const auto random = parse_random(text.substr(dot + 1, first - dot - 1));
    const auto number = parse_number<std::uint64_t>(text.substr(first + 1, last - first - 1));
    const auto prefix = text.substr(last + 1);
    if (!ordinal || !random || !number || !is_chain_prefix(prefix)) return std::nullopt;
    return Token{{*ordinal, *random}, *number, std::string(prefix)};
}

/// True for U+0000 to U+001F and U+007F to U+009F, where `text` is UTF-8.
bool has_control_character(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(text[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        if (byte == 0xC2 && static_cast<std::uint8_t>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

}  // namespace

std::string format_epoch(const Epoch& epoch) {
    Bytes random;
    for (int shift = 56; shift >= 0; shift -= 8) random += static_cast<char>(epoch.random >> shift);
    return std::to_string(epoch.ordinal) + "." + format_hex(random);
}

Digest next_chain(const Digest& parent, const Digest& publication, const Digest& locations) {
    return CanonicalWriter("highwater.chain", 1)
        .add_digest(parent)
        .add_digest(publication)
        .add_digest(locations)
        .digest();
}

Token token_of(const Generation& generation) {
    return {generation.epoch, generation.number,
            format_digest_prefix(generation.chain, chain_digits)};
}

std::string format_token(const Token& token) {
    return format_epoch(token.epoch) + "-" + std::to_string(token.number) + "-" +
           token.chain_prefix;
}

std::string format_token(const Generation& generation) {
    return format_token(token_of(generation));
}

Result<GenerationRef> parse_generation_ref(std::string_view text) {
    if (text.starts_with(batch_mark)) {
        const auto batch = text.substr(batch_mark.size());
        TRY(verify_batch(batch));
        return GenerationRef(BatchRef{std::string(batch)});
    }
    const auto token = parse_token(text);
    if (token) return GenerationRef(*token);
    return Error(Code::invalid_argument,
                 "a generation is written <epoch>-<number>-<8 digits of its chain>, such as "
                 "1.00c0ffee00c0ffee-47-0123abcd, or batch:<batch generation>, not " +
                     format_quoted(text));
}

Result<void> verify_batch(std::string_view batch) {
    const auto refuse = [&](std::string_view why) {
        return Error(Code::invalid_argument, "the batch generation or key '" +
                                                 format_quoted(batch) + "' " + std::string(why));
    };
    if (batch.empty()) return refuse("must not be empty");
    if (batch.size() > batch_size_max) {
        return refuse("is longer than " + std::to_string(batch_size_max) + " bytes");
    }
    if (!is_utf8(batch)) return refuse("is not UTF-8");
    if (has_control_character(batch)) return refuse("has a control character");
    return {};
}

}  // namespace highwater::catalog
