#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "cache/entry.h"
#include "cache/snapshot_parts.h"
#include "catalog/catalog.h"

namespace highwater::cache {

/// A table as it is held.
struct HeldTable {
    std::shared_ptr<const catalog::Table> table;
    Interval valid;
};

/// An hour as it is held, without its objects.
struct HeldHour {
    model::Hour hour;
    Entry::State state = Entry::State::never_published;
    Interval valid;
    bool is_listed = true;  // Its listing counts: it began after the hour's last change.

    friend bool operator==(const HeldHour&, const HeldHour&) = default;
};

/// The metadata of the catalog and the store as far as they were refreshed: an immutable value that
/// readers share.
///
/// Every entry is true at each generation of its interval. An hour without an entry was never
/// published as of `seen`.
/// Thread-safety: every method, from any thread.
/// Cost: 10^6 objects with both digests take about 130 MB; snapshots share what did not change
///       between them.
class Snapshot {
public:
    explicit Snapshot(SnapshotParts parts);

    /// The head of the catalog when it was last asked what changed.
    const catalog::Generation& seen() const { return parts_.seen; }
    /// When that was: `seen` was the head then, or a moment later.
    Time as_of() const { return parts_.as_of; }

    /// The generation up to which every change is applied in that layer; the smallest of all
    /// layers. Derived from what is held, never set.
    std::uint64_t completed(Layer layer) const;
    std::uint64_t completed() const;

    /// The generation of that number, when it is `seen` or one at which entries end.
    std::optional<catalog::Generation> find_generation(std::uint64_t number) const;

    /// In id order; dropped ones too.
    std::vector<HeldTable> tables() const;
    std::optional<HeldTable> find_table(const catalog::TableId& id) const;
    /// The table that has this name now.
    std::optional<HeldTable> find_table(std::string_view name) const;

    /// The hour without its objects. Requires: the table is held. Cost: O(log hours).
    HeldHour find_hour(const catalog::PartitionKey& key) const;
    /// Those of `hours` that were not never published all the time, in order.
    std::vector<HeldHour> list_hours(const catalog::TableId& table,
                                     const model::HourRange& hours) const;
    /// From the first published hour to the last. Empty when there is none.
    model::HourRange published_range(const catalog::TableId& table) const;

    /// The whole entry, decoded and checked against its own file count and inventory digest:
    /// Miss::incomplete when it disagrees, Miss::unknown_table when the table is not held.
    ///
    /// Cost: O(log hours + objects of the hour), and one digest over them.
    std::variant<Entry, Miss> find(const catalog::PartitionKey& key) const;

    std::uint64_t published_count() const { return published_count_; }
    std::uint64_t object_count() const { return object_count_; }
    std::uint64_t packed_bytes() const { return packed_bytes_; }

    const SnapshotParts& parts() const { return parts_; }

private:
    const TablePart* find_part(const catalog::TableId& id) const;
    HeldHour describe(const Slot& slot) const;

    SnapshotParts parts_;
    std::uint64_t registrations_completed_ = 0;
    std::uint64_t listings_completed_ = 0;
    std::uint64_t published_count_ = 0;
    std::uint64_t object_count_ = 0;
    std::uint64_t packed_bytes_ = 0;
};

}  // namespace highwater::cache
