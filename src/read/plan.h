#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "catalog/generation.h"
#include "catalog/partition.h"
#include "catalog/table.h"
#include "model/hour.h"
#include "object/store.h"

namespace highwater::read {

/// One file that a query reads.
struct PlannedFile {
    object::Name name;
    model::Hour hour;
    std::uint64_t record_count = 0;
    std::uint32_t schema_version = 1;
    object::Identity identity;     // Expected; other than that means a new digest.
    std::optional<Digest> sha256;  // Absent only under DigestPolicy::never.
    std::optional<Digest> row_fingerprint;

    friend bool operator==(const PlannedFile&, const PlannedFile&) = default;
};

/// One hour that a plan covers. With no file it is empty by declaration.
struct PlannedHour {
    model::Hour hour;
    Digest inventory;
    std::uint64_t record_count = 0;
    std::uint64_t changed = 0;  // The generation number that last changed it.
    catalog::DigestPolicy digest_policy = catalog::DigestPolicy::always;
    std::optional<std::string> declared_empty;

    friend bool operator==(const PlannedHour&, const PlannedHour&) = default;
};

struct PlannedTable {
    catalog::Table table;            // As of the plan's generation.
    model::TimeRange range;          // What may be returned: from <= time < to.
    std::vector<PlannedHour> hours;  // In order; every published hour that the range touches.
    std::vector<PlannedFile> files;  // In (hour, path) order.
    std::vector<model::Hour> gaps;   // Unpublished hours in the range, left out by permission.

    friend bool operator==(const PlannedTable&, const PlannedTable&) = default;
};

/// What an answer will be made of: one generation, all tables of the query. Immutable, printable.
struct Plan {
    catalog::Generation generation;
    std::vector<PlannedTable> tables;
    std::uint64_t rows_in_scope = 0;  // Records of the planned files, before any filter.
    Digest inventory;                 // Over the inventories of all planned hours, in order.

    friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace highwater::read
