#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace highwater::family {

/// Eight counts: one cache line, the unit in which dense buckets are kept and added.
struct alignas(64) CountBlock {
    std::array<std::uint64_t, 8> counts{};
};

/// Adds `size` blocks, count by count. Requires: no sum exceeds 2^63 - 1.
void add_counts(CountBlock* to, const CountBlock* from, std::size_t size);

/// Subtracts `size` blocks, count by count; says whether no difference is negative.
/// After false: add_counts of the same blocks restores `to`.
/// Requires: counts of at most 2^63 - 1.
bool subtract_counts(CountBlock* to, const CountBlock* from, std::size_t size);

}  // namespace highwater::family
