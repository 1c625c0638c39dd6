#include "cache/snapshot_editor.h"

#include <algorithm>

#include "base/assert.h"
#include "cache/packed_entry.h"

namespace highwater::cache {

namespace {

using Slots = std::vector<Slot>;

Slots::iterator lower_slot(Slots& slots, model::Hour hour) {
    return std::ranges::lower_bound(slots, hour, {}, &Slot::hour);
}

Slot& find_or_add(Slots& slots, model::Hour hour) {
    auto at = lower_slot(slots, hour);
    if (at == slots.end() || at->hour != hour) {
        at = slots.insert(at, Slot{.hour = hour, .packed = nullptr});
    }
    return *at;
}

}  // namespace

SnapshotEditor::SnapshotEditor(std::shared_ptr<const Snapshot> base) {
    if (!base) return;
    parts_ = base->parts();
    parts_.chains.emplace(parts_.seen.number, parts_.seen.chain);
}

SnapshotEditor::Edited& SnapshotEditor::edit(const catalog::TableId& table) {
    const auto [at, is_new] = edited_.try_emplace(table);
    const auto held = parts_.tables.find(table);
    if (is_new && held != parts_.tables.end()) {
        at->second.table = held->second->table;
        at->second.base = held->second->chunks;
    }
    return at->second;
}

Chunk& SnapshotEditor::edit_chunk(Edited& edited, std::int64_t number) {
    const auto [at, is_new] = edited.chunks.try_emplace(number);
    if (!is_new) return at->second;
    const auto& base = edited.base;
    const auto found =
        std::ranges::lower_bound(base, number, {}, &TablePart::Chunks::value_type::first);
    if (found != base.end() && found->first == number) at->second = *found->second;
    return at->second;
}

Slot& SnapshotEditor::edit_slot(const catalog::PartitionKey& key) {
    Edited& edited = edit(key.table);
    ASSERT(edited.table && !edited.table->dropped);
    return find_or_add(edit_chunk(edited, chunk_of(key.hour)).slots, key.hour);
}

void SnapshotEditor::put_table(catalog::Table table) {
    Edited& edited = edit(table.id);
    if (table.dropped) {
        edited.base.clear();
        edited.chunks.clear();
    }
    edited.table = std::make_shared<const catalog::Table>(std::move(table));
}

void SnapshotEditor::put(const catalog::Partition& partition,
                         const std::optional<Listing>& listing) {
    ASSERT(listing.has_value() != partition.retired);
    Slot& slot = edit_slot(partition.key);
    const std::uint64_t table_changed = edit(partition.key.table).table->changed;
    slot.from = std::max(partition.changed, table_changed);
    slot.to = open_end;
    slot.listing_started = listing ? listing->started : 0;
    slot.state = partition.retired ? Entry::State::retired : Entry::State::published;
    slot.object_count = static_cast<std::uint32_t>(partition.objects.size());
    const Bytes packed = pack(partition, listing);
    // A copy: a string that grew has room that nobody needs.
    slot.packed = std::make_shared<const Bytes>(packed.data(), packed.size());
}

void SnapshotEditor::put_slot(const catalog::TableId& table, Slot slot) {
    Slot& place = edit_slot({table, slot.hour});
    place = std::move(slot);
}

void SnapshotEditor::erase(const catalog::PartitionKey& key) {
    Slots& slots = edit_chunk(edit(key.table), chunk_of(key.hour)).slots;
    const auto at = lower_slot(slots, key.hour);
    if (at != slots.end() && at->hour == key.hour) slots.erase(at);
}

void SnapshotEditor::end(const catalog::PartitionKey& key, std::uint64_t last) {
    Slot& slot = edit_slot(key);
    slot.to = std::min(slot.to, last);
}

void SnapshotEditor::end_all(const catalog::TableId& table, std::uint64_t last) {
    Edited& edited = edit(table);
    for (const auto& [number, chunk] : edited.base) edit_chunk(edited, number);
    for (auto& [number, chunk] : edited.chunks) {
        for (Slot& slot : chunk.slots) slot.to = std::min(slot.to, last);
    }
}

void SnapshotEditor::add_generation(std::uint64_t number, const Digest& chain) {
    parts_.chains.emplace(number, chain);
}

std::shared_ptr<const TablePart> SnapshotEditor::finish(Edited&& edited) {
    auto part = std::make_shared<TablePart>();
    part->table = std::move(edited.table);
    const auto take_base = [&](auto& at, auto end) {
        for (; at != end; ++at) {
            if (!edited.chunks.contains(at->first)) part->chunks.push_back(std::move(*at));
        }
    };
    auto base = edited.base.begin();
    for (auto& [number, chunk] : edited.chunks) {
        const auto here = std::ranges::lower_bound(base, edited.base.end(), number, {},
                                                   &TablePart::Chunks::value_type::first);
        take_base(base, here);
        if (chunk.slots.empty()) continue;
        chunk.slots.shrink_to_fit();
        sum_up(chunk);
        part->chunks.emplace_back(number, std::make_shared<const Chunk>(std::move(chunk)));
    }
    take_base(base, edited.base.end());
    return part;
}

std::shared_ptr<const Snapshot> SnapshotEditor::finish(const catalog::Generation& seen,
                                                       Time as_of) {
    for (auto& [id, edited] : edited_) parts_.tables[id] = finish(std::move(edited));
    edited_.clear();
    parts_.seen = seen;
    parts_.as_of = as_of;
    // Entries end at no generation before the completed one, and none ends beyond `seen`.
    const std::uint64_t first = Snapshot(parts_).completed(Layer::registrations);
    std::erase_if(parts_.chains, [&](const auto& chain) {
        return chain.first < first || chain.first >= seen.number;
    });
    return std::make_shared<const Snapshot>(std::move(parts_));
}

}  // namespace highwater::cache
