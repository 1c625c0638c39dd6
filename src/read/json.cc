#include "read/json.h"

#include <type_traits>

#include "cache/json.h"

namespace highwater::read {

namespace {

Json ref_json(const catalog::GenerationRef& ref) {
    if (const auto* token = std::get_if<catalog::Token>(&ref)) return catalog::format_token(*token);
    return "batch:" + std::get<catalog::BatchRef>(ref).batch;
}

template <typename T, typename Make>
Json or_null(const std::optional<T>& value, Make make) {
    return value ? Json(make(*value)) : Json();
}

template <typename T, typename Make>
Json list_json(const std::vector<T>& values, Make make) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(make(value));
    return list;
}

Json range_json(const model::HourRange& range) {
    return Json::object(
        {{"from", model::format_hour(range.from)}, {"to", model::format_hour(range.to)}});
}

Json ranges_json(const std::vector<model::HourRange>& ranges) {
    return list_json(ranges, range_json);
}

Json name_json(const object::Name& name) {
    return Json::object({{"root", name.root}, {"path", name.path}});
}

Json identity_json(const object::Identity& identity) {
    return Json::object({{"size_bytes", identity.size_bytes},
                         {"mtime_ns", identity.mtime_ns},
                         {"ctime_ns", identity.ctime_ns},
                         {"inode", identity.inode},
                         {"version", identity.version}});
}

Json side_json(const InventoryDrift::Side& side) {
    return Json::object({{"identity", or_null(side.identity, identity_json)},
                         {"sha256", or_null(side.sha256, format_digest)},
                         {"is_regular_file", !side.is_other_kind}});
}

Json time_json(const std::optional<Time>& time) {
    return or_null(time, format_time);
}

std::string token_text(const catalog::Token& token) {
    return catalog::format_token(token);
}

std::string uuid_text(const catalog::TableId& id) {
    return format_uuid(id.value);
}

/// What a refusal says beside its name.
struct Details {
    Json& out;

