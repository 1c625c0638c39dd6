#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/digest.h"
#include "base/result.h"

namespace highwater::catalog {

/// One life of a catalog: new when it is created (ordinal 1) or restored (ordinal + 1).
struct Epoch {
    std::uint32_t ordinal = 0;
    std::uint64_t random = 0;

    friend bool operator==(const Epoch&, const Epoch&) = default;
};

/// "<ordinal>.<16 hexadecimal digits>": "1.00c0ffee00c0ffee".
std::string format_epoch(const Epoch& epoch);

/// A position in the catalog's one line of generations. Number 0 is the empty catalog; each commit
/// adds one. The chain binds all that came before: H(parent chain, publication digest, locations).
struct Generation {
    Epoch epoch;
    std::uint64_t number = 0;
    Digest chain;

    friend bool operator==(const Generation&, const Generation&) = default;
};

/// The chain after a commit.
Digest next_chain(const Digest& parent, const Digest& publication, const Digest& locations);

/// A generation as people and programs hand it around: "<epoch>-<number>-<first 8 of chain>".
struct Token {
    Epoch epoch;
    std::uint64_t number = 0;
    std::string chain_prefix;  // 8 hexadecimal digits

    friend bool operator==(const Token&, const Token&) = default;
};

/// A batch generation in the place of a token: "batch:<text>".
struct BatchRef {
    std::string batch;

    friend bool operator==(const BatchRef&, const BatchRef&) = default;
};

using GenerationRef = std::variant<Token, BatchRef>;

Token token_of(const Generation& generation);
std::string format_token(const Token& token);
std::string format_token(const Generation& generation);

/// Takes both forms. Errors: invalid_argument.
Result<GenerationRef> parse_generation_ref(std::string_view text);

constexpr std::size_t batch_size_max = 256;

/// Checks a batch generation or idempotency key: 1..256 bytes of UTF-8 without control characters.
///
/// Errors: invalid_argument.
Result<void> verify_batch(std::string_view batch);

}  // namespace highwater::catalog
