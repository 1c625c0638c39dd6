#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/result.h"

namespace highwater::family {

/// The merge of the panes of a window that moves over them, the oldest first: always equal, byte
/// for byte, to a fresh merge of exactly these panes.
///
/// Works for every family, because it only merges: panes that leave are not subtracted. Panes come
/// in the order of time.
/// Cost: two merges for each pane, whatever the width of the window; memory for two states a pane.
template <typename State>
class SlidingMerge {
public:
    explicit SlidingMerge(typename State::Parameters parameters) : newer_merged_(parameters) {}

    /// How many panes are in the window.
    std::size_t size() const { return older_.size() + newer_.size(); }

    /// Adds the newest pane. Errors: those of State::merge. Nothing has changed then.
    Result<void> push(State pane) {
        auto merged = newer_merged_.merge(pane);
        if (!merged.ok()) return merged;
        newer_.push_back(std::move(pane));
        return {};
    }

    /// Takes the oldest pane away. Requires: size() > 0.
    ///
    /// Errors: those of State::merge, of panes that do not fit together. Nothing has changed then.
    Result<void> pop() {
        ASSERT(size() > 0);
        if (older_.empty()) {
            auto turned = turn();
            if (!turned.ok()) return turned;
        }
        older_.pop_back();
        return {};
    }

    /// All panes of the window. Errors: those of State::merge.
    Result<State> merged() const {
        if (older_.empty()) return newer_merged_;
        State all = older_.back();
        auto added = all.merge(newer_merged_);
        if (!added.ok()) return added.error();
        return all;
    }

private:
    /// Makes of the newer panes, from the newest back, the merges of each with all after it.
    Result<void> turn() {
        std::vector<State> merges;
        for (std::size_t i = newer_.size(); i-- > 0;) {
            State all = newer_[i];
            if (!merges.empty()) {
                auto added = all.merge(merges.back());
                if (!added.ok()) return added;
            }
            merges.push_back(std::move(all));
        }
        older_ = std::move(merges);
        newer_.clear();
        newer_merged_ = State(newer_merged_.parameters());
        return {};
    }

    std::vector<State> older_;  // The oldest pane merged with the others of this half comes last.
    std::vector<State> newer_;
    State newer_merged_;
};

}  // namespace highwater::family
