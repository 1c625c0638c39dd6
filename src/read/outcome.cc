#include "read/outcome.h"

#include <algorithm>

namespace highwater::read {

namespace {

TableProvenance describe(const PlannedTable& table) {
    TableProvenance provenance;
    provenance.id = table.table.id;
    provenance.name = table.table.name;
    std::vector<model::Hour> covered;
    std::vector<model::Hour> empty;
    for (const PlannedHour& hour : table.hours) {
        covered.push_back(hour.hour);
        if (hour.declared_empty) empty.push_back(hour.hour);
        provenance.rows_in_scope += hour.record_count;
    }
    provenance.covered = to_ranges(covered);
    provenance.declared_empty = to_ranges(empty);
    provenance.gaps = to_ranges(table.gaps);
    provenance.files = table.files.size();
    return provenance;
}

bool has_weak_hour(const PlannedTable& table) {
    return std::ranges::any_of(table.hours, [](const PlannedHour& hour) {
        return hour.digest_policy == catalog::DigestPolicy::never;
    });
}

}  // namespace

std::vector<model::HourRange> to_ranges(const std::vector<model::Hour>& hours) {
    std::vector<model::HourRange> ranges;
    for (const model::Hour hour : hours) {
        if (!ranges.empty() && ranges.back().to == hour) {
            ranges.back().to = model::next(hour);
        } else {
            ranges.push_back({hour, model::next(hour)});
        }
    }
    return ranges;
}

Provenance make_provenance(const Plan& plan, const Outcome& outcome, std::uint64_t extras,
                           std::vector<Why> why, const object::Ledger& ledger) {
    Provenance provenance;
    provenance.outcome = outcome;
    provenance.generation = plan.generation;
    for (const PlannedTable& table : plan.tables) {
        provenance.tables.push_back(describe(table));
        provenance.files += table.files.size();
    }
    provenance.rows_in_scope = plan.rows_in_scope;
    provenance.inventory = plan.inventory;
    if (std::ranges::any_of(plan.tables, has_weak_hour)) {
        provenance.digest_policy = catalog::DigestPolicy::never;
    }
    provenance.extras = extras;
    provenance.why = std::move(why);
    provenance.ledger = ledger;
    return provenance;
}

std::string_view to_text(Outcome::Kind kind) {
    switch (kind) {
        case Outcome::Kind::fresh: return "fresh";
        case Outcome::Kind::refreshed: return "refreshed";
        case Outcome::Kind::direct_listing: return "direct_listing";
        case Outcome::Kind::cached: return "cached";
    }
    return "unknown";
}

}  // namespace highwater::read
