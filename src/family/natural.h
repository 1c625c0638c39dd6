#pragma once

#include <array>
#include <cstdint>

namespace highwater::family {

/// A natural number of a few thousand bits, on the stack: what exact sums are turned into when they
/// are read. Limbs have 32 bits, the least significant first.
///
/// Requires, of every operation: the result has at most bits_max bits, which holds for all that
/// exact sums of count_max doubles, and of their squares, can give.
class Natural {
public:
    static constexpr int limbs_max = 160;
    static constexpr int bits_max = 32 * limbs_max;

    Natural() {}  // NOLINT(modernize-use-equals-default): limbs stay uninitialized.
    explicit Natural(std::uint64_t value);
    Natural(const Natural& other) { *this = other; }
    Natural& operator=(const Natural& other);

    bool is_zero() const { return size_ == 0; }
    /// The position after the highest bit; 0 for zero.
    int bit_length() const;
    /// Bits [from, from + 64), zeros beyond the end. Requires: from >= 0.
    std::uint64_t bits_from(int from) const;
    /// Says whether any bit below `position` is set.
    bool has_bits_below(int position) const;

    /// Puts a limb above the others; the last one put must not be zero.
    void push_limb(std::uint32_t limb) { limbs_[static_cast<unsigned>(size_++)] = limb; }
    void drop_leading_zeros();

    void shift_left(int bits);
    void multiply(std::uint64_t factor);
    Natural squared() const;
    /// Requires: *this >= other.
    void subtract(const Natural& other);
    /// Becomes the quotient; returns the remainder. Requires: divisor > 0.
    std::uint64_t divide(std::uint64_t divisor);

    friend bool operator<(const Natural& left, const Natural& right);

private:
    std::uint32_t limb(int at) const { return at < size_ ? limbs_[static_cast<unsigned>(at)] : 0; }

    int size_ = 0;
    std::array<std::uint32_t, limbs_max> limbs_;
};

/// `number` x 2^exponent as the nearest double, ties to even; infinite beyond the largest double.
/// `has_more` says that the true value lies above that, by less than one in its last bit.
/// Requires: with has_more, `number` has at least 55 bits.
double round_to_double(const Natural& number, int exponent, bool has_more = false);

/// `numerator` x 2^exponent / `divisor`, rounded once. Requires: divisor > 0.
double divide_to_double(Natural numerator, int exponent, std::uint64_t divisor);

/// The square root of `numerator` x 2^exponent / `divisor`^2, rounded once. Requires: divisor > 0.
double square_root_to_double(Natural numerator, int exponent, std::uint64_t divisor);

}  // namespace highwater::family
