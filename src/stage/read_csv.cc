#include "stage/read_csv.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/try.h"

namespace highwater::stage {

namespace {

constexpr std::uint64_t step_records = 8'192;

bool is_left_out(const InputOptions& options, const std::string& name) {
    return std::find(options.left_out.begin(), options.left_out.end(), name) !=
           options.left_out.end();
}

Result<void> verify_header(const std::vector<std::string>& names) {
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (name->empty()) return Error(Code::invalid_argument, "the header has an empty name");
        if (std::find(names.begin(), name, *name) != name) {
            return Error(Code::invalid_argument,
                         "the header names '" + format_quoted(*name) + "' twice");
        }
    }
    return {};
}

std::string_view stem_of(std::string_view path) {
    const auto slash = path.rfind('/');
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    return path.substr(0, path.find('.', 1));
}

/// Turns the records of one file into rows.
class RowBuilder {
public:
    RowBuilder(const Input& input, const InputOptions& options, const model::Schema& schema,
               const InputListener& listener)
        : input_(input),
          options_(options),
          schema_(schema),
          listener_(listener),
          row_(parquet::make_batch(schema)) {}

    /// Says where each column of the schema comes from.
    Result<void> set_header(const std::vector<std::string>& names) {
        field_count_ = names.size();
        const auto labels = TRY(labels_of(input_, options_));
        for (const model::Column& column : schema_.columns) {
            Origin& origin = origins_.emplace_back();
            const auto name = std::find(names.begin(), names.end(), column.name);
            if (name != names.end()) origin.field = std::distance(names.begin(), name);
            const auto label = std::find_if(labels.begin(), labels.end(), [&](const Label& l) {
                return l.column == column.name;
            });
            if (label != labels.end()) origin.label = label->value;
            if (!origin.field && !origin.label && !column.nullable) {
                return Error(Code::invalid_argument,
                             "column '" + column.name + "' may not be null and is not there");
            }
            if (origin.field && origin.label) {
                return Error(Code::invalid_argument,
                             "column '" + column.name + "' is in the file and a label");
            }
        }
        for (const std::string& name : names) {
            if (schema_.find(name) || is_left_out(options_, name)) continue;
            return Error(Code::invalid_argument,
                         "column '" + format_quoted(name) + "' is not in the table");
        }
        for (const Label& label : labels) {
            if (schema_.find(label.column)) continue;
            return Error(Code::invalid_argument,
                         "label '" + format_quoted(label.column) + "' is not in the table");
        }
        return {};
    }

    Result<void> add(CsvRecord& record) {
        auto reason = record.bad ? record.bad : find_fault(record);
        if (reason) {
            return listener_.on_bad(
                {shown_name(input_), record.line, *std::move(reason), std::move(record.raw)});
        }
        return listener_.on_row(row_, 0);
    }

private:
    struct Origin {
        std::optional<std::ptrdiff_t> field;
        std::optional<std::string> label;
    };

    /// Fills `row_`, or says why the record is no row.
    std::optional<std::string> find_fault(const CsvRecord& record) {
        if (record.fields.size() != field_count_) {
            return std::to_string(record.fields.size()) + " fields, not " +
                   std::to_string(field_count_);
        }
        for (std::size_t i = 0; i < origins_.size(); ++i) {
            parquet::Cells& cells = row_.columns[i];
            cells.clear();
            auto appended = append_cell(origins_[i], record, schema_.columns[i], cells);
            if (!appended.ok()) {
                return "column '" + schema_.columns[i].name + "': " + appended.error().message();
            }
        }
        return std::nullopt;
    }

    Result<void> append_cell(const Origin& origin, const CsvRecord& record,
                             const model::Column& column, parquet::Cells& cells) const {
        if (origin.field) {
            const auto index = static_cast<std::size_t>(*origin.field);
            return append_text(column, schema_.unit, options_.times, record.fields[index],
                               record.is_quoted[index], cells);
        }
        if (origin.label) {
            return append_text(column, schema_.unit, options_.times, *origin.label, true, cells);
        }
        cells.append_null();
        return {};
    }

    const Input& input_;
    const InputOptions& options_;
    const model::Schema& schema_;
    const InputListener& listener_;
    std::size_t field_count_ = 0;
    std::vector<Origin> origins_;
    parquet::RowBatch row_;
};

}  // namespace

std::string shown_name(const Input& input) {
    return format_quoted(input.shown.empty() ? input.file.path : input.shown);
}

Result<Label> parse_label(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return Error(Code::invalid_argument, "'" + format_quoted(text) + "' is not key=value");
    }
    return Label{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<std::vector<Label>> labels_of(const Input& input, const InputOptions& options) {
    constexpr std::string_view placeholder = "{stem}";
    std::vector<Label> labels = options.labels;
    labels.insert(labels.end(), input.labels.begin(), input.labels.end());
    for (auto label = labels.begin(); label != labels.end(); ++label) {
        const auto same = [&](const Label& other) { return other.column == label->column; };
        if (std::find_if(labels.begin(), label, same) != label) {
            return Error(Code::invalid_argument,
                         "label '" + format_quoted(label->column) + "' is given twice");
        }
        const std::string_view stem = stem_of(input.file.path);
        for (auto at = label->value.find(placeholder); at != std::string::npos;
             at = label->value.find(placeholder, at + stem.size())) {
            label->value.replace(at, placeholder.size(), stem);
        }
    }
    return labels;
}

Result<void> read_records(const object::Reader& reader, const InputOptions& options,
                          const CsvListener& listener) {
    CsvReader csv(reader, options.delimiter);
    std::vector<std::string> names = options.names;
    if (names.empty()) {
        auto header = TRY(csv.next());
        if (!header) return Error(Code::invalid_argument, "it is empty: no header");
        if (header->bad) return Error(Code::invalid_argument, "header: " + *header->bad);
        names = std::move(header->fields);
    }
    TRY(verify_header(names));
    TRY(listener.on_header(names));
    std::uint64_t bytes_told = 0;
    for (std::uint64_t count = 1;; ++count) {
        auto record = TRY(csv.next());
        if (!record) return listener.on_step();
        TRY(listener.on_record(*record));
        if (count % step_records != 0 && csv.bytes_read() == bytes_told) continue;
        bytes_told = csv.bytes_read();
        TRY(listener.on_step());
    }
}

Result<void> read_csv(const object::Reader& reader, const Input& input, const InputOptions& options,
                      const model::Schema& schema, const InputListener& listener) {
    RowBuilder builder(input, options, schema, listener);
    return read_records(
        reader, options,
        {.on_header =
             [&](const std::vector<std::string>& names) { return builder.set_header(names); },
         .on_record = [&](CsvRecord& record) { return builder.add(record); },
         .on_step = listener.on_step});
}

}  // namespace highwater::stage
