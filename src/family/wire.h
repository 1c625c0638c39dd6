#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "family/sample.h"

namespace highwater::family {

/// Appends the fields of an encoded state: fixed numbers have their least significant byte first,
/// varints are base 128, the least significant digit first, without needless digits.
///
/// Source: docs/formats/family-states.md
class WireWriter {
public:
    explicit WireWriter(Bytes& out) : out_(out) {}

    void put_u8(std::uint8_t value) { out_ += static_cast<char>(value); }

    void put_varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
        out_ += static_cast<char>(value);
    }

    /// Small numbers of either sign become small varints: 0, -1, 1, -2, ...
    void put_signed_varint(std::int64_t value) {
        put_varint((static_cast<std::uint64_t>(value) << 1) ^
                   static_cast<std::uint64_t>(value >> 63));
    }

    void put_fixed64(std::uint64_t value) {
        for (unsigned shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(value >> shift);
    }

    void put_double(double value) { put_fixed64(std::bit_cast<std::uint64_t>(value)); }

    void put_bytes(BytesView bytes) { out_ += bytes; }

    void put_sample(const Sample& sample) {
        put_fixed64(static_cast<std::uint64_t>(to_ns(sample.time)));
        put_double(sample.value);
    }

private:
    Bytes& out_;
};

/// Takes such fields from bytes of any origin. The first field that is not there, or not written as
/// WireWriter writes it, makes the reader fail for good; from then on every field is zero.
class WireReader {
public:
    explicit WireReader(BytesView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    bool failed() const { return failed_; }
    /// Every byte was taken and nothing failed.
    bool is_finished() const { return !failed_ && at_ == end_; }
    std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

    std::uint8_t take_u8() {
        if (at_ == end_) return fail();
        return static_cast<std::uint8_t>(*at_++);
    }

    std::uint64_t take_varint() {
        if (at_ != end_ && (*at_ & 0x80) == 0) [[likely]] {
            return static_cast<std::uint8_t>(*at_++);
        }
        return take_long_varint();
    }

    std::int64_t take_signed_varint() {
        const std::uint64_t value = take_varint();
        return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
    }

    std::uint64_t take_fixed64() {
        if (bytes_left() < 8) return fail();
        std::uint64_t value = 0;
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(&value, at_, 8);
        } else {
            for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<std::uint8_t>(at_[i]);
        }
        at_ += 8;
        return value;
    }

    double take_double() { return std::bit_cast<double>(take_fixed64()); }

    BytesView take_bytes(std::uint64_t count) {
        if (count > bytes_left()) {
            fail();
            return {};
        }
        const BytesView taken(at_, static_cast<std::size_t>(count));
        at_ += count;
        return taken;
    }

    /// Its value is a number, an infinity or the one NaN.
    Sample take_sample() {
        const Time time = time_from_ns(static_cast<std::int64_t>(take_fixed64()));
        const double value = take_double();
        if (value != value && !has_same_bits(value, one_nan)) fail();
        return {.time = time, .value = value};
    }

    std::uint8_t fail() {
        failed_ = true;
        at_ = end_;
        return 0;
    }

private:
    std::uint64_t take_long_varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t digit = take_u8();
            value |= static_cast<std::uint64_t>(digit & 0x7F) << shift;
            if ((digit & 0x80) != 0) continue;
            // A last digit of zero, or bits beyond the 64th, would be a second spelling.
            const bool is_canonical = (digit != 0 || shift == 0) && (shift < 63 || digit <= 1);
            return is_canonical ? value : fail();
        }
        return fail();
    }

    const char* at_;
    const char* end_;
    bool failed_ = false;
};

}  // namespace highwater::family
