// Steps 1 to 4: may this publication be looked at at all?

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "base/text.h"
#include "publish/decide.h"

namespace highwater::publish {

namespace {

using catalog::Table;
using manifest::Manifest;
using manifest::PartitionClaim;

void add_faults(Findings& findings, std::string_view table,
                const std::vector<manifest::Fault>& faults) {
    for (const manifest::Fault& fault : faults) {
        findings.add(fault.is_limit ? ProblemCode::limit_exceeded : ProblemCode::manifest_invalid,
                     table, fault.where, "", fault.what);
    }
}

void add_invalid(Findings& findings, const Manifest& manifest, std::string_view where,
                 std::string_view expected, std::string_view observed) {
    findings.add(ProblemCode::manifest_invalid, manifest.table, where, expected, observed);
}

/// The manifests of one publication say the same about it, each for another table.
void add_disagreements(Findings& findings, const Submission& submission) {
    const std::string batch = batch_of(submission);
    const std::string key = key_of(submission);
    std::set<std::string_view> tables;
    for (const Manifest& manifest : submission.publication.manifests) {
        if (manifest.batch_generation != batch) {
            add_invalid(findings, manifest, "batch_generation", batch, manifest.batch_generation);
        }
        if (manifest.idempotency_key && *manifest.idempotency_key != key) {
            add_invalid(findings, manifest, "idempotency_key", key, *manifest.idempotency_key);
        }
        if (!tables.insert(manifest.table).second) {
            add_invalid(findings, manifest, "table", "one manifest a table", "a second one");
        }
    }
}

void add_path_problems(Findings& findings, const Manifest& manifest, const PartitionClaim& claim,
                       const std::string& prefix) {
    for (const manifest::ObjectClaim& object : claim.objects) {
        const std::string_view path = object.path;
        const bool lies_beneath =
            path.size() > prefix.size() && path.starts_with(prefix) && path[prefix.size()] == '/';
        if (!lies_beneath) add_invalid(findings, manifest, path, prefix + "/...", path);
    }
}

/// What a published hour was last changed by, itself or as part of its table.
std::uint64_t last_change(const Table& table, const catalog::Partition* partition) {
    return std::max(table.changed, partition ? partition->changed : 0);
}

std::string generation_text(std::uint64_t number) {
    return "generation " + std::to_string(number);
}

/// Notes why a stated base is no generation of this line, or gives its number.
std::optional<std::uint64_t> resolve_base(Findings& findings, const Manifest& manifest,
                                          const std::optional<catalog::GenerationRecord>& record,
                                          const catalog::Generation& head) {
    constexpr std::string_view where = "base_generation";
    if (const auto* batch = std::get_if<catalog::BatchRef>(&*manifest.base_generation)) {
        if (record) return record->generation.number;
        findings.add(ProblemCode::not_next_generation, manifest.table, where,
                     "a batch that was committed", batch->batch);
        return std::nullopt;
    }
    const auto& token = std::get<catalog::Token>(*manifest.base_generation);
    const std::string stated = catalog::format_token(token);
    if (token.epoch != head.epoch) {
        findings.add(ProblemCode::epoch_mismatch, manifest.table, where,
                     "epoch " + catalog::format_epoch(head.epoch), stated);
        return std::nullopt;
    }
    if (token.number > head.number) {
        findings.add(ProblemCode::not_next_generation, manifest.table, where,
                     "at most the head, " + catalog::format_token(head), stated);
        return std::nullopt;
    }
    if (record && catalog::token_of(record->generation) != token) {
        findings.add(ProblemCode::epoch_mismatch, manifest.table, where,
                     catalog::format_token(record->generation), stated);
        return std::nullopt;
    }
    return token.number;
}

void add_location_problem(Findings& findings, const Manifest& manifest, const PartitionClaim& claim,
                          const Table& table, const catalog::View& view) {
    const std::string hour = model::format_hour(claim.hour);
    const std::string& stated = claim.location ? *claim.location : table.location;
    const auto current = find_partition(view, {table.id, claim.hour});
    if (current && !current->retired) {
        if (current->root == stated) return;
        findings.add(ProblemCode::location_changed, manifest.table, hour, stated, current->root);
        return;
    }
    // A place that the table had once must not become an hour's own by mistake: with a base, step 3
    // has shown that the publisher knows where the table is now.
    if (stated != table.location && !manifest.base_generation) {
        findings.add(ProblemCode::location_changed, manifest.table, hour, stated,
                     table.location + " (a place of its own needs a base_generation)");
    }
    for (const Table& other : view.tables) {
        if (other.id == table.id || other.dropped) continue;
        if (!catalog::is_overlapping(other.location, stated)) continue;
        findings.add(ProblemCode::location_overlap, manifest.table, hour,
                     "a place of its own, not " + stated,
                     "table " + other.name + " is at " + other.location);
    }
}

}  // namespace

Findings find_form_problems(const Submission& submission) {
    Findings findings(Step::manifest);
    add_faults(findings, "", submission.faults);
    if (!findings.is_empty()) return findings;
    const auto& manifests = submission.publication.manifests;
    if (manifests.empty()) {
        findings.add(ProblemCode::manifest_invalid, "", "", "at least one manifest", "none");
    }
    if (manifests.size() > manifests_max) {
        findings.add(ProblemCode::limit_exceeded, "", "",
                     "at most " + std::to_string(manifests_max) + " manifests",
                     std::to_string(manifests.size()));
        return findings;
    }
    for (const Manifest& manifest : manifests) {
        add_faults(findings, manifest.table, manifest::find_faults(manifest));
    }
    add_disagreements(findings, submission);
    return findings;
}

Findings find_table_problems(const manifest::Publication& publication, const catalog::View& view) {
    Findings findings(Step::manifest);
    for (const Manifest& manifest : publication.manifests) {
        const Table* const table = find_table(view, manifest.table);
        if (!table) {
            findings.add(ProblemCode::unknown_table, manifest.table, "table", "a table that exists",
                         manifest.table);
            continue;
        }
        if (manifest.schema_version && !table->find_schema(*manifest.schema_version)) {
            add_invalid(findings, manifest, "schema_version",
                        "1 to " + std::to_string(table->current().version),
                        std::to_string(*manifest.schema_version));
        }
        for (const PartitionClaim& claim : manifest.partitions) {
            if (const auto prefix = table->pattern.render(claim.hour)) {
                add_path_problems(findings, manifest, claim, *prefix);
            } else {
                add_invalid(findings, manifest, model::format_hour(claim.hour),
                            "an hour of the pattern " + table->pattern.text(),
                            "one that it cannot express");
            }
        }
    }
    return findings;
}

Findings find_key_problems(const KeyFacts& key, const Digest& publication) {
    Findings findings(Step::key);
    const auto look_at = [&](const std::optional<catalog::GenerationRecord>& record,
                             std::string_view where) {
        if (!record || record->publication == publication) return;
        findings.add(ProblemCode::batch_generation_reused, "", where,
                     "publication " + format_digest(publication),
                     "publication " + format_digest(record->publication) + " is " +
                         catalog::format_token(record->generation));
    };
    look_at(key.with_key, "idempotency_key");
    if (findings.is_empty()) look_at(key.with_batch, "batch_generation");
    return findings;
}

Findings find_base_problems(const manifest::Publication& publication, const BasisFacts& basis) {
    Findings findings(Step::base);
    ASSERT(basis.bases.size() == publication.manifests.size());
    for (std::size_t i = 0; i < publication.manifests.size(); ++i) {
        const Manifest& manifest = publication.manifests[i];
        const Table* const table = find_table(basis.view, manifest.table);
        ASSERT(table);
        std::optional<std::uint64_t> base;
        if (manifest.base_generation) {
            base = resolve_base(findings, manifest, basis.bases[i], basis.view.generation);
            if (!base) continue;
        }
        for (const PartitionClaim& claim : manifest.partitions) {
            const auto current = find_partition(basis.view, {table->id, claim.hour});
            const bool is_published = current && !current->retired;
            const std::uint64_t change = last_change(*table, current.get());
            if (base ? *base >= change : !is_published) continue;
            findings.add(ProblemCode::not_next_generation, manifest.table,
                         model::format_hour(claim.hour),
                         "a base_generation at or above " + generation_text(change),
                         base ? generation_text(*base) : "none");
        }
    }
    return findings;
}

Findings find_location_problems(const manifest::Publication& publication, const BasisFacts& basis) {
    Findings findings(Step::location);
    for (const Manifest& manifest : publication.manifests) {
        const Table* const table = find_table(basis.view, manifest.table);
        ASSERT(table);
        for (const PartitionClaim& claim : manifest.partitions) {
            add_location_problem(findings, manifest, claim, *table, basis.view);
        }
    }
    return findings;
}

}  // namespace highwater::publish
