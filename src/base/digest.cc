#include "base/digest.h"

#include <nettle/sha2.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/hex.h"
#include "base/text.h"

namespace highwater {

struct Sha256::State {
    sha256_ctx context{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    sha256_init(&state_->context);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(BytesView bytes) {
    sha256_update(&state_->context, bytes.size(),
                  reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

Digest Sha256::finish() {
    Digest digest;
    sha256_digest(&state_->context, digest.bytes.size(), digest.bytes.data());
    return digest;
}

Digest digest_of(BytesView bytes) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    Digest digest;
    sha256_digest(&context, digest.bytes.size(), digest.bytes.data());
    return digest;
}

std::string format_digest(const Digest& digest) {
    return format_hex({reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()});
}

std::string format_digest_prefix(const Digest& digest, std::size_t digits) {
    ASSERT(digits <= 64);
    return format_digest(digest).substr(0, digits);
}

Result<Digest> parse_digest(std::string_view text) {
    Digest digest;
    const auto bytes = parse_hex(text);
    if (!bytes || bytes->size() != digest.bytes.size()) {
        return Error(Code::invalid_argument,
                     "a digest is 64 lower-case hexadecimal digits, not " + format_quoted(text));
    }
    std::copy(bytes->begin(), bytes->end(), digest.bytes.begin());
    return digest;
}

namespace {

using Limbs = std::array<std::uint64_t, 4>;

void add(Limbs& to, const Limbs& value) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::uint64_t added = to[i] + value[i];
        const std::uint64_t next = (added < value[i] || added + carry < added) ? 1U : 0U;
        to[i] = added + carry;
        carry = next;
    }
}

void subtract(Limbs& from, const Limbs& value) {
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint64_t taken = from[i] - value[i];
        const std::uint64_t next = (from[i] < value[i] || taken < borrow) ? 1U : 0U;
        from[i] = taken - borrow;
        borrow = next;
    }
}

}  // namespace

DigestSum& DigestSum::operator+=(const Digest& digest) {
    add(limbs, to_digest_sum(digest).limbs);
    return *this;
}

DigestSum& DigestSum::operator+=(const DigestSum& other) {
    add(limbs, other.limbs);
    return *this;
}

DigestSum& DigestSum::operator-=(const DigestSum& other) {
    subtract(limbs, other.limbs);
    return *this;
}

Digest to_digest(const DigestSum& sum) {
    Digest digest;
    for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
        digest.bytes[i] = static_cast<std::uint8_t>(sum.limbs[i / 8] >> (8 * (i % 8)));
    }
    return digest;
}

DigestSum to_digest_sum(const Digest& digest) {
    DigestSum sum;
    for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
        sum.limbs[i / 8] |= static_cast<std::uint64_t>(digest.bytes[i]) << (8 * (i % 8));
    }
    return sum;
}

}  // namespace highwater
