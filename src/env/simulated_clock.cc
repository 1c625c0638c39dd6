#include "env/simulated_clock.h"

#include <algorithm>

#include "base/assert.h"

namespace highwater::env {

Time SimulatedClock::now() {
    const Lock lock(mutex_);
    return now_;
}

Duration SimulatedClock::steady() {
    const Lock lock(mutex_);
    return steady_;
}

bool SimulatedClock::wait(Duration duration, std::stop_token stop) {
    if (stop.stop_requested()) return false;
    advance(std::max(duration, Duration(0)));
    return true;
}

void SimulatedClock::advance(Duration duration) {
    ASSERT(duration >= Duration(0));
    const Lock lock(mutex_);
    // Only a wait without end comes near the end of time; there both clocks stop.
    now_ = now_ > Time::max() - duration ? Time::max() : now_ + duration;
    steady_ = steady_ > Duration::max() - duration ? Duration::max() : steady_ + duration;
}

void SimulatedClock::set_now(Time now) {
    const Lock lock(mutex_);
    now_ = now;
}

}  // namespace highwater::env
