#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "object/store.h"

namespace highwater::stage {

/// What is read ahead of a text, and the most that one record may hold, quotes and all.
constexpr std::size_t csv_read_size = std::size_t{1} << 20U;
constexpr std::size_t csv_record_size_max = std::size_t{16} << 20U;
constexpr std::size_t csv_fields_max = 1'000;

/// One record of a CSV text, well formed or not.
struct CsvRecord {
    std::uint64_t line = 0;          // Where it begins; the first line is 1.
    std::vector<Bytes> fields;       // Without their quotes.
    std::vector<bool> is_quoted;     // A field that was quoted is text even when it is empty.
    Bytes raw;                       // As it stands in the text, without the end of its line.
    std::optional<std::string> bad;  // Why it is no record; then `fields` holds nothing.
};

/// Reads CSV record by record, so that each bad line is told by its number.
///
/// RFC 4180, with any one-byte delimiter: fields may be quoted with '"', a quote inside is doubled,
/// quoted fields may hold delimiters and line ends; records end with LF or CRLF. A byte order mark
/// at the start and lines without a character are skipped. A bad record ends at its line's end and
/// the next one is read on; but a quote that is never closed ends the reading, since from there on
/// nothing in the text can be told apart.
///
/// Not thread-safe. Lifetime: `reader` outlives it. Cost: memory for one read and one record.
/// Source: RFC 4180.
class CsvReader {
public:
    /// Requires: `delimiter` is not '"', CR or LF.
    CsvReader(const object::Reader& reader, char delimiter,
              std::size_t record_size_max = csv_record_size_max);

    /// The next record, good or bad; nothing at the end.
    ///
    /// Errors: invalid_argument  a quote that is never closed, or whose record has more than the
    ///                           limit; the message names its line.
    ///         unavailable       those of the reader.
    Result<std::optional<CsvRecord>> next();

    std::uint64_t bytes_read() const { return offset_; }

private:
    enum class Mode { start_of_field, plain, quoted, after_quote, bad, endless };

    Result<void> fill();
    bool is_at_end() const { return position_ == buffer_.size(); }
    void take_span(CsvRecord& record);
    void take(char c, CsvRecord& record);
    void end_field(CsvRecord& record);
    void set_bad(CsvRecord& record, std::string reason);

    const object::Reader& reader_;
    const char delimiter_;
    const std::size_t record_size_max_;
    Bytes buffer_;
    std::size_t position_ = 0;  // In buffer_.
    std::uint64_t offset_ = 0;  // Of the buffer's end in the text.
    std::uint64_t line_ = 1;
    Mode mode_ = Mode::start_of_field;
    Bytes field_;
    bool field_quoted_ = false;
};

/// `field` as it may stand in a CSV text: quoted when it must be.
std::string format_csv_field(std::string_view field);

}  // namespace highwater::stage
