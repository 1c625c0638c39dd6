#include "family/sliding_totals.h"

#include "base/try.h"

namespace highwater::family {

Result<void> SlidingTotals::push(const Totals& pane) {
    TRY(running_.verify_room_for(pane.counts()));
    running_.merge(pane);
    panes_.push_back(pane);
    extremes_.push(pane);
    restore_extremes();
    return {};
}

void SlidingTotals::pop() {
    ASSERT(size() > 0);
    running_.remove(panes_.front());
    extremes_.pop(panes_.front().keeps_extremes());
    panes_.pop_front();
    restore_extremes();
}

void SlidingTotals::restore_extremes() {
    if (extremes_.are_kept()) running_.restore_extremes(extremes_.min(), extremes_.max());
}

}  // namespace highwater::family
