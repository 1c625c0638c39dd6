#include "read/planner.h"

#include <algorithm>

#include "base/assert.h"
#include "cache/entry.h"
#include "read/plan_builder.h"

namespace highwater::read {

namespace {

using Tables = std::vector<const catalog::Table*>;

const catalog::Table* find_by_id(const Tables& tables, const catalog::TableId& id) {
    const auto found =
        std::ranges::find_if(tables, [&](const auto* table) { return table->id == id; });
    return found == tables.end() ? nullptr : *found;
}

const catalog::Table* find_by_name(const Tables& tables, const std::string& name) {
    const auto found = std::ranges::find_if(
        tables, [&](const auto* table) { return !table->dropped && table->name == name; });
    return found == tables.end() ? nullptr : *found;
}

/// The table that has the name, or the place, of one that is gone.
const catalog::Table* find_heir(const Tables& tables, const std::string& name,
                                const catalog::Table* gone) {
    if (const auto* heir = find_by_name(tables, gone ? gone->name : name)) return heir;
    if (!gone) return nullptr;
    const auto found = std::ranges::find_if(tables, [&](const auto* table) {
        return !table->dropped && catalog::is_overlapping(table->location, gone->location);
    });
    return found == tables.end() ? nullptr : *found;
}

void resolve(const TableRef& ref, const Tables& tables, Resolution& resolution) {
    const catalog::Table* named = ref.name.empty() ? nullptr : find_by_name(tables, ref.name);
    if (!ref.id) {
        if (named) return resolution.tables.push_back(named);
        return resolution.unknown.push_back(ref.name);
    }
    const catalog::Table* meant = find_by_id(tables, *ref.id);
    const bool is_there = meant && !meant->dropped;
    if (is_there && (ref.name.empty() || named == meant)) return resolution.tables.push_back(meant);
    const catalog::Table* heir = named ? named : find_heir(tables, ref.name, meant);
    if (!heir || heir->id == *ref.id) return resolution.unknown.push_back(format_table(ref));
    const std::string name = ref.name.empty() && meant ? meant->name : format_table(ref);
    resolution.refusals.push_back(IdentityChanged{name, *ref.id, heir->id});
}

/// All hours whose state decides what the range means: with an open end, all on that side.
model::HourRange deciding_hours(const Request& request) {
    return hours_of(request.range);
}

Resolution resolve(const Request& request, const cache::Snapshot& snapshot) {
    Tables tables;
    for (const auto& [id, part] : snapshot.parts().tables) tables.push_back(part->table.get());
    return resolve(request, tables);
}

/// From the first published hour to the last.
model::HourRange published_range(const catalog::View& view, const catalog::TableId& table) {
    model::HourRange range;
    for (const auto& partition : view.partitions) {
        if (partition->key.table != table || partition->retired) continue;
        if (range.is_empty()) range.from = partition->key.hour;
        range.to = model::next(partition->key.hour);
    }
    return range;
}

}  // namespace

Resolution resolve(const Request& request, const Tables& tables) {
    Resolution resolution;
    for (const TableRef& ref : request.tables) resolve(ref, tables, resolution);
    return resolution;
}

Coverage cover(const Request& request, const cache::Snapshot& snapshot) {
    Coverage coverage{{0, snapshot.seen().number}, {}, {}, {}};
    Resolution resolution = resolve(request, snapshot);
    coverage.refusals = std::move(resolution.refusals);
    coverage.unknown = std::move(resolution.unknown);
    for (const catalog::Table* table : resolution.tables) {
        const auto held = snapshot.find_table(table->id);
        ASSERT(held.has_value());
        coverage.valid = cache::intersect(coverage.valid, held->valid);
        for (const auto& hour : snapshot.list_hours(table->id, deciding_hours(request))) {
            coverage.valid = cache::intersect(coverage.valid, hour.valid);
            if (hour.is_listed) continue;
            coverage.misses.push_back(
                {cache::Miss::listing_stale, catalog::PartitionKey{table->id, hour.hour}});
        }
    }
    return coverage;
}

PlanOutcome plan(const Request& request, const cache::Snapshot& snapshot,
                 const catalog::Generation& at) {
    PlanBuilder builder(request, at);
    for (const catalog::Table* table : resolve(request, snapshot).tables) {
        const bool is_open = !request.range.from || !request.range.to;
        builder.begin_table(*table,
                            is_open ? snapshot.published_range(table->id) : model::HourRange());
        for (const auto& held : snapshot.list_hours(table->id, builder.hours())) {
            const catalog::PartitionKey key{table->id, held.hour};
            if (held.state == cache::Entry::State::never_published) continue;
            auto found = snapshot.find(key);
            const auto* entry = std::get_if<cache::Entry>(&found);
            if (!entry) {
                builder.add_miss(std::get<cache::Miss>(found), key);
            } else if (entry->state == cache::Entry::State::retired) {
                builder.add_retired(held.hour);
            } else if (!entry->listing) {
                builder.add_miss(cache::Miss::listing_stale, key);
            } else {
                builder.add_published(entry->partition, entry->listing->entries);
            }
        }
        builder.end_table();
    }
    return std::move(builder).finish();
}

PlanOutcome plan_from_view(const Request& request, const ListedView& listed) {
    const catalog::View& view = listed.view;
    ASSERT(listed.listings.size() == view.partitions.size());
    Tables tables;
    for (const catalog::Table& table : view.tables) tables.push_back(&table);
    PlanBuilder builder(request, view.generation);
    for (const catalog::Table* table : resolve(request, tables).tables) {
        builder.begin_table(*table, published_range(view, table->id));
        for (std::size_t i = 0; i < view.partitions.size(); ++i) {
            const auto& partition = view.partitions[i];
            const catalog::PartitionKey& key = partition->key;
            if (key.table != table->id || !builder.hours().contains(key.hour)) continue;
            if (!cache::is_complete(*partition)) {
                builder.add_miss(cache::Miss::incomplete, key);
            } else if (partition->retired) {
                builder.add_retired(key.hour);
            } else {
                builder.add_published(partition, listed.listings[i]);
            }
        }
        builder.end_table();
    }
    return std::move(builder).finish();
}

}  // namespace highwater::read
