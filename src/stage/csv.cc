#include "stage/csv.h"

#include <algorithm>

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

/// Reads on when the buffer is used up; afterwards it is empty only at the end of the text.
Result<void> CsvReader::fill() {
    if (!is_at_end()) return {};
    buffer_ = TRY(reader_.read_at(offset_, csv_read_size));
    position_ = offset_ == 0 && buffer_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    offset_ += buffer_.size();
    return {};
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

/// What follows and means nothing but itself where we are: most of any text.
void CsvReader::take_span(CsvRecord& record) {
    if (mode_ != Mode::plain && mode_ != Mode::quoted) return;
    const auto is_special = [&](char c) {
        return c == '"' || c == '\n' || (mode_ == Mode::plain && (c == delimiter_ || c == '\r'));
    };
    const std::size_t room = record_size_max_ - std::min(record_size_max_, record.raw.size());
    const std::size_t end = position_ + std::min(room, buffer_.size() - position_);
    std::size_t stop = position_;
    while (stop < end && !is_special(buffer_[stop])) ++stop;
    const BytesView span = BytesView(buffer_).substr(position_, stop - position_);
    record.raw += span;
    field_ += span;
    position_ = stop;
}

/// One character that does not end the record.
void CsvReader::take(char c, CsvRecord& record) {
    if (record.raw.size() >= record_size_max_) {
        if (mode_ == Mode::quoted) {
            mode_ = Mode::endless;
        } else if (mode_ != Mode::bad) {
            set_bad(record, "more than " + std::to_string(record_size_max_) + " bytes");
        }
        return;
    }
    record.raw.push_back(c);
    switch (mode_) {
        case Mode::start_of_field:
            if (c == '"') {
                field_quoted_ = true;
                mode_ = Mode::quoted;
                return;
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
            return;
        case Mode::quoted:
            if (c == '"') {
                mode_ = Mode::after_quote;
            } else {
                field_.push_back(c);
            }
            return;
        case Mode::after_quote:
            if (c == '"') {
                field_.push_back(c);
                mode_ = Mode::quoted;
            } else if (c == delimiter_) {
                end_field(record);
            } else {
                set_bad(record, "text after a closing quote");
            }
            return;
        case Mode::bad:
        case Mode::endless: return;
    }
}

Result<std::optional<CsvRecord>> CsvReader::next() {
    CsvRecord record;
    field_.clear();
    field_quoted_ = false;
    mode_ = Mode::start_of_field;
    record.line = line_;
    bool is_begun = false;
    while (true) {
        TRY(fill());
        if (is_at_end()) break;
        take_span(record);
        if (is_at_end()) continue;
        const char c = buffer_[position_++];
        if (c == '\n') ++line_;
        if (c == '\n' && mode_ != Mode::quoted) {
            if (is_begun) break;
            record.line = line_;  // An empty line.
            continue;
        }
        if (c == '\r' && mode_ != Mode::quoted) {
            TRY(fill());
            if (is_at_end() || buffer_[position_] == '\n') continue;
            if (mode_ != Mode::bad) set_bad(record, "a carriage return that ends no line");
        }
        is_begun = true;
        take(c, record);
        if (mode_ == Mode::endless) {
            return Error(Code::invalid_argument, "line " + std::to_string(record.line) +
                                                     ": a quote is not closed within " +
                                                     std::to_string(record_size_max_) + " bytes");
        }
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
