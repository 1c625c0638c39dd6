#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace highwater::family {

/// A queue in one piece of memory, which grows by doubling and is used again and again: for
/// windows, where every pane enters at the back and leaves at the front.
///
/// Requires: front, back and the pops of a queue that is not empty.
template <typename T>
class Ring {
public:
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }

    /// The element at a place counted from the front. Requires: at < size().
    T& operator[](std::size_t at) { return slots_[(first_ + at) & (slots_.size() - 1)]; }
    const T& operator[](std::size_t at) const {
        return slots_[(first_ + at) & (slots_.size() - 1)];
    }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size_ - 1]; }

    void push_back(const T& value) {
        if (size_ == slots_.size()) grow();
        ++size_;
        (*this)[size_ - 1] = value;
    }

    void pop_front() {
        first_ = (first_ + 1) & (slots_.size() - 1);
        --size_;
    }

    /// Takes `count` elements from the front. Requires: count <= size().
    void drop_front(std::size_t count) {
        if (count == 0) return;
        first_ = (first_ + count) & (slots_.size() - 1);
        size_ -= count;
    }

    /// Takes elements from the back until `size` are left. Requires: size <= this->size().
    void cut_back(std::size_t size) { size_ = size; }
    void pop_back() { --size_; }

private:
    void grow() {
        std::vector<T> wider(slots_.empty() ? 16 : 2 * slots_.size());
        for (std::size_t i = 0; i < size_; ++i) wider[i] = std::move((*this)[i]);
        slots_ = std::move(wider);
        first_ = 0;
    }

    std::vector<T> slots_;  // A power of two of them.
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace highwater::family
