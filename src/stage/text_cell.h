#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/schema.h"
#include "parquet/rows.h"

namespace highwater::stage {

/// How times are written in a text.
struct TimeFormat {
    enum class Kind : std::uint8_t {
        text,     // As base/time.h reads them; without a zone they are in `zone`.
        seconds,  // Whole numbers since 1970-01-01T00:00:00Z.
        milliseconds,
        microseconds,
        nanoseconds,
    };

    Kind kind = Kind::text;
    std::chrono::minutes zone{0};  // East of UTC.
    bool truncate = false;         // Drop what the table's unit cannot say, instead of failing.
};

/// "UTC", "Z", "+02:00", "-05:30".
///
/// Errors: unsupported       a name such as "Europe/Berlin": its offset changes over the year, and
/// this
///                           program carries no history of zones.
///         invalid_argument  anything else.
Result<std::chrono::minutes> parse_zone(std::string_view text);

/// "text", "s", "ms", "us", "ns".
///
/// Errors: invalid_argument.
Result<TimeFormat::Kind> parse_time_kind(std::string_view text);

/// Appends `text` as a cell of `column`. Spaces and tabs around numbers, dates, times and booleans
/// do not count; an empty text is null, but an empty string where it was quoted; binary takes the
/// bytes as they are.
///
/// Errors: invalid_argument  the text is no value of the column, or null where there may be none;
///                           nothing was appended.
Result<void> append_text(const model::Column& column, model::TimeUnit unit, const TimeFormat& times,
                         std::string_view text, bool is_quoted, parquet::Cells& cells);

/// Finds the narrowest type that every text of a column may be read as without losing anything:
/// boolean, int64, float64, date, else string. Numbers with leading zeros or more digits than their
/// type keeps are strings; so is a column without a value.
class TypeInference {
public:
    void add(std::string_view text, bool is_quoted);
    /// As if the texts of `other` had been added.
    void add(const TypeInference& other);
    model::ColumnType type() const;
    bool has_values() const { return is_seen_; }

private:
    bool is_seen_ = false;
    bool is_boolean_ = true;
    bool is_int64_ = true;
    bool is_float64_ = true;
    bool is_date_ = true;
};

}  // namespace highwater::stage
