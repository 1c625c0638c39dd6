#pragma once

#include <string>

#include "base/json.h"
#include "cli/exit_code.h"

namespace highwater::cli {

/// What a verb answers, in both forms: the caller chooses by `--json`.
struct Reply {
    ExitCode exit_code = ExitCode::ok;
    Json json;         // One document.
    std::string text;  // For people, on `out`.
    std::string note;  // For people, on `err`: provenance, what a refusal means, the next step.
};

}  // namespace highwater::cli
