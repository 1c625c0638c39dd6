#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "read/planner.h"

namespace highwater::read {

/// Puts a plan together, hour by hour, from whatever source; and says why there is none.
///
/// Not thread-safe.
class PlanBuilder {
public:
    /// Lifetime: `request` outlives the builder.
    PlanBuilder(const Request& request, const catalog::Generation& generation)
        : request_(request), generation_(generation) {}

    /// Begins the next table. `published` reaches from its first published hour to its last.
    void begin_table(const catalog::Table& table, const model::HourRange& published);

    /// The hours of the table that are to be added, retired ones too, in order.
    const model::HourRange& hours() const { return hours_; }

    void add_published(const std::shared_ptr<const catalog::Partition>& partition,
                       const std::vector<object::Entry>& listing);
    void add_retired(model::Hour hour) { retired_.push_back(hour); }
    /// The cache lacks the hour.
    void add_miss(cache::Miss miss, const catalog::PartitionKey& key);

    /// Whatever was not added between the first and the last hour was never published.
    void end_table();

    PlanOutcome finish() &&;

private:
    void add_files(const catalog::Partition& partition);
    void compare(const catalog::Partition& partition, const std::vector<object::Entry>& listing);
    std::vector<model::HourRange> find_missing() const;
    bool settle_gaps();
    void note(std::string code, std::string text);

    const Request& request_;
    const catalog::Generation generation_;
    Planned planned_;
    NotPlanned not_planned_;
    std::vector<std::shared_ptr<const catalog::Partition>> inventories_;

    // Of the table that was begun last.
    PlannedTable table_;
    model::HourRange hours_;
    std::vector<model::Hour> retired_;
    std::vector<model::Hour> missed_;
    MissingObjects missing_;
};

}  // namespace highwater::read
