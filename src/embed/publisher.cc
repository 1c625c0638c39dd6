#include "embed/publisher.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/try.h"

namespace highwater::embed {

namespace {

std::vector<catalog::Scope> scopes_of(const std::vector<catalog::PartitionKey>& keys) {
    std::vector<catalog::Scope> scopes;
    for (const auto& key : keys) {
        if (scopes.empty() || scopes.back().table != key.table) scopes.push_back({key.table, {}});
        scopes.back().hours.push_back({key.hour, model::next(key.hour)});
    }
    return scopes;
}

/// The registered objects of `partition` that a listing of its prefix does not show.
Result<std::vector<std::string>> find_missing(object::Store& store, const catalog::Table& table,
                                              const catalog::Partition& partition) {
    std::vector<std::string> missing;
    if (partition.objects.empty()) return missing;
    const auto prefix = table.pattern.render(partition.key.hour);
    if (!prefix) return Error(Code::corrupt, "no prefix for a registered hour");
    const auto entries = TRY(object::list_all(store, partition.root, *prefix));
    for (const auto& object : partition.objects) {
        const auto found = std::ranges::lower_bound(entries, object.path, {}, &object::Entry::path);
        if (found == entries.end() || found->path != object.path) missing.push_back(object.path);
    }
    return missing;
}

const catalog::Table* find_table(const catalog::View& view, const catalog::TableId& id) {
    const auto found = std::ranges::find(view.tables, id, &catalog::Table::id);
    return found == view.tables.end() ? nullptr : &*found;
}

std::optional<publish::HourState> find_state(const std::vector<catalog::Partition>& partitions,
                                             const catalog::PartitionKey& key) {
    const auto found = std::ranges::lower_bound(partitions, key, {}, &catalog::Partition::key);
    if (found == partitions.end() || found->key != key) return std::nullopt;
    return publish::state_of(*found);
}

const catalog::Partition* find_partition(const catalog::View& view,
                                         const catalog::PartitionKey& key) {
    const auto found = std::ranges::lower_bound(
        view.partitions, key, {}, [](const auto& partition) { return partition->key; });
    return found == view.partitions.end() || (*found)->key != key ? nullptr : found->get();
}

/// What the catalog, the cache and the store say of one hour after the commit.
Result<publish::ConfirmFacts::Hour> look_at_hour(object::Store& store,
                                                 const catalog::PartitionKey& key,
                                                 const std::optional<publish::HourState>& accepted,
                                                 const catalog::View& newest,
                                                 const cache::Snapshot& snapshot) {
    publish::ConfirmFacts::Hour hour;
    hour.key = key;
    if (accepted) hour.accepted = *accepted;
    if (const auto* registered = find_partition(newest, key)) {
        hour.registered = publish::state_of(*registered);
        const auto* table = find_table(newest, key.table);
        if (table != nullptr) {
            hour.missing = TRY(find_missing(store, *table, *registered).within("list"));
        }
    }
    const auto found = snapshot.find(key);
    const auto* entry = std::get_if<cache::Entry>(&found);
    if (entry != nullptr && entry->partition) hour.cached = publish::state_of(*entry->partition);
    return hour;
}

}  // namespace

std::string_view to_text(PublishOutcome outcome) {
    switch (outcome) {
        case PublishOutcome::rejected: return "rejected";
        case PublishOutcome::conflict: return "conflict";
        case PublishOutcome::served: return "served";
        case PublishOutcome::registered_not_served: return "registered_not_served";
    }
    return "unknown";
}

/// Times one step after the commit, and says its name when it is done.
struct Publisher::Step {
    Publisher& publisher;
    Published& published;
    std::string_view name;
    Duration start = publisher.parts_.clock.steady();

