// Steps 8 to 10: what the objects were found to be, and whether they are still the same.

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "publish/decide.h"

namespace highwater::publish {

namespace {

using object::Entry;

/// One object that was read, with all that belongs to it.
struct ReadObject {
    const NamedHour& hour;
    const std::string& table;
    const manifest::ObjectClaim& claim;
    const ObjectFacts& facts;
};

template <typename Visit>
void for_each_read(const manifest::Publication& publication, const Facts& facts, Visit visit) {
    for (const ObjectFacts& object : *facts.objects) {
        const NamedHour& hour = facts.inventory->hours[object.hour];
        const Match& match = facts.inventory->matches[object.hour].claims[object.match];
        visit(ReadObject{hour, publication.manifests[hour.manifest].table,
                         claim_of(publication, hour).objects[match.claim], object});
    }
}

std::string text_of(const std::optional<Time>& time) {
    return time ? format_time(*time) : "none";
}

void add_time_problems(Findings& findings, const ReadObject& object) {
    const auto add = [&](std::string_view expected, std::string_view observed) {
        findings.add(ProblemCode::time_out_of_bounds, object.table, object.claim.path, expected,
                     observed);
    };
    const ObjectFacts& facts = object.facts;
    const model::Hour hour = object.hour.key.hour;
    const std::string bounds =
        format_time(model::start_of(hour)) + " <= time < " + format_time(model::end_of(hour));
    if (facts.null_times > 0) add(bounds, std::to_string(facts.null_times) + " rows without time");
    if (facts.is_time_overflow) add(bounds, "a time beyond 64-bit nanoseconds");
    if (facts.min_time && *facts.min_time < model::start_of(hour)) {
        add(bounds, "min_time " + format_time(*facts.min_time));
    }
    if (facts.max_time && *facts.max_time >= model::end_of(hour)) {
        add(bounds, "max_time " + format_time(*facts.max_time));
    }
    if (object.claim.min_time && object.claim.min_time != facts.min_time) {
        add("declared min_time " + text_of(object.claim.min_time), text_of(facts.min_time));
    }
    if (object.claim.max_time && object.claim.max_time != facts.max_time) {
        add("declared max_time " + text_of(object.claim.max_time), text_of(facts.max_time));
    }
}

void add_footer_problems(Findings& findings, const ReadObject& object) {
    const auto& [hour, table, claim, facts] = object;
    if (facts.is_changed) return;  // For step 10 to tell.
    if (facts.verdict != parquet::Verdict::readable) {
        const bool is_broken = facts.verdict == parquet::Verdict::footer_invalid;
        findings.add(is_broken ? ProblemCode::footer_invalid : ProblemCode::unsupported, table,
                     claim.path, "a readable Parquet file", facts.reason);
        return;
    }
    if (facts.record_count != claim.record_count) {
        findings.add(ProblemCode::record_count_mismatch, table, claim.path,
                     std::to_string(claim.record_count) + " records",
                     std::to_string(facts.record_count) + " records");
    }
    for (const std::string& difference : facts.schema_differences) {
        findings.add(ProblemCode::schema_mismatch, table, claim.path,
                     "the columns of the table's schema", difference);
    }
    if (facts.schema_differences.empty()) add_time_problems(findings, object);
}

/// The digest that the audit relied on; nothing when there was none.
std::optional<Digest> audited_digest(const NamedHour& hour, const Match& match,
                                     const ObjectFacts* read) {
    if (read) return read->sha256;
    if (match.is_kept) return hour.current->objects[match.registered].sha256;
    return std::nullopt;
}

/// Walks hours and claims, and the facts of those that were read beside them.
template <typename Visit>
void for_each_claim(const Facts& facts, Visit visit) {
    auto read = facts.objects->begin();
    for (std::uint32_t i = 0; i < facts.inventory->hours.size(); ++i) {
        const auto& claims = facts.inventory->matches[i].claims;
        for (std::uint32_t j = 0; j < claims.size(); ++j) {
            const bool is_read =
                read != facts.objects->end() && read->hour == i && read->match == j;
            visit(i, j, is_read ? &*read : nullptr);
            if (is_read) ++read;
        }
    }
}

/// Why the audited object is no longer known to be there; nothing when it is.
std::optional<std::string> find_change(const Entry& audited, const Entry* now,
                                       const ObjectFacts* read) {
    if (read && read->is_changed) return "it went or was replaced while it was read";
    if (!now) return "absent";
    if (now->kind != Entry::Kind::object) return "not a regular file";
    if (now->identity != audited.identity) return "another identity than was audited";
    return std::nullopt;
}

}  // namespace

Findings find_footer_problems(const manifest::Publication& publication, const Facts& facts) {
    Findings findings(Step::footer);
    for_each_read(publication, facts,
                  [&](const ReadObject& object) { add_footer_problems(findings, object); });
    return findings;
}

Findings find_digest_problems(const manifest::Publication& publication, const Facts& facts) {
    Findings findings(Step::digest);
    for_each_read(publication, facts, [&](const ReadObject& object) {
        const auto compare = [&](ProblemCode code, const std::optional<Digest>& claimed,
                                 const std::optional<Digest>& found) {
            if (!claimed || !found || *claimed == *found) return;
            findings.add(code, object.table, object.claim.path, format_digest(*claimed),
                         format_digest(*found));
        };
        compare(ProblemCode::digest_mismatch, object.claim.sha256, object.facts.sha256);
        compare(ProblemCode::fingerprint_mismatch, object.claim.row_fingerprint,
                object.facts.row_fingerprint);
    });
    return findings;
}

std::vector<Redigest> find_recent_objects(const Facts& facts) {
    std::vector<Redigest> recent;
    const InventoryFacts& inventory = *facts.inventory;
    const std::int64_t since = to_ns(inventory.started - ctime_margin);
    for_each_claim(facts, [&](std::uint32_t i, std::uint32_t j, const ObjectFacts* read) {
        const Match& match = inventory.matches[i].claims[j];
        if (match.entry == no_index) return;
        const std::int64_t ctime_ns = inventory.listings[i].entries[match.entry].identity.ctime_ns;
        if (ctime_ns == 0 || ctime_ns < since) return;
        if (audited_digest(inventory.hours[i], match, read)) recent.push_back({i, j, std::nullopt});
    });
    return recent;
}

Findings find_audit_problems(const manifest::Publication& publication, const Facts& facts) {
    Findings findings(Step::audit);
    const InventoryFacts& inventory = *facts.inventory;
    const auto table_of = [&](std::uint32_t hour) -> const std::string& {
        return publication.manifests[inventory.hours[hour].manifest].table;
    };
    std::vector<PathCursor<Entry>> now;
    for (std::uint32_t i = 0; i < inventory.hours.size(); ++i) {
        const Listing& listing = facts.relisting->listings[i];
        now.emplace_back(listing.entries, std::string_view());
        if (!listing.failure) continue;
        findings.add(ProblemCode::listing_failed, table_of(i), inventory.hours[i].prefix,
                     "a whole listing", *listing.failure);
    }
    if (!findings.is_empty()) return findings;
    auto redigest = facts.relisting->redigests.begin();
    for_each_claim(facts, [&](std::uint32_t i, std::uint32_t j, const ObjectFacts* read) {
        const NamedHour& hour = inventory.hours[i];
        const Match& match = inventory.matches[i].claims[j];
        ASSERT(match.entry != no_index);
        const Entry& audited = inventory.listings[i].entries[match.entry];
        const std::uint32_t index = now[i].find(audited.path);
        auto change = find_change(
            audited, index == no_index ? nullptr : &facts.relisting->listings[i].entries[index],
            read);
        const bool is_digested = redigest != facts.relisting->redigests.end() &&
                                 redigest->hour == i && redigest->match == j;
        if (is_digested) {
            const auto digest = (redigest++)->sha256;
            if (!change && digest != audited_digest(hour, match, read)) change = "other bytes";
        }
        if (!change) return;
        findings.add(ProblemCode::audit_stale, table_of(i), audited.path, "the audited object",
                     *change);
    });
    return findings;
}

}  // namespace highwater::publish
