#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/digest.h"

namespace highwater {

/// Builds the canonical bytes that digests are taken over: typed, length-prefixed, little-endian.
///
/// Two different sequences of calls never give the same bytes: each value carries a tag for its
/// type, strings and lists carry their length. Every digest begins with a domain name and version
/// ("highwater.manifest", 1), so that bytes of one kind are never taken for another.
///
/// Source: docs/formats/canonical.md
class CanonicalWriter {
public:
    CanonicalWriter(std::string_view domain, std::uint32_t version);

    CanonicalWriter& add_text(std::string_view value);    // tag 't', u64 length, bytes
    CanonicalWriter& add_unsigned(std::uint64_t value);   // tag 'u', 8 bytes
    CanonicalWriter& add_signed(std::int64_t value);      // tag 'i', 8 bytes
    CanonicalWriter& add_bool(bool value);                // tag 'b', 1 byte
    CanonicalWriter& add_digest(const Digest& value);     // tag 'd', 32 bytes
    CanonicalWriter& add_absent();                        // tag 'n'
    CanonicalWriter& add_list_size(std::uint64_t count);  // tag 'l', 8 bytes; the members follow

    const Bytes& bytes() const { return bytes_; }
    Digest digest() const { return digest_of(bytes_); }

private:
    void append_u64(std::uint64_t value);

    Bytes bytes_;
};

}  // namespace highwater
