#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cache/refresh.h"
#include "cache/snapshot.h"
#include "catalog/catalog.h"
#include "object/store.h"
#include "read/planner.h"
#include "read/request.h"

namespace highwater::read {

/// What the catalog said at the query boundary.
struct Probe {
    std::optional<Error> failure;  // Then nothing else counts.
    catalog::Generation head;
    // The generation that the request names, as the catalog has it: its own epoch and chain.
    std::optional<catalog::Generation> named;
    // What the cache had seen before the catalog was asked.
    std::optional<catalog::Generation> seen_before;
    std::uint64_t round_trips = 0;
};

/// A refresh during this read.
struct Refreshing {
    bool reload = false;
    std::optional<Error> failure;
};

/// What the catalog registers for the request, and what the store lists.
struct Listed {
    std::optional<Refusal> refusal;  // Then nothing else counts.
    ListedView listed;
    std::vector<Refusal> identity_changes;  // Of tables that were asked for.
    std::vector<std::string> unknown;       // Tables that are not there.
    std::uint64_t round_trips = 0;
};

/// Where the catalog has what the request touches, to be compared with where the cache has it.
struct Compared {
    std::optional<Error> failure;
    catalog::View view;
    std::uint64_t round_trips = 0;
};

/// All that is known during one read. `decide` says what to learn next.
struct Facts {
    Time now;            // Wall clock.
    Duration waited{0};  // Of the request's wait_max.
    std::uint32_t waits = 0;
    std::shared_ptr<const cache::Snapshot> snapshot;  // Taken anew before each decision.
    std::optional<Probe> probe;
    std::vector<Refreshing> refreshes;  // Since the last wait.
    std::optional<Listed> listed;
    std::optional<Compared> compared;
    bool has_refreshed = false;  // At any time during this read, with success.

    /// After a wait everything is looked at anew.
    void note_wait(Duration duration);
    void note_refresh(const cache::RefreshRequest& request, std::optional<Error> failure);
};

/// Asks the catalog for its head and for the generation that the request names.
///
/// `seen` is what the cache had seen just before.
/// Cost: one round trip; two when an older generation or a batch is named.
Probe probe(catalog::Catalog& catalog, const Request& request,
            const std::optional<catalog::Generation>& seen);

/// Loads what is registered for the request, at the generation numbered `at` or at the head, and
/// lists the prefixes of its published hours. A listing that fails is a refusal, never a shorter
/// one.
///
/// Cost: two round trips, a listing for each published hour of the range.
Listed list(catalog::Catalog& catalog, object::Store& store, const Request& request,
            const std::optional<catalog::Generation>& at);

/// Loads the places of what the request touches, as far as `snapshot` knows its tables.
///
/// Cost: one round trip.
Compared compare(catalog::Catalog& catalog, const Request& request,
                 const cache::Snapshot& snapshot);

/// What has another place or incarnation in the catalog than in the cache. Pure.
std::vector<Refusal> find_moved(const Request& request, const cache::Snapshot& snapshot,
                                const catalog::View& view);

}  // namespace highwater::read
