#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/hex.h"
#include "base/text.h"
#include "catalog/table.h"
#include "manifest/manifest.h"
#include "manifest/places.h"
#include "model/object_path.h"

namespace highwater::manifest {

namespace {

std::string quoted(std::string_view text) {
    return "'" + format_quoted(text) + "'";
}

/// A location is compared as bytes, so it has one spelling: "/data/logs" or "s3://bucket/logs".
std::optional<std::string> find_location_fault(std::string_view location) {
    constexpr std::string_view scheme_end = "://";
    const auto scheme = location.find(scheme_end);
    std::string_view rest = location;
    if (location.starts_with('/')) {
        rest.remove_prefix(1);
    } else if (scheme != std::string_view::npos && scheme > 0) {
        rest.remove_prefix(scheme + scheme_end.size());
        if (rest.starts_with('/')) rest.remove_prefix(1);  // "file:///data"
    } else {
        return quoted(location) + " is neither an absolute directory nor a URI";
    }
    const auto path = model::verify_object_path(rest);
    if (path.ok()) return std::nullopt;
    return quoted(location) + " is not the one spelling of a location: " + path.error().message();
}

/// Finds every breach of the rules in one manifest, in document order.
class FaultFinder {
public:
    FaultFinder(const Manifest& manifest, const Limits& limits)
        : manifest_(manifest), limits_(limits), faults_(limits.faults_max) {}

    std::vector<Fault> run() {
        look_at_head();
        if (!is_within_limits()) return faults_.take();
        look_at_hours();
        for (std::size_t i = 0; i < manifest_.partitions.size() && !faults_.is_full(); ++i) {
            look_at_partition(i);
        }
        look_for_duplicate_paths();
        return faults_.take();
    }

private:
    void look_at_head() {
        faults_.add_if_failed({.field = "table"}, catalog::verify_table_name(manifest_.table));
        faults_.add_if_failed({.field = "batch_generation"},
                              catalog::verify_batch(manifest_.batch_generation));
        if (manifest_.idempotency_key) {
            faults_.add_if_failed({.field = "idempotency_key"},
                                  catalog::verify_batch(*manifest_.idempotency_key));
        }
        look_at_base();
        if (manifest_.schema_version == 0U) {
            faults_.add({.field = "schema_version"}, "schema versions begin with 1");
        }
    }

    void look_at_base() {
        if (!manifest_.base_generation) return;
        if (const auto* batch = std::get_if<catalog::BatchRef>(&*manifest_.base_generation)) {
            faults_.add_if_failed({.field = "base_generation"},
                                  catalog::verify_batch(batch->batch));
            return;
        }
        const auto& token = std::get<catalog::Token>(*manifest_.base_generation);
        constexpr std::size_t prefix_digits = 8;
        if (token.chain_prefix.size() != prefix_digits || !parse_hex(token.chain_prefix)) {
            faults_.add({.field = "base_generation"},
                        "the token does not end with the first 8 digits of its chain");
        }
    }

    bool is_within_limits() {
        const auto& partitions = manifest_.partitions;
        if (partitions.empty()) {
            faults_.add({.field = "partitions"}, "a manifest names at least one hour");
            return false;
        }
        if (partitions.size() > limits_.partitions_max) {
            faults_.add_limit({.field = "partitions"}, std::to_string(partitions.size()) +
                                                           " hours, more than " +
                                                           std::to_string(limits_.partitions_max));
            return false;
        }
        for (const PartitionClaim& partition : partitions) {
            object_count_ += partition.objects.size();
        }
        if (object_count_ <= limits_.objects_max) return true;
        faults_.add_limit({.field = "partitions"}, std::to_string(object_count_) +
                                                       " objects, more than " +
                                                       std::to_string(limits_.objects_max));
        return false;
    }

    void look_at_hours() {
        std::unordered_map<std::int64_t, std::size_t> seen;
        seen.reserve(manifest_.partitions.size());
        for (std::size_t i = 0; i < manifest_.partitions.size() && !faults_.is_full(); ++i) {
            const model::Hour hour = manifest_.partitions[i].hour;
            const Place place{.partition = i, .field = "hour"};
            if (hour < model::hour_min || hour > model::hour_max) {
                faults_.add(place, "the hour is out of range");
                continue;
            }
            const auto [first, is_new] = seen.emplace(hour.since_epoch, i);
            if (is_new) continue;
            faults_.add(place, "hour " + model::format_hour(hour) + " is already at partitions[" +
                                   std::to_string(first->second) + "]");
        }
    }

