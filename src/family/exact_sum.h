#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "family/natural.h"
#include "family/wire.h"

namespace highwater::family {

/// Where the bits of a double lie: value = +-mantissa x 2^(position - 1074).
struct DoubleParts {
    explicit DoubleParts(double value) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const auto field = static_cast<int>(bits >> 52 & 0x7FF);
        const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
        const bool is_normal = field != 0;
        mantissa = fraction | static_cast<std::uint64_t>(is_normal) << 52;
        position = field - static_cast<int>(is_normal);
        sign = static_cast<std::int64_t>(bits) >> 63;
    }

    std::uint64_t mantissa = 0;  // Below 2^53.
    int position = 0;
    std::int64_t sign = 0;  // 0, or -1 for negative values.
};

/// A sum of integers x 2^unit, exact whatever the order of its parts: 32-bit digits in 64-bit
/// chunks, whose spare bits hold carries until they must move on.
///
/// Equal sums encode to equal bytes. Requires: the magnitude stays below 2^(32 x chunk_count - 1)
/// units, which holds for sums of count_max values.
/// Cost: 2 ns to add a double; merging costs what the occupied span costs; nothing is allocated.
/// Source: Neal, "Fast exact summation using small and large superaccumulators", 2015.
template <int chunk_count, int unit>
class Superaccumulator {
public:
    static constexpr int size_bytes_max = 4 * chunk_count;

    Superaccumulator() {}  // NOLINT(modernize-use-equals-default): chunks stay uninitialized.
    Superaccumulator(const Superaccumulator& other) { *this = other; }
    Superaccumulator& operator=(const Superaccumulator& other) {
        if (this != &other) {
            low_ = other.low_;
            high_ = other.high_;
            pending_ = other.pending_;
            std::copy(other.at(low_), other.at(high_), at(low_));
        }
        return *this;
    }

    /// Adds, or with sign -1 subtracts, mantissa x 2^position units. Requires: mantissa < 2^53.
    void add(std::uint64_t mantissa, int position, std::int64_t sign) {
        const int chunk = position >> 5;
        const auto shift = static_cast<unsigned>(position & 31);
        const auto lower = static_cast<std::int64_t>(mantissa << shift & 0xFFFF'FFFF);
        const auto upper = static_cast<std::int64_t>(mantissa >> (32 - shift));
        if (chunk < low_ || chunk + 2 > high_) [[unlikely]]
            cover(chunk, chunk + 2);
        *at(chunk) += (lower ^ sign) - sign;
        *at(chunk + 1) += (upper ^ sign) - sign;
        if (++pending_ >= pending_max) [[unlikely]]
            carry();
    }

    void merge(const Superaccumulator& other) { combine(other, 0); }
    void subtract(const Superaccumulator& other) { combine(other, -1); }

    bool is_zero() const {
        Superaccumulator copy = *this;
        copy.carry();
        return copy.low_ == copy.high_;
    }

    /// The sum: its sign, and its magnitude as a number x 2^exponent.
    struct Value {
        bool is_negative = false;
        Natural magnitude;
        int exponent = 0;
    };
    Value value() const {
        Superaccumulator copy = *this;
        copy.carry();
        Value value{.is_negative = copy.make_positive(), .magnitude = {}, .exponent = 0};
        for (int i = copy.low_; i < copy.high_; ++i) {
            value.magnitude.push_limb(static_cast<std::uint32_t>(*copy.at(i)));
        }
        value.exponent = unit + 32 * copy.low_;
        return value;
    }

    /// As a signed count of magnitude bytes, the place of the lowest, and the bytes, none of them
    /// needless.
    void encode(WireWriter& to) const;

    /// Becomes what was encoded; fails the reader for what `encode` would not write.
    void decode(WireReader& from);

    friend bool operator==(const Superaccumulator& left, const Superaccumulator& right) {
        Superaccumulator difference = left;
        difference.subtract(right);
        return difference.is_zero();
    }

protected:
    /// The magnitude is below 2^this.
    int bit_length_bound() const { return unit + 32 * high_ + 32; }

private:
    // A chunk holds at most a digit and this many addends below 2^53: less than 2^63.
    static constexpr int pending_max = 1000;
    static constexpr std::int64_t digit_mask = 0xFFFF'FFFF;

    std::int64_t* at(int chunk) { return chunks_.data() + chunk; }
    const std::int64_t* at(int chunk) const { return chunks_.data() + chunk; }

    /// Makes [from, to) part of the span.
    void cover(int from, int to) {
        if (low_ == high_) low_ = high_ = from;
        if (from < low_) {
            std::fill(at(from), at(low_), 0);
            low_ = from;
        }
        if (to > high_) {
            std::fill(at(high_), at(to), 0);
            high_ = to;
        }
    }

    /// Brings every chunk but the highest to a digit from 0 to 2^32 - 1, and drops zeros at the
    /// ends. The sign of the highest is then the sign of the sum.
    void carry() {
        std::int64_t carried = 0;
        for (int i = low_; i < high_; ++i) {
            const std::int64_t sum = *at(i) + carried;
            const bool stays_whole = i + 1 == high_ && sum <= digit_mask && sum >= -digit_mask;
            carried = stays_whole ? 0 : sum >> 32;
            *at(i) = stays_whole ? sum : sum & digit_mask;
        }
        if (carried != 0) {
            ASSERT(high_ < chunk_count);
            *at(high_++) = carried;
        }
        while (high_ > low_ && *at(high_ - 1) == 0) --high_;
        while (low_ < high_ && *at(low_) == 0) ++low_;
        pending_ = 0;
    }

    /// Negates a negative sum and says that it did. Requires: carried; carried after.
    bool make_positive() {
        if (low_ == high_ || *at(high_ - 1) > 0) return false;
        for (int i = low_; i < high_; ++i) *at(i) = -*at(i);
        carry();
        return true;
    }

    void combine(const Superaccumulator& other, std::int64_t sign) {
        if (other.low_ == other.high_) return;
        if (pending_ + other.pending_ + 1 > pending_max) carry();
        if (pending_ + other.pending_ + 1 > pending_max) {
            Superaccumulator carried = other;
            carried.carry();
            return combine(carried, sign);
        }
        cover(other.low_, other.high_);
        for (int i = other.low_; i < other.high_; ++i) *at(i) += (*other.at(i) ^ sign) - sign;
        pending_ += other.pending_ + 1;
    }

    int low_ = 0;  // Chunks [low_, high_) are in use; the others hold anything.
    int high_ = 0;
    int pending_ = 0;  // How many addends the chunks may hold beyond their digits.
    std::array<std::int64_t, chunk_count> chunks_;
};

template <int chunk_count, int unit>
void Superaccumulator<chunk_count, unit>::encode(WireWriter& to) const {
    Superaccumulator copy = *this;
    copy.carry();
    const bool is_negative = copy.make_positive();
    std::array<char, size_bytes_max> bytes;
    int end = 4 * copy.low_;
    for (int i = copy.low_; i < copy.high_; ++i) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes[static_cast<unsigned>(end++)] = static_cast<char>(*copy.at(i) >> shift);
        }
    }
    int begin = 4 * copy.low_;
    while (end > begin && bytes[static_cast<unsigned>(end - 1)] == 0) --end;
    while (begin < end && bytes[static_cast<unsigned>(begin)] == 0) ++begin;
    to.put_signed_varint(is_negative ? begin - end : end - begin);
    if (begin == end) return;
    to.put_varint(static_cast<std::uint64_t>(begin));
    to.put_bytes({bytes.data() + begin, static_cast<std::size_t>(end - begin)});
}

