#include "engine/workplace.h"

#include <utility>

#include "base/try.h"

namespace highwater::engine {

Result<Workplace> Workplace::open(const std::string& parent, const EngineLimits& limits) {
    auto directory = TRY(PrivateDirectory::create(parent));
    auto session = TRY(Session::open({.temporary_directory = directory.path() + "/spill",
                                      .memory_bytes = limits.memory_bytes,
                                      .spill_bytes = limits.spill_bytes,
                                      .threads = limits.threads}));
    return Workplace{std::move(directory), std::move(session)};
}

}  // namespace highwater::engine
