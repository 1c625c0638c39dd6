#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "cache/entry.h"
#include "catalog/generation.h"
#include "catalog/table.h"

namespace highwater::cache {

/// The end of an interval that grows with what was seen.
constexpr std::uint64_t open_end = std::numeric_limits<std::uint64_t>::max();

/// One hour as it is held: what must be known to choose a generation, and the rest packed.
struct Slot {
    model::Hour hour;
    std::uint64_t from = 0;
    std::uint64_t to = open_end;
    std::uint64_t listing_started = 0;  // Of a published hour.
    Entry::State state = Entry::State::never_published;
    std::uint32_t object_count = 0;
    std::shared_ptr<const Bytes> packed;  // Null when never published.

    /// The last generation up to which nothing that changed this hour is missing here.
    std::uint64_t registration_end() const { return to; }
    std::uint64_t listing_end() const {
        const bool counts = state != Entry::State::published || listing_started >= from;
        return counts ? to : from - 1;
    }
};

constexpr std::int64_t chunk_hours = 256;

/// Neighbouring hours of one table, in order. Immutable once a snapshot holds it, and shared by the
/// snapshots between which none of its hours changed.
struct Chunk {
    std::vector<Slot> slots;
    // Over the slots, so that a snapshot is summed up without visiting them.
    std::uint64_t registration_end = open_end;
    std::uint64_t listing_end = open_end;
    std::uint64_t published_count = 0;
    std::uint64_t object_count = 0;
    std::uint64_t packed_bytes = 0;
};

/// Fills in what stands after `slots`.
void sum_up(Chunk& chunk);

/// One table and its hours. A dropped table has none.
struct TablePart {
    using Chunks = std::vector<std::pair<std::int64_t, std::shared_ptr<const Chunk>>>;

    std::shared_ptr<const catalog::Table> table;
    Chunks chunks;  // In order, none of them empty.
};

/// The number of the chunk that `hour` belongs to.
std::int64_t chunk_of(model::Hour hour);

/// The chunk numbered `number`, or null.
std::shared_ptr<const Chunk> find_chunk(const TablePart& part, std::int64_t number);

/// The slot of `hour`, or nullptr.
const Slot* find_slot(const Chunk& chunk, model::Hour hour);

/// All that a snapshot is.
struct SnapshotParts {
    catalog::Generation seen;
    Time as_of;
    std::map<std::uint64_t, Digest> chains;  // Of generations before `seen` at which slots end.
    std::map<catalog::TableId, std::shared_ptr<const TablePart>> tables;
};

}  // namespace highwater::cache
