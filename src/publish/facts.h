#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "object/store.h"
#include "parquet/inspect.h"
#include "publish/hours.h"

namespace highwater::publish {

/// Step 2: what was committed under this key and this batch.
struct KeyFacts {
    std::optional<catalog::GenerationRecord> with_key;
    std::optional<catalog::GenerationRecord> with_batch;
};

/// Steps 3 and 4: the audit basis, one consistent reading of the catalog.
struct BasisFacts {
    catalog::View view;
    /// What the base_generation of each manifest leads to, in their order; nothing when there is no
    /// base, no such generation, or its record is not needed.
    std::vector<std::optional<catalog::GenerationRecord>> bases;
};

/// What the catalog and the journal know of one table's names.
struct NameFacts {
    std::vector<catalog::KnownName> names;  // Of claims that are not kept, and of extras; by path.
    std::vector<catalog::Intent> intents;   // All of them, expired ones too.
};

/// Steps 5 to 7.
struct InventoryFacts {
    Time started;                    // Wall clock before the first listing.
    std::vector<NamedHour> hours;    // In key order.
    std::vector<Listing> listings;   // One an hour.
    std::vector<HourMatch> matches;  // One an hour; none when a listing failed.
    std::vector<NameFacts> names;    // One a manifest; none when a listing failed.
};

/// Steps 8 and 9: what one object was found to be.
struct ObjectFacts {
    std::uint32_t hour = 0;   // InventoryFacts::hours
    std::uint32_t match = 0;  // HourMatch::claims
    /// It went, or another one took its place, between the listing and the end of reading.
    bool is_changed = false;
    parquet::Verdict verdict = parquet::Verdict::readable;
    std::string reason;
    std::uint64_t record_count = 0;
    std::vector<std::string> schema_differences;
    std::uint64_t null_times = 0;
    bool is_time_overflow = false;
    std::optional<Time> min_time;
    std::optional<Time> max_time;
    std::optional<Digest> sha256;           // Nothing: it was not digested.
    std::optional<Digest> row_fingerprint;  // Nothing: it was not decoded.
};

/// One object whose times say that it may have changed unseen, digested once more.
struct Redigest {
    std::uint32_t hour = 0;
    std::uint32_t match = 0;
    std::optional<Digest> sha256;  // Nothing: it went, or it is another one.
};

/// Step 10.
struct RelistingFacts {
    std::vector<Listing> listings;  // One an hour.
    std::vector<Redigest> redigests;
};

/// All that was found out, stage by stage. What was not gathered is not there.
struct Facts {
    std::optional<catalog::View> tables;  // Step 1; tables alone.
    std::optional<KeyFacts> key;
    std::optional<BasisFacts> basis;
    std::optional<InventoryFacts> inventory;
    std::optional<std::vector<ObjectFacts>> objects;  // In (hour, path) order.
    std::optional<RelistingFacts> relisting;
};

}  // namespace highwater::publish
