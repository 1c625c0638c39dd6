#include <algorithm>
#include <set>

#include "base/text.h"
#include "parquet/inspect.h"
#include "parquet/match.h"

namespace highwater::parquet {

namespace {

std::string quoted(std::string_view name) {
    return "'" + format_quoted(name) + "'";
}

/// Why a value of `from` cannot be read as one of `to`; empty when it can.
std::string find_type_difference(const FileColumn& from, const model::Column& to,
                                 const model::Schema& schema, bool convert_times) {
    const std::string name = "column " + quoted(to.name);
    if (from.is_int96 && !convert_times)
        return name + " is INT96, which has no declared unit and zone";
    if (!from.type) return name + " has type " + from.type_text + ", which no table holds";
    if (!model::is_lossless(*from.type, to.type)) {
        return name + " is " + std::string(model::to_text(*from.type)) + " in the file, " +
               std::string(model::to_text(to.type)) + " in the schema";
    }
    if (to.type == model::ColumnType::timestamp && !convert_times) {
        if (!from.is_utc_adjusted) return name + " is a local timestamp, not adjusted to UTC";
        if (from.unit != schema.unit) {
            return name + " has unit " + std::string(model::to_text(*from.unit)) +
                   " in the file, the table has " + std::string(model::to_text(schema.unit));
        }
    }
    if (to.type == model::ColumnType::decimal &&
        (from.decimal_scale != to.decimal_scale || from.decimal_precision > to.decimal_precision)) {
        return name + " is decimal(" + std::to_string(from.decimal_precision) + "," +
               std::to_string(from.decimal_scale) + ") in the file, decimal(" +
               std::to_string(to.decimal_precision) + "," + std::to_string(to.decimal_scale) +
               ") in the schema";
    }
    return {};
}

void add_difference(std::vector<std::string>& differences, std::string sentence) {
    if (!sentence.empty()) differences.push_back(std::move(sentence));
}

}  // namespace

bool has_field_ids(const FileFacts& facts) {
    return !facts.columns.empty() &&
           std::all_of(facts.columns.begin(), facts.columns.end(),
                       [](const FileColumn& column) { return column.field_id > 0; });
}

std::optional<std::size_t> find_file_column(const FileFacts& facts, const model::Column& column) {
    const bool by_id = has_field_ids(facts);
    for (std::size_t i = 0; i < facts.columns.size(); ++i) {
        const FileColumn& candidate = facts.columns[i];
        if (by_id ? candidate.field_id == column.id : candidate.name == column.name) return i;
    }
    return std::nullopt;
}

std::vector<std::string> find_schema_differences(const FileFacts& facts,
                                                 const model::Schema& schema, bool convert_times) {
    std::vector<std::string> differences;
    std::set<std::size_t> matched;
    for (const model::Column& column : schema.columns) {
        const auto index = find_file_column(facts, column);
        if (!index) {
            if (!column.nullable) {
                differences.push_back("column " + quoted(column.name) + " is not in the file");
            }
            continue;
        }
        matched.insert(*index);
        const FileColumn& found = facts.columns[*index];
        if (found.name != column.name) {
            differences.push_back("field " + std::to_string(column.id) + " is " +
                                  quoted(found.name) + " in the file, " + quoted(column.name) +
                                  " in the schema");
        }
        add_difference(differences, find_type_difference(found, column, schema, convert_times));
        // Null times are counted row by row, so that a file of a writer that marks every column as
        // optional can be read; for other columns the footer's word is all there is.
        if (found.nullable && !column.nullable && column.name != schema.time_column) {
            differences.push_back("column " + quoted(column.name) +
                                  " may hold nulls in the file, not in the schema");
        }
    }
    for (std::size_t i = 0; i < facts.columns.size(); ++i) {
        if (matched.contains(i)) continue;
        differences.push_back("column " + quoted(facts.columns[i].name) +
                              " is not in the schema, or is there twice");
    }
    return differences;
}

}  // namespace highwater::parquet
