#include "read/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "cache/json.h"
#include "read/json.h"

namespace highwater::read {

namespace {

struct FormatStep {
    std::string operator()(const AskCatalog&) const { return "ask the catalog for its head"; }
    std::string operator()(const Refresh& step) const {
        return fmt::format("refresh {} ({})", to_text(step.request.kind),
                           step.request.reload ? "again" : "what changed");
    }
    std::string operator()(const ListPrefixes& step) const {
        if (!step.at) return "load the registrations and list the prefixes";
        return "load the registrations of " + catalog::format_token(*step.at) +
               " and list the prefixes";
    }
    std::string operator()(const ComparePlaces&) const {
        return "compare the places with the catalog's";
    }
    std::string operator()(const Wait& step) const {
        return "wait " + format_duration(step.duration);
    }
    std::string operator()(const Serve& step) const {
        std::size_t files = 0;
        for (const PlannedTable& table : step.plan.tables) files += table.files.size();
        return fmt::format("serve {} files with {} rows of generation {} ({})", files,
                           step.plan.rows_in_scope, catalog::format_token(step.plan.generation),
                           to_text(step.outcome.kind));
    }
    std::string operator()(const Refuse& step) const {
        return "refuse: " + format_refusal(step.refusals.front());
    }
    std::string operator()(const Fail& step) const { return "fail: " + step.error.message(); }
};

LayerExplanation explain_catalog(const Facts& facts) {
    LayerExplanation layer{"catalog", Json::object({}), "not asked"};
    if (!facts.probe) return layer;
    if (facts.probe->failure) {
        layer.text = "does not answer: " + facts.probe->failure->message();
        layer.values.set("failure", facts.probe->failure->message());
        return layer;
    }
    const std::string head = catalog::format_token(facts.probe->head);
    layer.values.set("head", head);
    layer.text = "is at " + head;
    return layer;
}

LayerExplanation explain_cache(const Facts& facts) {
    LayerExplanation layer{"cache", Json::object({}), "is empty"};
    if (!facts.snapshot) return layer;
    layer.values = cache::to_json(*facts.snapshot);
    layer.text = fmt::format("has seen {} at {}, and completed {}",
                             catalog::format_token(facts.snapshot->seen()),
                             format_time(facts.snapshot->as_of()), facts.snapshot->completed());
    return layer;
}

std::string format_interval(const cache::Interval& valid) {
    return fmt::format("generations {} to {}", valid.from, valid.to);
}

LayerExplanation explain_registration(const catalog::Table& table, const cache::Entry& entry) {
    LayerExplanation layer{"registrations", Json::object({}), ""};
    layer.values.set("table", table.name);
    layer.values.set("state", to_text(entry.state));
    layer.values.set("valid_from", entry.valid.from);
    layer.values.set("valid_to", entry.valid.to);
    layer.text = fmt::format("table {}: {}, valid at {}", table.name, to_text(entry.state),
                             format_interval(entry.valid));
    if (!entry.partition) return layer;
    const catalog::Partition& partition = *entry.partition;
    layer.values.set("changed", partition.changed);
    layer.values.set("root", partition.root);
    layer.values.set("incarnation", partition.incarnation);
    layer.values.set("objects", std::uint64_t{partition.objects.size()});
    layer.values.set("records", partition.record_count());
    layer.values.set("inventory", format_digest(partition.inventory));
    layer.text +=
        fmt::format(", changed by {}, {} objects with {} records at '{}'", partition.changed,
                    partition.objects.size(), partition.record_count(), partition.root);
    if (!partition.declared_empty) return layer;
    layer.values.set("declared_empty", *partition.declared_empty);
    layer.text += ", empty by declaration: " + *partition.declared_empty;
    return layer;
}

LayerExplanation explain_listing(const catalog::Table& table, const cache::Entry& entry) {
    const auto is_registered = [&](const object::Entry& listed) {
        return std::ranges::binary_search(entry.partition->objects, listed.path, {},
                                          &catalog::RegisteredObject::path);
    };
    const auto& entries = entry.listing->entries;
    const auto known = static_cast<std::uint64_t>(std::ranges::count_if(entries, is_registered));
    const std::uint64_t lacking = entry.partition->objects.size() - known;
    const std::uint64_t extras = entries.size() - known;
    LayerExplanation layer{"listings", Json::object({}), ""};
    layer.values.set("table", table.name);
    layer.values.set("started", entry.listing->started);
    layer.values.set("entries", std::uint64_t{entries.size()});
    layer.values.set("lacking", lacking);
    layer.values.set("extras", extras);
    layer.text = fmt::format(
        "table {}: listed at generation {}, {} entries, {} registered ones lacking, {} "
        "others",
        table.name, entry.listing->started, entries.size(), lacking, extras);
    return layer;
}

void explain_entry(const catalog::Table& table, const cache::Snapshot& snapshot, model::Hour hour,
                   std::vector<LayerExplanation>& layers) {
    const auto found = snapshot.find({table.id, hour});
    if (const auto* miss = std::get_if<cache::Miss>(&found)) {
        Json values = Json::object({{"table", table.name}, {"miss", to_text(*miss)}});
        layers.push_back({"registrations", std::move(values),
                          fmt::format("table {}: {}", table.name, to_text(*miss))});
        return;
    }
    const auto& entry = std::get<cache::Entry>(found);
    layers.push_back(explain_registration(table, entry));
    if (entry.listing) layers.push_back(explain_listing(table, entry));
}

}  // namespace

std::string format_step(const Step& step) {
    return std::visit(FormatStep(), step);
}

Explanation explain(const Request& request, model::Hour hour, const Facts& facts) {
    Request narrowed = request;
    narrowed.range = {model::start_of(hour), model::end_of(hour)};
    Explanation explanation{hour, {explain_catalog(facts), explain_cache(facts)}, {}};
    if (facts.snapshot) {
        std::vector<const catalog::Table*> tables;
        for (const auto& [id, part] : facts.snapshot->parts().tables) {
            tables.push_back(part->table.get());
        }
        for (const auto* table : resolve(narrowed, tables).tables) {
            explain_entry(*table, *facts.snapshot, hour, explanation.layers);
        }
    }
    explanation.next = decide(narrowed, facts);
    explanation.layers.push_back(
        {"answer", to_json(explanation.next.step), format_step(explanation.next.step)});
    return explanation;
}

}  // namespace highwater::read
