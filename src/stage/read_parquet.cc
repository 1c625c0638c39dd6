#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/try.h"
#include "parquet/inspect.h"
#include "parquet/match.h"
#include "parquet/read.h"
#include "stage/read_csv.h"

namespace highwater::stage {

namespace {

bool is_left_out(const InputOptions& options, const std::string& name) {
    return std::find(options.left_out.begin(), options.left_out.end(), name) !=
           options.left_out.end();
}

Result<parquet::FileFacts> load_facts(const object::Reader& reader, const InputOptions& options) {
    auto facts = TRY(parquet::inspect_file(reader, ""));
    switch (facts.verdict) {
        case parquet::Verdict::readable: break;
        case parquet::Verdict::footer_invalid: return Error(Code::corrupt, facts.reason);
        case parquet::Verdict::unsupported: return Error(Code::unsupported, facts.reason);
    }
    std::erase_if(facts.columns, [&](const parquet::FileColumn& column) {
        return is_left_out(options, column.name);
    });
    return facts;
}

/// The table's schema with ids that find the file's columns by name, whatever ids the file has, and
/// every column nullable: nulls are told row by row.
model::Schema make_read_schema(const parquet::FileFacts& facts, const model::Schema& schema) {
    constexpr std::int32_t absent_id = 1 << 30;  // No field id that any writer gives.
    model::Schema read = schema;
    for (std::size_t i = 0; i < read.columns.size(); ++i) {
        model::Column& column = read.columns[i];
        column.nullable = true;
        const auto found = std::find_if(
            facts.columns.begin(), facts.columns.end(),
            [&](const parquet::FileColumn& candidate) { return candidate.name == column.name; });
        const bool by_id = parquet::has_field_ids(facts) && found != facts.columns.end();
        column.id = by_id ? found->field_id : absent_id + static_cast<std::int32_t>(i);
    }
    return read;
}

/// Where the cells of a table column come from, beside the file: a label.
std::vector<std::optional<std::string>> place_labels(const std::vector<Label>& labels,
                                                     const model::Schema& schema) {
    std::vector<std::optional<std::string>> values(schema.columns.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (const Label& label : labels) {
            if (label.column == schema.columns[i].name) values[i] = label.value;
        }
    }
    return values;
}

Result<void> verify_columns(const parquet::FileFacts& facts, const std::vector<Label>& labels,
                            const model::Schema& schema, const model::Schema& read) {
    const auto differences = parquet::find_schema_differences(facts, read, true);
    if (!differences.empty()) return Error(Code::invalid_argument, differences.front());
    for (const Label& label : labels) {
        const bool is_in_file = std::any_of(
            facts.columns.begin(), facts.columns.end(),
            [&](const parquet::FileColumn& column) { return column.name == label.column; });
        if (schema.find(label.column) && !is_in_file) continue;
        return Error(Code::invalid_argument,
                     "label '" + format_quoted(label.column) + "' is " +
                         (is_in_file ? "a column of the file" : "not in the table"));
    }
    return {};
}

}  // namespace

Result<void> read_parquet(const object::Reader& reader, const Input& input,
                          const InputOptions& options, const model::Schema& schema,
                          const InputListener& listener) {
    const auto facts = TRY(load_facts(reader, options));
    const model::Schema read = make_read_schema(facts, schema);
    const auto labels = TRY(labels_of(input, options));
    TRY(verify_columns(facts, labels, schema, read));
    const auto label_values = place_labels(labels, schema);

    auto rows = TRY(parquet::RowReader::open(reader, read,
                                             {.convert_times = true,
                                              .local_zone = options.times.zone,
                                              .truncate_times = options.times.truncate}));
    std::uint64_t number = 0;
    parquet::RowBatch row = parquet::make_batch(schema);
    while (true) {
        const auto batch = TRY(rows.next());
        TRY(listener.on_step());
        if (!batch) return {};
        for (std::size_t i = 0; i < batch->rows(); ++i) {
            ++number;
            std::string fault;
            for (std::size_t column = 0; column < row.columns.size(); ++column) {
                parquet::Cells& cells = row.columns[column];
                cells.clear();
                if (label_values[column]) {
                    TRY(append_text(schema.columns[column], schema.unit, options.times,
                                    *label_values[column], true, cells));
                } else {
                    cells.append_from(batch->columns[column], i);
                }
                if (cells.is_null(0) && !schema.columns[column].nullable) {
                    fault = "column '" + schema.columns[column].name + "': is null";
                }
            }
            TRY(fault.empty() ? listener.on_row(row, 0)
                              : listener.on_bad({shown_name(input), number, fault, {}}));
        }
    }
}

}  // namespace highwater::stage
