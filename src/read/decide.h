#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "cache/metadata_cache.h"
#include "read/facts.h"
#include "read/outcome.h"
#include "read/refusal.h"
#include "read/request.h"

namespace highwater::read {

// What a read does next. Each step but the last three brings a fact, after which `decide` is asked
// again.

/// facts.probe = probe(catalog, request, what the snapshot has seen)
struct AskCatalog {};

/// facts.note_refresh(request, how it failed), and a new snapshot
struct Refresh {
    cache::RefreshRequest request;
};

/// facts.listed = list(catalog, store, request, at)
struct ListPrefixes {
    std::optional<catalog::Generation> at;
};

/// facts.compared = compare(catalog, request, *snapshot)
struct ComparePlaces {};

/// facts.note_wait(duration), when that time has passed
struct Wait {
    Duration duration{0};
};

struct Serve {
    Plan plan;
    Outcome outcome;
    std::uint64_t extras = 0;
};

/// The first one decides; the rest is listed. Never empty.
struct Refuse {
    std::vector<Refusal> refusals;
};

/// The request cannot be answered in any state of the cache: it is wrong, or names no table.
struct Fail {
    Error error;
};

using Step =
    std::variant<AskCatalog, Refresh, ListPrefixes, ComparePlaces, Wait, Serve, Refuse, Fail>;

struct Decision {
    Step step;
    std::vector<Why> why;             // Why the cache was or was not used.
    std::vector<cache::Miss> misses;  // What the cache lacked, once each.
};

/// Decides what a read does next. Pure: the same request and facts give the same step.
///
/// What holds of every decision:
/// * It serves only what is valid at one generation, which is not below the need.
/// * It never serves without every published hour of the range; a gap is refused, or named in the
///   plan where the request permits it.
/// * A need is settled by the probe, never by what the cache believes.
/// * The loop ends: each step brings a fact that is not asked for again before the next wait, and
///   waits add up to `wait_max`.
Decision decide(const Request& request, const Facts& facts);

/// Counts a hit for what is served from the cache without a refresh, and the decision's misses.
void count(const Decision& decision, cache::MetadataCache& cache);

constexpr Duration wait_first = std::chrono::milliseconds(10);
constexpr Duration wait_between_max = std::chrono::seconds(1);

}  // namespace highwater::read
