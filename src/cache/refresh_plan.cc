#include "cache/refresh_plan.h"

#include <algorithm>
#include <set>

namespace highwater::cache {

namespace {

bool is_pending(const Slot& slot) {
    return slot.registration_end() != open_end || slot.listing_end() != open_end;
}

std::set<catalog::TableId> find_dropped(const Snapshot& base, const catalog::Changes& changes) {
    std::set<catalog::TableId> dropped;
    for (const HeldTable& held : base.tables()) {
        if (held.table->dropped) dropped.insert(held.table->id);
    }
    for (const catalog::Table& table : changes.tables) {
        if (table.dropped) dropped.insert(table.id);
        if (!table.dropped) dropped.erase(table.id);
    }
    return dropped;
}

std::vector<catalog::Scope> without(const std::set<catalog::TableId>& dropped,
                                    std::vector<catalog::Scope> scopes) {
    std::erase_if(scopes, [&](const auto& scope) { return dropped.contains(scope.table); });
    return scopes;
}

}  // namespace

HourSet::HourSet(const std::vector<catalog::Scope>& scopes) {
    for (const catalog::Scope& scope : scopes) add(scope);
}

void HourSet::add(const catalog::Scope& scope) {
    if (scope.hours.empty()) add_all(scope.table);
    for (const model::HourRange& hours : scope.hours) add(scope.table, hours);
}

void HourSet::add(const catalog::TableId& table, const model::HourRange& hours) {
    if (hours.is_empty()) return;
    auto& ranges = tables_[table];
    model::HourRange merged = hours;
    auto at = ranges.upper_bound(merged.from);
    if (at != ranges.begin() && std::prev(at)->second >= merged.from) --at;
    while (at != ranges.end() && at->first <= merged.to) {
        merged.from = std::min(merged.from, at->first);
        merged.to = std::max(merged.to, at->second);
        at = ranges.erase(at);
    }
    ranges.emplace(merged.from, merged.to);
}

void HourSet::add_all(const catalog::TableId& table) {
    add(table, every_hour);
}

bool HourSet::contains(const catalog::PartitionKey& key) const {
    const auto ranges = tables_.find(key.table);
    if (ranges == tables_.end()) return false;
    const auto after = ranges->second.upper_bound(key.hour);
    return after != ranges->second.begin() && key.hour < std::prev(after)->second;
}

std::vector<catalog::Scope> HourSet::scopes() const {
    std::vector<catalog::Scope> scopes;
    for (const auto& [table, ranges] : tables_) {
        catalog::Scope& scope = scopes.emplace_back(catalog::Scope{table, {}});
        for (const auto& [from, to] : ranges) {
            const model::HourRange hours{from, to};
            if (hours != every_hour) scope.hours.push_back(hours);
        }
    }
    return scopes;
}

std::vector<catalog::PartitionKey> find_pending(const Snapshot& snapshot) {
    std::vector<catalog::PartitionKey> pending;
    for (const auto& [id, part] : snapshot.parts().tables) {
        for (const auto& [number, chunk] : part->chunks) {
            if (chunk->registration_end == open_end && chunk->listing_end == open_end) continue;
            for (const Slot& slot : chunk->slots) {
                if (is_pending(slot)) pending.push_back({id, slot.hour});
            }
        }
    }
    return pending;
}

RefreshPlan plan_refresh(const Snapshot& base, const RefreshRequest& request,
                         const catalog::Changes& changes) {
    const bool is_full = request.kind == RefreshRequest::Kind::full;
    const std::set<catalog::TableId> dropped = find_dropped(base, changes);
    const std::vector<catalog::Scope> scopes = without(dropped, request.scopes);
    const HourSet asked = is_full ? HourSet() : HourSet(scopes);
    RefreshPlan plan;
    if (!is_full && request.reload) plan.load = asked;

    for (const catalog::Table& table : changes.tables) {
        if (table.dropped) continue;
        plan.ended_tables.push_back(table.id);
        if (is_full) plan.load.add_all(table.id);
        for (const catalog::Scope& scope : scopes) {
            if (!is_full && scope.table == table.id) plan.load.add(scope);
        }
    }
    for (const catalog::PartitionChange& change : changes.partitions) {
        if (dropped.contains(change.key.table)) continue;
        if (is_full || asked.contains(change.key)) {
            plan.load.add(change.key);
            plan.named.push_back(change.key);
        } else {
            plan.ended.push_back({change.key, change.first - 1});
        }
    }
    for (const catalog::PartitionKey& key : find_pending(base)) {
        if (dropped.contains(key.table)) continue;
        if (is_full || asked.contains(key)) plan.load.add(key);
    }
    return plan;
}

}  // namespace highwater::cache
