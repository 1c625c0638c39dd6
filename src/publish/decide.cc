#include "publish/decide.h"

#include <algorithm>

#include "base/assert.h"

namespace highwater::publish {

namespace {

std::uint64_t count_changed(const NamedHour& hour, const manifest::PartitionClaim& claim,
                            const HourMatch& match) {
    const auto differs = [&](const Match& pair) {
        if (pair.registered == no_index || pair.is_kept) return false;
        const auto& object = claim.objects[pair.claim];
        const auto& before = hour.current->objects[pair.registered];
        return object.size_bytes != before.size_bytes ||
               object.record_count != before.record_count ||
               (object.sha256 && before.sha256 && *object.sha256 != *before.sha256);
    };
    return static_cast<std::uint64_t>(std::ranges::count_if(match.claims, differs));
}

HourChange change_of(const std::string& table, const NamedHour& hour,
                     const manifest::PartitionClaim& claim, const HourMatch& match) {
    const auto known = static_cast<std::uint64_t>(std::ranges::count_if(
        match.claims, [](const Match& pair) { return pair.registered != no_index; }));
    const std::uint64_t changed = count_changed(hour, claim, match);
    return {.table = table,
            .hour = hour.key.hour,
            .is_restated = hour.is_published(),
            .added = match.claims.size() - known,
            .removed = hour.is_published() ? hour.current->objects.size() - known : 0,
            .changed = changed,
            .unchanged = known - changed};
}

}  // namespace

Decision::Decision(const Submission& submission) : submission_(submission) {
    report_.batch = batch_of(submission);
    report_.idempotency_key = key_of(submission);
    report_.options = submission.options;
}

bool Decision::advance(const Facts& facts) {
    while (next_ != Stage::done) {
        const Stage before = next_;
        if (!run_stage(facts)) next_ = Stage::done;
        if (next_ == before) return true;  // Its facts are not there yet.
    }
    return false;
}

bool Decision::add(const Findings& findings) {
    add_findings(report_, findings);
    return findings.is_empty();
}

bool Decision::run_stage(const Facts& facts) {
    const manifest::Publication& publication = submission_.publication;
    switch (next_) {
        case Stage::form:
            next_ = Stage::tables;
            if (!add(find_form_problems(submission_))) return false;
            report_.publication = manifest::digest_of(publication);
            return true;
        case Stage::tables:
            if (!facts.tables) return true;
            next_ = Stage::key;
            return add(find_table_problems(publication, *facts.tables));
        case Stage::key:
            if (!facts.key) return true;
            next_ = Stage::basis;
            return decide_key(*facts.key);
        case Stage::basis:
            if (!facts.basis) return true;
            next_ = Stage::listings;
            report_.audited_at = facts.basis->view.generation;
            return add(find_base_problems(publication, *facts.basis)) &&
                   add(find_location_problems(publication, *facts.basis));
        case Stage::listings:
            if (!facts.inventory) return true;
            next_ = Stage::objects;
            return decide_listings(*facts.inventory);
        case Stage::objects:
            if (!facts.objects) return true;
            next_ = Stage::audit;
            return decide_objects(facts);
        case Stage::audit:
            if (!facts.relisting) return true;
            next_ = Stage::done;
            if (!add(find_audit_problems(publication, facts))) return false;
            report_.verdict = Verdict::accepted;
            return true;
        case Stage::done: return false;
    }
    return false;
}

bool Decision::decide_key(const KeyFacts& key) {
    if (!add(find_key_problems(key, *report_.publication))) return false;
    const auto& record = key.with_key ? key.with_key : key.with_batch;
    if (!record) return true;
    report_.verdict = Verdict::repeated;
    report_.generation = record->generation;
    return false;
}

bool Decision::decide_listings(const InventoryFacts& inventory) {
    report_.observed_inventory = digest_of_listings(inventory);
    const bool is_whole = std::ranges::none_of(
        inventory.listings, [](const Listing& listing) { return listing.failure.has_value(); });
    if (is_whole) return true;
    return add(find_inventory_problems(submission_.publication, inventory, report_.inventory));
}

bool Decision::decide_objects(const Facts& facts) {
    const manifest::Publication& publication = submission_.publication;
    const InventoryFacts& inventory = *facts.inventory;
    for (std::size_t i = 0; i < std::min(inventory.hours.size(), hour_changes_max); ++i) {
        const NamedHour& hour = inventory.hours[i];
        report_.changes.push_back(change_of(publication.manifests[hour.manifest].table, hour,
                                            claim_of(publication, hour), inventory.matches[i]));
    }
    report_.inventory.read = facts.objects->size();
    bool is_good = add(find_inventory_problems(publication, inventory, report_.inventory));
    is_good &= add(find_size_problems(publication, inventory));
    is_good &= add(find_name_problems(publication, facts));
    is_good &= add(find_footer_problems(publication, facts));
    const Findings digests = find_digest_problems(publication, facts);
    const bool is_looked_at = submission_.options.digest_policy == catalog::DigestPolicy::always;
    if (is_looked_at || !digests.is_empty()) is_good &= add(digests);
    return is_good;
}

GateReport decide(const Submission& submission, const Facts& facts) {
    Decision decision(submission);
    decision.advance(facts);
    return decision.take_report();
}

}  // namespace highwater::publish
