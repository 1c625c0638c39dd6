#include "cache/refresh.h"

#include <algorithm>
#include <set>

#include "base/try.h"
#include "cache/refresh_plan.h"
#include "cache/snapshot_editor.h"

namespace highwater::cache {

namespace {

using catalog::Changes;
using catalog::Generation;
using catalog::PartitionKey;
using catalog::View;

// Changes that are left unapplied end entries at generations between the last refresh and this one.
// Their chains are looked up so far; beyond it the entries end where the last refresh was.
constexpr std::size_t log_records_max = 1'000;

Error contradiction(const std::string& what) {
    return {Code::corrupt, "the catalog contradicts itself: " + what};
}

Error behind(const Generation& head, const Generation& seen) {
    return {Code::precondition_failed, "the catalog is at " + catalog::format_token(head) +
                                           ", behind what was seen of it, " +
                                           catalog::format_token(seen)};
}

bool is_same_line(const Generation& generation, const Generation& seen) {
    return generation.epoch == seen.epoch && generation.number >= seen.number;
}

const catalog::Table* find_table(const std::vector<catalog::Table>& tables,
                                 const catalog::TableId& id) {
    const auto found = std::ranges::find(tables, id, &catalog::Table::id);
    return found == tables.end() ? nullptr : &*found;
}

/// One refresh: gathers from the ports, decides with plan_refresh, edits the snapshot.
class Run {
public:
    Run(const Sources& sources, std::shared_ptr<const Snapshot> base, const SnapshotLimits& limits)
        : sources_(sources), base_(std::move(base)), limits_(limits), store_(sources.store) {}

    Result<Refreshed> run(const RefreshRequest& request) {
        report_.kind = request.kind;
        report_.started = as_of_ = sources_.clock.now();
        const Duration began = sources_.clock.steady();
        if (base_) report_.from = base_->seen();
        auto snapshot = TRY(make_snapshot(request));
        TRY(verify_limits(*snapshot));
        describe(*snapshot);
        report_.finished = sources_.clock.now();
        report_.took = sources_.clock.steady() - began;
        return Refreshed{std::move(snapshot), std::move(report_)};
    }

private:
    using Made = Result<std::shared_ptr<const Snapshot>>;

    Made make_snapshot(const RefreshRequest& request) {
        if (!base_) return load_everything(ReloadReason::cold);
        const bool is_full = request.kind == RefreshRequest::Kind::full;
        if (is_full && request.reload) return load_everything(ReloadReason::asked);
        ++round_trips_;
        auto changes = sources_.catalog.load_changes(base_->seen().number);
        if (!changes.ok()) {
            if (changes.error().code() != Code::not_found) return changes.error();
            // Either this is another life of the catalog, or an old copy of the same one.
            return load_everything(ReloadReason::other_epoch);
        }
        if (changes->to.epoch != base_->seen().epoch) {
            return load_everything(ReloadReason::other_epoch);
        }
        if (changes->from != base_->seen()) return load_everything(ReloadReason::forked);
        if (changes->trimmed) return load_everything(ReloadReason::trimmed);
        return apply(request, *changes);
    }

    Made load_everything(ReloadReason reason) {
        as_of_ = sources_.clock.now();
        const View tables = TRY(load_view({{}, std::nullopt, true}));
        if (base_ && tables.generation.epoch == base_->seen().epoch) {
            if (!is_same_line(tables.generation, base_->seen())) {
                return behind(tables.generation, base_->seen());
            }
        }
        return load_everything(reason, tables);
    }

    Made load_everything(ReloadReason reason, const View& tables) {
        report_.reloaded = reason;
        catalog::ViewRequest request{{}, tables.generation.number, true};
        for (const catalog::Table& table : tables.tables) {
            if (!table.dropped) request.scopes.push_back({table.id, {}});
        }
        const View view = TRY(load_view(request));
        if (view.generation != tables.generation) return moved_meanwhile();
        report_.changed = view.partitions.size() + view.tables.size();
        SnapshotEditor editor(nullptr);
        for (const catalog::Table& table : view.tables) editor.put_table(table);
        TRY(put_partitions(view, editor));
        return editor.finish(view.generation, as_of_);
    }

