#include "stage/input.h"

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "parquet/inspect.h"
#include "stage/read_csv.h"

namespace highwater::stage {

namespace {

/// A column as one input, or several, know it.
struct SeenColumn {
    std::string name;
    model::ColumnType type = model::ColumnType::string;
    std::int32_t decimal_precision = 0;
    std::int32_t decimal_scale = 0;
    std::optional<TypeInference> texts = std::nullopt;  // CSV: what its values leave open.
};

Result<std::vector<SeenColumn>> see_csv(const object::Reader& reader, const InputOptions& options) {
    std::vector<SeenColumn> columns;
    std::vector<TypeInference> types;
    TRY(read_records(reader, options,
                     {.on_header = [&](const std::vector<std::string>& names) -> Result<void> {
                          for (const std::string& name : names) {
                              columns.emplace_back().name = name;
                          }
                          types.resize(names.size());
                          return {};
                      },
                      .on_record = [&](CsvRecord& record) -> Result<void> {
                          // What is no record is told when the rows are read.
                          if (record.fields.size() != types.size()) return {};
                          for (std::size_t i = 0; i < types.size(); ++i) {
                              types[i].add(record.fields[i], record.is_quoted[i]);
                          }
                          return {};
                      },
                      .on_step = []() -> Result<void> { return {}; }}));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i].type = types[i].type();
        columns[i].texts = types[i];
    }
    return columns;
}

Result<std::vector<SeenColumn>> see_parquet(const object::Reader& reader) {
    const auto facts = TRY(parquet::inspect_file(reader, ""));
    if (facts.verdict != parquet::Verdict::readable) {
        return Error(
            facts.verdict == parquet::Verdict::unsupported ? Code::unsupported : Code::corrupt,
            facts.reason);
    }
    std::vector<SeenColumn> columns;
    for (const parquet::FileColumn& column : facts.columns) {
        if (!column.type) {
            return Error(Code::unsupported, "column '" + format_quoted(column.name) +
                                                "' has type " + column.type_text);
        }
        columns.push_back({.name = column.name,
                           .type = *column.type,
                           .decimal_precision = column.decimal_precision,
                           .decimal_scale = column.decimal_scale});
    }
    return columns;
}

/// The columns of all inputs, in the order in which they are first seen.
class Columns {
public:
    explicit Columns(std::string time_column) : time_column_(std::move(time_column)) {}

    Result<void> add(const SeenColumn& seen) {
        const auto known = std::find_if(columns_.begin(), columns_.end(), [&](const auto& column) {
            return column.name == seen.name;
        });
        if (known == columns_.end()) {
            columns_.push_back(seen);
            return {};
        }
        return seen.name == time_column_ ? Result<void>() : widen(*known, seen);
    }

    Result<model::Schema> to_schema(model::TimeUnit unit) const {
        model::Schema schema{.columns = {}, .time_column = time_column_, .unit = unit};
        for (const SeenColumn& column : columns_) {
            const bool is_time = column.name == time_column_;
            schema.columns.push_back({.id = static_cast<std::int32_t>(schema.columns.size()) + 1,
                                      .name = column.name,
                                      .type = is_time ? model::ColumnType::timestamp : column.type,
                                      .nullable = !is_time,
                                      .decimal_precision = column.decimal_precision,
                                      .decimal_scale = column.decimal_scale});
        }
        TRY(model::verify_schema(schema));
        return schema;
    }

private:
    /// Makes `known` a column that holds the values of `seen` too.
    static Result<void> widen(SeenColumn& known, const SeenColumn& seen) {
        if (known.texts && seen.texts) {
            known.texts->add(*seen.texts);
            known.type = known.texts->type();
            return {};
        }
        if (seen.texts && !seen.texts->has_values()) return {};
        const bool is_open = known.texts && !known.texts->has_values();
        const bool same_decimal = known.decimal_precision == seen.decimal_precision &&
                                  known.decimal_scale == seen.decimal_scale;
        if (!is_open && same_decimal && model::is_lossless(seen.type, known.type)) return {};
        if (is_open || (same_decimal && model::is_lossless(known.type, seen.type))) {
            known = seen;
            return {};
        }
        return Error(Code::invalid_argument,
                     "column '" + format_quoted(seen.name) + "' is " +
                         std::string(model::to_text(seen.type)) + " here, " +
                         std::string(model::to_text(known.type)) + " in an earlier file");
    }

    std::string time_column_;
    std::vector<SeenColumn> columns_;
};

bool is_left_out(const InputOptions& options, const std::string& name) {
    return std::find(options.left_out.begin(), options.left_out.end(), name) !=
           options.left_out.end();
}

Result<std::vector<SeenColumn>> see_input(object::Store& store, const Input& input,
                                          const InputOptions& options,
                                          const std::string& time_column) {
    const auto reader = TRY(store.open(input.file));
    auto columns =
        input.kind == Input::Kind::csv ? TRY(see_csv(*reader, options)) : TRY(see_parquet(*reader));
    std::erase_if(columns,
                  [&](const SeenColumn& column) { return is_left_out(options, column.name); });
    const bool has_time =
        std::any_of(columns.begin(), columns.end(),
                    [&](const SeenColumn& column) { return column.name == time_column; });
    if (!has_time) {
        return Error(Code::invalid_argument,
                     "there is no time column '" + format_quoted(time_column) + "'");
    }
    return columns;
}

}  // namespace

Result<void> read_input(object::Store& store, const Input& input, const InputOptions& options,
                        const model::Schema& schema, const InputListener& listener) {
    const auto read = [&]() -> Result<void> {
        const auto reader = TRY(store.open(input.file));
        return input.kind == Input::Kind::csv
                   ? read_csv(*reader, input, options, schema, listener)
                   : read_parquet(*reader, input, options, schema, listener);
    };
    return read().within(shown_name(input));
}

Result<model::Schema> infer_schema(object::Store& store, const std::vector<Input>& inputs,
                                   const InputOptions& options, const std::string& time_column,
                                   model::TimeUnit unit) {
    Columns columns(time_column);
    std::vector<SeenColumn> labels;
    for (const Input& input : inputs) {
        const auto add = [&]() -> Result<void> {
            for (const auto& column : TRY(see_input(store, input, options, time_column))) {
                TRY(columns.add(column));
            }
            for (const Label& label : TRY(labels_of(input, options))) {
                labels.emplace_back().name = label.column;
            }
            return {};
        };
        TRY(add().within(shown_name(input)));
    }
    for (const SeenColumn& label : labels) TRY(columns.add(label));
    return columns.to_schema(unit);
}

}  // namespace highwater::stage
