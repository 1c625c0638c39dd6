#pragma once

#include "embed/intake.h"

namespace CLI {
class App;
}

namespace highwater::cli {

/// The options that name input files and say how to read them. Lifetime: `files` outlives parsing.
void add_intake_options(CLI::App& verb, embed::IntakeFiles& files);

}  // namespace highwater::cli
