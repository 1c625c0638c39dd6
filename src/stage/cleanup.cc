#include "stage/cleanup.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/try.h"
#include "stage/set_aside.h"

namespace highwater::stage {

namespace {

std::set<std::string> registered_names(const std::vector<catalog::KnownName>& names) {
    std::set<std::string> paths;
    for (const catalog::KnownName& name : names) paths.insert(name.path);
    return paths;
}

/// Where an hour's objects lie.
Result<std::string> find_root(catalog::Catalog& catalog, const catalog::Table& table,
                              model::Hour hour) {
    const auto view = TRY(catalog.load_view(
        {.scopes = {{.table = table.id, .hours = {{.from = hour, .to = model::next(hour)}}}},
         .at = std::nullopt}));
    for (const auto& partition : view.partitions) {
        if (partition->key.hour == hour && partition->has_own_root) return partition->root;
    }
    return table.location;
}

}  // namespace

Cleaner::Cleaner(object::Store& store, catalog::Catalog& catalog, catalog::Journal& journal)
    : store_(store), catalog_(catalog), journal_(journal) {}

Result<void> Cleaner::abandon_intent(const catalog::Intent& intent, Abandoned& abandoned) {
    const auto registered = registered_names(TRY(catalog_.find_names(intent.table, intent.paths)));
    for (const std::string& path : intent.paths) {
        if (registered.contains(path)) {
            abandoned.kept.push_back(path);
            continue;
        }
        const auto aside = TRY(set_aside(store_, catalog_, intent.table, {intent.root, path}));
        switch (aside.outcome) {
            case SetAside::Outcome::absent: break;
            case SetAside::Outcome::registered: abandoned.kept.push_back(path); break;
            case SetAside::Outcome::moved:
                TRY(store_.remove(aside.copy));
                abandoned.removed.push_back(path);
                break;
        }
    }
    TRY(journal_.remove_intent(intent.id));
    abandoned.intents.push_back(intent.id);
    return {};
}

Result<Abandoned> Cleaner::abandon(const catalog::TableId& table, const Uuid& id) {
    Abandoned abandoned;
    for (const catalog::Intent& intent : TRY(journal_.load_intents(table))) {
        if (intent.id != id) continue;
        TRY(abandon_intent(intent, abandoned).within("abandon"));
        return abandoned;
    }
    return Error(Code::not_found, "no intent " + format_uuid(id));
}

Result<Abandoned> Cleaner::abandon_batch(const catalog::TableId& table, const std::string& batch) {
    Abandoned abandoned;
    for (const catalog::Intent& intent : TRY(journal_.load_intents(table))) {
        if (intent.batch != batch) continue;
        TRY(abandon_intent(intent, abandoned).within("abandon"));
    }
    if (abandoned.intents.empty()) {
        return Error(Code::not_found, "no intent of batch '" + format_quoted(batch) + "'");
    }
    return abandoned;
}

Result<Quarantined> Cleaner::quarantine(const catalog::Table& table, model::Hour hour, Time now) {
    const auto prefix = table.pattern.render(hour);
    if (!prefix) {
        return Error(Code::invalid_argument, "the table's pattern " + table.pattern.text() +
                                                 " cannot express hour " +
                                                 model::format_hour(hour));
    }
    const std::string root = TRY(find_root(catalog_, table, hour));
    const auto entries = TRY(object::list_all(store_, root, *prefix));
    std::vector<std::string> paths;
    for (const object::Entry& entry : entries) paths.push_back(entry.path);
    const auto registered = registered_names(TRY(catalog_.find_names(table.id, paths)));
    std::set<std::string> intended;
    for (const catalog::Intent& intent : TRY(journal_.load_intents(table.id))) {
        if (intent.expires > now) intended.insert(intent.paths.begin(), intent.paths.end());
    }

    Quarantined quarantined;
    for (const object::Entry& entry : entries) {
        if (registered.contains(entry.path)) continue;
        if (intended.contains(entry.path)) {
            quarantined.intended.push_back(entry.path);
        } else if (entry.kind != object::Entry::Kind::object) {
            quarantined.immovable.push_back(entry.path);
        } else {
            const auto aside =
                TRY(set_aside(store_, catalog_, table.id, {root, entry.path}).within("quarantine"));
            if (aside.outcome != SetAside::Outcome::moved) continue;
            quarantined.moved.push_back({.path = entry.path, .to = aside.copy});
        }
    }
    return quarantined;
}

}  // namespace highwater::stage
