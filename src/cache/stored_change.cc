#include "cache/stored_change.h"

#include <algorithm>
#include <functional>

#include "cache/packed.h"
#include "cache/packed_table.h"
#include "cache/snapshot_editor.h"

namespace highwater::cache {

namespace {

/// What is said of one hour.
enum class HourChange : std::uint8_t {
    erased,           // As if it was never published.
    never_published,  // It was not, up to some generation.
    put,              // As follows.
    same_packed,      // Only its interval changed.
};

constexpr std::size_t hour_change_size_min = 2;
constexpr std::size_t table_change_size_min = 18;
constexpr std::size_t chain_size_min = 33;

const TablePart* find_part(const Snapshot& snapshot, const catalog::TableId& id) {
    const auto found = snapshot.parts().tables.find(id);
    return found == snapshot.parts().tables.end() ? nullptr : found->second.get();
}

/// A slot before and after; either may be missing, not both.
using SlotPair = std::pair<const Slot*, const Slot*>;

bool is_same_packed(const Slot& left, const Slot& right) {
    if (left.packed == right.packed) return true;
    return left.packed && right.packed && *left.packed == *right.packed;
}

bool is_same(const Slot& left, const Slot& right) {
    return left.from == right.from && left.to == right.to && left.state == right.state &&
           left.listing_started == right.listing_started &&
           left.object_count == right.object_count && is_same_packed(left, right);
}

void compare(const std::vector<Slot>& before, const std::vector<Slot>& after,
             const std::function<void(const SlotPair&)>& differ) {
    auto left = before.begin();
    auto right = after.begin();
    while (left != before.end() || right != after.end()) {
        const bool left_only =
            right == after.end() || (left != before.end() && left->hour < right->hour);
        const bool right_only = !left_only && (left == before.end() || right->hour < left->hour);
        if (left_only) {
            differ({&*left++, nullptr});
        } else if (right_only) {
            differ({nullptr, &*right++});
        } else {
            if (!is_same(*left, *right)) differ({&*left, &*right});
            ++left, ++right;
        }
    }
}

/// Calls `differ` for each hour that is not the same in both, in order.
void compare(const TablePart& before, const TablePart& after,
             const std::function<void(const SlotPair&)>& differ) {
    static const std::vector<Slot> none;
    auto left = before.chunks.begin();
    auto right = after.chunks.begin();
    while (left != before.chunks.end() || right != after.chunks.end()) {
        const bool left_only = right == after.chunks.end() ||
                               (left != before.chunks.end() && left->first < right->first);
        const bool right_only =
            !left_only && (left == before.chunks.end() || right->first < left->first);
        if (left_only) {
            compare((left++)->second->slots, none, differ);
        } else if (right_only) {
            compare(none, (right++)->second->slots, differ);
        } else {
            if (left->second != right->second) {
                compare(left->second->slots, right->second->slots, differ);
            }
            ++left, ++right;
        }
    }
}

HourChange kind_of(const SlotPair& pair) {
    const auto [before, after] = pair;
    if (!after) return HourChange::erased;
    if (after->state == Entry::State::never_published) return HourChange::never_published;
    const bool same = before && is_same_packed(*before, *after) && before->state == after->state &&
                      before->object_count == after->object_count &&
                      before->listing_started == after->listing_started;
    return same ? HourChange::same_packed : HourChange::put;
}

void add_hour_change(PackedWriter& out, const SlotPair& pair, model::Hour& previous) {
    const model::Hour hour = pair.second ? pair.second->hour : pair.first->hour;
    const HourChange kind = kind_of(pair);
    out.add_signed(hour.since_epoch - previous.since_epoch);
    previous = hour;
    out.add_byte(static_cast<std::uint8_t>(kind));
    if (kind == HourChange::erased) return;
    const Slot& slot = *pair.second;
    out.add_unsigned(slot.from);
    out.add_unsigned(slot.to == open_end ? 0 : slot.to + 1);
    if (kind != HourChange::put) return;
    out.add_byte(static_cast<std::uint8_t>(slot.state));
    out.add_unsigned(slot.listing_started);
    out.add_unsigned(slot.object_count);
    out.add_text(*slot.packed);
}

void add_table_change(PackedWriter& out, const TablePart* before, const TablePart& after) {
    static const TablePart none;
    add_table_id(out, after.table->id);
    const bool is_other = !before || *before->table != *after.table;
    out.add_byte(is_other ? 1 : 0);
    if (is_other) add_table(out, *after.table);
    // A dropped table loses its hours by that.
    if (after.table->dropped) return out.add_unsigned(0);
    PackedWriter hours;
    std::uint64_t count = 0;
    model::Hour previous;
    compare(before ? *before : none, after, [&](const SlotPair& pair) {
        add_hour_change(hours, pair, previous);
        ++count;
    });
    out.add_unsigned(count);
    out.add_raw(hours.bytes());
}

/// Reads one change after the other into an editor.
class ChangeReader {
public:
    ChangeReader(std::shared_ptr<const Snapshot> base, BytesView bytes)
        : in_(bytes), base_(std::move(base)), editor_(base_) {}

