#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "family/count_blocks.h"

namespace highwater::family {

/// How often each bucket of one sign was hit. A few buckets are kept inline as pairs; more become a
/// dense array over their span. Which of the two is no part of the value.
///
/// Requires, of every operation: no count exceeds 2^63 - 1.
class Buckets {
public:
    static constexpr std::size_t sparse_max = 16;

    bool is_empty() const { return high_ < low_; }
    /// The lowest and highest bucket that was hit. Requires: !is_empty().
    std::int32_t low() const { return low_; }
    std::int32_t high() const { return high_; }

    /// Adds one hit if the bucket lies within the span of a dense array, else says no.
    bool try_increment(std::int32_t index) {
        const auto offset = static_cast<std::uint32_t>(index - low_);
        if (offset >= dense_span_) [[unlikely]]
            return false;
        ++dense_counts()[index - base_];
        return true;
    }

    /// Requires: count > 0.
    void add(std::int32_t index, std::uint64_t count);

    /// Makes each 2^shift neighbouring buckets one.
    void downscale(int shift);

    /// Adds all of `other`, whose scale is finer by `shift`.
    void merge(const Buckets& other, int shift);

    /// Takes the hits of `part` away; if one would become negative, changes nothing and says no.
    bool try_subtract(const Buckets& part);

    /// Calls visit(index, count) for each bucket that was hit, in ascending order.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < sparse_size_; ++i) visit(sparse_indices_[i], sparse_counts_[i]);
        for (std::uint32_t offset = 0; offset < dense_span_; ++offset) {
            const auto index = static_cast<std::int32_t>(offset) + low_;
            const std::uint64_t count = dense_counts()[index - base_];
            if (count != 0) visit(index, count);
        }
    }

    std::size_t size() const;  // How many buckets were hit.

    friend bool operator==(const Buckets& left, const Buckets& right);

private:
    bool is_dense() const { return dense_span_ > 0; }
    std::uint64_t* dense_counts() { return reinterpret_cast<std::uint64_t*>(dense_.data()); }
    const std::uint64_t* dense_counts() const {
        return reinterpret_cast<const std::uint64_t*>(dense_.data());
    }

    void add_sparse(std::int32_t index, std::uint64_t count);
    void become_dense();
    void widen_dense(std::int32_t low, std::int32_t high);
    void merge_dense(const Buckets& other);
    bool subtract_dense(const Buckets& part);
    bool subtract_each(const Buckets& part);
    void trim();

    std::int32_t low_ = 0;  // The span of buckets hit; empty while high_ < low_.
    std::int32_t high_ = -1;
    std::uint32_t dense_span_ = 0;  // high_ - low_ + 1 while dense, else 0.
    std::int32_t base_ = 0;         // The bucket of the first dense count, a multiple of 8.
    std::vector<CountBlock> dense_;
    std::size_t sparse_size_ = 0;
    std::array<std::int32_t, sparse_max> sparse_indices_{};  // Ascending.
    std::array<std::uint64_t, sparse_max> sparse_counts_{};
};

}  // namespace highwater::family
