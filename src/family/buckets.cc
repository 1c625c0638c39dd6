#include "family/buckets.h"

#include <algorithm>
#include <utility>

namespace highwater::family {
namespace {

constexpr std::int32_t block_of(std::int32_t index) {
    return index >> 3;
}

}  // namespace

void Buckets::add(std::int32_t index, std::uint64_t count) {
    if (!is_dense()) return add_sparse(index, count);
    if (index < low_ || index > high_) widen_dense(index, index);
    dense_counts()[index - base_] += count;
}

void Buckets::add_sparse(std::int32_t index, std::uint64_t count) {
    std::size_t at = 0;
    while (at < sparse_size_ && sparse_indices_[at] < index) ++at;
    if (at < sparse_size_ && sparse_indices_[at] == index) {
        sparse_counts_[at] += count;
        return;
    }
    if (sparse_size_ == sparse_max) {
        become_dense();
        return add(index, count);
    }
    for (std::size_t to = sparse_size_; to > at; --to) {
        sparse_indices_[to] = sparse_indices_[to - 1];
        sparse_counts_[to] = sparse_counts_[to - 1];
    }
    sparse_indices_[at] = index;
    sparse_counts_[at] = count;
    ++sparse_size_;
    low_ = sparse_indices_.front();
    high_ = sparse_indices_[sparse_size_ - 1];
}

void Buckets::become_dense() {
    const std::size_t size = std::exchange(sparse_size_, 0);
    const std::int32_t low = std::exchange(low_, 0);
    const std::int32_t high = std::exchange(high_, -1);
    widen_dense(low, high);
    for (std::size_t i = 0; i < size; ++i) {
        dense_counts()[sparse_indices_[i] - base_] += sparse_counts_[i];
    }
}

// Makes [low, high] part of the span. Growth is by halves, so that it costs little over time.
void Buckets::widen_dense(std::int32_t low, std::int32_t high) {
    const bool was_empty = is_empty();
    const std::int32_t new_low = was_empty ? low : std::min(low, low_);
    const std::int32_t new_high = was_empty ? high : std::max(high, high_);
    const auto blocks = static_cast<std::int32_t>(dense_.size());
    const std::int32_t first = block_of(base_);
    if (blocks == 0 || block_of(new_low) < first || block_of(new_high) >= first + blocks) {
        const std::int32_t slack = was_empty ? 0 : blocks / 2;
        const std::int32_t new_first =
            block_of(new_low) - (!was_empty && new_low < low_ ? slack : 0);
        const std::int32_t new_last =
            block_of(new_high) + (!was_empty && new_high > high_ ? slack : 0);
        std::vector<CountBlock> wider(static_cast<std::size_t>(new_last - new_first + 1));
        if (!was_empty) {
            std::copy(dense_.begin() + (block_of(low_) - first),
                      dense_.begin() + (block_of(high_) - first) + 1,
                      wider.begin() + (block_of(low_) - new_first));
        }
        dense_ = std::move(wider);
        base_ = new_first * 8;
    }
    low_ = new_low;
    high_ = new_high;
    dense_span_ = static_cast<std::uint32_t>(high_ - low_) + 1;
}

void Buckets::downscale(int shift) {
    if (shift == 0 || is_empty()) return;
    Buckets coarser;
    if (is_dense()) coarser.widen_dense(low_ >> shift, high_ >> shift);
    coarser.merge(*this, shift);
    *this = std::move(coarser);
}

void Buckets::merge(const Buckets& other, int shift) {
    if (other.is_empty()) return;
    if (shift == 0 && other.is_dense()) return merge_dense(other);
    other.for_each([&](std::int32_t index, std::uint64_t count) { add(index >> shift, count); });
}

void Buckets::merge_dense(const Buckets& other) {
    if (!is_dense() && !is_empty()) become_dense();
    widen_dense(other.low_, other.high_);
    const std::int32_t first = block_of(other.low_);
    const std::int32_t size = block_of(other.high_) - first + 1;
    add_counts(dense_.data() + (first - block_of(base_)),
               other.dense_.data() + (first - block_of(other.base_)),
               static_cast<std::size_t>(size));
}

bool Buckets::try_subtract(const Buckets& part) {
    if (part.is_empty()) return true;
    if (is_empty() || part.low_ < low_ || part.high_ > high_) return false;
    const bool done = is_dense() && part.is_dense() ? subtract_dense(part) : subtract_each(part);
    if (done) trim();
    return done;
}

bool Buckets::subtract_dense(const Buckets& part) {
    const std::int32_t first = block_of(part.low_);
    CountBlock* to = dense_.data() + (first - block_of(base_));
    const CountBlock* from = part.dense_.data() + (first - block_of(part.base_));
    const auto size = static_cast<std::size_t>(block_of(part.high_) - first) + 1;
    if (subtract_counts(to, from, size)) return true;
    add_counts(to, from, size);
    return false;
}

bool Buckets::subtract_each(const Buckets& part) {
    const auto find = [this](std::int32_t index) -> std::uint64_t* {
        if (is_dense()) return dense_counts() + (index - base_);
        const auto end = sparse_indices_.begin() + static_cast<std::ptrdiff_t>(sparse_size_);
        const auto at = std::lower_bound(sparse_indices_.begin(), end, index);
        if (at == end || *at != index) return nullptr;
        return &sparse_counts_[static_cast<std::size_t>(at - sparse_indices_.begin())];
    };
    bool is_part = true;
    part.for_each([&](std::int32_t index, std::uint64_t count) {
        const std::uint64_t* have = find(index);
        is_part = is_part && have != nullptr && *have >= count;
    });
    if (!is_part) return false;
    part.for_each([&](std::int32_t index, std::uint64_t count) { *find(index) -= count; });
    return true;
}

// Drops what is no longer hit, and narrows the span to what is.
void Buckets::trim() {
    if (is_dense()) {
        while (low_ <= high_ && dense_counts()[low_ - base_] == 0) ++low_;
        while (high_ >= low_ && dense_counts()[high_ - base_] == 0) --high_;
        if (is_empty()) {
            *this = Buckets();
        } else {
            dense_span_ = static_cast<std::uint32_t>(high_ - low_) + 1;
        }
        return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sparse_size_; ++i) {
        if (sparse_counts_[i] == 0) continue;
        sparse_indices_[kept] = sparse_indices_[i];
        sparse_counts_[kept++] = sparse_counts_[i];
    }
    sparse_size_ = kept;
    low_ = kept == 0 ? 0 : sparse_indices_.front();
    high_ = kept == 0 ? -1 : sparse_indices_[kept - 1];
}

std::size_t Buckets::size() const {
    std::size_t count = 0;
    for_each([&](std::int32_t, std::uint64_t) { ++count; });
    return count;
}

bool operator==(const Buckets& left, const Buckets& right) {
    if (left.is_empty() || right.is_empty()) return left.is_empty() == right.is_empty();
    if (left.low_ != right.low_ || left.high_ != right.high_) return false;
    std::vector<std::pair<std::int32_t, std::uint64_t>> hits;
    left.for_each(
        [&](std::int32_t index, std::uint64_t count) { hits.emplace_back(index, count); });
    std::size_t at = 0;
    bool are_equal = true;
    right.for_each([&](std::int32_t index, std::uint64_t count) {
        are_equal = are_equal && at < hits.size() && hits[at] == std::pair(index, count);
        ++at;
    });
    return are_equal && at == hits.size();
}

}  // namespace highwater::family
