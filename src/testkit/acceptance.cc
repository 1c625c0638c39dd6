#include "testkit/acceptance.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace highwater::testkit {

namespace fs = std::filesystem;

namespace {

fs::path acceptance_root() {
    if (const char* named = std::getenv("HIGHWATER_ACCEPTANCE")) return named;
    // Beside the checkout, wherever in it the build lies and the test was started.
    for (fs::path folder = fs::current_path(); folder != folder.root_path();
         folder = folder.parent_path()) {
        if (fs::exists(folder / "CMakePresets.json")) {
            return folder.parent_path() / "shared" / "acceptance";
        }
    }
    return {};
}

}  // namespace

std::optional<std::string> find_acceptance(std::string_view part) {
    std::error_code ignored;
    const fs::path folder = fs::canonical(acceptance_root() / part, ignored);
    if (!ignored && fs::is_directory(folder)) return folder.string();
    const char* ci = std::getenv("CI");
    if (ci && std::string_view(ci) == "true") {
        ADD_FAILURE() << "no acceptance data " << part << " under CI";
    }
    return std::nullopt;
}

}  // namespace highwater::testkit
