#pragma once

#include <stop_token>

#include "base/time.h"

namespace highwater::env {

/// Time, as a port: nothing in the project reads a clock except through this.
///
/// Thread-safety: every method, from any thread.
class Clock {
public:
    virtual ~Clock() = default;

    /// Wall-clock time. It may jump, also backwards.
    virtual Time now() = 0;

    /// Time since some fixed point, which never goes back: for durations and deadlines.
    virtual Duration steady() = 0;

    /// Waits for `duration`, or until `stop` is requested. False when it was requested, also before
    /// the call. A duration of zero or less does not wait.
    virtual bool wait(Duration duration, std::stop_token stop) = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
public:
    Time now() override;
    Duration steady() override;
    bool wait(Duration duration, std::stop_token stop) override;
};

}  // namespace highwater::env
