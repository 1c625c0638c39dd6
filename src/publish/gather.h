#pragma once

#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "env/clock.h"
#include "object/ledger.h"
#include "publish/facts.h"
#include "publish/submission.h"
#include "publish/watch.h"

namespace highwater::publish {

/// What of the world is within reach of gathering. Round trips to catalog and journal are noted in
/// the store's ledger.
struct Sources {
    object::MeteredStore& store;
    catalog::Catalog& catalog;
    catalog::Journal& journal;
    env::Clock& clock;
};

// Each gathers the facts of one stage; those of the earlier ones hold when it is called. Nothing is
// changed by any of them.
// Errors: those of the ports; cancelled.

Result<catalog::View> gather_tables(Sources& sources);

Result<KeyFacts> gather_key(Sources& sources, const Submission& submission);

/// The audit basis: the named partitions, read once.
///
/// Errors: also unavailable, when a named table was dropped or made anew since `tables` was read.
Result<BasisFacts> gather_basis(Sources& sources, const Submission& submission,
                                const catalog::View& tables);

/// Lists every named hour, and looks up what else is known of the names found. A listing that fails
/// is a fact, not an error.
Result<InventoryFacts> gather_inventory(Sources& sources, const Submission& submission,
                                        const BasisFacts& basis, const Watch& watch);

/// Lists every hour again, and digests again what cannot be proved unchanged otherwise.
Result<RelistingFacts> gather_relisting(Sources& sources, const Facts& facts, const Watch& watch);

}  // namespace highwater::publish
