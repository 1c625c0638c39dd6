#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"
#include "model/schema.h"
#include "object/store.h"

namespace highwater::parquet {

/// What may be said of a file that claims to be Parquet.
enum class Verdict : std::uint8_t {
    readable,
    footer_invalid,  // No magic, cut off, not decodable; also a page that fails its checksum.
    unsupported,     // Encrypted, an unknown encoding, codec or logical type, nested columns.
};

std::string_view to_text(Verdict verdict);

/// One leaf column of a file as its footer describes it.
struct FileColumn {
    std::string name;
    std::int32_t field_id = 0;  // 0: none.
    std::optional<model::ColumnType>
        type;                             // Nothing: no type of ours; `type_text` says what it is.
    std::optional<model::TimeUnit> unit;  // Timestamps only.
    bool is_utc_adjusted = false;         // likewise
    bool is_int96 = false;                // Then `unit` is nanosecond, and no zone is known.
    bool nullable = true;
    std::int32_t decimal_precision = 0;
    std::int32_t decimal_scale = 0;
    std::string type_text;  // "INT64 Timestamp(isAdjustedToUTC=true, ...)", for people.
};

/// What a footer says. Only `verdict` and `reason` hold unless the verdict is readable.
struct FileFacts {
    Verdict verdict = Verdict::readable;
    std::string reason;
    std::uint64_t record_count = 0;
    std::vector<FileColumn> columns;
    std::string created_by;
    bool is_ours = false;  // Written by write.h: its statistics may be believed.

    /// Bounds and null count of the column `name` from statistics, when the footer has them.
    struct TimeStatistics {
        Time min_time;
        Time max_time;
        std::uint64_t null_count = 0;
    };
    std::optional<TimeStatistics> times;  // Of the time column asked for.
};

/// Reads the footer alone.
///
/// Requires: `time_column` may be empty: then `times` stays empty.
/// Errors: unavailable (the store did not answer). Broken bytes are a verdict, never an Error.
/// Cost: one read of a file up to 4 MiB; else two or three, and the footer's size in memory (at
/// most `footer_size_max`).
Result<FileFacts> inspect_file(const object::Reader& reader, std::string_view time_column);

constexpr std::uint64_t footer_size_max = 256ULL << 20U;

/// Rows of one file; more are unsupported. A file of a few bytes can claim, and even hold, any
/// number of equal rows.
constexpr std::uint64_t file_rows_max = 1'000'000'000;

/// Where the columns of a file differ from a schema: one sentence each. Empty: every column of the
/// schema can be read from the file without changing a value (model::is_lossless), columns that the
/// file lacks are nullable, and the file has no other columns. Columns are matched by field id when
/// every column of the file has one, else by name. With `convert_times` timestamps of any unit,
/// INT96 and local ones are no difference: `stage` converts them.
std::vector<std::string> find_schema_differences(const FileFacts& facts,
                                                 const model::Schema& schema,
                                                 bool convert_times = false);

/// What all rows of a file say, every column decoded.
struct ScanFacts {
    Verdict verdict = Verdict::readable;
    std::string reason;
    std::uint64_t record_count = 0;
    std::uint64_t null_times = 0;
    bool is_time_overflow = false;  // A time that does not fit int64 nanoseconds.
    std::optional<Time> min_time;   // Of the times that are there.
    std::optional<Time> max_time;
    Digest row_fingerprint;  // to_digest(model::RowFingerprint), after a cast to the schema.
};

/// Decodes every page of every column and adds up the row fingerprint. Page checksums are verified.
///
/// Requires: find_schema_differences is empty for this file. Without its time column in the schema
/// no times are looked at.
/// Errors: unavailable. Broken bytes are a verdict.
/// Cost: reads the whole file, in memory up to 4 MiB, else in pieces of 256 KiB a column; memory
/// for a batch of rows (8,192, or 32 MiB of them) and at most 1 GiB of pages.
Result<ScanFacts> scan_file(const object::Reader& reader, const model::Schema& schema);

/// Decodes every page of every column as the file itself describes them, types that no table holds
/// included: whether the file is sound, whatever schema it was meant for. Of the facts returned,
/// only verdict, reason and record count are set.
///
/// Errors: unavailable. Broken bytes are a verdict. Cost: as `scan_file`.
Result<ScanFacts> verify_pages(const object::Reader& reader);

}  // namespace highwater::parquet
