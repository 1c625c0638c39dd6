#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "base/result.h"

namespace highwater::publish {

/// How far the gate is. `total` is 0 when nobody knows.
struct Progress {
    std::string_view step;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

/// How a caller follows and ends long work.
struct Watch {
    /// Called from the thread that called the gate, after each hour or object; may be empty.
    std::function<void(const Progress&)> progress;
    /// Looked at between objects, and between pieces of large ones.
    std::stop_token stop;

    void tell(std::string_view step, std::uint64_t done, std::uint64_t total) const {
        if (progress) progress({step, done, total});
    }
};

/// How much of the machine one passage may use.
struct Resources {
    unsigned threads = 0;                         // 0: as many as there are processors.
    std::uint64_t held_bytes_max = 64ULL << 20U;  // Up to this size an object is read once, whole.
};

/// Errors: cancelled, when a stop was requested.
inline Result<void> verify_not_stopped(const std::stop_token& stop) {
    if (!stop.stop_requested()) return {};
    return Error(Code::cancelled, "the check was stopped on request; nothing changed");
}

}  // namespace highwater::publish
