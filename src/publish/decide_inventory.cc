// Steps 5 to 7: what lies there, how large it is, and what its names stood for before.

#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/assert.h"
#include "base/canonical.h"
#include "publish/decide.h"

namespace highwater::publish {

namespace {

using catalog::KnownName;
using object::Entry;

std::string size_text(std::uint64_t size_bytes) {
    return std::to_string(size_bytes) + " bytes";
}

std::string describe(const Entry& entry) {
    return entry.kind == Entry::Kind::object ? size_text(entry.identity.size_bytes)
                                             : "not a regular file";
}

/// Says of what lies in one hour, beside the claimed objects, whether it is known.
class KnownOthers {
public:
    KnownOthers(const NamedHour& hour, const NameFacts& facts, Time now)
        : names_(facts.names), cursor_(facts.names, hour.prefix) {
        for (const catalog::Intent& intent : facts.intents) {
            if (intent.expires <= now || intent.root != hour.root) continue;
            intended_.insert(intent.paths.begin(), intent.paths.end());
        }
    }

    /// Requires: entries are asked for in path order.
    bool contains(const Entry& entry) {
        if (entry.kind != Entry::Kind::object) return false;
        const std::uint32_t index = cursor_.find(entry.path);
        if (index != no_index && names_[index].state != KnownName::State::deleted) return true;
        return intended_.contains(entry.path);
    }

private:
    const std::vector<KnownName>& names_;
    PathCursor<KnownName> cursor_;
    std::unordered_set<std::string_view> intended_;
};

/// Why a known name cannot stand for this object; nothing when it can.
std::optional<std::string> find_clash(const KnownName& known, const manifest::ObjectClaim& claim,
                                      const std::optional<Digest>& found) {
    if (known.state == KnownName::State::deleting) return "the name is being deleted";
    if (known.size_bytes != claim.size_bytes) {
        return "the name stands for " + size_text(known.size_bytes);
    }
    if (!known.sha256) return std::nullopt;
    const bool differs =
        (claim.sha256 && *claim.sha256 != *known.sha256) || (found && *found != *known.sha256);
    if (differs) return "the name stands for sha256 " + format_digest(*known.sha256);
    return std::nullopt;
}

std::string claim_text(const manifest::ObjectClaim& claim, const std::optional<Digest>& found) {
    std::string text = size_text(claim.size_bytes);
    const std::optional<Digest>& digest = found ? found : claim.sha256;
    if (digest) text += ", sha256 " + format_digest(*digest);
    return text;
}

}  // namespace

Findings find_inventory_problems(const manifest::Publication& publication,
                                 const InventoryFacts& inventory, InventoryCounts& counts) {
    Findings findings(Step::inventory);
    for (std::size_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        const std::string& table = publication.manifests[hour.manifest].table;
        const Listing& listing = inventory.listings[i];
        counts.observed += listing.entries.size();
        counts.expected += hour.by_path.size();
        if (listing.failure) {
            findings.add(ProblemCode::listing_failed, table, hour.prefix, "a whole listing",
                         *listing.failure);
        }
        if (inventory.matches.empty()) continue;
        const auto& objects = claim_of(publication, hour).objects;
        for (const Match& match : inventory.matches[i].claims) {
            counts.kept += match.is_kept ? 1 : 0;
            const Entry* const entry =
                match.entry == no_index ? nullptr : &listing.entries[match.entry];
            if (entry && entry->kind == Entry::Kind::object) continue;
            ++counts.missing;
            const auto& claim = objects[match.claim];
            findings.add(ProblemCode::object_missing, table, claim.path,
                         size_text(claim.size_bytes), entry ? describe(*entry) : "absent");
        }
        KnownOthers known(hour, inventory.names[hour.manifest], inventory.started);
        for (const std::uint32_t extra : inventory.matches[i].extras) {
            const Entry& entry = listing.entries[extra];
            if (known.contains(entry)) {
                ++counts.known_others;
                continue;
            }
            ++counts.unexpected;
            findings.add(ProblemCode::object_unexpected, table, entry.path,
                         "named by a manifest, a generation or an intent", describe(entry));
        }
    }
    return findings;
}

Findings find_size_problems(const manifest::Publication& publication,
                            const InventoryFacts& inventory) {
    Findings findings(Step::size);
    for (std::size_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        const auto& objects = claim_of(publication, hour).objects;
        const auto& entries = inventory.listings[i].entries;
        for (const Match& match : inventory.matches[i].claims) {
            if (match.entry == no_index) continue;
            const Entry& entry = entries[match.entry];
            const auto& claim = objects[match.claim];
            if (entry.kind != Entry::Kind::object) continue;
            if (entry.identity.size_bytes == claim.size_bytes) continue;
            findings.add(ProblemCode::size_mismatch, publication.manifests[hour.manifest].table,
                         claim.path, size_text(claim.size_bytes), describe(entry));
        }
    }
    return findings;
}

Findings find_name_problems(const manifest::Publication& publication, const Facts& facts) {
    Findings findings(Step::name);
    const InventoryFacts& inventory = *facts.inventory;
    auto found = facts.objects->begin();
    for (std::uint32_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        const auto& objects = claim_of(publication, hour).objects;
        const auto& names = inventory.names[hour.manifest].names;
        PathCursor cursor(names, hour.prefix);
        for (std::uint32_t j = 0; j < inventory.matches[i].claims.size(); ++j) {
            const Match& match = inventory.matches[i].claims[j];
            const bool is_read =
                found != facts.objects->end() && found->hour == i && found->match == j;
            const std::optional<Digest> digest = is_read ? found->sha256 : std::nullopt;
            if (is_read) ++found;
            if (match.is_kept) continue;
            const auto& claim = objects[match.claim];
            const std::uint32_t index = cursor.find(claim.path);
            if (index == no_index) continue;
            if (const auto clash = find_clash(names[index], claim, digest)) {
                findings.add(ProblemCode::name_reused, publication.manifests[hour.manifest].table,
                             claim.path, *clash, claim_text(claim, digest));
            }
        }
    }
    return findings;
}

Digest digest_of_listings(const InventoryFacts& inventory) {
    CanonicalWriter all("highwater.observed_inventory", report_format_version);
    all.add_list_size(inventory.hours.size());
    for (std::size_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        CanonicalWriter writer("highwater.observed_hour", report_format_version);
        writer.add_text(format_uuid(hour.key.table.value)).add_signed(hour.key.hour.since_epoch);
        writer.add_list_size(inventory.listings[i].entries.size());
        for (const Entry& entry : inventory.listings[i].entries) {
            writer.add_text(entry.path).add_unsigned(entry.identity.size_bytes);
            writer.add_bool(entry.kind == Entry::Kind::object);
        }
        all.add_digest(writer.digest());
    }
    return all.digest();
}

}  // namespace highwater::publish