    Result<std::shared_ptr<const Snapshot>> read() {
        if (!read_base()) {
            if (in_.failed()) return broken();
            return Error(Code::conflict, "a change of another snapshot than what comes before it");
        }
        const catalog::Generation seen = read_generation(in_);
        const Time as_of = time_from_ns(in_.read_signed());
        seen_ = seen.number;
        read_chains();
        const std::size_t tables = in_.read_count(table_change_size_min);
        for (std::size_t i = 0; i < tables && !in_.failed(); ++i) read_table_change();
        if (!in_.is_done()) return broken();
        return editor_.finish(seen, as_of);
    }

private:
    static Error broken() { return {Code::corrupt, "not a change of a snapshot"}; }

    bool read_base() {
        const std::uint8_t has_base = in_.read_byte();
        if (has_base > 1) in_.fail();
        if (has_base == 0) return !in_.failed() && !base_;
        const catalog::Generation expected = read_generation(in_);
        return !in_.failed() && base_ && base_->seen() == expected;
    }

    void read_chains() {
        const std::size_t count = in_.read_count(chain_size_min);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t number = in_.read_unsigned();
            editor_.add_generation(number, in_.read_digest());
        }
    }

    void read_table_change() {
        const catalog::TableId id = read_table_id(in_);
        const std::uint8_t is_other = in_.read_byte();
        if (is_other > 1) in_.fail();
        const auto held = base_ ? base_->find_table(id) : std::nullopt;
        bool dropped = held && held->table->dropped;
        if (is_other == 1) {
            catalog::Table table = read_table(in_, id);
            if (in_.failed()) return;
            dropped = table.dropped;
            editor_.put_table(std::move(table));
        } else if (!held) {
            return in_.fail();
        }
        const std::size_t hours = in_.read_count(hour_change_size_min);
        if (dropped && hours != 0) return in_.fail();
        model::Hour hour;
        for (std::size_t i = 0; i < hours && !in_.failed(); ++i) {
            const std::int64_t distance = in_.read_signed();
            const std::int64_t past = model::hour_min.since_epoch - hour.since_epoch;
            const std::int64_t left = model::hour_max.since_epoch - hour.since_epoch;
            if (distance < past || distance > left || (i > 0 && distance <= 0)) return in_.fail();
            hour.since_epoch += distance;
            read_hour_change({id, hour});
        }
    }

    void read_hour_change(const catalog::PartitionKey& key) {
        const std::uint8_t kind = in_.read_byte();
        if (kind > static_cast<std::uint8_t>(HourChange::same_packed)) return in_.fail();
        const auto change = static_cast<HourChange>(kind);
        if (change == HourChange::erased) return editor_.erase(key);
        Slot slot{.hour = key.hour, .packed = nullptr};
        slot.from = in_.read_unsigned();
        const std::uint64_t end = in_.read_unsigned();
        slot.to = end == 0 ? open_end : end - 1;
        if (slot.to < slot.from || slot.from > seen_ || (end != 0 && slot.to > seen_)) in_.fail();
        if (change == HourChange::put) read_packed(slot);
        if (change == HourChange::same_packed) take_packed(key, slot);
        if (!in_.failed()) editor_.put_slot(key.table, std::move(slot));
    }

