#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/text.h"
#include "manifest/manifest.h"
#include "manifest/places.h"

namespace highwater::manifest {

namespace {

constexpr std::size_t json_depth_max = 16;

/// Turns a JSON document into a manifest and notes what is missing, unknown or of another type.
/// Whether the values keep the rules is for find_faults.
class ManifestReader {
public:
    explicit ManifestReader(const Limits& limits) : limits_(limits), faults_(limits.faults_max) {}

    Parsed run(std::string_view text) {
        const auto document = parse_json(
            text, {.size_bytes_max = limits_.size_bytes_max, .depth_max = json_depth_max});
        if (document.ok()) {
            read_manifest(*document);
        } else if (document.error().code() == Code::exhausted) {
            faults_.add_limit({}, document.error().message());
        } else {
            faults_.add({}, document.error().message());
        }
        return {std::move(manifest_), faults_.take()};
    }

private:
    using Names = std::initializer_list<std::string_view>;

    void read_manifest(const Json& json) {
        if (!is_object(json, {}, "a manifest is a JSON object")) return;
        refuse_unknown(json, {},
                       {"format", "table", "batch_generation", "idempotency_key", "base_generation",
                        "schema_version", "partitions"});
        read_format(json);
        read_text(json, {.field = "table"}, manifest_.table);
        read_text(json, {.field = "batch_generation"}, manifest_.batch_generation);
        read_optional_text(json, {.field = "idempotency_key"}, manifest_.idempotency_key);
        read_parsed(json, {.field = "base_generation"}, catalog::parse_generation_ref,
                    manifest_.base_generation);
        read_schema_version(json);
        read_partitions(json);
    }

    void read_format(const Json& json) {
        const Place place{.field = "format"};
        const Json* const found = find_required(json, place);
        if (!found) return;
        if (!found->has_uint64()) {
            faults_.add(place, "it is a whole number");
        } else if (found->as_uint64() != format_version) {
            faults_.add(place, "this program reads format " + std::to_string(format_version) +
                                   ", not " + std::to_string(found->as_uint64()));
        }
    }

    void read_schema_version(const Json& json) {
        const Place place{.field = "schema_version"};
        if (!json.find(place.field)) return;
        std::uint64_t version = 0;
        if (!read_unsigned(json, place, version)) return;
        if (version > UINT32_MAX) {
            faults_.add(place, "no schema version is that large");
            return;
        }
        manifest_.schema_version = static_cast<std::uint32_t>(version);
    }

    void read_partitions(const Json& json) {
        const Json::Array* const found = find_array(json, {.field = "partitions"});
        if (!found) return;
        if (found->size() > limits_.partitions_max) {
            faults_.add_limit({.field = "partitions"}, std::to_string(found->size()) +
                                                           " hours, more than " +
                                                           std::to_string(limits_.partitions_max));
            return;
        }
        manifest_.partitions.reserve(found->size());
        for (std::size_t i = 0; i < found->size() && !faults_.is_full(); ++i) {
            read_partition((*found)[i], i);
        }
    }

    void read_partition(const Json& json, std::size_t index) {
        const Place place{.partition = index};
        if (!is_object(json, place, "an hour is a JSON object")) return;
        refuse_unknown(json, place, {"hour", "location", "objects", "declared_empty"});
        PartitionClaim& partition = manifest_.partitions.emplace_back();
        std::string hour;
        if (read_text(json, place.at("hour"), hour)) {
            const auto parsed = model::parse_hour(hour);
            faults_.add_if_failed(place.at("hour"), parsed);
            if (parsed.ok()) partition.hour = *parsed;
        }
        read_optional_text(json, place.at("location"), partition.location);
        read_optional_text(json, place.at("declared_empty"), partition.declared_empty);
        const Json::Array* const objects = find_array(json, place.at("objects"));
        if (!objects) return;
        object_count_ += objects->size();
        if (object_count_ > limits_.objects_max) {
            faults_.add_limit(place.at("objects"),
                              "more than " + std::to_string(limits_.objects_max) + " objects");
            return;
        }
        partition.objects.reserve(objects->size());
        for (std::size_t i = 0; i < objects->size() && !faults_.is_full(); ++i) {
            read_object((*objects)[i], {.partition = index, .object = i}, partition);
        }
    }

