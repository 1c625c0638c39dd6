#include "manifest/diff.h"

#include <algorithm>
#include <tuple>

namespace highwater::manifest {

namespace {

auto place_of(const InventoryEntry& entry) {
    return std::tie(entry.hour, entry.path);
}

template <typename Value>
bool is_known_to_differ(const std::optional<Value>& left, const std::optional<Value>& right) {
    return left && right && *left != *right;
}

bool is_changed(const InventoryEntry& before, const InventoryEntry& after) {
    return before.size_bytes != after.size_bytes ||
           is_known_to_differ(before.record_count, after.record_count) ||
           is_known_to_differ(before.sha256, after.sha256);
}

Json to_json(const InventoryEntry& entry) {
    Json json = Json::object({{"hour", model::format_hour(entry.hour)},
                              {"path", entry.path},
                              {"size_bytes", entry.size_bytes}});
    if (entry.record_count) json.set("record_count", *entry.record_count);
    if (entry.sha256) json.set("sha256", format_digest(*entry.sha256));
    return json;
}

Json to_json(const InventoryChange& change) {
    return Json::object({{"before", to_json(change.before)}, {"after", to_json(change.after)}});
}

template <typename Item>
Json to_json(const std::vector<Item>& items) {
    Json json = Json::array();
    for (const Item& item : items) json.push_back(to_json(item));
    return json;
}

}  // namespace

Inventory make_inventory(const Manifest& manifest) {
    Inventory inventory;
    for (const PartitionClaim& partition : manifest.partitions) {
        for (const ObjectClaim& object : partition.objects) {
            inventory.push_back({partition.hour, object.path, object.size_bytes,
                                 object.record_count, object.sha256});
        }
    }
    std::ranges::sort(inventory, {}, place_of);
    return inventory;
}

Inventory make_inventory(const catalog::Partition& partition) {
    Inventory inventory;
    inventory.reserve(partition.objects.size());
    for (const catalog::RegisteredObject& object : partition.objects) {
        inventory.push_back({partition.key.hour, object.path, object.size_bytes,
                             object.record_count, object.sha256});
    }
    return inventory;
}

InventoryDiff diff_inventories(const Inventory& before, const Inventory& after) {
    InventoryDiff diff;
    auto old = before.begin();
    auto now = after.begin();
    while (old != before.end() || now != after.end()) {
        if (now == after.end() || (old != before.end() && place_of(*old) < place_of(*now))) {
            diff.removed.push_back(*old++);
        } else if (old == before.end() || place_of(*now) < place_of(*old)) {
            diff.added.push_back(*now++);
        } else {
            if (is_changed(*old, *now)) {
                diff.changed.push_back({*old, *now});
            } else {
                ++diff.unchanged;
            }
            ++old;
            ++now;
        }
    }
    return diff;
}

Json to_json(const InventoryDiff& diff) {
    return Json::object({{"added", to_json(diff.added)},
                         {"removed", to_json(diff.removed)},
                         {"changed", to_json(diff.changed)},
                         {"unchanged", diff.unchanged}});
}

}  // namespace highwater::manifest