    void operator()(const Stale& refusal) const {
        out.set("have", or_null(refusal.have, token_text));
        out.set("need", or_null(refusal.need, ref_json));
    }
    void operator()(const CatalogBehind& refusal) const {
        out.set("have", token_text(refusal.have));
        out.set("need", ref_json(refusal.need));
        out.set("reason", to_text(refusal.reason));
    }
    void operator()(const LocationChanged& refusal) const {
        out.set("table", refusal.table);
        out.set("hour", or_null(refusal.hour, model::format_hour));
        out.set("old", Json::object(
                           {{"root", refusal.old_root}, {"incarnation", refusal.old_incarnation}}));
        out.set("new", Json::object(
                           {{"root", refusal.new_root}, {"incarnation", refusal.new_incarnation}}));
    }
    void operator()(const NoSingleGeneration& refusal) const {
        out.set("from", refusal.from);
        out.set("to", refusal.to);
    }
    void operator()(const MissingHours& refusal) const { set_hours(refusal); }
    void operator()(const MissingObjects& refusal) const {
        out.set("table", refusal.table);
        out.set("count", refusal.count);
        out.set("objects", list_json(refusal.objects, [](const MissingObjects::Object& object) {
                    return Json::object({{"hour", model::format_hour(object.hour)},
                                         {"root", object.name.root},
                                         {"path", object.name.path}});
                }));
        out.set("empty_prefixes", list_json(refusal.empty_prefixes, model::format_hour));
    }
    void operator()(const GenerationExpired& refusal) const {
        out.set("need", token_text(refusal.need));
        out.set("oldest", refusal.oldest ? Json(*refusal.oldest) : Json());
    }
    void operator()(const HourRetired& refusal) const { set_hours(refusal); }
    void operator()(const LeaseLost& refusal) const {
        out.set("generation", token_text(refusal.generation));
    }
    void operator()(const InventoryDrift& refusal) const {
        out.set("object", name_json(refusal.name));
        out.set("hour", model::format_hour(refusal.hour));
        out.set("expected", side_json(refusal.expected));
        out.set("observed", side_json(refusal.observed));
    }
    void operator()(const IdentityChanged& refusal) const {
        out.set("table", refusal.table);
        out.set("old", uuid_text(refusal.old_id));
        out.set("new", uuid_text(refusal.new_id));
    }
    void operator()(const Unavailable& refusal) const {
        out.set("where", to_text(refusal.where));
        out.set("error", cache::to_json(refusal.error));
    }

private:
    template <typename Hours>
    void set_hours(const Hours& refusal) const {
        out.set("table", refusal.table);
        out.set("count", refusal.count);
        out.set("hours", ranges_json(refusal.hours));
    }
};

Json class_json(const Refusal& refusal) {
    return or_null(class_of(refusal), [](auto value) { return model::to_text(value); });
}

Json to_json(const PlannedFile& file) {
    return Json::object({{"root", file.name.root},
                         {"path", file.name.path},
                         {"hour", model::format_hour(file.hour)},
                         {"record_count", file.record_count},
                         {"schema_version", std::uint64_t{file.schema_version}},
                         {"identity", identity_json(file.identity)},
                         {"sha256", or_null(file.sha256, format_digest)},
                         {"row_fingerprint", or_null(file.row_fingerprint, format_digest)}});
}

Json to_json(const PlannedHour& hour) {
    return Json::object(
        {{"hour", model::format_hour(hour.hour)},
         {"inventory", format_digest(hour.inventory)},
         {"record_count", hour.record_count},
         {"changed", hour.changed},
         {"digest_policy", catalog::to_text(hour.digest_policy)},
         {"declared_empty", hour.declared_empty ? Json(*hour.declared_empty) : Json()}});
}

Json to_json(const PlannedTable& table) {
    const auto as_json = [](const auto& value) { return to_json(value); };
    return Json::object({{"table_id", uuid_text(table.table.id)},
                         {"name", table.table.name},
                         {"location", table.table.location},
                         {"incarnation", table.table.incarnation},
                         {"schema_version", std::uint64_t{table.table.current().version}},
                         {"range", Json::object({{"from", format_time(table.range.from)},
                                                 {"to", format_time(table.range.to)}})},
                         {"hours", list_json(table.hours, as_json)},
                         {"files", list_json(table.files, as_json)},
                         {"gaps", ranges_json(to_ranges(table.gaps))}});
}

Json to_json(const TableProvenance& table) {
    return Json::object({{"table_id", uuid_text(table.id)},
                         {"name", table.name},
                         {"covered", ranges_json(table.covered)},
                         {"gaps", ranges_json(table.gaps)},
                         {"declared_empty", ranges_json(table.declared_empty)},
                         {"rows_in_scope", table.rows_in_scope},
                         {"files", table.files}});
}

Json scopes_json(const std::vector<catalog::Scope>& scopes) {
    return list_json(scopes, [](const catalog::Scope& scope) {
        return Json::object(
            {{"table_id", uuid_text(scope.table)}, {"hours", ranges_json(scope.hours)}});
    });
}

/// What a step says beside its name.
struct StepDetails {
    Json& out;

    void operator()(const AskCatalog&) const { out.set("step", "ask_catalog"); }
    void operator()(const Refresh& step) const {
        out.set("step", "refresh");
        out.set("kind", cache::to_text(step.request.kind));
        out.set("reload", step.request.reload);
        out.set("scopes", scopes_json(step.request.scopes));
    }
    void operator()(const ListPrefixes& step) const {
        out.set("step", "list_prefixes");
        out.set("at", step.at ? Json(catalog::format_token(*step.at)) : Json());
    }
    void operator()(const ComparePlaces&) const { out.set("step", "compare_places"); }
    void operator()(const Wait& step) const {
        out.set("step", "wait");
        out.set("duration_ns", step.duration.count());
    }
    void operator()(const Serve& step) const {
        out.set("step", "serve");
        out.set("outcome", read::to_json(step.outcome));
        out.set("plan", read::to_json(step.plan));
        out.set("extras", step.extras);
    }
    void operator()(const Refuse& step) const {
        out.set("step", "refuse");
        out.set("refusal", read::to_json(step.refusals));
    }
    void operator()(const Fail& step) const {
        out.set("step", "fail");
        out.set("error", cache::to_json(step.error));
    }
};

}  // namespace

