#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/catalog.h"
#include "manifest/manifest.h"
#include "object/store.h"
#include "stage/records.h"

namespace highwater::embed {

/// Records that are written in one go at most; the next call goes on.
constexpr std::uint64_t records_kept_max = 100'000;

/// Keeps manifests, generation records and table states as immutable objects outside every table,
/// so that a generation can be proved without the catalog.
///
/// Thread-safety: from any thread and process; everything it writes is written once.
class RecordKeeper {
public:
    RecordKeeper(object::Store& store, catalog::Catalog& catalog, std::string root)
        : store_(store), catalog_(catalog), root_(std::move(root)) {}

    /// Errors: those of stage::Records::put_manifest.
    Result<void> keep_manifests(const manifest::Publication& publication);

    /// Writes the records that are missing, from the head back to the newest one that is there. How
    /// many it wrote.
    ///
    /// Errors: unavailable, exhausted (no space), corrupt. What was not written is written by the
    /// next
    ///         call.
    /// Cost: one catalog round trip and one head when nothing is missing.
    Result<std::uint64_t> keep();

    /// The newest recorded generation, if the catalog is behind it: then the catalog is an old
    /// copy.
    ///
    /// Errors: corrupt, unavailable.
    Result<std::optional<catalog::Generation>> find_ahead();

    /// "tables/<table id>/<generation number, 20 digits>.json"
    static std::string table_path(const catalog::TableId& table, std::uint64_t number);

private:
    Result<void> keep_record(const catalog::GenerationRecord& record);
    Result<void> keep_table(const catalog::TableId& table, std::uint64_t number);

    object::Store& store_;
    catalog::Catalog& catalog_;
    const std::string root_;
};

}  // namespace highwater::embed
