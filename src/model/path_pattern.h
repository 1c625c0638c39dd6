#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/hour.h"

namespace highwater::model {

/// How the hours of a table map to path prefixes: text with the fields {YYYY}, {MM}, {DD}, {HH} and
/// {YYYY-MM-DD} (short for the first three with dashes), "hour={YYYY-MM-DD}T{HH}" by default.
///
/// A value that always maps two different hours to two different prefixes, neither of which begins
/// the other: every field has a fixed width and all prefixes of a pattern have the same length. A
/// pattern that leaves a field of the date out must fix it with `fixed_date`
/// ("hour={HH}" with fixed date 2026-10-06 serves only that day).
class PathPattern {
public:
    /// Errors: invalid_argument  an unknown field, a field twice, a brace that is no field, a
    /// prefix
    ///                           that is no object path or leaves no room for a name, a date that
    ///                           does not exist or lies outside 1677-09-22 to 2262-04-11, or two
    ///                           hours would share a prefix.
    static Result<PathPattern> parse(std::string_view text,
                                     std::optional<std::string_view> fixed_date = std::nullopt);

    static PathPattern make_default();

    /// The prefix of `hour`, without a slash at the end: "hour=2026-10-06T09". Nothing when the
    /// pattern cannot express the hour: another day than the fixed one, or outside hour_min and
    /// hour_max.
    std::optional<std::string> render(Hour hour) const;

    /// The hour whose prefix begins `path`, followed by '/'. The inverse of render. No allocation.
    std::optional<Hour> find_hour(std::string_view path) const;

    const std::string& text() const { return text_; }
    const std::optional<std::string>& fixed_date() const { return fixed_date_; }

    friend bool operator==(const PathPattern&, const PathPattern&) = default;

private:
    struct Piece {
        enum class Kind : std::uint8_t { literal, year, month, day, hour } kind = Kind::literal;
        std::string literal;
        friend bool operator==(const Piece&, const Piece&) = default;
    };

    PathPattern() = default;

    Result<void> add_field(std::string_view name);
    Result<void> parse_pieces();
    bool has(Piece::Kind kind) const;

    std::string text_;
    std::optional<std::string> fixed_date_;
    std::optional<std::int64_t> fixed_day_;  // The same, as days since 1970-01-01.
    std::vector<Piece> pieces_;
};

}  // namespace highwater::model