    Made apply(const RefreshRequest& request, const Changes& changes) {
        report_.changed = changes.partitions.size() + changes.tables.size();
        const bool has_moved = changes.to != changes.from;
        if (has_moved != (report_.changed != 0)) {
            return contradiction("it moved from " + catalog::format_token(changes.from) + " to " +
                                 catalog::format_token(changes.to) + " and names " +
                                 std::to_string(report_.changed) + " changes");
        }
        TRY(verify_scopes(request, changes));
        const RefreshPlan plan = plan_refresh(*base_, request, changes);
        View view{changes.to, {}, {}};
        if (!plan.load.is_empty()) {
            view = TRY(load_view({plan.load.scopes(), changes.to.number, true}));
            if (view.generation != changes.to) return moved_meanwhile();
            if (holds_other_tables(view)) {
                return load_everything(ReloadReason::other_table, view);
            }
        }
        return edit(plan, changes, view);
    }

    Made edit(const RefreshPlan& plan, const Changes& changes, const View& view) {
        SnapshotEditor editor(base_);
        for (const catalog::Table& table : changes.tables) editor.put_table(table);
        for (const catalog::TableId& table : plan.ended_tables) {
            editor.end_all(table, base_->seen().number);
        }
        TRY(end_unapplied(plan, changes, editor));
        erase_unknown(plan, view, editor);
        TRY(verify_named(plan, view));
        TRY(put_partitions(view, editor));
        return editor.finish(changes.to, as_of_);
    }

    Result<View> load_view(const catalog::ViewRequest& request) {
        ++round_trips_;
        return sources_.catalog.load_view(request);
    }

    static Error moved_meanwhile() {
        return {Code::unavailable, "the catalog answered for another generation than it was asked"};
    }

    bool holds_other_tables(const View& view) const {
        return std::ranges::any_of(base_->tables(), [&](const HeldTable& held) {
            return !find_table(view.tables, held.table->id);
        });
    }

    Result<void> verify_scopes(const RefreshRequest& request, const Changes& changes) const {
        for (const catalog::Scope& scope : request.scopes) {
            if (base_->find_table(scope.table)) continue;
            if (find_table(changes.tables, scope.table)) continue;
            return Error(Code::not_found, "no table " + format_uuid(scope.table.value));
        }
        for (const catalog::PartitionChange& change : changes.partitions) {
            if (base_->find_table(change.key.table)) continue;
            if (find_table(changes.tables, change.key.table)) continue;
            return contradiction("an hour changed of the unknown table " +
                                 format_uuid(change.key.table.value));
        }
        return {};
    }

    /// Entries end before their first unapplied change, at a generation whose chain is known.
    Result<void> end_unapplied(const RefreshPlan& plan, const Changes& changes,
                               SnapshotEditor& editor) {
        const std::uint64_t seen = changes.from.number;
        std::set<std::uint64_t> known{seen};
        const bool is_between = std::ranges::any_of(
            plan.ended, [&](const RefreshPlan::End& end) { return end.last > seen; });
        if (is_between) {
            ++round_trips_;
            for (const auto& record : TRY(sources_.catalog.load_log(seen, log_records_max))) {
                known.insert(record.generation.number);
                editor.add_generation(record.generation.number, record.generation.chain);
            }
        }
        for (const RefreshPlan::End& end : plan.ended) {
            editor.end(end.key, known.contains(end.last) ? end.last : seen);
        }
        return {};
    }

    /// Hours that were held and that the catalog does not know were never published.
    void erase_unknown(const RefreshPlan& plan, const View& view, SnapshotEditor& editor) const {
        std::set<PartitionKey> known;
        for (const auto& partition : view.partitions) known.insert(partition->key);
        for (const catalog::Scope& scope : plan.load.scopes()) {
            const auto hours =
                scope.hours.empty() ? std::vector<model::HourRange>{every_hour} : scope.hours;
            for (const model::HourRange& range : hours) {
                for (const HeldHour& held : base_->list_hours(scope.table, range)) {
                    const PartitionKey key{scope.table, held.hour};
                    if (!known.contains(key)) editor.erase(key);
                }
            }
        }
    }

