#pragma once

#include <string>

#include "base/result.h"
#include "engine/duckdb_session.h"
#include "engine/engine.h"
#include "engine/spill_file.h"

namespace highwater::engine {

/// One DuckDB with a directory of its own, in which it spills what does not fit into memory.
struct Workplace {
    PrivateDirectory directory;
    Session session;  // Closed before the directory goes.

    /// Errors: unavailable.
    static Result<Workplace> open(const std::string& parent, const EngineLimits& limits);
};

}  // namespace highwater::engine
