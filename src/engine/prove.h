#pragma once

#include <stop_token>
#include <vector>

#include "base/result.h"
#include "engine/arrow_engine.h"
#include "engine/duckdb_engine.h"
#include "engine/proof.h"
#include "object/store.h"
#include "read/plan.h"

namespace highwater::engine {

/// Lets both engines read every row of the planned hours, and judges whether they saw the same
/// files, those of the manifest, with the same rows, those that were registered.
///
/// `known_others`: objects beneath the prefixes of the planned hours that belong to other
/// generations and are not yet deleted, or are announced by a writer.
/// Errors: cancelled. What else goes wrong is in the verdict.
/// Cost: reads all bytes of the planned hours twice, and what the raw pattern finds once.
Result<Proof> prove(const read::Plan& plan, DuckDb& duckdb, ArrowDataset& arrow,
                    const std::vector<object::Name>& known_others, std::stop_token stop);

}  // namespace highwater::engine