    void read_packed(Slot& slot) {
        const std::uint8_t state = in_.read_byte();
        const bool is_state = state == static_cast<std::uint8_t>(Entry::State::published) ||
                              state == static_cast<std::uint8_t>(Entry::State::retired);
        if (!is_state) return in_.fail();
        slot.state = static_cast<Entry::State>(state);
        slot.listing_started = in_.read_unsigned();
        const std::uint64_t objects = in_.read_unsigned();
        if (objects > UINT32_MAX) return in_.fail();
        slot.object_count = static_cast<std::uint32_t>(objects);
        const BytesView packed = in_.read_text();
        if (packed.empty()) return in_.fail();
        slot.packed = std::make_shared<const Bytes>(packed.data(), packed.size());
    }

    void take_packed(const catalog::PartitionKey& key, Slot& slot) {
        const TablePart* part = base_ ? find_part(*base_, key.table) : nullptr;
        const auto chunk = part ? find_chunk(*part, chunk_of(key.hour)) : nullptr;
        const Slot* held = chunk ? find_slot(*chunk, key.hour) : nullptr;
        if (!held || !held->packed) return in_.fail();
        slot.state = held->state;
        slot.listing_started = held->listing_started;
        slot.object_count = held->object_count;
        slot.packed = held->packed;
    }

    PackedReader in_;
    std::shared_ptr<const Snapshot> base_;
    SnapshotEditor editor_;
    std::uint64_t seen_ = 0;
};

/// Both saw the same generation, so each entry of either is true: the longer one is kept.
std::shared_ptr<const Snapshot> merge(const std::shared_ptr<const Snapshot>& theirs,
                                      const std::shared_ptr<const Snapshot>& ours) {
    SnapshotEditor editor(ours);
    bool is_better = false;
    for (const auto& [id, part] : theirs->parts().tables) {
        const TablePart* own = find_part(*ours, id);
        if (!own || own->table->dropped || *own->table != *part->table) continue;
        compare(*own, *part, [&, &table = id](const SlotPair& pair) {
            const auto [before, after] = pair;
            if (!before || !after) return;
            const auto worth = [](const Slot& slot) {
                return std::pair(slot.listing_end(), slot.listing_started);
            };
            if (worth(*after) <= worth(*before)) return;
            editor.put_slot(table, *after);
            is_better = true;
        });
    }
    if (!is_better) return ours;
    for (const auto& [number, chain] : theirs->parts().chains) editor.add_generation(number, chain);
    return editor.finish(ours->seen(), std::max(ours->as_of(), theirs->as_of()));
}

}  // namespace

Bytes encode_change(const Snapshot* base, const Snapshot& next) {
    PackedWriter out;
    out.add_byte(base ? 1 : 0);
    if (base) add_generation(out, base->seen());
    add_generation(out, next.seen());
    out.add_signed(to_ns(next.as_of()));
    const SnapshotParts& parts = next.parts();
    out.add_unsigned(parts.chains.size());
    for (const auto& [number, chain] : parts.chains) {
        out.add_unsigned(number);
        out.add_digest(chain);
    }
    PackedWriter tables;
    std::uint64_t count = 0;
    for (const auto& [id, part] : parts.tables) {
        const TablePart* before = base ? find_part(*base, id) : nullptr;
        if (before == part.get()) continue;
        add_table_change(tables, before, *part);
        ++count;
    }
    out.add_unsigned(count);
    out.add_raw(tables.bytes());
    return std::move(out).take();
}

Result<std::shared_ptr<const Snapshot>> decode_change(std::shared_ptr<const Snapshot> base,
                                                      BytesView bytes) {
    return ChangeReader(std::move(base), bytes).read();
}

bool is_successor(const Snapshot& base, const Snapshot& next) {
    if (base.seen().epoch != next.seen().epoch) return false;
    if (base.seen().number > next.seen().number) return false;
    return std::ranges::all_of(base.parts().tables, [&](const auto& table) {
        return next.parts().tables.contains(table.first);
    });
}

std::shared_ptr<const Snapshot> newest(const std::shared_ptr<const Snapshot>& theirs,
                                       const std::shared_ptr<const Snapshot>& ours) {
    if (!theirs || !ours) return theirs ? theirs : ours;
    if (theirs->seen().epoch != ours->seen().epoch) return ours;
    if (theirs->seen() == ours->seen()) return merge(theirs, ours);
    return theirs->seen().number > ours->seen().number ? theirs : ours;
}

}  // namespace highwater::cache
