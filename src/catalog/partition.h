#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/time.h"
#include "catalog/table.h"
#include "model/hour.h"
#include "object/store.h"

namespace highwater::catalog {

struct PartitionKey {
    TableId table;
    model::Hour hour;

    friend auto operator<=>(const PartitionKey&, const PartitionKey&) = default;
    friend bool operator==(const PartitionKey&, const PartitionKey&) = default;
};

/// What the gate did about digests and row fingerprints. Carried in every answer.
enum class DigestPolicy : std::uint8_t { always, never };

/// One immutable Parquet object as it was registered.
struct RegisteredObject {
    std::string path;  // Canonical, beneath the partition's root.
    std::uint64_t size_bytes = 0;
    std::uint64_t record_count = 0;
    std::uint32_t schema_version = 1;
    std::optional<Digest> sha256;           // Absent only under DigestPolicy::never.
    std::optional<Digest> row_fingerprint;  // likewise; model::row_fingerprint_algorithm
    std::optional<Time> min_time;           // Absent only when there are no records.
    std::optional<Time> max_time;
    bool derived_by_gate = false;  // Digest, times or fingerprint were not in the manifest.
    object::Identity identity;     // As audited.

    friend bool operator==(const RegisteredObject&, const RegisteredObject&) = default;
};

/// One hour of one table, whole, as of the generation `changed`. Immutable.
struct Partition {
    PartitionKey key;
    std::string root;  // Its own location, else the table's, resolved.
    bool has_own_root = false;
    std::uint64_t incarnation = 1;
    std::uint64_t changed = 0;  // The generation number that made this state.
    bool retired = false;       // Unpublished: it was there and is so no more; objects is empty.
    std::vector<RegisteredObject> objects;      // In path order.
    std::optional<std::string> declared_empty;  // The reason, when there are no objects.
    DigestPolicy digest_policy = DigestPolicy::always;
    Digest inventory;  // inventory_of(*this)

    std::uint64_t record_count() const;

    friend bool operator==(const Partition&, const Partition&) = default;
};

/// The inventory digest: over table id, hour and every object's path, size, count, digests, times
/// and schema version, or the reason of emptiness; not over places, identities and generations.
///
/// Source: docs/formats/inventory.md
Digest inventory_of(const Partition& partition);

/// One digest for many partitions, in key order.
Digest inventory_of(const std::vector<std::shared_ptr<const Partition>>& partitions);

std::string_view to_text(DigestPolicy policy);

}  // namespace highwater::catalog
