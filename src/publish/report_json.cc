#include "publish/report.h"

namespace highwater::publish {

namespace {

Json to_json(const Problem& problem) {
    return Json::object({{"step", static_cast<unsigned>(problem.step)},
                         {"code", to_text(problem.code)},
                         {"table", problem.table},
                         {"path", problem.path},
                         {"expected", problem.expected},
                         {"observed", problem.observed}});
}

Json checks_to_json(const GateReport& report) {
    Json json = Json::array();
    for (const Step step : steps) {
        const Check& check = report.check_of(step);
        json.push_back(Json::object({{"step", static_cast<unsigned>(step)},
                                     {"check", to_text(step)},
                                     {"result", to_text(check.result)},
                                     {"problem_count", check.problem_count}}));
    }
    return json;
}

Json to_json(const InventoryCounts& counts) {
    return Json::object({{"expected", counts.expected},
                         {"observed", counts.observed},
                         {"missing", counts.missing},
                         {"unexpected", counts.unexpected},
                         {"known_others", counts.known_others},
                         {"kept", counts.kept},
                         {"read", counts.read}});
}

Json to_json(const HourChange& change) {
    return Json::object({{"table", change.table},
                         {"hour", model::format_hour(change.hour)},
                         {"restated", change.is_restated},
                         {"added", change.added},
                         {"removed", change.removed},
                         {"changed", change.changed},
                         {"unchanged", change.unchanged}});
}

Json to_json(const StageDuration& stage) {
    return Json::object({{"stage", stage.stage}, {"ns", stage.duration.count()}});
}

Json to_json(const object::Ledger& ledger) {
    return Json::object({{"lists", ledger.lists},
                         {"heads", ledger.heads},
                         {"gets", ledger.gets},
                         {"puts", ledger.puts},
                         {"listed_objects", ledger.listed_objects},
                         {"bytes_read", ledger.bytes_read},
                         {"catalog_round_trips", ledger.catalog_round_trips},
                         {"estimated_usd", ledger.estimated_usd()}});
}

template <typename Item>
Json to_json(const std::vector<Item>& items) {
    Json json = Json::array();
    for (const Item& item : items) json.push_back(to_json(item));
    return json;
}

Json to_json(const std::optional<catalog::Generation>& generation) {
    return generation ? Json(catalog::format_token(*generation)) : Json();
}

Json to_json(const std::optional<Digest>& digest) {
    return digest ? Json(format_digest(*digest)) : Json();
}

}  // namespace

Json to_json(const GateReport& report) {
    Json json = Json::object({{"format", report_format_version},
                              {"verdict", to_text(report.verdict)},
                              {"code", code_text(report)},
                              {"batch_generation", report.batch},
                              {"idempotency_key", report.idempotency_key},
                              {"publication", to_json(report.publication)}});
    if (report.attempt != 0) json.set("attempt", report.attempt);
    json.set("audited_at", to_json(report.audited_at));
    json.set("generation", to_json(report.generation));
    if (report.winner) json.set("winner", *report.winner);
    json.set("digest_policy", catalog::to_text(report.options.digest_policy));
    json.set("rehash", report.options.rehash);
    json.set("checks", checks_to_json(report));
    json.set("problem_count", report.problem_count);
    json.set("problems", to_json(report.problems));
    json.set("inventory", to_json(report.inventory));
    json.set("observed_inventory", to_json(report.observed_inventory));
    json.set("changes", to_json(report.changes));
    json.set("durations", to_json(report.durations));
    json.set("ledger", to_json(report.ledger));
    return json;
}

}  // namespace highwater::publish
