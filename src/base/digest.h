#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace highwater {

/// A SHA-256 value: 32 bytes, compared as bytes. All zero by default, which no input is known to
/// give.
///
/// Source: FIPS 180-4.
struct Digest {
    std::array<std::uint8_t, 32> bytes{};

    friend auto operator<=>(const Digest&, const Digest&) = default;
    friend bool operator==(const Digest&, const Digest&) = default;
};

/// 64 lower-case hexadecimal digits.
std::string format_digest(const Digest& digest);

/// The first `digits` hexadecimal digits, for people. Requires: digits <= 64.
std::string format_digest_prefix(const Digest& digest, std::size_t digits);

/// Errors: invalid_argument  not exactly 64 lower-case hexadecimal digits.
Result<Digest> parse_digest(std::string_view text);

/// SHA-256 over bytes that come in pieces.
///
/// Not thread-safe. Cost: 1.3-1.6 GB/s on one thread of the reference machine.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void update(BytesView bytes);

    /// The digest of all that was given since the last call, and a fresh start.
    Digest finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// SHA-256 of `bytes`.
Digest digest_of(BytesView bytes);

/// A sum of digests modulo 2^256, read as little-endian integers: equal for equal multisets in any
/// order and any grouping, and a changed member changes it.
///
/// Source: additive multiset hash over a 256-bit group, as archive row fingerprints use it.
struct DigestSum {
    std::array<std::uint64_t, 4> limbs{};

    DigestSum& operator+=(const Digest& digest);
    DigestSum& operator+=(const DigestSum& other);
    DigestSum& operator-=(const DigestSum& other);

    friend bool operator==(const DigestSum&, const DigestSum&) = default;
};

/// The sum as 32 little-endian bytes, so that it is printed and stored like a Digest.
Digest to_digest(const DigestSum& sum);
DigestSum to_digest_sum(const Digest& digest);

}  // namespace highwater
