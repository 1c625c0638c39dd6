#!/usr/bin/env python3
"""The oracle of exact sums: reads lines of doubles in hexadecimal, writes for each line its sum, mean
and population standard deviation, each computed with rationals and rounded once."""

import math
import sys
from fractions import Fraction


def rounded(value):
    try:
        return float(value)  # A Fraction is rounded to nearest, ties to even.
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def rounded_root(value):
    """The square root of a rational: 200 bits of it, and one more that says whether any follow."""
    if value == 0:
        return 0.0
    scale = 200 - (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    scaled = value * Fraction(4) ** scale
    root = math.isqrt(scaled.numerator // scaled.denominator)
    more = 0 if Fraction(root) ** 2 == scaled else 1
    return rounded(Fraction(2 * root + more) / (2 * Fraction(2) ** scale))


def main():
    for line in sys.stdin:
        values = [Fraction(float.fromhex(word)) for word in line.split()]
        total = sum(values)
        mean = total / len(values)
        variance = sum(value * value for value in values) / len(values) - mean * mean
        print(rounded(total).hex(), rounded(mean).hex(), rounded_root(variance).hex())


main()
