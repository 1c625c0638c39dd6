#include "catalog/table.h"

#include <algorithm>

#include "base/text.h"

namespace highwater::catalog {

namespace {

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

bool is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/// The segments between slashes, empty ones left out: "/a//b/" and "/a/b" are one place.
std::vector<std::string_view> segments_of(std::string_view location) {
    std::vector<std::string_view> segments;
    while (!location.empty()) {
        const auto segment = location.substr(0, location.find('/'));
        if (!segment.empty()) segments.push_back(segment);
        location.remove_prefix(std::min(segment.size() + 1, location.size()));
    }
    return segments;
}

}  // namespace

const SchemaVersion* Table::find_schema(std::uint32_t version) const {
    const auto found = std::ranges::find(schemas, version, &SchemaVersion::version);
    return found == schemas.end() ? nullptr : &*found;
}

Result<void> verify_table_name(std::string_view name) {
    const bool is_valid =
        !name.empty() && name.size() <= table_name_size_max && is_letter(name.front()) &&
        std::ranges::all_of(name, [](char byte) { return is_letter(byte) || is_digit(byte); });
    if (is_valid) return {};
    return Error(Code::invalid_argument,
                 "a table name is 1 to " + std::to_string(table_name_size_max) +
                     " letters, digits and underscores and does not begin with a digit, unlike '" +
                     format_quoted(name) + "'");
}

bool is_overlapping(std::string_view location, std::string_view other) {
    const auto some = segments_of(location);
    const auto others = segments_of(other);
    const auto common = std::min(some.size(), others.size());
    return std::equal(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(common),
                      others.begin());
}

}  // namespace highwater::catalog