    void look_at_partition(std::size_t index) {
        const PartitionClaim& partition = manifest_.partitions[index];
        if (partition.location) {
            if (auto fault = find_location_fault(*partition.location)) {
                faults_.add({.partition = index, .field = "location"}, *std::move(fault));
            }
        }
        for (std::size_t i = 0; i < partition.objects.size() && !faults_.is_full(); ++i) {
            look_at_object(partition.objects[i], {.partition = index, .object = i});
        }
        look_at_emptiness(partition, index);
    }

    void look_at_object(const ObjectClaim& object, const Place& place) {
        faults_.add_if_failed(place.at("path"), model::verify_object_path(object.path));
        const bool has_times = object.min_time || object.max_time;
        if (object.record_count == 0 && has_times) {
            faults_.add(place.at(object.min_time ? "min_time" : "max_time"),
                        "an object without records has no times");
        }
        if (object.min_time && object.max_time && *object.max_time < *object.min_time) {
            faults_.add(place.at("max_time"), "it is before min_time");
        }
    }

    void look_at_emptiness(const PartitionClaim& partition, std::size_t index) {
        const Place reason{.partition = index, .field = "declared_empty"};
        if (partition.declared_empty) {
            look_at_reason(*partition.declared_empty, reason);
            if (!partition.objects.empty()) {
                faults_.add(reason, "the hour is declared empty and yet lists objects");
            }
            return;
        }
        const Place objects{.partition = index, .field = "objects"};
        if (partition.objects.empty()) {
            faults_.add(objects, "no objects, and no declared_empty that says why");
        } else if (std::ranges::all_of(partition.objects, [](const ObjectClaim& object) {
                       return object.record_count == 0;
                   })) {
            faults_.add(objects,
                        "no records at all: declare the hour empty with a reason, without objects");
        }
    }

    void look_at_reason(std::string_view reason, const Place& place) {
        if (reason.find_first_not_of(' ') == std::string_view::npos) {
            faults_.add(place, "the reason is blank");
        } else if (reason.size() > reason_size_max) {
            faults_.add_limit(
                place, "the reason has more than " + std::to_string(reason_size_max) + " bytes");
        } else if (!is_utf8(reason)) {
            faults_.add(place, "the reason is not UTF-8");
        }
    }

    /// Sorted by hash, so that hardly ever two paths are compared, and never many for one.
    void look_for_duplicate_paths() {
        if (faults_.is_full()) return;
        std::vector<Named> named;
        named.reserve(object_count_);
        for (std::uint32_t i = 0; i < manifest_.partitions.size(); ++i) {
            const auto& objects = manifest_.partitions[i].objects;
            for (std::uint32_t j = 0; j < objects.size(); ++j) {
                named.push_back({std::hash<std::string_view>()(objects[j].path), i, j});
            }
        }
        std::ranges::sort(named, [&](const Named& left, const Named& right) {
            if (left.hash != right.hash) return left.hash < right.hash;
            const int order = path_of(left).compare(path_of(right));
            return order != 0 ? order < 0 : place_of(left) < place_of(right);
        });
        add_duplicates(named);
    }

    struct Named {
        std::size_t hash = 0;
        std::uint32_t partition = 0;
        std::uint32_t object = 0;
    };

    std::string_view path_of(const Named& named) const {
        return manifest_.partitions[named.partition].objects[named.object].path;
    }
    static std::pair<std::uint32_t, std::uint32_t> place_of(const Named& named) {
        return {named.partition, named.object};
    }

    /// Of one path it is the later places that are at fault.
    void add_duplicates(const std::vector<Named>& sorted) {
        std::vector<std::pair<Named, Named>> duplicates;  // The first one, and a later one.
        std::size_t first = 0;
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            const bool is_same = sorted[i].hash == sorted[first].hash &&
                                 path_of(sorted[i]) == path_of(sorted[first]);
            if (is_same) {
                duplicates.emplace_back(sorted[first], sorted[i]);
            } else {
                first = i;
            }
        }
        std::ranges::sort(duplicates, {}, [](const auto& pair) { return place_of(pair.second); });
        for (const auto& [first_named, named] : duplicates) {
            const Place known{.partition = first_named.partition, .object = first_named.object};
            const Place place{.partition = named.partition, .object = named.object};
            faults_.add(place.at("path"),
                        quoted(path_of(named)) + " is already at " + format_place(known));
        }
    }

    const Manifest& manifest_;
    const Limits& limits_;
    FaultList faults_;
    std::size_t object_count_ = 0;
};

}  // namespace

std::vector<Fault> find_faults(const Manifest& manifest, const Limits& limits) {
    return FaultFinder(manifest, limits).run();
}

}  // namespace highwater::manifest
