#include "cache/packed.h"

#include <algorithm>

namespace highwater::cache {

namespace {

constexpr unsigned group_bits = 7;
constexpr std::uint8_t more = 0x80;

std::uint64_t zigzag(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? ~(bits << 1U) : bits << 1U;
}

std::int64_t unzigzag(std::uint64_t bits) {
    const std::uint64_t half = bits >> 1U;
    return static_cast<std::int64_t>((bits & 1U) != 0 ? ~half : half);
}

}  // namespace

void PackedWriter::add_unsigned(std::uint64_t value) {
    for (; value >= more; value >>= group_bits) {
        add_byte(static_cast<std::uint8_t>(value | more));
    }
    add_byte(static_cast<std::uint8_t>(value));
}

void PackedWriter::add_signed(std::int64_t value) {
    add_unsigned(zigzag(value));
}

void PackedWriter::add_distance(std::uint64_t value, std::uint64_t base) {
    add_signed(static_cast<std::int64_t>(value - base));
}

void PackedWriter::add_text(BytesView value) {
    add_unsigned(value.size());
    bytes_ += value;
}

void PackedWriter::add_digest(const Digest& value) {
    bytes_.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
}

std::uint8_t PackedReader::read_byte() {
    const BytesView byte = read_raw(1);
    return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte.front());
}

std::uint64_t PackedReader::read_unsigned() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !failed_; shift += group_bits) {
        const std::uint8_t byte = read_byte();
        const std::uint64_t bits = byte & ~more;
        // The tenth group has room for one bit; a zero last group would be a second spelling.
        const bool fits = shift < 63 || (shift == 63 && bits <= 1);
        if (!fits || (byte == 0 && shift > 0)) break;
        value |= bits << shift;
        if ((byte & more) == 0) return failed_ ? 0 : value;
    }
    fail();
    return 0;
}

std::int64_t PackedReader::read_signed() {
    return unzigzag(read_unsigned());
}

std::uint64_t PackedReader::read_distance(std::uint64_t base) {
    return base + static_cast<std::uint64_t>(read_signed());
}

BytesView PackedReader::read_text() {
    return read_raw(read_unsigned());
}

BytesView PackedReader::read_raw(std::size_t size) {
    if (size > rest_.size()) fail();
    if (failed_) return {};
    const BytesView taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
}

Digest PackedReader::read_digest() {
    Digest digest;
    const BytesView taken = read_raw(digest.bytes.size());
    std::ranges::copy(taken, digest.bytes.begin());
    return digest;
}

std::size_t PackedReader::read_count(std::size_t size_min) {
    const std::uint64_t count = read_unsigned();
    if (count > rest_.size() / size_min) fail();
    return failed_ ? 0 : count;
}

}  // namespace highwater::cache
