#include "read/facts.h"

#include <algorithm>
#include <variant>

#include "base/try.h"

namespace highwater::read {

namespace {

using catalog::Generation;

Refusal unavailable(Unavailable::Where where, Error error) {
    return Unavailable{where, std::move(error)};
}

Refusal view_refusal(const Error& error, const std::optional<Generation>& at) {
    const bool is_gone = at && error.code() == Code::not_found;
    if (is_gone) return GenerationExpired{catalog::token_of(*at), std::nullopt};
    return unavailable(Unavailable::Where::catalog, error);
}

/// The scope of the request in one table.
catalog::Scope scope_of(const Request& request, const catalog::TableId& table) {
    const bool is_open = !request.range.from && !request.range.to;
    if (is_open) return {table, {}};
    return {table, {hours_of(request.range)}};
}

/// The generation that the request names, where `head` does not settle it.
Result<std::optional<Generation>> find_named(catalog::Catalog& catalog,
                                             const catalog::GenerationRef& ref, Probe& probe) {
    catalog::Catalog::By by;
    if (const auto* token = std::get_if<catalog::Token>(&ref)) {
        if (token->number > probe.head.number) return std::optional<Generation>();
        if (token->number == probe.head.number) return std::optional(probe.head);
        if (token->number == 0) return std::optional(Generation{probe.head.epoch, 0, {}});
        by = {catalog::Catalog::By::Kind::number, "", token->number};
    } else {
        by = {catalog::Catalog::By::Kind::batch, std::get<catalog::BatchRef>(ref).batch, 0};
    }
    ++probe.round_trips;
    const auto record = TRY(catalog.find(by));
    if (!record) return std::optional<Generation>();
    return std::optional(record->generation);
}

Result<std::vector<object::Entry>> list_prefix(object::Store& store, const catalog::Table& table,
                                               const catalog::Partition& partition) {
    const auto prefix = table.pattern.render(partition.key.hour);
    if (!prefix || partition.retired) return std::vector<object::Entry>();
    return object::list_all(store, partition.root, *prefix);
}

const catalog::Table* find_table(const catalog::View& view, const catalog::TableId& id) {
    const auto found = std::ranges::find(view.tables, id, &catalog::Table::id);
    return found == view.tables.end() ? nullptr : &*found;
}

std::vector<const catalog::Table*> pointers(const std::vector<catalog::Table>& tables) {
    std::vector<const catalog::Table*> pointers;
    for (const catalog::Table& table : tables) pointers.push_back(&table);
    return pointers;
}

std::vector<const catalog::Table*> pointers(const cache::Snapshot& snapshot) {
    std::vector<const catalog::Table*> pointers;
    for (const auto& [id, part] : snapshot.parts().tables) pointers.push_back(part->table.get());
    return pointers;
}

}  // namespace

void Facts::note_wait(Duration duration) {
    waited += duration;
    ++waits;
    probe.reset();
    refreshes.clear();
    listed.reset();
    compared.reset();
}

void Facts::note_refresh(const cache::RefreshRequest& request, std::optional<Error> failure) {
    has_refreshed |= !failure.has_value();
    refreshes.push_back({request.reload, std::move(failure)});
}

Probe probe(catalog::Catalog& catalog, const Request& request,
            const std::optional<Generation>& seen) {
    Probe probe;
    probe.seen_before = seen;
    probe.round_trips = 1;
    const auto head = catalog.head();
    if (!head.ok()) {
        probe.failure = head.error();
        return probe;
    }
    probe.head = *head;
    const auto& ref = named_generation(request);
    if (!ref) return probe;
    const auto named = find_named(catalog, *ref, probe);
    if (!named.ok()) {
        probe.failure = named.error();
        return probe;
    }
    probe.named = *named;
    // A batch may have been committed between the two questions.
    const bool is_newer = probe.named && probe.named->epoch == probe.head.epoch &&
                          probe.named->number > probe.head.number;
    if (is_newer) probe.head = *probe.named;
    return probe;
}

Listed list(catalog::Catalog& catalog, object::Store& store, const Request& request,
            const std::optional<Generation>& at) {
    Listed listed;
    std::optional<std::uint64_t> number;
    if (at) number = at->number;
    ++listed.round_trips;
    auto tables = catalog.load_view({{}, number, true});
    if (!tables.ok()) {
        listed.refusal = view_refusal(tables.error(), at);
        return listed;
    }
    Resolution resolution = resolve(request, pointers(tables->tables));
    listed.identity_changes = std::move(resolution.refusals);
    listed.unknown = std::move(resolution.unknown);
    catalog::ViewRequest wanted{{}, tables->generation.number, true};
    for (const auto* table : resolution.tables) {
        wanted.scopes.push_back(scope_of(request, table->id));
    }
    ++listed.round_trips;
    auto view = catalog.load_view(wanted);
    if (!view.ok()) {
        listed.refusal = view_refusal(view.error(), at);
        return listed;
    }
    if (view->generation != tables->generation) {
        listed.refusal =
            unavailable(Unavailable::Where::catalog,
                        {Code::unavailable, "it answered for another generation than was asked"});
        return listed;
    }
    for (const auto& partition : view->partitions) {
        const catalog::Table* table = find_table(*view, partition->key.table);
        auto entries = table ? list_prefix(store, *table, *partition)
                             : Error(Code::corrupt, "a partition without a table");
        if (!entries.ok()) {
            const auto where = table ? Unavailable::Where::store : Unavailable::Where::catalog;
            listed.refusal = unavailable(where, entries.error());
            return listed;
        }
        listed.listed.listings.push_back(*std::move(entries));
    }
    listed.listed.view = *std::move(view);
    return listed;
}

Compared compare(catalog::Catalog& catalog, const Request& request,
                 const cache::Snapshot& snapshot) {
    Compared compared;
    catalog::ViewRequest wanted{{}, std::nullopt, true};
    for (const auto* table : resolve(request, pointers(snapshot)).tables) {
        wanted.scopes.push_back(scope_of(request, table->id));
    }
    compared.round_trips = 1;
    auto view = catalog.load_view(wanted);
    if (view.ok()) {
        compared.view = *std::move(view);
    } else {
        compared.failure = view.error();
    }
    return compared;
}

std::vector<Refusal> find_moved(const Request& request, const cache::Snapshot& snapshot,
                                const catalog::View& view) {
    std::vector<Refusal> moved;
    for (const auto* table : resolve(request, pointers(snapshot)).tables) {
        const catalog::Table* now = find_table(view, table->id);
        if (!now || (now->location == table->location && now->incarnation == table->incarnation)) {
            continue;
        }
        moved.push_back(LocationChanged{table->name, std::nullopt, table->location, now->location,
                                        table->incarnation, now->incarnation});
    }
    for (const auto& partition : view.partitions) {
        if (moved.size() >= listed_max) break;
        if (!snapshot.find_table(partition->key.table)) continue;
        const auto found = snapshot.find(partition->key);
        const auto* entry = std::get_if<cache::Entry>(&found);
        if (!entry || !entry->partition) continue;
        const catalog::Partition& held = *entry->partition;
        if (held.root == partition->root && held.incarnation == partition->incarnation) continue;
        const catalog::Table* table = find_table(view, partition->key.table);
        moved.push_back(LocationChanged{table ? table->name : "", partition->key.hour, held.root,
                                        partition->root, held.incarnation, partition->incarnation});
    }
    return moved;
}

}  // namespace highwater::read
