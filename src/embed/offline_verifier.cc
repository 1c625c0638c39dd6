#include "embed/offline_verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/try.h"
#include "catalog/table_json.h"
#include "embed/record_keeper.h"
#include "publish/examine.h"

namespace highwater::embed {

namespace {

using Record = catalog::GenerationRecord;
using Kind = Discrepancy::Kind;

Error broken(const Record& record, const std::string& what) {
    return Error(Code::corrupt,
                 fmt::format("generation {}: {}", catalog::format_token(record.generation), what));
}

/// Every record of the newest epoch, the oldest first, each the parent of the next.
Result<std::vector<Record>> load_line(stage::Records& records) {
    const auto newest = TRY(records.find_newest());
    if (!newest) return Error(Code::not_found, "there are no generation records");
    std::vector<Record> line{*newest};
    while (line.back().generation.number > 1) {
        const Record& child = line.back();
        const catalog::Generation parent{child.generation.epoch, child.generation.number - 1,
                                         child.parent_chain};
        auto record = TRY(records.find_record(parent));
        if (!record) return broken(child, "the record of its parent is not there");
        line.push_back(*std::move(record));
    }
    std::ranges::reverse(line);
    return line;
}

/// Takes in a change of tables, and proves it by the record's publication digest.
Result<void> apply_tables(object::Store& store, const std::string& root, const Record& record,
                          RecordedState& state) {
    for (const auto& id : record.tables) {
        const object::Name name{root, RecordKeeper::table_path(id, record.generation.number)};
        const std::string text = TRY(object::get(store, name, stage::record_size_max));
        const auto json = parse_json(text);
        if (!json.ok()) return broken(record, "a table record that is no JSON");
        const auto table = TRY(catalog::parse_table(*json));
        if (catalog::digest_of_change(record.operation, table) != record.publication) {
            return broken(record, "the state of table " + table.name + " is not the submitted one");
        }
        state.tables[id].table = table;
    }
    return {};
}

/// Takes in what was published, and proves it by the manifests' digests.
Result<void> apply_manifests(stage::Records& records, const Record& record, RecordedState& state) {
    manifest::Publication publication;
    for (const auto& digest : record.manifests) {
        publication.manifests.push_back(TRY(records.load_manifest(digest)));
    }
    if (manifest::digest_of(publication) != record.publication) {
        return broken(record, "its manifests are not what was submitted");
    }
    std::size_t applied = 0;
    for (const auto& manifest : publication.manifests) {
        const auto table = std::ranges::find_if(state.tables, [&](const auto& entry) {
            return entry.second.table.name == manifest.table && !entry.second.table.dropped;
        });
        if (table == state.tables.end()) return broken(record, "no table " + manifest.table);
        for (const auto& claim : manifest.partitions) {
            table->second.hours[claim.hour] = claim;
            ++applied;
        }
    }
    if (applied == record.partitions.size()) return {};
    return broken(record, "its manifests name other hours");
}

struct Claimed {
    std::string table;
    const manifest::ObjectClaim* claim = nullptr;
};

using ClaimsByRoot = std::map<std::string, std::map<std::string, Claimed, std::less<>>>;

ClaimsByRoot claims_of(const RecordedState& state, Verification& result) {
    ClaimsByRoot by_root;
    for (const auto& [id, recorded] : state.tables) {
        if (recorded.table.dropped) continue;
        ++result.tables;
        by_root[recorded.table.location];
        for (const auto& [hour, claim] : recorded.hours) {
            ++result.hours;
            auto& claims = by_root[claim.location.value_or(recorded.table.location)];
            for (const auto& object : claim.objects) {
                claims[object.path] = {recorded.table.name, &object};
                ++result.registered_objects;
            }
        }
    }
    return by_root;
}

Result<std::optional<Discrepancy>> look_at(object::Store& store, const std::string& root,
                                           const object::Entry& entry, const Claimed& claimed,
                                           bool full, const std::stop_token& stop,
                                           Verification& result) {
    const auto& claim = *claimed.claim;
    const std::uint64_t size_bytes = entry.identity.size_bytes;
    if (size_bytes != claim.size_bytes) {
        return std::optional(Discrepancy{Kind::inventory_drift, claimed.table, claim.path,
                                         fmt::format("{} bytes", claim.size_bytes),
                                         fmt::format("{} bytes", size_bytes)});
    }
    if (!full || !claim.sha256) return std::optional<Discrepancy>();
    const auto digest = publish::digest_object(store, {root, claim.path}, entry.identity, stop);
    if (!digest.ok() && digest.error().code() == Code::cancelled) return digest.error();
    ++result.digested_objects;
    if (digest.ok() && *digest && **digest == *claim.sha256) return std::optional<Discrepancy>();
    const std::string observed = !digest.ok() ? digest.error().message()
                                 : *digest    ? format_digest(**digest)
                                              : "exchanged while it was read";
    return std::optional(Discrepancy{Kind::inventory_drift, claimed.table, claim.path,
                                     format_digest(*claim.sha256), observed});
}

}  // namespace

Result<RecordedState> replay_records(object::Store& store, const std::string& root) {
    stage::Records records(store, root);
    RecordedState state;
    for (const Record& record : TRY(load_line(records))) {
        state.generation = record.generation;
        if (!record.tables.empty()) TRY(apply_tables(store, root, record, state));
        if (!record.manifests.empty()) TRY(apply_manifests(records, record, state));
    }
    return state;
}

Result<Verification> verify_recorded(object::Store& store, const RecordedState& state, bool full,
                                     std::stop_token stop) {
    Verification result;
    result.generation = state.generation;
    for (const auto& [root, claims] : claims_of(state, result)) {
        const auto entries = object::list_all(store, root, "");
        if (!entries.ok()) {
            add(result, {Kind::listing_failed, "", root, "a listing", entries.error().message()});
            continue;
        }
        result.listed_objects += entries->size();
        std::set<std::string_view> seen;
        for (const auto& entry : *entries) {
            const auto found = claims.find(entry.path);
            if (found == claims.end()) {
                add(result,
                    {Kind::known_other, "", entry.path, "nothing of this generation", "an entry"});
                continue;
            }
            seen.insert(found->first);
            auto wrong = TRY(look_at(store, root, entry, found->second, full, stop, result));
            if (wrong) add(result, *std::move(wrong));
        }
        for (const auto& [path, claimed] : claims) {
            if (seen.contains(path)) continue;
            add(result, {Kind::missing_object, claimed.table, path,
                         fmt::format("{} bytes", claimed.claim->size_bytes), "absent"});
        }
    }
    return result;
}

}  // namespace highwater::embed
