#include "cache/snapshot.h"

#include <algorithm>

#include "base/assert.h"
#include "cache/packed_entry.h"

namespace highwater::cache {

namespace {

Entry::State state_of(const catalog::Partition& partition) {
    return partition.retired ? Entry::State::retired : Entry::State::published;
}

bool is_published(const Slot& slot) {
    return slot.state == Entry::State::published;
}

const std::pair<std::int64_t, std::shared_ptr<const Chunk>>* lower_chunk(const TablePart& part,
                                                                         std::int64_t number) {
    const auto at =
        std::ranges::lower_bound(part.chunks, number, {}, &TablePart::Chunks::value_type::first);
    return part.chunks.data() + (at - part.chunks.begin());
}

}  // namespace

void sum_up(Chunk& chunk) {
    chunk.registration_end = chunk.listing_end = open_end;
    chunk.published_count = chunk.object_count = chunk.packed_bytes = 0;
    for (const Slot& slot : chunk.slots) {
        chunk.registration_end = std::min(chunk.registration_end, slot.registration_end());
        chunk.listing_end = std::min(chunk.listing_end, slot.listing_end());
        chunk.published_count += is_published(slot) ? 1 : 0;
        chunk.object_count += slot.object_count;
        chunk.packed_bytes += slot.packed ? slot.packed->size() : 0;
    }
}

std::int64_t chunk_of(model::Hour hour) {
    const std::int64_t rest = hour.since_epoch % chunk_hours;
    return hour.since_epoch / chunk_hours - (rest < 0 ? 1 : 0);
}

std::shared_ptr<const Chunk> find_chunk(const TablePart& part, std::int64_t number) {
    const auto* const at = lower_chunk(part, number);
    const bool found = at != part.chunks.data() + part.chunks.size() && at->first == number;
    return found ? at->second : nullptr;
}

const Slot* find_slot(const Chunk& chunk, model::Hour hour) {
    const auto at = std::ranges::lower_bound(chunk.slots, hour, {}, &Slot::hour);
    return at == chunk.slots.end() || at->hour != hour ? nullptr : &*at;
}

Snapshot::Snapshot(SnapshotParts parts) : parts_(std::move(parts)) {
    std::uint64_t registration_end = parts_.seen.number;
    std::uint64_t listing_end = parts_.seen.number;
    for (const auto& [id, part] : parts_.tables) {
        for (const auto& [number, chunk] : part->chunks) {
            registration_end = std::min(registration_end, chunk->registration_end);
            listing_end = std::min(listing_end, chunk->listing_end);
            published_count_ += chunk->published_count;
            object_count_ += chunk->object_count;
            packed_bytes_ += chunk->packed_bytes;
        }
    }
    registrations_completed_ = registration_end;
    listings_completed_ = listing_end;
}

std::uint64_t Snapshot::completed(Layer layer) const {
    return layer == Layer::registrations ? registrations_completed_ : listings_completed_;
}

std::uint64_t Snapshot::completed() const {
    return std::min(registrations_completed_, listings_completed_);
}

std::optional<catalog::Generation> Snapshot::find_generation(std::uint64_t number) const {
    if (number == parts_.seen.number) return parts_.seen;
    const auto chain = parts_.chains.find(number);
    if (chain == parts_.chains.end()) return std::nullopt;
    return catalog::Generation{parts_.seen.epoch, number, chain->second};
}

const TablePart* Snapshot::find_part(const catalog::TableId& id) const {
    const auto found = parts_.tables.find(id);
    return found == parts_.tables.end() ? nullptr : found->second.get();
}

std::vector<HeldTable> Snapshot::tables() const {
    std::vector<HeldTable> tables;
    for (const auto& [id, part] : parts_.tables) {
        tables.push_back({part->table, {part->table->changed, parts_.seen.number}});
    }
    return tables;
}

std::optional<HeldTable> Snapshot::find_table(const catalog::TableId& id) const {
    const TablePart* part = find_part(id);
    if (!part) return std::nullopt;
    return HeldTable{part->table, {part->table->changed, parts_.seen.number}};
}

std::optional<HeldTable> Snapshot::find_table(std::string_view name) const {
    for (const auto& [id, part] : parts_.tables) {
        if (part->table->name == name && !part->table->dropped) return find_table(id);
    }
    return std::nullopt;
}

HeldHour Snapshot::describe(const Slot& slot) const {
    const bool is_listed = !is_published(slot) || slot.listing_started >= slot.from;
    return {slot.hour, slot.state, {slot.from, std::min(slot.to, parts_.seen.number)}, is_listed};
}

HeldHour Snapshot::find_hour(const catalog::PartitionKey& key) const {
    const TablePart* part = find_part(key.table);
    ASSERT(part);
    const auto chunk = find_chunk(*part, chunk_of(key.hour));
    const Slot* slot = chunk ? find_slot(*chunk, key.hour) : nullptr;
    return describe(slot ? *slot : Slot{.hour = key.hour, .packed = nullptr});
}

std::vector<HeldHour> Snapshot::list_hours(const catalog::TableId& table,
                                           const model::HourRange& hours) const {
    std::vector<HeldHour> held;
    const TablePart* part = find_part(table);
    if (!part || hours.is_empty()) return held;
    const auto* const end = part->chunks.data() + part->chunks.size();
    for (const auto* at = lower_chunk(*part, chunk_of(hours.from)); at != end; ++at) {
        const auto& slots = at->second->slots;
        if (slots.front().hour >= hours.to) break;
        auto slot = std::ranges::lower_bound(slots, hours.from, {}, &Slot::hour);
        for (; slot != slots.end() && slot->hour < hours.to; ++slot) {
            held.push_back(describe(*slot));
        }
    }
    return held;
}

model::HourRange Snapshot::published_range(const catalog::TableId& table) const {
    const TablePart* part = find_part(table);
    if (!part) return {};
    const auto has_published = [](const auto& numbered) {
        return numbered.second->published_count != 0;
    };
    const auto first = std::ranges::find_if(part->chunks, has_published);
    if (first == part->chunks.end()) return {};
    const auto last = std::find_if(part->chunks.rbegin(), part->chunks.rend(), has_published);
    const auto from = std::ranges::find_if(first->second->slots, is_published);
    const auto& slots = last->second->slots;
    const auto to = std::find_if(slots.rbegin(), slots.rend(), is_published);
    return {from->hour, model::next(to->hour)};
}

std::variant<Entry, Miss> Snapshot::find(const catalog::PartitionKey& key) const {
    const TablePart* part = find_part(key.table);
    if (!part) return Miss::unknown_table;
    const auto chunk = find_chunk(*part, chunk_of(key.hour));
    const Slot* slot = chunk ? find_slot(*chunk, key.hour) : nullptr;
    if (!slot || !slot->packed) {
        const HeldHour held = find_hour(key);
        return Entry{held.state, held.valid, nullptr, std::nullopt};
    }
    auto unpacked = unpack(key, *slot->packed);
    if (!unpacked.ok()) return Miss::incomplete;
    if (state_of(unpacked->partition) != slot->state) return Miss::incomplete;
    if (unpacked->partition.objects.size() != slot->object_count) return Miss::incomplete;
    if (!is_complete(unpacked->partition)) return Miss::incomplete;
    if (unpacked->listing && unpacked->listing->started != slot->listing_started) {
        return Miss::incomplete;
    }
    return Entry{slot->state, describe(*slot).valid,
                 std::make_shared<const catalog::Partition>(std::move(unpacked->partition)),
                 std::move(unpacked->listing)};
}

}  // namespace highwater::cache
