#include "cache/json.h"

#include "catalog/generation.h"

namespace highwater::cache {

namespace {

Json or_null(const std::optional<catalog::Generation>& generation) {
    return generation ? Json(catalog::format_token(*generation)) : Json();
}

Json or_null(const std::optional<Time>& time) {
    return time ? Json(format_time(*time)) : Json();
}

Json or_null(const std::optional<Error>& error) {
    return error ? to_json(*error) : Json();
}

Json to_json(const LayerReport& layer) {
    return Json::object({{"layer", to_text(layer.layer)},
                         {"completed_before", layer.before},
                         {"completed", layer.after},
                         {"applied", layer.applied},
                         {"requests", layer.requests}});
}

}  // namespace

Json to_json(const Error& error) {
    return Json::object({{"code", highwater::to_text(error.code())}, {"message", error.message()}});
}

Json to_json(const object::Ledger& ledger) {
    return Json::object({{"lists", ledger.lists},
                         {"heads", ledger.heads},
                         {"gets", ledger.gets},
                         {"puts", ledger.puts},
                         {"removes", ledger.removes},
                         {"listed_objects", ledger.listed_objects},
                         {"bytes_read", ledger.bytes_read},
                         {"bytes_written", ledger.bytes_written},
                         {"catalog_round_trips", ledger.catalog_round_trips},
                         {"estimated_usd", ledger.estimated_usd()}});
}

Json to_json(const RefreshReport& report) {
    Json layers = Json::array();
    for (const LayerReport& layer : report.layers) layers.push_back(to_json(layer));
    return Json::object({{"kind", to_text(report.kind)},
                         {"reloaded", report.reloaded ? Json(to_text(*report.reloaded)) : Json()},
                         {"from", or_null(report.from)},
                         {"to", catalog::format_token(report.to)},
                         {"completed", report.completed},
                         {"layers", std::move(layers)},
                         {"changed", report.changed},
                         {"pending", report.pending},
                         {"started", format_time(report.started)},
                         {"finished", format_time(report.finished)},
                         {"took_ns", report.took.count()},
                         {"ledger", to_json(report.ledger)},
                         {"not_stored", or_null(report.not_stored)}});
}

Json to_json(const Counters& counters) {
    Json misses = Json::object({});
    for (std::size_t i = 0; i < miss_count; ++i) {
        misses.set(std::string(to_text(static_cast<Miss>(i))), counters.misses.at(i));
    }
    return Json::object({{"hits", counters.hits},
                         {"misses", std::move(misses)},
                         {"refreshes_started", counters.refreshes_started},
                         {"refreshes_completed", counters.refreshes_completed},
                         {"refreshes_failed", counters.refreshes_failed}});
}

Json to_json(const Health& health) {
    return Json::object({{"last_started", or_null(health.last_started)},
                         {"last_completed", or_null(health.last_completed)},
                         {"last_completed_generation", or_null(health.last_completed_generation)},
                         {"last_error", or_null(health.last_error)}});
}

Json to_json(const Snapshot& snapshot) {
    Json layers = Json::object({});
    for (const Layer layer : {Layer::registrations, Layer::listings}) {
        layers.set(std::string(to_text(layer)), snapshot.completed(layer));
    }
    return Json::object({{"seen", catalog::format_token(snapshot.seen())},
                         {"as_of", format_time(snapshot.as_of())},
                         {"completed", snapshot.completed()},
                         {"layers", std::move(layers)},
                         {"tables", std::uint64_t{snapshot.parts().tables.size()}},
                         {"published_hours", snapshot.published_count()},
                         {"objects", snapshot.object_count()}});
}

}  // namespace highwater::cache
