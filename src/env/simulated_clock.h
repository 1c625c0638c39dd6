#pragma once

#include "base/mutex.h"
#include "env/clock.h"

namespace highwater::env {

/// A clock that stands still until it is told to move; `wait` moves it and returns at once.
class SimulatedClock final : public Clock {
public:
    explicit SimulatedClock(Time start) : now_(start) {}

    Time now() override;
    Duration steady() override;
    bool wait(Duration duration, std::stop_token stop) override;

    /// Moves both clocks forward. Requires: duration >= 0.
    void advance(Duration duration);

    /// Sets the wall clock alone, also backwards.
    void set_now(Time now);

private:
    Mutex mutex_;
    Time now_ GUARDED_BY(mutex_);
    Duration steady_ GUARDED_BY(mutex_){0};
};

}  // namespace highwater::env