    void done() const {
        published.durations.push_back({name, publisher.parts_.clock.steady() - start});
        publisher.step(name);
    }
};

void Publisher::step(std::string_view name) {
    if (parts_.on_step) parts_.on_step(name);
}

Result<publish::GateReport> Publisher::check(const publish::Submission& submission,
                                             const publish::Watch& watch) {
    publish::Gate gate(parts_.store, parts_.catalog, parts_.journal, parts_.clock);
    return gate.check(submission, watch);
}

Result<Published> Publisher::publish(const publish::Submission& submission,
                                     const publish::Watch& watch) {
    const Duration start = parts_.clock.steady();
    step("begin");
    publish::Gate gate(parts_.store, parts_.catalog, parts_.journal, parts_.clock);
    publish::Outcome outcome = TRY(gate.publish(submission, watch));
    step("gate");

    Published published;
    published.report = outcome.report();
    published.durations = published.report.durations;
    if (outcome.journal_failure) {
        published.warnings.push_back("the attempt was not filed: " +
                                     outcome.journal_failure->message());
    }
    if (auto* conflict = std::get_if<publish::Conflict>(&outcome.value)) {
        published.outcome = PublishOutcome::conflict;
        published.record = conflict->winner;
    }
    std::vector<catalog::Partition> accepted;
    if (auto* registered = std::get_if<publish::Registered>(&outcome.value)) {
        published.outcome = PublishOutcome::registered_not_served;
        published.record = registered->record;
        accepted = std::move(registered->partitions);
    }
    if (auto* repeated = std::get_if<publish::Repeated>(&outcome.value)) {
        published.outcome = PublishOutcome::registered_not_served;
        published.record = repeated->record;
    }
    if (published.outcome == PublishOutcome::registered_not_served) {
        record(published, submission);
        const auto served = serve(published, accepted);
        if (!served.ok()) published.failure = served.error();
        if (served.ok()) published.outcome = PublishOutcome::served;
    }
    published.total = parts_.clock.steady() - start;
    return published;
}

void Publisher::record(Published& published, const publish::Submission& submission) {
    const Step timed{*this, published, "record"};
    const auto manifests = parts_.keeper.keep_manifests(submission.publication);
    if (!manifests.ok()) published.warnings.push_back("manifest: " + manifests.error().message());
    const auto kept = parts_.keeper.keep();
    if (!kept.ok()) published.warnings.push_back("generation record: " + kept.error().message());
    timed.done();
}

/// Brings the touched hours up to date; when changes of others hold the completed generation back,
/// everything.
Result<void> Publisher::refresh(Published& published, const std::vector<catalog::Scope>& scopes) {
    using Kind = cache::RefreshRequest::Kind;
    published.refresh =
        TRY(parts_.cache.refresh({.kind = Kind::prefixes, .scopes = scopes}).within("refresh"));
    if (published.refresh->completed >= published.record->generation.number) return {};
    published.refresh = TRY(parts_.cache.refresh({}).within("refresh"));
    return {};
}

Result<publish::ConfirmFacts> Publisher::look_again(
    const catalog::GenerationRecord& record, const std::vector<catalog::Partition>& accepted) {
    const auto snapshot = parts_.cache.snapshot();
    if (!snapshot) return Error(Code::precondition_failed, "the cache holds nothing");
    publish::ConfirmFacts facts;
    facts.allotted = record.generation;
    for (const auto layer : {cache::Layer::registrations, cache::Layer::listings}) {
        const auto completed = snapshot->find_generation(snapshot->completed(layer));
        if (!completed) return Error(Code::corrupt, "the cache does not know what it completed");
        facts.layers.push_back({std::string(cache::to_text(layer)), *completed});
    }
    const auto newest =
        TRY(parts_.second_catalog
                .load_view({.scopes = scopes_of(record.partitions), .at = snapshot->completed()})
                .within("read back"));
    for (const auto& key : record.partitions) {
        facts.hours.push_back(
            TRY(look_at_hour(parts_.store, key, find_state(accepted, key), newest, *snapshot)));
    }
    return facts;
}

Result<void> Publisher::serve(Published& published, std::vector<catalog::Partition> accepted) {
    const catalog::GenerationRecord& record = *published.record;
    const auto scopes = scopes_of(record.partitions);
    const Step reading{*this, published, "read_back"};
    const auto registered =
        TRY(parts_.second_catalog.load_view({.scopes = scopes, .at = record.generation.number})
                .within("read back"));
    // A publication that was cut short and is finished now: what its own generation registered.
    if (accepted.empty()) {
        for (const auto& partition : registered.partitions) accepted.push_back(*partition);
    }
    reading.done();
    const Step refreshing{*this, published, "refresh"};
    TRY(refresh(published, scopes));
    refreshing.done();
    const Step confirming{*this, published, "confirm"};
    published.confirmation = publish::confirm(TRY(look_again(record, accepted)));
    confirming.done();
    if (published.confirmation->is_confirmed()) return {};
    const auto& first = published.confirmation->reasons.front();
    return Error(
        Code::precondition_failed,
        fmt::format("confirm: {} at {}: expected {}, observed {}", publish::to_text(first.reason),
                    first.where, first.expected, first.observed));
}

}  // namespace highwater::embed
