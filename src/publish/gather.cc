#include "publish/gather.h"

#include <algorithm>
#include <iterator>

#include "base/try.h"
#include "publish/decide.h"
#include "publish/examine.h"

namespace highwater::publish {

namespace {

/// The hours of one manifest as few ranges.
std::vector<model::HourRange> ranges_of(const manifest::Manifest& manifest) {
    std::vector<model::Hour> hours;
    hours.reserve(manifest.partitions.size());
    for (const manifest::PartitionClaim& claim : manifest.partitions) hours.push_back(claim.hour);
    std::ranges::sort(hours);
    std::vector<model::HourRange> ranges;
    for (const model::Hour hour : hours) {
        if (ranges.empty() || ranges.back().to != hour) ranges.push_back({hour, hour});
        ranges.back().to = model::next(hour);
    }
    return ranges;
}

/// The record that a base leads to, when it can say more than the head does.
Result<std::optional<catalog::GenerationRecord>> find_base(
    Sources& sources, const std::optional<catalog::GenerationRef>& base,
    const catalog::Generation& head) {
    using By = catalog::Catalog::By;
    std::optional<catalog::GenerationRecord> none;
    if (!base) return none;
    By by;
    if (const auto* batch = std::get_if<catalog::BatchRef>(&*base)) {
        by = {.kind = By::Kind::batch, .text = batch->batch, .number = 0};
    } else {
        const auto& token = std::get<catalog::Token>(*base);
        const bool is_elsewhere = token.epoch != head.epoch || token.number > head.number;
        if (is_elsewhere || token.number == 0) return none;
        by = {.kind = By::Kind::number, .text = {}, .number = token.number};
    }
    sources.store.add_catalog_round_trips(1);
    return sources.catalog.find(by);
}

/// A listing that failed may hide anything, so it says why instead of what.
Listing list_hour(Sources& sources, const NamedHour& hour) {
    auto entries = object::list_all(sources.store, hour.root, hour.prefix);
    if (!entries.ok()) return {.entries = {}, .failure = entries.error().message()};
    return {.entries = *std::move(entries), .failure = std::nullopt};
}

Result<std::vector<Listing>> list_hours(Sources& sources, const std::vector<NamedHour>& hours,
                                        std::string_view step, const Watch& watch) {
    std::vector<Listing> listings;
    listings.reserve(hours.size());
    for (const NamedHour& hour : hours) {
        TRY(verify_not_stopped(watch.stop));
        listings.push_back(list_hour(sources, hour));
        watch.tell(step, listings.size(), hours.size());
        if (listings.back().failure) break;
    }
    // The hours after a failure were not listed, which is no listing of theirs either.
    for (std::size_t i = listings.size(); i < hours.size(); ++i) {
        listings.push_back({.entries = {}, .failure = "not listed after the failure before it"});
    }
    return listings;
}

/// The paths of one manifest's hours that are to be looked up among known names.
std::vector<std::string> unproved_paths(const manifest::Publication& publication,
                                        const InventoryFacts& inventory, std::size_t manifest,
                                        bool& has_extras) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        if (hour.manifest != manifest) continue;
        const auto& objects = claim_of(publication, hour).objects;
        for (const Match& match : inventory.matches[i].claims) {
            if (!match.is_kept) paths.push_back(objects[match.claim].path);
        }
        for (const std::uint32_t extra : inventory.matches[i].extras) {
            const object::Entry& entry = inventory.listings[i].entries[extra];
            has_extras = true;
            // Of what is no regular file the name may be none that a path can be.
            if (entry.kind == object::Entry::Kind::object) paths.push_back(entry.path);
        }
    }
    return paths;
}

Result<NameFacts> gather_names(Sources& sources, const manifest::Publication& publication,
                               const InventoryFacts& inventory, std::size_t manifest,
                               const catalog::TableId& table) {
    NameFacts facts;
    bool has_extras = false;
    const auto paths = unproved_paths(publication, inventory, manifest, has_extras);
    if (!paths.empty()) {
        sources.store.add_catalog_round_trips(1);
        facts.names = TRY(sources.catalog.find_names(table, paths).within("known names"));
    }
    if (has_extras) {
        sources.store.add_catalog_round_trips(1);
        facts.intents = TRY(sources.journal.load_intents(table).within("intents"));
    }
    return facts;
}

}  // namespace

