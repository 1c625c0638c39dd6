#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "embed/verifier.h"
#include "manifest/manifest.h"
#include "object/store.h"

namespace highwater::embed {

/// What the records say was true at their newest generation.
struct RecordedState {
    struct RecordedTable {
        catalog::Table table;
        std::map<model::Hour, manifest::PartitionClaim> hours;
    };

    catalog::Generation generation;
    std::map<catalog::TableId, RecordedTable> tables;
};

/// Proves the newest recorded generation without the catalog: every record continues the chain of
/// the one before it, every manifest has the digest that its record names, every table state the
/// one of its change.
///
/// Errors: not_found (no records), corrupt (something does not fit: the message says what),
///         unavailable.
/// Cost: reads every record and manifest once.
Result<RecordedState> replay_records(object::Store& store, const std::string& root);

/// Compares a recorded state with the objects that are there, in both directions.
///
/// Objects of earlier generations cannot be told from strangers without the catalog: both are
/// reported as known_other, which is no fault.
/// Errors: cancelled.
Result<Verification> verify_recorded(object::Store& store, const RecordedState& state, bool full,
                                     std::stop_token stop);

}  // namespace highwater::embed
