#include "family/exact_sum.h"

namespace highwater::family {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 53) - 1;

/// Says whether magnitude x 2^exponent < count x 2^power.
bool is_below(const Natural& magnitude, int exponent, std::uint64_t count, int power) {
    if (magnitude.is_zero()) return count > 0;
    const int dropped = power - exponent;
    if (magnitude.bit_length() - dropped > 63) return false;
    const std::uint64_t whole = dropped >= 0
                                    ? magnitude.bits_from(dropped)
                                    : magnitude.bits_from(0) << static_cast<unsigned>(-dropped);
    return whole < count;
}

}  // namespace

double ExactSum::rounded() const {
    const Value sum = value();
    const double magnitude = round_to_double(sum.magnitude, sum.exponent);
    return sum.is_negative ? -magnitude : magnitude;
}

double ExactSum::rounded_mean(std::uint64_t count) const {
    const Value sum = value();
    if (sum.magnitude.is_zero()) return 0;
    const double magnitude = divide_to_double(sum.magnitude, sum.exponent, count);
    return sum.is_negative ? -magnitude : magnitude;
}

bool ExactSum::is_sum_of(std::uint64_t count) const {
    if (count == 0) return is_zero();
    if (bit_length_bound() <= 1024) return true;
    const Value sum = value();
    return is_below(sum.magnitude, sum.exponent, count, 1024);
}

void ExactSumOfSquares::add_square(double value) {
    const DoubleParts parts(value);
    const Uint128 square = Uint128{parts.mantissa} * parts.mantissa;
    add(static_cast<std::uint64_t>(square) & mantissa_mask, 2 * parts.position, 0);
    add(static_cast<std::uint64_t>(square >> 53), 2 * parts.position + 53, 0);
}

std::optional<ExactVariance> find_variance(const ExactSum& sum, const ExactSumOfSquares& squares,
                                           std::uint64_t count) {
    const auto first = sum.value();
    auto second = squares.value();
    if (second.is_negative || !is_below(second.magnitude, second.exponent, count, 2048)) {
        return std::nullopt;
    }
    // n^2 variance = n (sum of squares) - (sum)^2, over one common unit.
    Natural squared_sum = first.magnitude.squared();
    second.magnitude.multiply(count);
    int squared_exponent = 2 * first.exponent;
    if (squared_sum.is_zero()) squared_exponent = second.exponent;
    if (second.magnitude.is_zero()) second.exponent = squared_exponent;
    const int exponent = std::min(squared_exponent, second.exponent);
    squared_sum.shift_left(squared_exponent - exponent);
    second.magnitude.shift_left(second.exponent - exponent);
    if (second.magnitude < squared_sum) return std::nullopt;
    second.magnitude.subtract(squared_sum);
    return ExactVariance{.numerator = second.magnitude, .exponent = exponent};
}

}  // namespace highwater::family
