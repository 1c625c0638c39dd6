#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/ledger.h"
#include "read/plan.h"

namespace highwater::read {

/// How an answer came about.
struct Outcome {
    enum class Kind : std::uint8_t {
        fresh,           // From the cache, which was as new as needed.
        refreshed,       // From the cache, after a refresh.
        direct_listing,  // From the catalog and a listing.
        cached,          // From the cache, without asking whether it is new enough.
    };

    Kind kind = Kind::fresh;
    std::optional<Duration> age;  // For `cached`: since the catalog was last asked what changed.

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// One reason why the cache was or was not used, or a plan is as it is.
struct Why {
    std::string code;  // Stable: "cache_stale", "head_probed", "declared_empty" ...
    std::string text;  // A sentence for people.

    friend bool operator==(const Why&, const Why&) = default;
};

/// What one table contributes to an answer.
struct TableProvenance {
    catalog::TableId id;
    std::string name;
    std::vector<model::HourRange> covered;  // Hours, in order, as ranges that do not touch.
    std::vector<model::HourRange> gaps;     // Not published, left out by permission.
    std::vector<model::HourRange> declared_empty;
    std::uint64_t rows_in_scope = 0;
    std::uint64_t files = 0;
};

/// What every answer says about itself. Rows in scope are those of the planned files before any
/// filter: zero rows with rows in scope are a filter that matched nothing; zero rows in scope are
/// hours declared empty.
struct Provenance {
    Outcome outcome;
    catalog::Generation generation;
    std::vector<TableProvenance> tables;
    std::uint64_t rows_in_scope = 0;
    std::uint64_t files = 0;
    Digest inventory;
    catalog::DigestPolicy digest_policy =
        catalog::DigestPolicy::always;  // The weakest of all hours.
    std::uint64_t extras = 0;  // Entries beneath the planned prefixes that are not registered.
    std::vector<Why> why;
    object::Ledger ledger;
};

Provenance make_provenance(const Plan& plan, const Outcome& outcome, std::uint64_t extras,
                           std::vector<Why> why, const object::Ledger& ledger);

/// Hours in order as ranges that do not touch each other.
std::vector<model::HourRange> to_ranges(const std::vector<model::Hour>& hours);

std::string_view to_text(Outcome::Kind kind);

}  // namespace highwater::read
