#include "family/natural.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.h"

namespace highwater::family {
namespace {

__extension__ using Uint128 = unsigned __int128;

/// floor(sqrt(value)), bit by bit: readouts are rare, and this is plainly right.
std::uint64_t integer_square_root(Uint128 value) {
    std::uint64_t root = 0;
    for (int bit = 63; bit >= 0; --bit) {
        const std::uint64_t candidate = root | (std::uint64_t{1} << static_cast<unsigned>(bit));
        if (Uint128{candidate} * candidate <= value) root = candidate;
    }
    return root;
}

}  // namespace

Natural::Natural(std::uint64_t value) {
    for (; value != 0; value >>= 32) push_limb(static_cast<std::uint32_t>(value));
}

Natural& Natural::operator=(const Natural& other) {
    if (this != &other) {
        size_ = other.size_;
        std::copy_n(other.limbs_.begin(), size_, limbs_.begin());
    }
    return *this;
}

int Natural::bit_length() const {
    if (size_ == 0) return 0;
    return 32 * (size_ - 1) + static_cast<int>(std::bit_width(limb(size_ - 1)));
}

std::uint64_t Natural::bits_from(int from) const {
    const int at = from / 32;
    const auto shift = static_cast<unsigned>(from % 32);
    const std::uint64_t low = std::uint64_t{limb(at + 1)} << 32 | limb(at);
    if (shift == 0) return low;
    return low >> shift | std::uint64_t{limb(at + 2)} << (64 - shift);
}

bool Natural::has_bits_below(int position) const {
    const int whole = std::min(position / 32, size_);
    for (int at = 0; at < whole; ++at) {
        if (limb(at) != 0) return true;
    }
    const std::uint32_t mask = (std::uint32_t{1} << static_cast<unsigned>(position % 32)) - 1;
    return whole == position / 32 && (limb(whole) & mask) != 0;
}

void Natural::drop_leading_zeros() {
    while (size_ > 0 && limb(size_ - 1) == 0) --size_;
}

void Natural::shift_left(int bits) {
    if (size_ == 0 || bits == 0) return;
    const int whole = bits / 32;
    const auto shift = static_cast<unsigned>(bits % 32);
    ASSERT(size_ + whole + 1 <= limbs_max);
    const int old_size = std::exchange(size_, size_ + whole + 1);
    limbs_[static_cast<unsigned>(size_ - 1)] = 0;
    for (int at = old_size - 1; at >= 0; --at) {
        const std::uint64_t moved = std::uint64_t{limb(at)} << shift;
        limbs_[static_cast<unsigned>(at + whole + 1)] |= static_cast<std::uint32_t>(moved >> 32);
        limbs_[static_cast<unsigned>(at + whole)] = static_cast<std::uint32_t>(moved);
    }
    std::fill_n(limbs_.begin(), whole, 0U);
    drop_leading_zeros();
}

void Natural::multiply(std::uint64_t factor) {
    ASSERT(size_ + 2 <= limbs_max);
    Uint128 carry = 0;
    for (int at = 0; at < size_; ++at) {
        carry += Uint128{limb(at)} * factor;
        limbs_[static_cast<unsigned>(at)] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    for (; carry != 0; carry >>= 32) push_limb(static_cast<std::uint32_t>(carry));
    drop_leading_zeros();
}

Natural Natural::squared() const {
    ASSERT(2 * size_ <= limbs_max);
    Natural product;
    for (int at = 0; at < 2 * size_; ++at) product.push_limb(0);
    for (int i = 0; i < size_; ++i) {
        std::uint64_t carry = 0;
        for (int j = 0; j < size_; ++j) {
            std::uint32_t& to = product.limbs_[static_cast<unsigned>(i + j)];
            carry += std::uint64_t{limb(i)} * limb(j) + to;
            to = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        product.limbs_[static_cast<unsigned>(i + size_)] = static_cast<std::uint32_t>(carry);
    }
    product.drop_leading_zeros();
    return product;
}

void Natural::subtract(const Natural& other) {
    std::int64_t borrow = 0;
    for (int at = 0; at < size_; ++at) {
        borrow += std::int64_t{limb(at)} - std::int64_t{other.limb(at)};
        limbs_[static_cast<unsigned>(at)] = static_cast<std::uint32_t>(borrow);
        borrow >>= 32;
    }
    ASSERT(borrow == 0 && other.size_ <= size_);
    drop_leading_zeros();
}

std::uint64_t Natural::divide(std::uint64_t divisor) {
    ASSERT(divisor > 0);
    std::uint64_t remainder = 0;
    const bool is_short = divisor >> 32 == 0;  // Then 64-bit division does, which is faster.
    for (int at = size_ - 1; at >= 0; --at) {
        std::uint32_t& digit = limbs_[static_cast<unsigned>(at)];
        if (is_short) {
            const std::uint64_t part = remainder << 32 | digit;
            digit = static_cast<std::uint32_t>(part / divisor);
            remainder = part % divisor;
        } else {
            const Uint128 part = Uint128{remainder} << 32 | digit;
            digit = static_cast<std::uint32_t>(part / divisor);
            remainder = static_cast<std::uint64_t>(part % divisor);
        }
    }
    drop_leading_zeros();
    return remainder;
}

bool operator<(const Natural& left, const Natural& right) {
    if (left.size_ != right.size_) return left.size_ < right.size_;
    for (int at = left.size_ - 1; at >= 0; --at) {
        if (left.limb(at) != right.limb(at)) return left.limb(at) < right.limb(at);
    }
    return false;
}

double round_to_double(const Natural& number, int exponent, bool has_more) {
    const int length = number.bit_length();
    if (length == 0) return 0;
    ASSERT(!has_more || length >= 55);
    const int highest = exponent + length - 1;  // The exponent of the highest bit.
    if (highest > 1023) return std::bit_cast<double>(std::uint64_t{0x7FF} << 52);
    const int lowest = std::max(highest - 52, -1074);  // Of the last bit that a double keeps.
    const int dropped = lowest - exponent;
    std::uint64_t kept = 0;
    if (dropped <= 0) {
        kept = number.bits_from(0) << static_cast<unsigned>(-dropped);
    } else {
        kept = number.bits_from(dropped);
        const bool half = (number.bits_from(dropped - 1) & 1) != 0;
        if (half && (has_more || (kept & 1) != 0 || number.has_bits_below(dropped - 1))) ++kept;
    }
    // The highest kept bit of a normal number is the implicit one: it adds one to the exponent, and
    // so does a carry out of the mantissa, up to infinity.
    return std::bit_cast<double>((static_cast<std::uint64_t>(lowest + 1074) << 52) + kept);
}

double divide_to_double(Natural numerator, int exponent, std::uint64_t divisor) {
    // The quotient gets at least 55 bits, so that its remainder is far below the rounding.
    const int wanted = 56 + static_cast<int>(std::bit_width(divisor));
    const int shift = std::max(0, wanted - numerator.bit_length());
    numerator.shift_left(shift);
    const bool has_more = numerator.divide(divisor) != 0;
    return round_to_double(numerator, exponent - shift, has_more);
}

double square_root_to_double(Natural numerator, int exponent, std::uint64_t divisor) {
    if (numerator.is_zero()) return 0;
    const int wanted = 130 + 2 * static_cast<int>(std::bit_width(divisor));
    const int shift = std::max(0, wanted - numerator.bit_length());
    numerator.shift_left(shift);
    exponent -= shift;
    bool has_more = numerator.divide(divisor) != 0;
    has_more |= numerator.divide(divisor) != 0;
    // The root of the upper 127 or 128 bits has 64 bits; what lies below only says "more".
    int dropped = std::max(0, numerator.bit_length() - 128);
    if ((exponent + dropped) % 2 != 0) ++dropped;
    const Uint128 upper =
        Uint128{numerator.bits_from(dropped + 64)} << 64 | numerator.bits_from(dropped);
    const std::uint64_t root = integer_square_root(upper);
    has_more |= numerator.has_bits_below(dropped) || Uint128{root} * root != upper;
    return round_to_double(Natural(root), (exponent + dropped) / 2, has_more);
}

}  // namespace highwater::family
