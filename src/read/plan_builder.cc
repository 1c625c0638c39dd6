#include "read/plan_builder.h"

#include <algorithm>

namespace highwater::read {

namespace {

std::uint64_t count_of(const std::vector<model::HourRange>& ranges) {
    std::uint64_t count = 0;
    for (const model::HourRange& range : ranges) count += static_cast<std::uint64_t>(range.count());
    return count;
}

template <typename T>
void cut(std::vector<T>& list) {
    if (list.size() > listed_max) list.resize(listed_max);
}

Error broken(const PlannedTable& table, model::Hour hour, const std::string& what) {
    return {Code::corrupt,
            "hour " + model::format_hour(hour) + " of table " + table.table.name + ": " + what};
}

/// A digest for the plan needs no more of a partition than its inventory.
std::shared_ptr<const catalog::Partition> without_objects(const catalog::Partition& partition) {
    auto shell = std::make_shared<catalog::Partition>();
    shell->inventory = partition.inventory;
    return shell;
}

}  // namespace

void PlanBuilder::note(std::string code, std::string text) {
    if (planned_.why.size() < whys_max) planned_.why.push_back({std::move(code), std::move(text)});
}

void PlanBuilder::begin_table(const catalog::Table& table, const model::HourRange& published) {
    table_ = {};
    table_.table = table;
    missing_ = {};
    missing_.table = table.name;
    retired_.clear();
    missed_.clear();
    hours_ = hours_of(request_.range);
    if (!request_.range.from) hours_.from = published.from;
    if (!request_.range.to) hours_.to = published.to;
    if (hours_.is_empty()) hours_ = {};
    if (hours_.is_empty()) return;
    table_.range.from = request_.range.from.value_or(model::start_of(hours_.from));
    const model::Hour last{hours_.to.since_epoch - 1};
    table_.range.to = request_.range.to ? *request_.range.to : model::end_of(last);
}

void PlanBuilder::add_miss(cache::Miss miss, const catalog::PartitionKey& key) {
    not_planned_.misses.push_back({miss, key});
    missed_.push_back(key.hour);
}

void PlanBuilder::add_published(const std::shared_ptr<const catalog::Partition>& partition,
                                const std::vector<object::Entry>& listing) {
    const model::Hour hour = partition->key.hour;
    PlannedHour planned{hour,
                        partition->inventory,
                        partition->record_count(),
                        partition->changed,
                        partition->digest_policy,
                        partition->declared_empty};
    if (partition->declared_empty) {
        note("declared_empty", "hour " + model::format_hour(hour) + " of table " +
                                   table_.table.name +
                                   " is empty by declaration: " + *partition->declared_empty);
    }
    planned_.plan.rows_in_scope += planned.record_count;
    table_.hours.push_back(std::move(planned));
    inventories_.push_back(without_objects(*partition));
    compare(*partition, listing);
    add_files(*partition);
}

/// Every registered object must be listed; what else is listed is counted and never read.
void PlanBuilder::compare(const catalog::Partition& partition,
                          const std::vector<object::Entry>& listing) {
    std::size_t found = 0;
    auto entry = listing.begin();
    for (const catalog::RegisteredObject& object : partition.objects) {
        while (entry != listing.end() && entry->path < object.path) ++entry;
        const bool is_there = entry != listing.end() && entry->path == object.path &&
                              entry->kind == object::Entry::Kind::object;
        if (is_there) {
            ++found;
            continue;
        }
        ++missing_.count;
        if (missing_.objects.size() == listed_max) continue;
        missing_.objects.push_back({partition.key.hour, {partition.root, object.path}});
    }
    planned_.extras += listing.size() - found;
    if (listing.empty() && !partition.objects.empty()) {
        missing_.empty_prefixes.push_back(partition.key.hour);
    }
    if (found == partition.objects.size()) return;
    not_planned_.misses.push_back({cache::Miss::lacks_objects, partition.key});
}

void PlanBuilder::add_files(const catalog::Partition& partition) {
    for (const catalog::RegisteredObject& object : partition.objects) {
        if (!table_.table.find_schema(object.schema_version)) {
            const Error error = broken(table_, partition.key.hour,
                                       "an object has the unknown schema version " +
                                           std::to_string(object.schema_version));
            not_planned_.refusals.push_back(Unavailable{Unavailable::Where::catalog, error});
            return;
        }
        table_.files.push_back({{partition.root, object.path},
                                partition.key.hour,
                                object.record_count,
                                object.schema_version,
                                object.identity,
                                object.sha256,
                                object.row_fingerprint});
    }
}

/// Hours of the range that nobody added.
std::vector<model::HourRange> PlanBuilder::find_missing() const {
    std::vector<model::Hour> known = missed_;
    known.insert(known.end(), retired_.begin(), retired_.end());
    for (const PlannedHour& hour : table_.hours) known.push_back(hour.hour);
    std::ranges::sort(known);
    std::vector<model::HourRange> missing;
    model::Hour next = hours_.from;
    for (const model::Hour hour : known) {
        if (next < hour) missing.push_back({next, hour});
        next = model::next(hour);
    }
    if (next < hours_.to) missing.push_back({next, hours_.to});
    return missing;
}

/// True when the table may be answered without the hours that are not published.
bool PlanBuilder::settle_gaps() {
    const auto missing = find_missing();
    const auto retired = to_ranges(retired_);
    const std::uint64_t count = count_of(missing) + count_of(retired);
    if (count == 0) return !table_.hours.empty() || !missed_.empty();
    const bool has_rest = !table_.hours.empty() || !missed_.empty();
    if (request_.allow_unpublished && has_rest && count <= hours_max) {
        for (const auto* ranges : {&missing, &retired}) {
            for (const model::HourRange& range : *ranges) {
                for (model::Hour hour = range.from; hour < range.to; hour = model::next(hour)) {
                    table_.gaps.push_back(hour);
                }
            }
        }
        std::ranges::sort(table_.gaps);
        note("unpublished_hours", std::to_string(count) + " hours of table " + table_.table.name +
                                      " are not published and left out by permission");
        return true;
    }
    const auto refuse = [&](auto refusal, std::vector<model::HourRange> ranges) {
        if (ranges.empty()) return;
        refusal.table = table_.table.name;
        refusal.count = count_of(ranges);
        refusal.hours = std::move(ranges);
        cut(refusal.hours);
        not_planned_.refusals.push_back(std::move(refusal));
    };
    refuse(MissingHours(), missing);
    refuse(HourRetired(), retired);
    return true;
}

void PlanBuilder::end_table() {
    if (!settle_gaps()) {
        not_planned_.refusals.push_back(MissingHours{table_.table.name, {}, 0});
    }
    if (missing_.count != 0) {
        cut(missing_.empty_prefixes);
        not_planned_.refusals.push_back(std::move(missing_));
    }
    planned_.plan.tables.push_back(std::move(table_));
}

PlanOutcome PlanBuilder::finish() && {
    if (!not_planned_.refusals.empty() || !not_planned_.misses.empty()) {
        sort(not_planned_.refusals);
        return std::move(not_planned_);
    }
    if (planned_.extras != 0) {
        note("extras_ignored", std::to_string(planned_.extras) +
                                   " entries beneath the prefixes are not registered and not read");
    }
    planned_.plan.generation = generation_;
    planned_.plan.inventory = catalog::inventory_of(inventories_);
    return std::move(planned_);
}

}  // namespace highwater::read
