#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/generation.h"
#include "manifest/manifest.h"
#include "object/store.h"

namespace highwater::stage {

constexpr std::uint64_t record_size_max = std::uint64_t{256} << 20U;

/// The canonical text of a generation record, ended by a digest of all that is in it.
///
/// Source: docs/formats/generation-record.md
std::string format_record(const catalog::GenerationRecord& record);

/// Errors: corrupt  not such a text, a digest or a chain that does not fit.
Result<catalog::GenerationRecord> parse_record(std::string_view text);

/// "generations/<epoch>/<number, 20 digits>-<first 8 of chain>.json"
std::string record_path(const catalog::Generation& generation);

/// "manifests/<digest>.json"
std::string manifest_path(const Digest& digest);

/// Accepted manifests and generation records as immutable objects under a root of our own outside
/// every table, so that a generation can be proved without the catalog.
///
/// Lifetime: `store` outlives it.
class Records {
public:
    Records(object::Store& store, std::string root) : store_(store), root_(std::move(root)) {}

    /// Stores an accepted manifest under its digest. The same again is success.
    ///
    /// Requires: manifest::find_faults(manifest) is empty.
    /// Errors: corrupt (another text is there), those of object::Upload.
    Result<void> put_manifest(const manifest::Manifest& manifest);

    /// Errors: not_found; corrupt (no such manifest, or of another digest); unavailable.
    Result<manifest::Manifest> load_manifest(const Digest& digest);

    /// Stores the record of a generation. The same again is success.
    ///
    /// Errors: corrupt (another record is there), those of object::Upload.
    Result<void> put_record(const catalog::GenerationRecord& record);

    /// The record of exactly this generation; its absence is an answer.
    ///
    /// Errors: corrupt, unavailable.
    Result<std::optional<catalog::GenerationRecord>> find_record(
        const catalog::Generation& generation);

    /// The newest record of an epoch by a listing; with no record the answer is none.
    ///
    /// Errors: corrupt (a record that is not as written, or two of one number), unavailable.
    Result<std::optional<catalog::GenerationRecord>> find_newest(const catalog::Epoch& epoch);

    /// The newest record of the newest epoch that left any.
    Result<std::optional<catalog::GenerationRecord>> find_newest();

private:
    Result<void> put(const std::string& path, const Bytes& text);
    Result<std::optional<catalog::GenerationRecord>> find_newest_beneath(const std::string& prefix);

    object::Store& store_;
    const std::string root_;
};

}  // namespace highwater::stage
