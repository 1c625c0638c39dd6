#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "catalog/generation.h"
#include "model/hour.h"

namespace highwater::manifest {

constexpr std::uint32_t format_version = 1;
constexpr std::size_t reason_size_max = 1'024;

/// One object that a publication consists of; every listed object is required.
struct ObjectClaim {
    std::string path;
    std::uint64_t size_bytes = 0;
    std::uint64_t record_count = 0;
    std::optional<Digest> sha256;  // What is absent is derived by the gate and recorded as such.
    std::optional<Time> min_time;
    std::optional<Time> max_time;
    std::optional<Digest> row_fingerprint;

    friend bool operator==(const ObjectClaim&, const ObjectClaim&) = default;
};

/// The whole truth of one hour after the publication.
struct PartitionClaim {
    model::Hour hour;
    std::optional<std::string> location;  // The hour's own root, else the table's.
    std::vector<ObjectClaim> objects;     // As submitted; canonical order is by path.
    std::optional<std::string> declared_empty;

    friend bool operator==(const PartitionClaim&, const PartitionClaim&) = default;
};

/// What is to be true of the named partitions of one table.
struct Manifest {
    std::string table;  // By name.
    std::string batch_generation;
    std::optional<std::string> idempotency_key;
    std::optional<catalog::GenerationRef> base_generation;
    std::optional<std::uint32_t> schema_version;
    std::vector<PartitionClaim> partitions;

    friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// Something in a manifest that is not as it must be.
struct Fault {
    std::string where;  // "partitions[3].objects[0].path"
    std::string what;   // A sentence.
    bool is_limit = false;

    friend bool operator==(const Fault&, const Fault&) = default;
};

struct Limits {
    std::size_t size_bytes_max = std::size_t{1} << 30U;
    std::size_t partitions_max = 100'000;
    std::size_t objects_max = 4'000'000;
    std::size_t faults_max = 1'000;  // More are not looked for.
};

/// What came of reading a manifest: the manifest, when there is no fault.
struct Parsed {
    Manifest manifest;
    std::vector<Fault> faults;
};

/// Reads format 1 (docs/formats/manifest.md). Unknown fields, duplicate paths or hours, an empty
/// object list without `declared_empty`, zero records without a reason, paths that are not
/// canonical: each is a fault, named. Never an Error, never an exception.
Parsed parse_manifest(std::string_view text, const Limits& limits = {});

/// The same rules for a manifest that was built in memory.
std::vector<Fault> find_faults(const Manifest& manifest, const Limits& limits = {});

Json to_json(const Manifest& manifest);
std::string format_manifest(const Manifest& manifest);

/// SHA-256 over the canonical form: member order, white space and the order of partitions and
/// objects do not change it.
///
/// Requires: find_faults(manifest) is empty.
Digest digest_of(const Manifest& manifest);

/// Several tables published together: one manifest for each, all with one batch generation.
struct Publication {
    std::vector<Manifest> manifests;
};

/// That of the sorted manifest digests.
Digest digest_of(const Publication& publication);

}  // namespace highwater::manifest
