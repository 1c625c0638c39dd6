#include "engine/watch.h"

#include <chrono>
#include <utility>

namespace highwater::engine {

Watch::Watch(Session& session, env::Clock& clock, std::stop_token stop, Duration timeout)
    : session_(session), clock_(clock) {
    thread_ = std::jthread([this, stop = std::move(stop), timeout](std::stop_token done) {
        run(std::move(done), stop, timeout);
    });
}

void Watch::run(std::stop_token done, std::stop_token stop, Duration timeout) {
    std::stop_source wake;
    const std::stop_callback on_done(done, [&] { wake.request_stop(); });
    const std::stop_callback on_stop(stop, [&] { wake.request_stop(); });
    const bool is_elapsed = clock_.wait(timeout, wake.get_token());
    timed_out_ = is_elapsed && !stop.stop_requested();
    // An interruption that comes just before a statement starts is forgotten: say it again until
    // somebody heard it.
    constexpr auto pause = std::chrono::milliseconds(5);
    while (!done.stop_requested()) {
        session_.interrupt();
        clock_.wait(pause, done);
    }
}

}  // namespace highwater::engine
