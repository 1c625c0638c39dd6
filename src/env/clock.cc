#include "env/clock.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace highwater::env {

Time SystemClock::now() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration SystemClock::steady() {
    return std::chrono::steady_clock::now().time_since_epoch();
}

bool SystemClock::wait(Duration duration, std::stop_token stop) {
    // Nobody notifies: it ends at the deadline, or when `stop` wakes it.
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    const auto now = std::chrono::steady_clock::now();
    const auto until = now + std::min(duration, std::chrono::steady_clock::time_point::max() - now);
    never.wait_until(lock, stop, until, [] { return false; });
    return !stop.stop_requested();
}

}  // namespace highwater::env
