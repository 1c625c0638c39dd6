#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "parquet/match.h"
#include "parquet/read.h"

namespace highwater::parquet {

namespace {

/// Whether a table can hold this file column as it is.
Result<void> verify_holdable(const FileColumn& column, bool convert_times) {
    const std::string name = "column '" + format_quoted(column.name) + "'";
    if (!column.type) {
        return Error(Code::unsupported,
                     name + " has type " + column.type_text + ", which no table holds");
    }
    if (*column.type != model::ColumnType::timestamp || convert_times) return {};
    if (column.is_int96) {
        return Error(Code::invalid_argument,
                     name + " is INT96, which has no declared unit and zone");
    }
    if (!column.is_utc_adjusted) {
        return Error(Code::invalid_argument, name + " is a local timestamp, not adjusted to UTC");
    }
    return {};
}

}  // namespace

Result<model::Schema> infer_schema(const FileFacts& facts, std::string_view time_column,
                                   bool convert_times) {
    const bool has_ids = has_field_ids(facts);
    model::Schema schema{.columns = {}, .time_column = std::string(time_column)};
    std::optional<model::TimeUnit> unit;
    for (const FileColumn& found : facts.columns) {
        TRY(verify_holdable(found, convert_times));
        if (found.unit && !convert_times) {
            if (unit && unit != found.unit) {
                return Error(Code::invalid_argument, "the timestamps have several units");
            }
            unit = found.unit;
        }
        schema.columns.push_back(
            {.id = has_ids ? found.field_id : static_cast<std::int32_t>(schema.columns.size()) + 1,
             .name = found.name,
             .type = *found.type,
             .nullable = found.nullable && found.name != time_column,
             .decimal_precision = found.decimal_precision,
             .decimal_scale = found.decimal_scale});
    }
    schema.unit = unit.value_or(model::TimeUnit::microsecond);
    std::stable_sort(
        schema.columns.begin(), schema.columns.end(),
        [](const model::Column& left, const model::Column& right) { return left.id < right.id; });
    TRY(model::verify_schema(schema));
    return schema;
}

}  // namespace highwater::parquet