template <int chunk_count, int unit>
void Superaccumulator<chunk_count, unit>::decode(WireReader& from) {
    low_ = high_ = pending_ = 0;
    const std::int64_t length = from.take_signed_varint();
    if (length == 0) return;
    const std::uint64_t begin = from.take_varint();
    const auto bits = static_cast<std::uint64_t>(length);
    const std::uint64_t size = length < 0 ? 0 - bits : bits;
    // The highest bit is left free for the sign.
    if (size > size_bytes_max || begin > size_bytes_max - 1 - size) from.fail();
    const BytesView bytes = from.take_bytes(size);
    if (from.failed() || bytes.front() == 0 || bytes.back() == 0) {
        from.fail();
        return;
    }
    const auto first = static_cast<int>(begin);
    const int end = first + static_cast<int>(size);
    cover(first / 4, (end + 3) / 4);
    for (int i = first; i < end; ++i) {
        const auto byte = static_cast<std::uint8_t>(bytes[static_cast<std::size_t>(i - first)]);
        *at(i / 4) |= static_cast<std::int64_t>(byte) << static_cast<unsigned>(i % 4 * 8);
    }
    if (length < 0) {
        for (int i = low_; i < high_; ++i) *at(i) = -*at(i);
    }
    // Digits below 2^32 of either sign are no more than one pending addend.
    pending_ = 1;
}

/// The exact sum of up to count_max finite doubles.
class ExactSum : public Superaccumulator<68, -1074> {
public:
    /// Requires: `value` is finite.
    void add(double value) {
        const DoubleParts parts(value);
        Superaccumulator::add(parts.mantissa, parts.position, parts.sign);
    }

    /// The sum, rounded once; infinite beyond the largest double. Zero is +0.
    double rounded() const;

    /// The sum over `count`, rounded once. Requires: count > 0.
    double rounded_mean(std::uint64_t count) const;

    /// Says whether `count` finite doubles can have this sum, as far as its size tells.
    bool is_sum_of(std::uint64_t count) const;
};

/// The exact sum of the squares of up to count_max finite doubles.
class ExactSumOfSquares : public Superaccumulator<137, -2148> {
public:
    /// Adds the square of `value`. Requires: `value` is finite.
    void add_square(double value);
};

/// The population variance of `count` values, as numerator x 2^exponent / count^2.
struct ExactVariance {
    Natural numerator;
    int exponent = 0;
};

/// Nothing if no `count` values can have these two sums. Requires: count > 0.
std::optional<ExactVariance> find_variance(const ExactSum& sum, const ExactSumOfSquares& squares,
                                           std::uint64_t count);

}  // namespace highwater::family