    void read_object(const Json& json, const Place& place, PartitionClaim& partition) {
        if (!is_object(json, place, "an object of the hour is a JSON object")) return;
        refuse_unknown(json, place,
                       {"path", "size_bytes", "record_count", "sha256", "min_time", "max_time",
                        "row_fingerprint"});
        ObjectClaim& object = partition.objects.emplace_back();
        read_text(json, place.at("path"), object.path);
        read_unsigned(json, place.at("size_bytes"), object.size_bytes);
        read_unsigned(json, place.at("record_count"), object.record_count);
        read_parsed(json, place.at("sha256"), parse_digest, object.sha256);
        read_parsed(json, place.at("min_time"), parse_time, object.min_time);
        read_parsed(json, place.at("max_time"), parse_time, object.max_time);
        read_parsed(json, place.at("row_fingerprint"), parse_digest, object.row_fingerprint);
    }

    bool is_object(const Json& json, const Place& place, std::string what) {
        if (json.find_object()) return true;
        faults_.add(place, std::move(what));
        return false;
    }

    void refuse_unknown(const Json& json, const Place& place, Names known) {
        for (const auto& [name, value] : *json.find_object()) {
            if (std::ranges::find(known, name) != known.end()) continue;
            faults_.add(place, "the field '" + format_quoted(name) + "' is unknown");
        }
    }

    const Json* find_required(const Json& json, const Place& place) {
        const Json* const found = json.find(place.field);
        if (!found) faults_.add(place, "it is missing");
        return found;
    }

    const Json::Array* find_array(const Json& json, const Place& place) {
        const Json* const found = find_required(json, place);
        if (!found) return nullptr;
        if (!found->find_array()) faults_.add(place, "it is an array");
        return found->find_array();
    }

    bool read_text(const Json& json, const Place& place, std::string& out) {
        const Json* const found = find_required(json, place);
        if (!found) return false;
        const std::string* const text = found->find_string();
        if (!text) {
            faults_.add(place, "it is a string");
            return false;
        }
        out = *text;
        return true;
    }

    void read_optional_text(const Json& json, const Place& place, std::optional<std::string>& out) {
        if (!json.find(place.field)) return;
        std::string text;
        if (read_text(json, place, text)) out = std::move(text);
    }

    /// A number with a fraction or an exponent is none, even if it is whole: sizes are exact.
    bool read_unsigned(const Json& json, const Place& place, std::uint64_t& out) {
        const Json* const found = find_required(json, place);
        if (!found) return false;
        if (!found->has_uint64()) {
            faults_.add(place, "it is a whole number, not negative, written in digits alone");
            return false;
        }
        out = found->as_uint64();
        return true;
    }

    /// An optional member that is written as text.
    template <typename Value, typename Parse>
    void read_parsed(const Json& json, const Place& place, Parse parse, std::optional<Value>& out) {
        std::optional<std::string> text;
        read_optional_text(json, place, text);
        if (!text) return;
        auto parsed = parse(*text);
        faults_.add_if_failed(place, parsed);
        if (parsed.ok()) out = *std::move(parsed);
    }

    const Limits& limits_;
    FaultList faults_;
    Manifest manifest_;
    std::size_t object_count_ = 0;
};

}  // namespace

Parsed parse_manifest(std::string_view text, const Limits& limits) {
    Parsed parsed = ManifestReader(limits).run(text);
    // The rules are for a manifest that was read whole.
    if (parsed.faults.empty()) parsed.faults = find_faults(parsed.manifest, limits);
    return parsed;
}

}  // namespace highwater::manifest
