#pragma once

#include "base/json.h"
#include "cache/metadata_cache.h"
#include "cache/refresh.h"
#include "object/ledger.h"

namespace highwater::cache {

/// Values as reports show them: generations as tokens, times as RFC 3339, durations in nanoseconds.
Json to_json(const RefreshReport& report);
Json to_json(const Counters& counters);
Json to_json(const Health& health);

/// What a snapshot has seen and completed, layer by layer, and how much it holds; not its entries.
Json to_json(const Snapshot& snapshot);

Json to_json(const Error& error);
Json to_json(const object::Ledger& ledger);

}  // namespace highwater::cache
