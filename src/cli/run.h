#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "env/clock.h"
#include "env/random.h"

namespace highwater::cli {

/// All that the command line may touch: no globals, no environment, no clock of its own.
struct World {
    Terminal terminal;
    env::Clock& clock;
    env::Random& random;
    std::stop_token stop;           // Requested when the user interrupts.
    std::string default_directory;  // Where --dir points when it is not given.
    std::string program;            // The path of the running program, for `demo`.
    std::string acceptance;         // A folder of recorded telemetry for `demo`; may be empty.
    std::function<void(std::string_view step)> on_step;  // Called at each named step; may be empty.
};

/// Runs one command line, without the program's name, and returns the exit code.
///
/// The answer goes to `terminal.out` (one JSON document with --json), everything else to `err`.
int run(std::span<const std::string> arguments, World& world);

}  // namespace highwater::cli
