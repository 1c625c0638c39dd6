#include "embed/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/try.h"
#include "embed/tables.h"
#include "publish/examine.h"

namespace highwater::embed {

namespace {

using Kind = Discrepancy::Kind;
using Objects = std::map<std::string, const catalog::RegisteredObject*, std::less<>>;

std::string describe(const object::Identity& identity) {
    return fmt::format("{} bytes, inode {}", identity.size_bytes, identity.inode);
}

}  // namespace

std::string_view to_text(Kind kind) {
    switch (kind) {
        case Kind::missing_object: return "missing_object";
        case Kind::inventory_drift: return "inventory_drift";
        case Kind::identity_changed: return "identity_changed";
        case Kind::unexpected: return "unexpected";
        case Kind::known_other: return "known_other";
        case Kind::listing_failed: return "listing_failed";
        case Kind::catalog_behind: return "catalog_behind";
    }
    return "unknown";
}

void add(Verification& verification, Discrepancy discrepancy) {
    if (discrepancy.is_fault()) ++verification.fault_count;
    if (verification.discrepancies.size() < discrepancies_max) {
        verification.discrepancies.push_back(std::move(discrepancy));
    }
}

/// One verification under way.
struct Verifier::Run {
    Verifier& verifier;
    const VerifyOptions& options;
    const Progress& progress;
    std::stop_token stop;
    Verification result;

    void add(Discrepancy discrepancy) { embed::add(result, std::move(discrepancy)); }

    Result<void> look_at(const catalog::Table& table, const std::string& root,
                         const object::Entry& entry, const catalog::RegisteredObject& object) {
        const bool is_same = entry.identity == object.identity;
        if (is_same && !options.full) return {};
        if (!object.sha256) {
            const bool is_size = entry.identity.size_bytes == object.size_bytes;
            if (!is_same) {
                add({is_size ? Kind::identity_changed : Kind::inventory_drift, table.name,
                     object.path, describe(object.identity), describe(entry.identity)});
            }
            return {};
        }
        if (stop.stop_requested()) return Error(Code::cancelled, "interrupted");
        const auto digest =
            publish::digest_object(verifier.store_, {root, object.path}, entry.identity, stop);
        if (!digest.ok() && digest.error().code() == Code::cancelled) return digest.error();
        ++result.digested_objects;
        if (!digest.ok()) {
            add({Kind::listing_failed, table.name, object.path, "readable",
                 digest.error().message()});
        } else if (!*digest || **digest != *object.sha256) {
            add({Kind::inventory_drift, table.name, object.path, format_digest(*object.sha256),
                 *digest ? format_digest(**digest) : "exchanged while it was read"});
        } else if (!is_same) {
            add({Kind::identity_changed, table.name, object.path, describe(object.identity),
                 describe(entry.identity)});
        }
        return {};
    }

    Result<void> judge_extras(const catalog::Table& table, const std::vector<std::string>& extras) {
        if (extras.empty()) return {};
        std::set<std::string> known;
        for (const auto& name : TRY(verifier.catalog_.find_names(table.id, extras))) {
            if (name.state != catalog::KnownName::State::deleted) known.insert(name.path);
        }
        const Time now = verifier.clock_.now();
        for (const auto& intent : TRY(verifier.journal_.load_intents(table.id))) {
            if (intent.expires > now) known.insert(intent.paths.begin(), intent.paths.end());
        }
        for (const auto& path : extras) {
            add({known.contains(path) ? Kind::known_other : Kind::unexpected, table.name, path,
                 "nothing of this generation", "an entry"});
        }
        return {};
    }

    Result<void> compare(const catalog::Table& table, const std::string& root,
                         const Objects& registered) {
        auto entries = object::list_all(verifier.store_, root, "");
        if (!entries.ok()) {
            add({Kind::listing_failed, table.name, root, "a listing", entries.error().message()});
            return {};
        }
        result.listed_objects += entries->size();
        std::vector<std::string> extras;
        std::set<std::string_view> seen;
        for (const auto& entry : *entries) {
            const auto found = registered.find(entry.path);
            if (found == registered.end()) {
                extras.push_back(entry.path);
                continue;
            }
            seen.insert(found->first);
            TRY(look_at(table, root, entry, *found->second));
            if (progress) progress({"verify", seen.size(), registered.size()});
        }
        for (const auto& [path, object] : registered) {
            if (seen.contains(path)) continue;
            add({Kind::missing_object, table.name, path, describe(object->identity), "absent"});
        }
        return judge_extras(table, extras);
    }

    Result<void> verify_table(const catalog::Table& table) {
        const auto view = TRY(verifier.catalog_.load_view(
            {.scopes = {{table.id, {}}}, .at = result.generation.number}));
        std::map<std::string, Objects> by_root;
        by_root[table.location];  // Listed also when no hour lies there.
        for (const auto& partition : view.partitions) {
            if (!partition->retired) ++result.hours;
            for (const auto& object : partition->objects) {
                by_root[partition->root].emplace(object.path, &object);
                ++result.registered_objects;
            }
        }
        for (const auto& [root, registered] : by_root) TRY(compare(table, root, registered));
        ++result.tables;
        return {};
    }
};

Result<Verification> Verifier::verify(const VerifyOptions& options, const Progress& progress,
                                      std::stop_token stop) {
    const auto view = TRY(catalog_.load_view({}));
    Run run{*this, options, progress, std::move(stop), {}};
    run.result.generation = view.generation;
    if (options.table) {
        TRY(run.verify_table(TRY(find_table(view.tables, *options.table))));
    } else {
        for (const auto& table : view.tables) TRY(run.verify_table(table));
    }
    std::ranges::stable_sort(run.result.discrepancies, [](const auto& left, const auto& right) {
        return std::tie(left.table, left.path) < std::tie(right.table, right.path);
    });
    return std::move(run.result);
}

Json to_json(const Verification& verification) {
    Json discrepancies = Json::array();
    for (const auto& found : verification.discrepancies) {
        discrepancies.push_back(Json::object({{"kind", to_text(found.kind)},
                                              {"is_fault", found.is_fault()},
                                              {"table", found.table},
                                              {"path", found.path},
                                              {"expected", found.expected},
                                              {"observed", found.observed}}));
    }
    return Json::object({{"is_clean", verification.is_clean()},
                         {"generation", catalog::format_token(verification.generation)},
                         {"tables", verification.tables},
                         {"hours", verification.hours},
                         {"registered_objects", verification.registered_objects},
                         {"listed_objects", verification.listed_objects},
                         {"digested_objects", verification.digested_objects},
                         {"fault_count", verification.fault_count},
                         {"discrepancies", std::move(discrepancies)}});
}

}  // namespace highwater::embed
