#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "catalog/partition.h"
#include "object/store.h"

namespace highwater::cache {

/// Generation numbers [from, to], both of them included, at which something is as it is held.
struct Interval {
    std::uint64_t from = 0;
    std::uint64_t to = 0;

    bool contains(std::uint64_t number) const { return from <= number && number <= to; }
    bool is_empty() const { return to < from; }

    friend bool operator==(const Interval&, const Interval&) = default;
};

/// The generations that lie in both.
inline Interval intersect(const Interval& left, const Interval& right) {
    return {std::max(left.from, right.from), std::min(left.to, right.to)};
}

/// What the cache is made of. Each layer has its own completed generation; the smallest counts.
enum class Layer : std::uint8_t { registrations, listings };

/// What stands in the store beneath the prefix of one partition. An absent prefix has no entries.
struct Listing {
    std::uint64_t started = 0;  // The generation that was known when the listing began.
    std::vector<object::Entry> entries;

    friend bool operator==(const Listing&, const Listing&) = default;
};

/// What a snapshot holds of one hour.
struct Entry {
    enum class State : std::uint8_t { never_published, published, retired };

    State state = State::never_published;
    Interval valid;
    std::shared_ptr<const catalog::Partition> partition;  // Null when never published.
    std::optional<Listing> listing;                       // Of a published hour.
};

/// Why the cache cannot answer. In the order in which reasons are looked for.
enum class Miss : std::uint8_t {
    cold,                  // There is no snapshot.
    other_epoch,           // It is of another life of the catalog.
    unknown_table,         // It has no such table.
    stale,                 // It is not as new as needed, or not valid at the needed generation.
    no_single_generation,  // Its hours are not valid at one generation together.
    listing_stale,         // The listing began before the hour's last change.
    incomplete,            // File count or inventory digest disagrees with the registration.
    lacks_objects,         // Its listing lacks a registered object.
    location_unknown,      // The catalog has moved on, perhaps to another place.
};

constexpr std::size_t miss_count = 9;

/// "cache_cold", "cache_incomplete" ...
std::string_view to_text(Miss miss);
std::string_view to_text(Layer layer);
std::string_view to_text(Entry::State state);

/// True when file count and inventory digest are those that the catalog registered.
bool is_complete(const catalog::Partition& partition);

}  // namespace highwater::cache
