#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "catalog/generation.h"
#include "catalog/table.h"
#include "model/completeness.h"
#include "model/hour.h"
#include "object/store.h"

namespace highwater::read {

// Why a read is not answered. Each is a value with what a program needs to act on it.

constexpr std::size_t listed_max = 1'000;  // Longer lists in refusals are cut; the count is whole.

/// The needed generation was not reached in time, or it was not allowed to go for it.
struct Stale {
    std::optional<catalog::Token> have;          // Nothing: the cache has nothing to speak of.
    std::optional<catalog::GenerationRef> need;  // Nothing: any would have done.

    friend bool operator==(const Stale&, const Stale&) = default;
};

/// The catalog does not have the generation that someone has seen of it.
struct CatalogBehind {
    enum class Reason : std::uint8_t {
        above_head,     // It is not there yet, or no more: the catalog is an old copy.
        unknown_batch,  // No generation has that batch.
        other_epoch,    // The token is of another life, after the point where this one left it.
        other_chain,    // The generation of that number has another past.
        below_cache,    // The cache has seen more of the same life.
    };

    catalog::Token have;
    catalog::GenerationRef need;
    Reason reason = Reason::above_head;

    friend bool operator==(const CatalogBehind&, const CatalogBehind&) = default;
};

/// The cached place or incarnation is not the catalog's, and no refresh is allowed.
struct LocationChanged {
    std::string table;
    std::optional<model::Hour> hour;  // Nothing: the table itself.
    std::string old_root;
    std::string new_root;
    std::uint64_t old_incarnation = 0;
    std::uint64_t new_incarnation = 0;

    friend bool operator==(const LocationChanged&, const LocationChanged&) = default;
};

/// There is no generation at which everything that the query touches is known.
struct NoSingleGeneration {
    std::uint64_t from = 0;  // Some of it is known only from here on,
    std::uint64_t to = 0;    // and some only up to here.

    friend bool operator==(const NoSingleGeneration&, const NoSingleGeneration&) = default;
};

/// Hours in the range were never published. Without hours: nothing of the table is.
struct MissingHours {
    std::string table;
    std::vector<model::HourRange> hours;
    std::uint64_t count = 0;

    friend bool operator==(const MissingHours&, const MissingHours&) = default;
};

/// Registered objects are not in the store.
struct MissingObjects {
    struct Object {
        model::Hour hour;
        object::Name name;

        friend bool operator==(const Object&, const Object&) = default;
    };

    std::string table;
    std::vector<Object> objects;
    std::uint64_t count = 0;
    // Hours of whose prefix the store has nothing at all: a wrong place or pattern looks like this.
    std::vector<model::Hour> empty_prefixes;

    friend bool operator==(const MissingObjects&, const MissingObjects&) = default;
};

/// The generation is older than the replay horizon.
struct GenerationExpired {
    catalog::Token need;
    std::optional<std::uint64_t> oldest;  // The oldest generation that can be read.

    friend bool operator==(const GenerationExpired&, const GenerationExpired&) = default;
};

/// Hours in the range were published once and are so no more.
struct HourRetired {
    std::string table;
    std::vector<model::HourRange> hours;
    std::uint64_t count = 0;

    friend bool operator==(const HourRetired&, const HourRetired&) = default;
};

/// The lease that kept the generation readable ran out before the scan ended.
struct LeaseLost {
    catalog::Token generation;

    friend bool operator==(const LeaseLost&, const LeaseLost&) = default;
};

/// Other bytes stand under a registered name.
struct InventoryDrift {
    /// What is known of an object: its identity, its bytes' digest, or that it is not a file.
    struct Side {
        std::optional<object::Identity> identity;
        std::optional<Digest> sha256;
        bool is_other_kind = false;

        friend bool operator==(const Side&, const Side&) = default;
    };

    object::Name name;
    model::Hour hour;
    Side expected;
    Side observed;

    friend bool operator==(const InventoryDrift&, const InventoryDrift&) = default;
};

/// Another table has the name, or the place, of the one that was asked for.
struct IdentityChanged {
    std::string table;
    catalog::TableId old_id;
    catalog::TableId new_id;

    friend bool operator==(const IdentityChanged&, const IdentityChanged&) = default;
};

/// Store or catalog did not answer, or not truthfully. An error, never an empty result.
struct Unavailable {
    enum class Where : std::uint8_t { catalog, store, refresh };

    Where where = Where::catalog;
    Error error;

    friend bool operator==(const Unavailable&, const Unavailable&) = default;
};

/// In the order of the reader's contract: of several, the one with the smallest index decides.
using Refusal = std::variant<Stale, CatalogBehind, LocationChanged, NoSingleGeneration,
                             MissingHours, MissingObjects, GenerationExpired, HourRetired,
                             LeaseLost, InventoryDrift, IdentityChanged, Unavailable>;

/// "stale", "catalog_behind" ...
std::string_view name_of(const Refusal& refusal);

/// Nothing for `unavailable`, which is an error.
std::optional<model::Completeness> class_of(const Refusal& refusal);

/// A sentence for people, with what is in the refusal.
std::string format_refusal(const Refusal& refusal);

/// Puts the deciding one first.
void sort(std::vector<Refusal>& refusals);

std::string_view to_text(CatalogBehind::Reason reason);
std::string_view to_text(Unavailable::Where where);

}  // namespace highwater::read
