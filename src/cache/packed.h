#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/digest.h"

namespace highwater::cache {

/// Builds the compact bytes that entries are held and stored in: LEB128 integers, zigzag for signed
/// ones, lengths before texts.
///
/// Source: docs/formats/cache-file.md
class PackedWriter {
public:
    void add_byte(std::uint8_t value) { bytes_ += static_cast<char>(value); }
    void add_unsigned(std::uint64_t value);
    void add_signed(std::int64_t value);
    /// `value` as its distance from `base`, modulo 2^64: short when they are near.
    void add_distance(std::uint64_t value, std::uint64_t base);
    void add_text(BytesView value);
    void add_raw(BytesView value) { bytes_ += value; }
    void add_digest(const Digest& value);

    const Bytes& bytes() const { return bytes_; }
    Bytes take() && { return std::move(bytes_); }

private:
    Bytes bytes_;
};

/// Reads what PackedWriter wrote, from any bytes at all: once something does not fit, `failed` is
/// true and every later read gives nothing.
class PackedReader {
public:
    /// Lifetime: `bytes` outlive the reader.
    explicit PackedReader(BytesView bytes) : rest_(bytes) {}

    std::uint8_t read_byte();
    std::uint64_t read_unsigned();
    std::int64_t read_signed();
    std::uint64_t read_distance(std::uint64_t base);
    BytesView read_text();
    BytesView read_raw(std::size_t size);
    Digest read_digest();

    /// A count of things that take at least `size_min` bytes each: never more than could follow.
    std::size_t read_count(std::size_t size_min);

    /// Says that what was read breaks a rule.
    void fail() {
        failed_ = true;
        rest_ = {};
    }

    bool failed() const { return failed_; }
    /// Nothing failed and nothing is left.
    bool is_done() const { return !failed_ && rest_.empty(); }

private:
    BytesView rest_;
    bool failed_ = false;
};

}  // namespace highwater::cache
