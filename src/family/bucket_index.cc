#include "family/bucket_index.h"

#include <limits>

#include "family/bucket_boundaries.h"

namespace highwater::family {
namespace {

constexpr std::uint64_t fraction_end = std::uint64_t{1} << 52;
constexpr unsigned cell_bits = 43;

constexpr std::array<std::uint64_t, 512> make_cells() {
    std::array<std::uint64_t, 512> cells{};
    std::size_t boundary = 0;
    for (std::uint64_t cell = 0; cell < cells.size(); ++cell) {
        const std::uint64_t below = boundary;
        std::uint64_t inside = fraction_end - 1;  // Without a boundary nothing is above it.
        const std::uint64_t end = (cell + 1) << cell_bits;
        if (boundary < bucket_boundaries.size() && bucket_boundaries[boundary] < end) {
            inside = bucket_boundaries[boundary++];
        }
        cells[cell] = (below << 52) + (fraction_end - 1 - inside);
    }
    return cells;
}

constexpr bool has_one_boundary_a_cell() {
    for (std::size_t i = 1; i < bucket_boundaries.size(); ++i) {
        if (bucket_boundaries[i] >> cell_bits == bucket_boundaries[i - 1] >> cell_bits) {
            return false;
        }
    }
    return true;
}
static_assert(has_one_boundary_a_cell());

/// 2^(2^-scale), infinite where a double cannot hold it.
constexpr double base_of(int scale) {
    if (scale > 0) {
        const std::uint64_t fraction = bucket_boundaries[std::size_t{1} << (finest_scale - scale)];
        return std::bit_cast<double>((std::uint64_t{1023} << 52) | fraction);
    }
    const int octaves = 1 << -scale;
    if (octaves > 1023) return std::numeric_limits<double>::infinity();
    return std::bit_cast<double>(static_cast<std::uint64_t>(octaves + 1023) << 52);
}

/// (base - 1) / (base + 1) of every scale, the coarsest first.
constexpr auto relative_errors = [] {
    std::array<double, finest_scale - coarsest_scale + 1> errors{};
    for (int scale = coarsest_scale; scale <= finest_scale; ++scale) {
        const double base = base_of(scale);
        const bool is_finite = base < std::numeric_limits<double>::infinity();
        errors[static_cast<std::size_t>(scale - coarsest_scale)] =
            is_finite ? (base - 1) / (base + 1) : 1;
    }
    return errors;
}();

double plain_relative_error(int scale) {
    return relative_errors[static_cast<std::size_t>(scale - coarsest_scale)];
}

}  // namespace

constinit const std::array<std::uint64_t, 512> bucket_cells = make_cells();

double bucket_lower_edge(std::int32_t index, int scale) {
    const std::int32_t finest = index * (1 << (finest_scale - scale));
    const int octave = finest >> 8;
    const std::uint64_t fraction = bucket_boundaries[static_cast<std::size_t>(finest & 255)];
    if (octave >= -1022) {
        return std::bit_cast<double>(static_cast<std::uint64_t>(octave + 1023) << 52 | fraction);
    }
    // Below the normal doubles: scaled down once, rounded once.
    const double scaled =
        std::bit_cast<double>(static_cast<std::uint64_t>(octave + 2047) << 52 | fraction);
    return scaled * 0x1p-1024;
}

double bucket_representative(std::int32_t index, int scale) {
    // The harmonic mean of both edges, written so that the upper one need not be a double.
    return bucket_lower_edge(index, scale) * (1 + plain_relative_error(scale));
}

double bucket_relative_error(int scale) {
    return plain_relative_error(scale) * (1 + 0x1p-36);
}

IndexRange possible_indices(double zero_threshold, int scale) {
    const std::uint64_t above = std::bit_cast<std::uint64_t>(zero_threshold) + 1;
    const std::int32_t low = finest_bucket_index(above);
    const std::int32_t high =
        finest_bucket_index(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max()));
    return {.low = low >> (finest_scale - scale), .high = high >> (finest_scale - scale)};
}

}  // namespace highwater::family
