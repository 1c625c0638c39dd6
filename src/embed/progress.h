#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace highwater::embed {

/// How far a long piece of work is. `total` is 0 when nobody knows.
struct ProgressReport {
    std::string_view step;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
};

/// Called from the thread that works, often; must return quickly. May be empty.
using Progress = std::function<void(const ProgressReport&)>;

}  // namespace highwater::embed
