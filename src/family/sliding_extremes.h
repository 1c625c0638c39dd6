#pragma once

#include <cstdint>

#include "family/ring.h"
#include "family/totals.h"

namespace highwater::family {

/// The smallest and largest finite sample of a window that moves over panes, the oldest first.
///
/// Cost: constant for each pane, on average.
class SlidingExtremes {
public:
    void push(const Totals& pane) {
        const bool is_lost = !pane.keeps_extremes();
        lost_ += is_lost ? 1 : 0;
        const bool has_values = !is_lost && pane.counts().finite > 0;
        if (has_values) {
            while (!mins_.empty() && mins_.back().value >= pane.finite_min()) mins_.pop_back();
            while (!maxs_.empty() && maxs_.back().value <= pane.finite_max()) maxs_.pop_back();
            mins_.push_back({newest_, pane.finite_min()});
            maxs_.push_back({newest_, pane.finite_max()});
        }
        ++newest_;
    }

    /// Takes the oldest pane away, of which only whether it kept its extremes must be told.
    void pop(bool kept_extremes) {
        lost_ -= kept_extremes ? 0 : 1;
        if (!mins_.empty() && mins_.front().pane == oldest_) mins_.pop_front();
        if (!maxs_.empty() && maxs_.front().pane == oldest_) maxs_.pop_front();
        ++oldest_;
    }

    /// Whether every pane kept its own.
    bool are_kept() const { return lost_ == 0; }
    /// Infinity and -infinity without finite samples. Requires: are_kept().
    double min() const { return mins_.empty() ? infinity : mins_.front().value; }
    double max() const { return maxs_.empty() ? -infinity : maxs_.front().value; }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    struct Candidate {
        std::uint64_t pane = 0;
        double value = 0;
    };

    std::uint64_t oldest_ = 0;
    std::uint64_t newest_ = 0;
    std::uint64_t lost_ = 0;
    Ring<Candidate> mins_;  // Of panes that no later pane undercuts: ascending.
    Ring<Candidate> maxs_;
};

}  // namespace highwater::family
