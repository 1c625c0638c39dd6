#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "cache/snapshot.h"
#include "catalog/catalog.h"
#include "read/outcome.h"
#include "read/plan.h"
#include "read/refusal.h"
#include "read/request.h"

namespace highwater::read {

constexpr std::size_t whys_max = 100;  // More is not told of one plan.

/// A plan, and what was noticed on the way.
struct Planned {
    Plan plan;
    std::uint64_t extras = 0;  // Entries beneath the planned prefixes that are not registered.
    std::vector<Why> why;
};

/// Something that the cache lacks, and of which hour when it is one.
struct CacheMiss {
    cache::Miss miss = cache::Miss::cold;
    std::optional<catalog::PartitionKey> key;

    friend bool operator==(const CacheMiss&, const CacheMiss&) = default;
};

/// No plan: refusals, misses or both, at least one.
struct NotPlanned {
    std::vector<Refusal> refusals;
    std::vector<CacheMiss> misses;
};

using PlanOutcome = std::variant<Planned, NotPlanned>;

/// The tables that a request means.
struct Resolution {
    std::vector<const catalog::Table*> tables;  // In the request's order, without what follows.
    std::vector<Refusal> refusals;              // IdentityChanged.
    std::vector<std::string> unknown;           // What no table is called.
};

/// Finds the tables of a request among all that there are, dropped ones included. The result points
/// into them.
Resolution resolve(const Request& request, const std::vector<const catalog::Table*>& tables);

/// The generations at which a snapshot can answer a request, and what it lacks for that.
struct Coverage {
    cache::Interval valid;             // Over all tables and hours touched; may be empty.
    std::vector<CacheMiss> misses;     // Listings that do not count.
    std::vector<Refusal> refusals;     // IdentityChanged, as of what was seen.
    std::vector<std::string> unknown;  // Tables that were not there, as of what was seen.

    bool is_clear() const { return misses.empty() && refusals.empty() && unknown.empty(); }
};

/// Cost: O(log hours + touched hours); nothing is decoded.
Coverage cover(const Request& request, const cache::Snapshot& snapshot);

/// The file list of a request at one generation, from the cache. Pure.
///
/// Every published hour that the range touches is covered, complete and listed, or there is no
/// plan. Requires: cover(request, snapshot) is clear and its interval holds `at`.
PlanOutcome plan(const Request& request, const cache::Snapshot& snapshot,
                 const catalog::Generation& at);

/// What the catalog registers for a request, and what is listed beneath its prefixes.
struct ListedView {
    catalog::View view;                                // With dropped tables.
    std::vector<std::vector<object::Entry>> listings;  // One for each of view.partitions.
};

/// The file list of a request from the catalog and the store themselves. Only what the
/// registrations name is planned; whatever else is listed is counted, and a registered object that
/// is not listed is a refusal. Pure.
///
/// Requires: the view holds every hour that the range touches of every table that it resolves to,
/// and
///           those are there: resolve(request, ...) has no refusals and nothing unknown.
PlanOutcome plan_from_view(const Request& request, const ListedView& listed);

}  // namespace highwater::read
