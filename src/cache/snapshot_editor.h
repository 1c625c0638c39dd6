#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cache/snapshot.h"

namespace highwater::cache {

/// Makes the next snapshot from one, sharing what is not touched.
///
/// Not thread-safe. Cost: O(touched hours), each at most one chunk to copy.
class SnapshotEditor {
public:
    /// Begins with what `base` holds; from nothing when it is null.
    explicit SnapshotEditor(std::shared_ptr<const Snapshot> base);

    /// The table's state now. A dropped table loses its hours.
    void put_table(catalog::Table table);

    /// The hour's state now, valid from its own or its table's last change on, and what stands in
    /// the store. Requires: the table was put and is not dropped; a listing iff it is published.
    void put(const catalog::Partition& partition, const std::optional<Listing>& listing);

    /// Puts an hour back as it was stored: for readers of files. Requires: its table was put.
    void put_slot(const catalog::TableId& table, Slot slot);

    /// Forgets the hour: it was never published.
    void erase(const catalog::PartitionKey& key);

    /// Says that the hour changed after generation `last` and that the change is not applied.
    /// Requires: the table was put.
    void end(const catalog::PartitionKey& key, std::uint64_t last);

    /// Says so of every hour that is held of the table.
    void end_all(const catalog::TableId& table, std::uint64_t last);

    /// Makes a generation known by its number, so that entries may end at it.
    void add_generation(std::uint64_t number, const Digest& chain);

    /// The new snapshot: the catalog was asked at `as_of` and `seen` was its head.
    std::shared_ptr<const Snapshot> finish(const catalog::Generation& seen, Time as_of);

private:
    struct Edited {
        std::shared_ptr<const catalog::Table> table;
        TablePart::Chunks base;                // Chunks as they were.
        std::map<std::int64_t, Chunk> chunks;  // Those that are touched.
    };

    Edited& edit(const catalog::TableId& table);
    Chunk& edit_chunk(Edited& edited, std::int64_t number);
    Slot& edit_slot(const catalog::PartitionKey& key);
    static std::shared_ptr<const TablePart> finish(Edited&& edited);

    SnapshotParts parts_;
    std::map<catalog::TableId, Edited> edited_;
};

}  // namespace highwater::cache
