#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "catalog/generation.h"
#include "catalog/table.h"
#include "model/hour.h"

namespace highwater::read {

/// A table by its name, by its id, or by both: then the name must still mean that table, or else
/// the read is refused (identity_changed). Sessions remember the id that their first answer came
/// from.
struct TableRef {
    std::string name;  // Empty when only the id is given.
    std::optional<catalog::TableId> id;

    friend bool operator==(const TableRef&, const TableRef&) = default;
};

/// Instants [from, to). A missing end is that of the table's first or last published hour; with
/// neither, every published hour is meant.
struct Range {
    std::optional<Time> from;
    std::optional<Time> to;

    friend bool operator==(const Range&, const Range&) = default;
};

/// What may be done when the cache is not as new as needed.
enum class OnStale : std::uint8_t {
    refresh,         // Refresh what is touched, then answer from the cache.
    direct_listing,  // Ask the catalog for the registrations and list the prefixes.
    fail,            // Refuse.
};

/// What a reader asks for. Without any wish about generations the need is the head of the catalog,
/// by one probe when the query begins.
struct Request {
    std::vector<TableRef> tables;
    Range range;
    // At least this one: a session that attaches the token of its publication reads its own write.
    std::optional<catalog::GenerationRef> min_generation;
    // Exactly this one. Excludes the other wishes.
    std::optional<catalog::GenerationRef> at_generation;
    // What the catalog said this long ago is new enough; beside `min_generation`, which always
    // holds.
    std::optional<Duration> max_staleness;
    bool any = false;  // Whatever the cache has; likewise.
    OnStale on_stale = OnStale::refresh;
    Duration wait_max{0};            // How long a needed generation may take to appear.
    bool allow_unpublished = false;  // Answer without hours that are not published, and list them.

    friend bool operator==(const Request&, const Request&) = default;
};

constexpr std::size_t tables_max = 64;
constexpr std::int64_t hours_max = 1'000'000;
constexpr Duration wait_longest = std::chrono::hours(1);

/// Checks that the request is one: tables named once each, an end after its beginning, wishes that
/// do not exclude each other, and the limits above.
///
/// Errors: invalid_argument; exhausted for a limit.
Result<void> verify_request(const Request& request);

/// The generation that the request names, if it names one.
const std::optional<catalog::GenerationRef>& named_generation(const Request& request);

/// The hours that `range` touches, open ends as far as hours go.
model::HourRange hours_of(const Range& range);

/// The name, or the id when there is no name.
std::string format_table(const TableRef& table);

std::string_view to_text(OnStale on_stale);
std::optional<OnStale> parse_on_stale(std::string_view text);

}  // namespace highwater::read
