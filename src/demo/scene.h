#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "demo/process.h"
#include "demo/workload.h"

namespace highwater::demo {

/// Where commands are run, told and kept: one scene for each workload.
class Scene {
public:
    Scene(Shell shell, std::string evidence, std::ostream& out)
        : shell_(std::move(shell)), evidence_(std::move(evidence)), out_(out) {}

    /// Runs a command that must end with `exit_code`, and keeps its answer as evidence `name`.
    ///
    /// Errors: those of Shell::expect; unavailable, exhausted when it cannot be kept.
    Result<Json> run(std::string_view name, int exit_code, std::vector<std::string> arguments);

    /// A numbered line of the story, and a line below it.
    void tell(std::string_view what, std::string_view fact);
    void add(std::string_view fact);

    const std::string& directory() const { return shell_.directory(); }

private:
    Shell shell_;
    std::string evidence_;
    std::ostream& out_;
    int step_ = 0;
    int kept_ = 0;
};

/// The workload of one scene, told step by step.
///
/// Errors: as tell_story.
Result<void> play(Scene& scene, const Workload& workload);

}  // namespace highwater::demo
