#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/uuid.h"
#include "model/path_pattern.h"
#include "model/schema.h"

namespace highwater::catalog {

/// A table's identity: given once, never reused, also not for a new table of the same name.
struct TableId {
    Uuid value;

    friend auto operator<=>(const TableId&, const TableId&) = default;
    friend bool operator==(const TableId&, const TableId&) = default;
};

/// The schema of a table from one generation on.
struct SchemaVersion {
    std::uint32_t version = 1;  // 1, 2, 3 ... in order
    model::Schema schema;
    std::uint64_t since = 0;  // The generation number that made it.

    friend bool operator==(const SchemaVersion&, const SchemaVersion&) = default;
};

constexpr std::size_t table_name_size_max = 128;

/// A named set of hourly partitions, as of one generation.
struct Table {
    TableId id;
    std::string name;      // 1..128 of [A-Za-z0-9_], not beginning with a digit
    std::string location;  // Absolute directory (realpath) or URI; the root of its partitions.
    std::uint64_t incarnation = 1;  // Raised by relocation and re-creation.
    std::uint64_t created = 0;      // Generation numbers.
    std::uint64_t changed = 0;      // The last change of schema, location or existence.
    bool dropped = false;
    model::PathPattern pattern = model::PathPattern::make_default();
    std::vector<SchemaVersion> schemas;  // Not empty; the last one is current.

    const SchemaVersion& current() const { return schemas.back(); }
    const SchemaVersion* find_schema(std::uint32_t version) const;

    friend bool operator==(const Table&, const Table&) = default;
};

/// Errors: invalid_argument.
Result<void> verify_table_name(std::string_view name);

/// True when one location is the other or lies beneath it, compared by whole segments.
bool is_overlapping(std::string_view location, std::string_view other);

}  // namespace highwater::catalog
