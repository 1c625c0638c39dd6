#include "cli/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/time.h"

namespace highwater::cli {

namespace {

Json optional_digest(const std::optional<Digest>& digest) {
    return digest ? Json(format_digest(*digest)) : Json();
}

Json optional_time(const std::optional<Time>& time) {
    return time ? Json(format_time(*time)) : Json();
}

Json to_json(const catalog::RegisteredObject& object) {
    return Json::object({{"path", object.path},
                         {"size_bytes", object.size_bytes},
                         {"record_count", object.record_count},
                         {"schema_version", std::uint64_t{object.schema_version}},
                         {"sha256", optional_digest(object.sha256)},
                         {"row_fingerprint", optional_digest(object.row_fingerprint)},
                         {"min_time", optional_time(object.min_time)},
                         {"max_time", optional_time(object.max_time)},
                         {"derived_by_gate", object.derived_by_gate}});
}

}  // namespace

Json to_json(const catalog::Partition& partition) {
    Json objects = Json::array();
    for (const auto& object : partition.objects) objects.push_back(to_json(object));
    Json json = Json::object({{"hour", model::format_hour(partition.key.hour)},
                              {"root", partition.root},
                              {"incarnation", partition.incarnation},
                              {"changed_generation", partition.changed},
                              {"retired", partition.retired},
                              {"record_count", partition.record_count()},
                              {"digest_policy", catalog::to_text(partition.digest_policy)},
                              {"inventory_digest", format_digest(partition.inventory)},
                              {"objects", std::move(objects)}});
    if (partition.declared_empty) json.set("declared_empty", *partition.declared_empty);
    return json;
}

Json to_json(const catalog::GenerationRecord& record) {
    Json hours = Json::array();
    for (const auto& key : record.partitions) {
        hours.push_back(Json::object(
            {{"table_id", format_uuid(key.table.value)}, {"hour", model::format_hour(key.hour)}}));
    }
    Json tables = Json::array();
    for (const auto& table : record.tables) tables.push_back(format_uuid(table.value));
    return Json::object({{"generation", catalog::format_token(record.generation)},
                         {"number", record.generation.number},
                         {"operation", catalog::to_text(record.operation)},
                         {"batch", record.batch},
                         {"idempotency_key", record.idempotency_key},
                         {"time", format_time(record.time)},
                         {"publication_digest", format_digest(record.publication)},
                         {"chain", format_digest(record.generation.chain)},
                         {"parent_chain", format_digest(record.parent_chain)},
                         {"tables", std::move(tables)},
                         {"partitions", std::move(hours)}});
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

Json to_json(const cache::RefreshReport& report) {
    Json layers = Json::array();
    for (const auto& layer : report.layers) {
        layers.push_back(Json::object({{"layer", cache::to_text(layer.layer)},
                                       {"completed_before", layer.before},
                                       {"completed", layer.after},
                                       {"applied", layer.applied},
                                       {"requests", layer.requests}}));
    }
    Json json = Json::object({{"kind", cache::to_text(report.kind)},
                              {"seen", catalog::format_token(report.to)},
                              {"completed", report.completed},
                              {"layers", std::move(layers)},
                              {"changed", report.changed},
                              {"pending", report.pending},
                              {"started", format_time(report.started)},
                              {"finished", format_time(report.finished)},
                              {"took_ms", static_cast<double>(report.took.count()) / 1e6},
                              {"is_stored", !report.not_stored.has_value()},
                              {"ledger", to_json(report.ledger)}});
    if (report.reloaded) json.set("reloaded", cache::to_text(*report.reloaded));
    if (report.from) json.set("seen_before", catalog::format_token(*report.from));
    return json;
}

std::string describe(const cache::RefreshReport& report) {
    std::string text =
        fmt::format("completed generation {}, seen {}; {} changed, {} pending\n", report.completed,
                    catalog::format_token(report.to), report.changed, report.pending);
    for (const auto& layer : report.layers) {
        text +=
            fmt::format("  {:<14} {} -> {}, {} applied, {} requests\n", cache::to_text(layer.layer),
                        layer.before, layer.after, layer.applied, layer.requests);
    }
    return text;
}

void add_refresh(embed::MetricsFile::Change& change, const cache::RefreshReport& report) {
    change.gauges["highwater_completed_generation"] = static_cast<double>(report.completed);
    change.gauges["highwater_seen_generation"] = static_cast<double>(report.to.number);
    change.gauges["highwater_generation_lag"] =
        static_cast<double>(report.to.number - report.completed);
    change.gauges["highwater_last_completed_refresh_seconds"] =
        static_cast<double>(to_ns(report.finished)) / 1e9;
    change.counters["highwater_refreshes_completed_total"] = 1;
}

std::string describe(const catalog::Table& table) {
    std::string text = fmt::format("table {}  ({})\n  place    {}\n  pattern  {}\n", table.name,
                                   format_uuid(table.id.value),
                                   format_quoted(table.location, 4'096), table.pattern.text());
    const auto& current = table.current();
    text += fmt::format("  schema   version {}, time column {} in {}s\n", current.version,
                        current.schema.time_column, model::to_text(current.schema.unit));
    for (const auto& column : current.schema.columns) {
        text += fmt::format("    {:3}  {}\n", column.id, model::format_column(column));
    }
    return text;
}

std::string format_columns(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += fmt::format("{:<{}}", row[i], i + 1 < row.size() ? widths[i] + 2 : 0);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace highwater::cli
