#include "cli/exit_code.h"

namespace highwater::cli {

ExitCode exit_code_of(Code code) {
    switch (code) {
        case Code::invalid_argument:
        case Code::not_found:
        case Code::already_exists:
        case Code::precondition_failed:
        case Code::denied:
        case Code::unsupported:
        case Code::exhausted: return ExitCode::bad_request;
        case Code::unavailable:
        case Code::outcome_unknown:
        case Code::cancelled: return ExitCode::try_again;
        case Code::conflict: return ExitCode::conflict;
        case Code::corrupt: return ExitCode::failed;
    }
    return ExitCode::failed;
}

}  // namespace highwater::cli
