#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "catalog/partition.h"
#include "manifest/manifest.h"
#include "model/hour.h"

namespace highwater::manifest {

/// One object of one table as an inventory knows it. A listing knows no counts and no digests.
struct InventoryEntry {
    model::Hour hour;
    std::string path;
    std::uint64_t size_bytes = 0;
    std::optional<std::uint64_t> record_count = std::nullopt;
    std::optional<Digest> sha256 = std::nullopt;

    friend bool operator==(const InventoryEntry&, const InventoryEntry&) = default;
};

/// Objects of one table in (hour, path) order, each once.
using Inventory = std::vector<InventoryEntry>;

/// What a manifest names. Requires: find_faults(manifest) is empty.
Inventory make_inventory(const Manifest& manifest);

/// What is registered for one hour.
Inventory make_inventory(const catalog::Partition& partition);

/// The same path with other content.
struct InventoryChange {
    InventoryEntry before;
    InventoryEntry after;

    friend bool operator==(const InventoryChange&, const InventoryChange&) = default;
};

struct InventoryDiff {
    Inventory added;
    Inventory removed;
    std::vector<InventoryChange> changed;
    std::uint64_t unchanged = 0;

    bool is_empty() const { return added.empty() && removed.empty() && changed.empty(); }

    friend bool operator==(const InventoryDiff&, const InventoryDiff&) = default;
};

/// An object is changed when its size differs, or a count or digest that both sides know.
///
/// Cost: linear.
InventoryDiff diff_inventories(const Inventory& before, const Inventory& after);

Json to_json(const InventoryDiff& diff);

}  // namespace highwater::manifest