    static Result<void> verify_named(const RefreshPlan& plan, const View& view) {
        for (const PartitionKey& key : plan.named) {
            const bool found = std::ranges::binary_search(
                view.partitions, key, {}, [](const auto& partition) { return partition->key; });
            if (found) continue;
            return contradiction("hour " + model::format_hour(key.hour) + " of table " +
                                 format_uuid(key.table.value) + " changed and is not there");
        }
        return {};
    }

    Result<void> put_partitions(const View& view, SnapshotEditor& editor) {
        const catalog::Table* table = nullptr;
        for (const auto& partition : view.partitions) {
            const catalog::TableId& id = partition->key.table;
            if (!table || table->id != id) table = find_table(view.tables, id);
            if (!table || table->dropped) return contradiction("a partition without a table");
            std::optional<Listing> listing;
            if (!partition->retired) {
                listing = TRY(list(*table, *partition, view.generation.number));
                ++listed_;
            }
            editor.put(*partition, listing);
            ++applied_;
        }
        return {};
    }

    Result<Listing> list(const catalog::Table& table, const catalog::Partition& partition,
                         std::uint64_t started) {
        Listing listing{started, {}};
        const auto prefix = table.pattern.render(partition.key.hour);
        // An hour that the pattern cannot express has no prefix: nothing of it will be found.
        if (prefix) listing.entries = TRY(object::list_all(store_, partition.root, *prefix));
        return listing;
    }

    Result<void> verify_limits(const Snapshot& snapshot) const {
        const auto exceeded = [](std::uint64_t count, const char* what, std::uint64_t max) {
            return Error(Code::exhausted, "a snapshot of " + std::to_string(count) + " " + what +
                                              ", more than " + std::to_string(max));
        };
        if (snapshot.object_count() > limits_.objects_max) {
            return exceeded(snapshot.object_count(), "objects", limits_.objects_max);
        }
        if (snapshot.published_count() > limits_.hours_max) {
            return exceeded(snapshot.published_count(), "hours", limits_.hours_max);
        }
        return {};
    }

    void describe(const Snapshot& snapshot) {
        report_.to = snapshot.seen();
        report_.ledger = store_.ledger();
        report_.ledger.catalog_round_trips = round_trips_;
        const auto before = [&](Layer layer) { return base_ ? base_->completed(layer) : 0; };
        for (const Layer layer : {Layer::registrations, Layer::listings}) {
            const bool is_listings = layer == Layer::listings;
            report_.layers.push_back({layer, before(layer), snapshot.completed(layer),
                                      is_listings ? listed_ : applied_,
                                      is_listings ? report_.ledger.lists : round_trips_});
        }
        report_.completed = snapshot.completed();
        report_.pending = find_pending(snapshot).size();
    }

    const Sources& sources_;
    const std::shared_ptr<const Snapshot> base_;
    const SnapshotLimits limits_;
    object::MeteredStore store_;
    RefreshReport report_;
    Time as_of_;
    std::uint64_t round_trips_ = 0;
    std::uint64_t applied_ = 0;
    std::uint64_t listed_ = 0;
};

}  // namespace

Result<Refreshed> refresh(const Sources& sources, std::shared_ptr<const Snapshot> base,
                          const RefreshRequest& request, const SnapshotLimits& limits) {
    return Run(sources, std::move(base), limits).run(request);
}

std::string_view to_text(RefreshRequest::Kind kind) {
    return kind == RefreshRequest::Kind::full ? "full" : "prefixes";
}

std::string_view to_text(ReloadReason reason) {
    switch (reason) {
        case ReloadReason::asked: return "asked";
        case ReloadReason::cold: return "cold";
        case ReloadReason::trimmed: return "trimmed";
        case ReloadReason::other_epoch: return "other_epoch";
        case ReloadReason::forked: return "forked";
        case ReloadReason::other_table: return "other_table";
    }
    return "unknown";
}

}  // namespace highwater::cache
