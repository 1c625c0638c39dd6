#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace highwater::family {

/// Counts in a row of slots, and cursors that each find the slot of a rank: fast when the rank and
/// the counts have moved little since the cursor was last asked.
///
/// Cost: 1 ns and 1 ns a cursor to add or subtract; an answer costs 1 ns for each used slot between
/// the last answer and this one.
class RankedCounts {
public:
    explicit RankedCounts(std::size_t cursors) : cursors_(cursors) {}

    /// Makes `slots` empty slots.
    void reset(std::size_t slots) {
        counts_.assign(slots, 0);
        used_.assign(slots / 64 + 1, 0);
        for (Cursor& cursor : cursors_) cursor = {};
    }

    void add(std::size_t slot, std::uint64_t count) {
        counts_[slot] += count;
        used_[slot / 64] |= std::uint64_t{1} << slot % 64;
        for (Cursor& cursor : cursors_) cursor.below += slot < cursor.slot ? count : 0;
    }

    /// Requires: the slot has that count.
    void subtract(std::size_t slot, std::uint64_t count) {
        counts_[slot] -= count;
        used_[slot / 64] &= ~(std::uint64_t{counts_[slot] == 0} << slot % 64);
        for (Cursor& cursor : cursors_) cursor.below -= slot < cursor.slot ? count : 0;
    }

    /// The slot of a rank. Requires: rank is less than the sum of all counts.
    std::size_t find(std::size_t cursor_number, std::uint64_t rank) {
        Cursor& cursor = cursors_[cursor_number];
        while (rank < cursor.below) {
            cursor.slot = used_before(cursor.slot);
            cursor.below -= counts_[cursor.slot];
        }
        while (rank - cursor.below >= counts_[cursor.slot]) {
            cursor.below += counts_[cursor.slot];
            cursor.slot = used_after(cursor.slot);
        }
        return cursor.slot;
    }

private:
    struct Cursor {
        std::size_t slot = 0;
        std::uint64_t below = 0;  // The sum of the counts of all slots before it.
    };

    std::size_t used_before(std::size_t slot) const {
        std::size_t word = slot / 64;
        std::uint64_t bits = used_[word] & ((std::uint64_t{1} << slot % 64) - 1);
        while (bits == 0) bits = used_[--word];
        return 64 * word + 63 - static_cast<std::size_t>(std::countl_zero(bits));
    }

    std::size_t used_after(std::size_t slot) const {
        std::size_t word = (slot + 1) / 64;
        std::uint64_t bits = used_[word] & ~std::uint64_t{0} << (slot + 1) % 64;
        while (bits == 0) bits = used_[++word];
        return 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
    }

    std::vector<std::uint64_t> counts_;
    std::vector<std::uint64_t> used_;  // One bit a slot.
    std::vector<Cursor> cursors_;
};

}  // namespace highwater::family
