#include "stage/csv.h"

#include "base/assert.h"
#include "base/try.h"

namespace highwater::stage {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

CsvReader::CsvReader(const object::Reader& reader, char delimiter, std::size_t record_size_max)
    : reader_(reader), delimiter_(delimiter), record_size_max_(record_size_max) {
    ASSERT(delimiter != '"' && delimiter != '\r' && delimiter != '\n');
}

Result<std::optional<char>> CsvReader::peek() {
    if (position_ == buffer_.size()) {
        buffer_ = TRY(reader_.read_at(offset_, csv_read_size));
        position_ = 0;
        if (offset_ == 0 && buffer_.starts_with(byte_order_mark)) {
            position_ = byte_order_mark.size();
        }
        offset_ += buffer_.size();
    }
    if (position_ == buffer_.size()) return std::optional<char>();
    return std::optional(buffer_[position_]);
}

void CsvReader::set_bad(CsvRecord& record, std::string reason) {
    record.bad = std::move(reason);
    mode_ = Mode::bad;
}

void CsvReader::end_field(CsvRecord& record) {
    record.fields.push_back(std::move(field_));
    record.is_quoted.push_back(field_quoted_);
    field_.clear();
    field_quoted_ = false;
    mode_ = Mode::start_of_field;
    if (record.fields.size() > csv_fields_max) {
        set_bad(record, "more than " + std::to_string(csv_fields_max) + " fields");
    }
}

/// One character that does not end the record.
Result<void> CsvReader::take(char c, CsvRecord& record) {
    if (record.raw.size() >= record_size_max_) {
        if (mode_ == Mode::quoted) {
            return Error(Code::invalid_argument, "line " + std::to_string(record.line) +
                                                     ": a quote is not closed within " +
                                                     std::to_string(record_size_max_) + " bytes");
        }
        if (mode_ != Mode::bad) {
            set_bad(record, "more than " + std::to_string(record_size_max_) + " bytes");
        }
        return {};
    }
    record.raw.push_back(c);
    switch (mode_) {
        case Mode::start_of_field:
            if (c == '"') {
                field_quoted_ = true;
                mode_ = Mode::quoted;
                return {};
            }
            mode_ = Mode::plain;
            [[fallthrough]];
        case Mode::plain:
            if (c == delimiter_) {
                end_field(record);
            } else if (c == '"') {
                set_bad(record, "a quote inside a field that does not begin with one");
            } else {
                field_.push_back(c);
            }
            return {};
        case Mode::quoted:
            if (c == '"') {
                mode_ = Mode::after_quote;
            } else {
                field_.push_back(c);
            }
            return {};
        case Mode::after_quote:
            if (c == '"') {
                field_.push_back(c);
                mode_ = Mode::quoted;
            } else if (c == delimiter_) {
                end_field(record);
            } else {
                set_bad(record, "text after a closing quote");
            }
            return {};
        case Mode::bad: return {};
    }
    return {};
}

Result<std::optional<CsvRecord>> CsvReader::next() {
    CsvRecord record;
    field_.clear();
    field_quoted_ = false;
    mode_ = Mode::start_of_field;
    record.line = line_;
    bool is_begun = false;
    while (true) {
        const auto c = TRY(peek());
        if (!c) break;
        ++position_;
        if (*c == '\n') ++line_;
        if (*c == '\n' && mode_ != Mode::quoted) {
            if (is_begun) break;
            record.line = line_;  // An empty line.
            continue;
        }
        if (*c == '\r' && mode_ != Mode::quoted) {
            const auto after = TRY(peek());
            if (!after || *after == '\n') continue;
            if (mode_ != Mode::bad) set_bad(record, "a carriage return that ends no line");
        }
        is_begun = true;
        TRY(take(*c, record));
    }
    if (mode_ == Mode::quoted) {
        return Error(Code::invalid_argument,
                     "line " + std::to_string(record.line) + ": a quote is never closed");
    }
    if (!is_begun) return std::optional<CsvRecord>();
    if (mode_ != Mode::bad) end_field(record);
    if (record.bad) {
        record.fields.clear();
        record.is_quoted.clear();
    }
    return std::optional(std::move(record));
}

std::string format_csv_field(std::string_view field) {
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
    std::string quoted = "\"";
    for (const char c : field) {
        if (c == '"') quoted.push_back('"');
        quoted.push_back(c);
    }
    return quoted + '"';
}

}  // namespace highwater::stage
