#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "base/result.h"

namespace highwater::demo {

struct StoryOptions {
    std::string program;     // The program that is shown; every step is a process of it.
    std::string directory;   // Where everything is put; emptied first if an earlier story left it.
    std::string acceptance;  // Recorded telemetry; without it a set of the program's own is used.
    std::uint64_t seed = 47;
};

/// Runs the whole workload, on generated and on recorded hours, and tells what happened.
///
/// Every number in the text was answered by a command; the answers are left under
/// `directory`/evidence, one JSON file a command.
/// Errors: precondition_failed  a command answered otherwise than promised: the message says which;
///         invalid_argument     `directory` holds something that is no story's;
///         unavailable, exhausted, corrupt.
Result<void> tell_story(const StoryOptions& options, std::ostream& out);

}  // namespace highwater::demo
