#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "cache/refresh.h"
#include "cache/snapshot.h"
#include "catalog/catalog.h"

namespace highwater::cache {

/// Every hour that there can be.
constexpr model::HourRange every_hour{model::hour_min, model::next(model::hour_max)};

/// Hours of several tables, as ranges in order that do not touch each other.
class HourSet {
public:
    HourSet() = default;
    explicit HourSet(const std::vector<catalog::Scope>& scopes);

    void add(const catalog::Scope& scope);
    void add(const catalog::TableId& table, const model::HourRange& hours);
    void add(const catalog::PartitionKey& key) {
        add(key.table, {key.hour, model::next(key.hour)});
    }
    void add_all(const catalog::TableId& table);

    bool contains(const catalog::PartitionKey& key) const;
    bool is_empty() const { return tables_.empty(); }

    /// In table order. Every hour of a table is a scope without ranges.
    std::vector<catalog::Scope> scopes() const;

private:
    // Ends by starts: disjoint, in order.
    std::map<catalog::TableId, std::map<model::Hour, model::Hour>> tables_;
};

/// What to do about a list of changes.
struct RefreshPlan {
    struct End {
        catalog::PartitionKey key;
        std::uint64_t last = 0;  // The generation before its first change.
    };

    HourSet load;                                // To be loaded and listed anew.
    std::vector<catalog::PartitionKey> named;    // Of those, what the catalog must know.
    std::vector<catalog::TableId> ended_tables;  // Changed themselves, so that all hours end first.
    std::vector<End> ended;                      // Changed, and not asked for.
};

/// Decides, from what the catalog says changed since `base` saw it and what was left unapplied
/// then.
RefreshPlan plan_refresh(const Snapshot& base, const RefreshRequest& request,
                         const catalog::Changes& changes);

/// The hours of `snapshot` that have a change which is known and not applied, or a listing that
/// does not count.
std::vector<catalog::PartitionKey> find_pending(const Snapshot& snapshot);

}  // namespace highwater::cache
