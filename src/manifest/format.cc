#include "manifest/manifest.h"

namespace highwater::manifest {

namespace {

std::string format_ref(const catalog::GenerationRef& ref) {
    if (const auto* batch = std::get_if<catalog::BatchRef>(&ref)) return "batch:" + batch->batch;
    return catalog::format_token(std::get<catalog::Token>(ref));
}

template <typename Value, typename Format>
void set_optional(Json& json, std::string name, const std::optional<Value>& value, Format format) {
    if (value) json.set(std::move(name), format(*value));
}

std::string same(const std::string& text) {
    return text;
}

Json to_json(const ObjectClaim& object) {
    Json json = Json::object({{"path", object.path},
                              {"size_bytes", object.size_bytes},
                              {"record_count", object.record_count}});
    set_optional(json, "sha256", object.sha256, format_digest);
    set_optional(json, "min_time", object.min_time, format_time);
    set_optional(json, "max_time", object.max_time, format_time);
    set_optional(json, "row_fingerprint", object.row_fingerprint, format_digest);
    return json;
}

Json to_json(const PartitionClaim& partition) {
    Json json = Json::object({{"hour", model::format_hour(partition.hour)}});
    set_optional(json, "location", partition.location, same);
    Json objects = Json::array();
    for (const ObjectClaim& object : partition.objects) objects.push_back(to_json(object));
    json.set("objects", std::move(objects));
    set_optional(json, "declared_empty", partition.declared_empty, same);
    return json;
}

}  // namespace

Json to_json(const Manifest& manifest) {
    Json json = Json::object({{"format", format_version},
                              {"table", manifest.table},
                              {"batch_generation", manifest.batch_generation}});
    set_optional(json, "idempotency_key", manifest.idempotency_key, same);
    set_optional(json, "base_generation", manifest.base_generation, format_ref);
    if (manifest.schema_version) json.set("schema_version", *manifest.schema_version);
    Json partitions = Json::array();
    for (const PartitionClaim& partition : manifest.partitions) {
        partitions.push_back(to_json(partition));
    }
    json.set("partitions", std::move(partitions));
    return json;
}

std::string format_manifest(const Manifest& manifest) {
    return format_json(to_json(manifest), 2) + "\n";
}

}  // namespace highwater::manifest
