#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

#include "base/time.h"
#include "engine/duckdb_session.h"
#include "env/clock.h"

namespace highwater::engine {

/// Interrupts what runs in a session once a stop is requested or the time is up, until it is
/// destroyed itself.
///
/// Lifetime: session and clock outlive it.
class Watch {
public:
    Watch(Session& session, env::Clock& clock, std::stop_token stop, Duration timeout);

    /// Whether the time was up before a stop was requested.
    bool is_timed_out() const { return timed_out_; }

private:
    void run(std::stop_token done, std::stop_token stop, Duration timeout);

    Session& session_;
    env::Clock& clock_;
    std::atomic<bool> timed_out_ = false;
    std::jthread thread_;  // Last: it uses the others.
};

}  // namespace highwater::engine