Result<catalog::View> gather_tables(Sources& sources) {
    sources.store.add_catalog_round_trips(1);
    return sources.catalog.load_view({}).within("tables");
}

Result<KeyFacts> gather_key(Sources& sources, const Submission& submission) {
    using By = catalog::Catalog::By;
    KeyFacts facts;
    sources.store.add_catalog_round_trips(1);
    facts.with_key =
        TRY(sources.catalog.find({By::Kind::key, key_of(submission), 0}).within("key"));
    if (facts.with_key) return facts;
    sources.store.add_catalog_round_trips(1);
    facts.with_batch =
        TRY(sources.catalog.find({By::Kind::batch, batch_of(submission), 0}).within("batch"));
    return facts;
}

Result<BasisFacts> gather_basis(Sources& sources, const Submission& submission,
                                const catalog::View& tables) {
    const auto& manifests = submission.publication.manifests;
    catalog::ViewRequest request;
    for (const manifest::Manifest& manifest : manifests) {
        const catalog::Table* const table = find_table(tables, manifest.table);
        request.scopes.push_back({table->id, ranges_of(manifest)});
    }
    BasisFacts facts;
    sources.store.add_catalog_round_trips(1);
    facts.view = TRY(sources.catalog.load_view(request).within("audit basis"));
    for (std::size_t i = 0; i < manifests.size(); ++i) {
        const catalog::Table* const table = find_table(facts.view, manifests[i].table);
        if (!table || table->id != request.scopes[i].table) {
            return Error(Code::unavailable, "table " + manifests[i].table +
                                                " was dropped or made anew while it was looked at");
        }
        facts.bases.push_back(
            TRY(find_base(sources, manifests[i].base_generation, facts.view.generation)
                    .within("base generation")));
    }
    return facts;
}

Result<InventoryFacts> gather_inventory(Sources& sources, const Submission& submission,
                                        const BasisFacts& basis, const Watch& watch) {
    const manifest::Publication& publication = submission.publication;
    InventoryFacts facts;
    facts.started = sources.clock.now();
    facts.hours = make_named_hours(publication, basis.view);
    facts.listings = TRY(list_hours(sources, facts.hours, "list", watch));
    for (const Listing& listing : facts.listings) {
        if (listing.failure) return facts;
    }
    facts.matches.reserve(facts.hours.size());
    for (std::size_t i = 0; i < facts.hours.size(); ++i) {
        facts.matches.push_back(match_hour(facts.hours[i], claim_of(publication, facts.hours[i]),
                                           facts.listings[i], submission.options));
    }
    for (std::size_t i = 0; i < publication.manifests.size(); ++i) {
        const catalog::Table* const table = find_table(basis.view, publication.manifests[i].table);
        facts.names.push_back(TRY(gather_names(sources, publication, facts, i, table->id)));
    }
    return facts;
}

Result<RelistingFacts> gather_relisting(Sources& sources, const Facts& facts, const Watch& watch) {
    const InventoryFacts& inventory = *facts.inventory;
    RelistingFacts relisting;
    relisting.redigests = find_recent_objects(facts);
    for (std::size_t i = 0; i < relisting.redigests.size(); ++i) {
        Redigest& redigest = relisting.redigests[i];
        const NamedHour& hour = inventory.hours[redigest.hour];
        const Match& match = inventory.matches[redigest.hour].claims[redigest.match];
        const object::Entry& entry = inventory.listings[redigest.hour].entries[match.entry];
        redigest.sha256 =
            TRY(digest_object(sources.store, {hour.root, entry.path}, entry.identity, watch.stop));
        watch.tell("digest again", i + 1, relisting.redigests.size());
    }
    relisting.listings = TRY(list_hours(sources, inventory.hours, "list again", watch));
    return relisting;
}

}  // namespace highwater::publish
