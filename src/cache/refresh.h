#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cache/snapshot.h"
#include "catalog/catalog.h"
#include "env/clock.h"
#include "object/ledger.h"
#include "object/store.h"

namespace highwater::cache {

/// What a refresh is to bring up to date.
struct RefreshRequest {
    enum class Kind : std::uint8_t {
        full,      // Everything that changed since the last refresh, or was left unapplied by it.
        prefixes,  // Of that, what lies in `scopes`; the rest is known to have changed.
    };

    Kind kind = Kind::full;
    std::vector<catalog::Scope> scopes;  // For `prefixes`.
    bool reload = false;                 // All of it again, whether or not it changed.
};

/// Why everything was loaded although it was not asked for.
enum class ReloadReason : std::uint8_t {
    asked,
    cold,         // There was no snapshot.
    trimmed,      // The catalog no longer knows all that changed since.
    other_epoch,  // The snapshot was of another life of the catalog.
    forked,       // The snapshot's chain is not the catalog's.
    other_table,  // The snapshot held a table that the catalog never had.
};

/// What one layer gained.
struct LayerReport {
    Layer layer = Layer::registrations;
    std::uint64_t before = 0;  // Completed generations, as derived from the snapshots.
    std::uint64_t after = 0;
    std::uint64_t applied = 0;   // Entries that were replaced.
    std::uint64_t requests = 0;  // Catalog round trips; pages of listings.
};

/// What a refresh that succeeded did.
struct RefreshReport {
    RefreshRequest::Kind kind = RefreshRequest::Kind::full;
    std::optional<ReloadReason> reloaded;
    std::optional<catalog::Generation> from;  // What was seen before.
    catalog::Generation to;                   // What is seen now.
    std::uint64_t completed = 0;              // The smallest of the layers' `after`.
    std::vector<LayerReport> layers;          // Every layer, in order.
    std::uint64_t changed = 0;  // Partitions and tables that the catalog named as changed.
    std::uint64_t pending = 0;  // Partitions whose change is known and not applied.
    Time started;
    Time finished;
    Duration took{0};
    object::Ledger ledger;
    std::optional<Error> not_stored;  // Why the file does not have it; it is served all the same.
};

/// How much a snapshot may hold.
struct SnapshotLimits {
    std::uint64_t objects_max = 20'000'000;
    std::uint64_t hours_max = 4'000'000;
};

/// Where a refresh reads.
struct Sources {
    catalog::Catalog& catalog;
    object::Store& store;
    env::Clock& clock;
};

struct Refreshed {
    std::shared_ptr<const Snapshot> snapshot;
    RefreshReport report;
};

/// The snapshot after `base` (null: nothing was held), as the catalog's own list of changes says;
/// what `base` happens to hold never decides what is looked at. Nothing is swapped here: on failure
/// the caller still has `base`, whole.
///
/// A request that finds nothing changed gives the same generations again. Touched prefixes are
/// listed after their registrations were read. Errors: unavailable          catalog or store did
/// not answer.
///         precondition_failed  the catalog is behind what `base` has seen.
///         not_found            a scope names a table that the catalog never had.
///         corrupt              the catalog contradicts itself.
///         exhausted            `limits`.
/// Cost: at most three catalog round trips, O(changed partitions) rows, a listing for each touched
///       prefix; everything when there is a ReloadReason.
Result<Refreshed> refresh(const Sources& sources, std::shared_ptr<const Snapshot> base,
                          const RefreshRequest& request, const SnapshotLimits& limits = {});

std::string_view to_text(RefreshRequest::Kind kind);
std::string_view to_text(ReloadReason reason);

}  // namespace highwater::cache
