#include "publish/registration.h"

#include <algorithm>

#include "base/assert.h"

namespace highwater::publish {

namespace {

using catalog::Basis;
using catalog::DigestPolicy;
using catalog::Partition;
using catalog::RegisteredObject;

/// What was found, under the name that the manifest gives it. Digests that were declared and not
/// verified are not registered: a false one would stand for the name for ever.
RegisteredObject register_object(const manifest::ObjectClaim& claim, const object::Entry& entry,
                                 const ObjectFacts& found, std::uint32_t schema_version) {
    RegisteredObject object{.path = claim.path,
                            .size_bytes = claim.size_bytes,
                            .record_count = claim.record_count,
                            .schema_version = schema_version,
                            .sha256 = found.sha256,
                            .row_fingerprint = found.row_fingerprint,
                            .min_time = found.min_time,
                            .max_time = found.max_time,
                            .derived_by_gate = false,
                            .identity = entry.identity};
    object.derived_by_gate =
        (object.sha256 && !claim.sha256) || (object.row_fingerprint && !claim.row_fingerprint) ||
        (object.min_time && !claim.min_time) || (object.max_time && !claim.max_time);
    return object;
}

/// A retired hour that comes back is another one: nobody may take old metadata for it.
std::uint64_t next_incarnation(const NamedHour& hour) {
    if (!hour.current) return 1;
    return hour.current->incarnation + (hour.current->retired ? 1 : 0);
}

/// Takes the facts of the objects that were read one after the other.
class ObjectFactsQueue {
public:
    explicit ObjectFactsQueue(const std::vector<ObjectFacts>& facts) : facts_(facts) {}

    const ObjectFacts& take(std::uint32_t hour, std::uint32_t match) {
        ASSERT(next_ < facts_.size());
        const ObjectFacts& facts = facts_[next_++];
        ASSERT(facts.hour == hour && facts.match == match);
        return facts;
    }

private:
    const std::vector<ObjectFacts>& facts_;
    std::size_t next_ = 0;
};

Partition make_partition(const Submission& submission, const InventoryFacts& inventory,
                         std::uint32_t index, const catalog::Table& table,
                         ObjectFactsQueue& found) {
    const NamedHour& hour = inventory.hours[index];
    const manifest::PartitionClaim& claim = claim_of(submission.publication, hour);
    Partition partition{.key = hour.key,
                        .root = hour.root,
                        .has_own_root = hour.root != table.location,
                        .incarnation = next_incarnation(hour),
                        .changed = 0,
                        .retired = false,
                        .objects = {},
                        .declared_empty = claim.declared_empty,
                        .digest_policy = submission.options.digest_policy,
                        .inventory = {}};
    const auto& matches = inventory.matches[index].claims;
    partition.objects.reserve(matches.size());
    for (std::uint32_t i = 0; i < matches.size(); ++i) {
        const Match& match = matches[i];
        if (match.is_kept) {
            partition.objects.push_back(hour.current->objects[match.registered]);
            continue;
        }
        partition.objects.push_back(register_object(claim.objects[match.claim],
                                                    inventory.listings[index].entries[match.entry],
                                                    found.take(index, i), version_of(hour, match)));
    }
    partition.inventory = catalog::inventory_of(partition);
    return partition;
}

Basis make_basis(const manifest::Publication& publication, const BasisFacts& facts,
                 const std::vector<NamedHour>& hours) {
    Basis basis{.epoch = facts.view.generation.epoch, .tables = {}, .partitions = {}};
    for (const manifest::Manifest& manifest : publication.manifests) {
        const catalog::Table* const table = find_table(facts.view, manifest.table);
        basis.tables.push_back({table->id, table->incarnation, table->current().version});
    }
    std::ranges::sort(basis.tables, {}, &Basis::TableBasis::id);
    for (const NamedHour& hour : hours) {
        const Partition* const current = hour.current.get();
        basis.partitions.push_back({.key = hour.key,
                                    .root = current ? current->root : hour.root,
                                    .incarnation = current ? current->incarnation : 0,
                                    .changed = current ? current->changed : 0});
    }
    return basis;
}

}  // namespace

catalog::Commit make_commit(const Submission& submission, const Facts& facts,
                            const GateReport& report, Time now) {
    ASSERT(report.verdict == Verdict::accepted);
    const manifest::Publication& publication = submission.publication;
    const InventoryFacts& inventory = *facts.inventory;
    catalog::Commit commit{.operation = catalog::Operation::publish,
                           .batch = report.batch,
                           .idempotency_key = report.idempotency_key,
                           .publication = *report.publication,
                           .locations = {},
                           .basis = make_basis(publication, *facts.basis, inventory.hours),
                           .tables = {},
                           .partitions = {},
                           .manifests = {},
                           .time = now};
    ObjectFactsQueue found(*facts.objects);
    for (std::uint32_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        const catalog::Table* const table =
            find_table(facts.basis->view, publication.manifests[hour.manifest].table);
        commit.partitions.push_back(make_partition(submission, inventory, i, *table, found));
        if (hour.is_published()) commit.operation = catalog::Operation::correct;
    }
    for (const manifest::Manifest& manifest : publication.manifests) {
        commit.manifests.push_back(manifest::digest_of(manifest));
    }
    std::ranges::sort(commit.manifests);
    commit.locations = catalog::locations_of(commit.tables, commit.partitions);
    return commit;
}

Findings find_move(const Basis& basis, const catalog::View& now, std::string_view what) {
    if (now.generation.epoch != basis.epoch) {
        Findings findings(Step::base);
        findings.add(ProblemCode::epoch_mismatch, "", "", catalog::format_epoch(basis.epoch),
                     catalog::format_epoch(now.generation.epoch));
        return findings;
    }
    for (const Basis::TableBasis& before : basis.tables) {
        const auto table = std::ranges::find(now.tables, before.id, &catalog::Table::id);
        if (table == now.tables.end() || table->incarnation != before.incarnation) continue;
        if (table->current().version == before.schema_version) continue;
        Findings findings(Step::footer);
        findings.add(ProblemCode::schema_mismatch, table->name, "",
                     "schema version " + std::to_string(before.schema_version),
                     "schema version " + std::to_string(table->current().version));
        return findings;
    }
    Findings findings(Step::location);
    findings.add(ProblemCode::location_changed, "", "", "what the audit began with", what);
    return findings;
}

}  // namespace highwater::publish