Json to_json(const Request& request) {
    return Json::object(
        {{"tables", list_json(request.tables,
                              [](const TableRef& table) {
                                  return Json::object(
                                      {{"name", table.name}, {"id", or_null(table.id, uuid_text)}});
                              })},
         {"from", time_json(request.range.from)},
         {"to", time_json(request.range.to)},
         {"min_generation", or_null(request.min_generation, ref_json)},
         {"at_generation", or_null(request.at_generation, ref_json)},
         {"max_staleness_ns",
          or_null(request.max_staleness, [](Duration duration) { return duration.count(); })},
         {"any", request.any},
         {"on_stale", to_text(request.on_stale)},
         {"wait_max_ns", request.wait_max.count()},
         {"allow_unpublished", request.allow_unpublished}});
}

Json to_json(const Plan& plan) {
    return Json::object(
        {{"generation", catalog::format_token(plan.generation)},
         {"tables",
          list_json(plan.tables, [](const PlannedTable& table) { return to_json(table); })},
         {"rows_in_scope", plan.rows_in_scope},
         {"inventory", format_digest(plan.inventory)}});
}

Json to_json(const Refusal& refusal) {
    Json out = Json::object({{"refusal", name_of(refusal)},
                             {"class", class_json(refusal)},
                             {"text", format_refusal(refusal)}});
    std::visit(Details{out}, refusal);
    return out;
}

Json to_json(const std::vector<Refusal>& refusals) {
    const Refusal& first = refusals.front();
    return Json::object(
        {{"refused", name_of(first)},
         {"class", class_json(first)},
         {"text", format_refusal(first)},
         {"refusals", list_json(refusals, [](const Refusal& one) { return to_json(one); })}});
}

Json to_json(const Outcome& outcome) {
    return Json::object(
        {{"kind", to_text(outcome.kind)},
         {"age_ns", or_null(outcome.age, [](Duration age) { return age.count(); })}});
}

Json to_json(const std::vector<Why>& why) {
    return list_json(
        why, [](const Why& one) { return Json::object({{"code", one.code}, {"text", one.text}}); });
}

Json to_json(const Provenance& provenance) {
    return Json::object(
        {{"outcome", to_json(provenance.outcome)},
         {"generation", catalog::format_token(provenance.generation)},
         {"tables", list_json(provenance.tables,
                              [](const TableProvenance& table) { return to_json(table); })},
         {"rows_in_scope", provenance.rows_in_scope},
         {"files", provenance.files},
         {"inventory", format_digest(provenance.inventory)},
         {"digest_policy", catalog::to_text(provenance.digest_policy)},
         {"extras", provenance.extras},
         {"why", to_json(provenance.why)},
         {"ledger", cache::to_json(provenance.ledger)}});
}

Json to_json(const Step& step) {
    Json out = Json::object({});
    std::visit(StepDetails{out}, step);
    return out;
}

Json to_json(const Decision& decision) {
    return Json::object({{"next", to_json(decision.step)},
                         {"why", to_json(decision.why)},
                         {"misses", list_json(decision.misses, [](cache::Miss miss) {
                              return Json(cache::to_text(miss));
                          })}});
}

Json to_json(const Explanation& explanation) {
    return Json::object({{"hour", model::format_hour(explanation.hour)},
                         {"layers", list_json(explanation.layers,
                                              [](const LayerExplanation& layer) {
                                                  return Json::object({{"layer", layer.layer},
                                                                       {"text", layer.text},
                                                                       {"values", layer.values}});
                                              })},
                         {"next", to_json(explanation.next)}});
}

}  // namespace highwater::read
