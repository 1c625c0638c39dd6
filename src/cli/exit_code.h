#pragma once

#include <cstdint>

#include "base/error.h"

namespace highwater::cli {

/// What the shell is told. The numbers are stable; the README has the same table.
enum class ExitCode : std::uint8_t {
    ok = 0,
    failed = 1,       // An internal failure, or damaged data: tell a person.
    bad_request = 2,  // The command line or its input is wrong.
    try_again = 3,    // Nothing happened: busy or out of reach.
    refused = 4,      // The answer would not be complete for the generation asked for.
    rejected = 5,     // The gate rejected the publication.
    registered_not_served =
        6,         // Committed, but a step after it failed: `highwater refresh` ends it.
    conflict = 7,  // Another publisher won.
};

/// The exit code of an error that reached the command line.
ExitCode exit_code_of(Code code);

}  // namespace highwater::cli
