#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "catalog/generation.h"
#include "catalog/partition.h"

namespace highwater::publish {

/// One hour as some part of the system knows it.
struct HourState {
    std::uint64_t changed = 0;  // The generation number that made it.
    std::uint64_t object_count = 0;
    Digest inventory;

    friend bool operator==(const HourState&, const HourState&) = default;
};

HourState state_of(const catalog::Partition& partition);

/// What was seen after a commit, gathered by whoever drives the publication.
struct ConfirmFacts {
    struct Layer {
        std::string name;  // "registrations", "listings"
        catalog::Generation completed;
    };
    struct Hour {
        catalog::PartitionKey key;
        HourState accepted;                   // What the gate accepted.
        std::optional<HourState> registered;  // Read back: its newest registration <= completed.
        std::optional<HourState> cached;      // What the cache would serve.
        /// Objects of the newest registration that the listing after the commit does not show.
        std::vector<std::string> missing;
    };

    catalog::Generation allotted;
    std::vector<Layer> layers;
    std::vector<Hour> hours;
};

/// Why a publication is not announced yet.
struct Unconfirmed {
    enum class Reason : std::uint8_t {
        layer_behind,          // A layer's completed generation is below the allotted one.
        other_epoch,           // A layer speaks of another life of the catalog.
        registration_lost,     // The hour's newest registration is older than the commit, or none.
        registration_differs,  // The catalog gives back something else than was accepted.
        not_cached,
        cache_differs,  // Another generation, count or digest than is registered.
        object_missing,
    };

    Reason reason = Reason::layer_behind;
    std::string where;  // A layer, an hour or a path.
    std::string expected;
    std::string observed;

    friend bool operator==(const Unconfirmed&, const Unconfirmed&) = default;
};

std::string_view to_text(Unconfirmed::Reason reason);

struct Confirmation {
    std::vector<Unconfirmed> reasons;               // Empty: readers are served what was accepted.
    std::vector<catalog::PartitionKey> superseded;  // Restated meanwhile, which is success.

    bool is_confirmed() const { return reasons.empty(); }
};

/// Says whether readers are served what the gate accepted, or something newer. Pure.
Confirmation confirm(const ConfirmFacts& facts);

}  // namespace highwater::publish
