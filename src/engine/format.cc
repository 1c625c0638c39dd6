#include "engine/format.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "base/try.h"
#include "engine/cell_text.h"

namespace highwater::engine {

namespace {

using model::ColumnType;
using parquet::RowBatch;

constexpr std::array format_names = {
    std::pair{TextFormat::table, std::string_view("table")},
    std::pair{TextFormat::csv, std::string_view("csv")},
    std::pair{TextFormat::json, std::string_view("json")},
};

std::size_t count_characters(std::string_view text) {
    const auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
    return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}

bool is_number(const ResultColumn& column) {
    switch (column.type) {
        case ColumnType::boolean:
        case ColumnType::string:
        case ColumnType::binary:
        case ColumnType::date:
        case ColumnType::timestamp: return false;
        default: return true;
    }
}

Result<void> check(const std::ostream& out) {
    if (!out) return Error(Code::unavailable, "the output does not take the rows");
    return {};
}

// ---- table -------------------------------------------------------------------------------------

std::string format_table_cell(const ResultColumn& column, const parquet::Cells& cells,
                              std::size_t row) {
    if (cells.is_null(row)) return "NULL";
    return format_quoted(format_cell(column, cells, row), table_cell_width_max);
}

/// One line of the table. Numbers stand at the right; no line ends with a space.
template <typename TextOf>
void write_line(std::ostream& out, const std::vector<ResultColumn>& columns,
                const std::vector<std::size_t>& widths, TextOf text_of) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string text = text_of(i);
        const std::string space(widths[i] - std::min(widths[i], count_characters(text)), ' ');
        if (i > 0) line += "  ";
        line += is_number(columns[i]) ? space + text : text + space;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out << line << '\n';
}

Result<std::vector<std::size_t>> measure_columns(const ResultTable& table) {
    std::vector<std::size_t> widths;
    for (const ResultColumn& column : table.columns()) {
        widths.push_back(count_characters(format_quoted(column.name, table_cell_width_max)));
    }
    RowCursor cursor = table.read();
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            for (std::size_t row = 0; row < batch->rows(); ++row) {
                const std::string cell =
                    format_table_cell(table.columns()[i], batch->columns[i], row);
                widths[i] = std::max(widths[i], count_characters(cell));
            }
        }
    }
    return widths;
}

Result<void> write_table(const ResultTable& table, std::ostream& out) {
    const auto& columns = table.columns();
    const auto widths = TRY(measure_columns(table));
    write_line(out, columns, widths,
               [&](std::size_t i) { return format_quoted(columns[i].name, table_cell_width_max); });
    write_line(out, columns, widths, [&](std::size_t i) { return std::string(widths[i], '-'); });
    RowCursor cursor = table.read();
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            write_line(out, columns, widths, [&](std::size_t i) {
                return format_table_cell(columns[i], batch->columns[i], row);
            });
        }
        TRY(check(out));
    }
    return check(out);
}

// ---- CSV ---------------------------------------------------------------------------------------

void write_csv_field(std::ostream& out, std::string_view text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out << text;
        return;
    }
    out << '"';
    for (const char character : text) {
        if (character == '"') out << '"';
        out << character;
    }
    out << '"';
}

Result<void> write_csv(const ResultTable& table, std::ostream& out) {
    const auto& columns = table.columns();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) out << ',';
        write_csv_field(out, columns[i].name);
    }
    out << '\n';
    RowCursor cursor = table.read();
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                if (i > 0) out << ',';
                if (batch->columns[i].is_null(row)) continue;
                write_csv_field(out, format_cell(columns[i], batch->columns[i], row));
            }
            out << '\n';
        }
        TRY(check(out));
    }
    return check(out);
}

// ---- JSON --------------------------------------------------------------------------------------

Result<void> write_json(const ResultTable& table, std::ostream& out) {
    std::vector<std::string> names;
    for (const ResultColumn& column : table.columns()) {
        names.push_back(format_json(Json(column.name)));
    }
    out << '[';
    bool is_first = true;
    RowCursor cursor = table.read();
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            out << (is_first ? "\n{" : ",\n{");
            is_first = false;
            for (std::size_t i = 0; i < names.size(); ++i) {
                if (i > 0) out << ',';
                out << names[i] << ':'
                    << format_json_cell(table.columns()[i], batch->columns[i], row);
            }
            out << '}';
        }
        TRY(check(out));
    }
    out << "\n]\n";
    return check(out);
}

}  // namespace

std::string_view to_text(TextFormat format) {
    const auto found =
        std::ranges::find(format_names, format, [](const auto& p) { return p.first; });
    return found->second;
}

std::optional<TextFormat> parse_text_format(std::string_view text) {
    const auto found =
        std::ranges::find(format_names, text, [](const auto& p) { return p.second; });
    if (found == format_names.end()) return std::nullopt;
    return found->first;
}

Result<void> write_text(const ResultTable& table, TextFormat format, std::ostream& out) {
    switch (format) {
        case TextFormat::table: return write_table(table, out);
        case TextFormat::csv: return write_csv(table, out);
        case TextFormat::json: return write_json(table, out);
    }
    return Error(Code::unsupported, "no such format");
}

}  // namespace highwater::engine
