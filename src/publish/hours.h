#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "manifest/manifest.h"
#include "object/store.h"
#include "publish/submission.h"

namespace highwater::publish {

/// One hour that a publication names: where it is in the publication and in the store.
struct NamedHour {
    std::size_t manifest = 0;
    std::size_t partition = 0;
    catalog::PartitionKey key;
    std::string root;
    std::string prefix;
    std::uint32_t schema_version = 0;    // Of objects that are new.
    std::vector<std::uint32_t> by_path;  // Indices of the claimed objects, in path order.
    std::shared_ptr<const catalog::Partition> current;  // Nothing: was never published.

    /// Readers see it now, so that this publication would restate it.
    bool is_published() const { return current && !current->retired; }
};

const manifest::PartitionClaim& claim_of(const manifest::Publication& publication,
                                         const NamedHour& hour);

/// The table of that name, or nullptr.
const catalog::Table* find_table(const catalog::View& view, std::string_view name);

/// The partition of that key, retired ones too; or nothing.
std::shared_ptr<const catalog::Partition> find_partition(const catalog::View& view,
                                                         const catalog::PartitionKey& key);

/// Every named hour, in key order.
///
/// Requires: steps 1 to 3 passed against `view`.
std::vector<NamedHour> make_named_hours(const manifest::Publication& publication,
                                        const catalog::View& view);

constexpr std::uint32_t no_index = UINT32_MAX;

/// What belongs to one claimed object; no_index where there is nothing.
struct Match {
    std::uint32_t claim = no_index;       // PartitionClaim::objects
    std::uint32_t entry = no_index;       // Listing::entries
    std::uint32_t registered = no_index;  // Partition::objects of the current state
    bool is_kept = false;                 // Registered and unchanged: need not be read again.
};

/// One listing of one hour's prefix, whole; or why there is none.
struct Listing {
    std::vector<object::Entry> entries;  // In path order.
    std::optional<std::string> failure;
};

/// The schema version that an object was written against. One that is registered keeps its own.
std::uint32_t version_of(const NamedHour& hour, const Match& match);

struct HourMatch {
    std::vector<Match> claims;          // In path order.
    std::vector<std::uint32_t> extras;  // Entries that no claim names, in path order.
};

/// Pairs claims, listed entries and registered objects of one hour.
///
/// Cost: linear.
HourMatch match_hour(const NamedHour& hour, const manifest::PartitionClaim& claim,
                     const Listing& listing, const Options& options);

/// Looks up paths that are asked for in ascending order among items in path order.
///
/// Cost: linear in all, for any number of questions.
template <typename Item>
class PathCursor {
public:
    /// Starts at the first item that is not before `first`.
    PathCursor(const std::vector<Item>& items, std::string_view first)
        : items_(items),
          at_(static_cast<std::size_t>(
              std::ranges::lower_bound(
                  items, first, {}, [](const Item& item) { return std::string_view(item.path); }) -
              items.begin())) {}

    /// The index of the item with `path`, or no_index.
    std::uint32_t find(std::string_view path) {
        while (at_ < items_.size() && items_[at_].path < path) ++at_;
        const bool is_found = at_ < items_.size() && items_[at_].path == path;
        return is_found ? static_cast<std::uint32_t>(at_) : no_index;
    }

private:
    const std::vector<Item>& items_;
    std::size_t at_;
};

}  // namespace highwater::publish
