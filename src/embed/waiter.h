#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "catalog/catalog.h"
#include "env/clock.h"
#include "model/hour.h"

namespace highwater::embed {

/// What a scheduler waits for: an hour of a table that is published, or a generation.
struct WaitFor {
    std::string table;
    std::optional<model::Hour> hour;
    std::optional<catalog::GenerationRef> generation;
    Duration timeout = std::chrono::minutes(1);
};

constexpr Duration wait_poll = std::chrono::milliseconds(100);

/// Waits until the catalog has it, and returns the generation that does.
///
/// Errors: not_found    no such table, or another epoch's generation
///         unavailable  the time is over; the message says what was there instead
///         cancelled    a stop was requested
/// Cost: one catalog round trip each `wait_poll`.
Result<catalog::Generation> wait_for(catalog::Catalog& catalog, env::Clock& clock,
                                     const WaitFor& what, std::stop_token stop);

}  // namespace highwater::embed
