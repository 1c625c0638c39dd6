#pragma once

#include <ostream>

namespace highwater::cli {

/// Where answers and diagnostics go. Answers to `out`; progress, provenance and errors to `err`.
struct Terminal {
    std::ostream& out;
    std::ostream& err;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
};

}  // namespace highwater::cli
