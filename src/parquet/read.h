#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/result.h"
#include "model/schema.h"
#include "object/store.h"
#include "parquet/inspect.h"
#include "parquet/rows.h"

namespace highwater::parquet {

constexpr std::size_t batch_rows_max = 8'192;

/// Rows between two looks at how large a batch has become.
constexpr std::size_t step_rows = 256;

/// What rows in memory may take.
struct ReadLimits {
    std::size_t batch_size_soft = std::size_t{32} << 20U;  // A batch that holds it ends.
    std::size_t step_size_max = std::size_t{512} << 20U;  // Of `step_rows` rows; more: unsupported.
};

struct ReadOptions {
    /// Take timestamps of any unit, INT96 and local ones, and convert them to the schema's unit.
    /// Else a file must hold them as the schema says.
    bool convert_times = false;
    std::chrono::minutes local_zone{0};  // East of UTC, of timestamps that are not adjusted to it.
    bool truncate_times = false;  // Drop what the schema's unit cannot say, instead of failing.
    ReadLimits limits = {};
};

/// Streams the rows of one file, cast to a schema, in the file's order.
///
/// Not thread-safe. Lifetime: the object::Reader outlives it. Cost: memory for one batch and for
/// the pages being decoded (`decode_memory_max`).
class RowReader {
public:
    /// Requires: no difference between `file` and `schema` but in the unit of timestamps when
    ///           `options.convert_times`; columns that the file lacks are null, others are left
    ///           out.
    /// Errors: corrupt, unsupported (the verdicts footer_invalid and unsupported, with the reason),
    ///         unavailable.
    static Result<RowReader> open(const object::Reader& file, const model::Schema& schema,
                                  const ReadOptions& options = {});

    /// The same for every column of the file by its own word, to see whether it can be decoded:
    /// what no table holds, and INT96, become nulls.
    static Result<RowReader> open_all_columns(const object::Reader& file);

    RowReader(RowReader&&) noexcept;
    RowReader& operator=(RowReader&&) noexcept;
    ~RowReader();

    /// The next rows, at least one; nothing after the last.
    ///
    /// Errors: as `open`; corrupt also for a value that does not fit its own type, text that is not
    ///         UTF-8, a page that fails its checksum; invalid_argument for a time that cannot be
    ///         converted without loss.
    Result<std::optional<RowBatch>> next();

    const FileFacts& facts() const;

private:
    class State;
    explicit RowReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// The schema that a file's own columns give: names and types as they are, ids from the file when
/// every column has one, else 1, 2, 3 ...; the time column not nullable.
///
/// Errors: unsupported       a column whose type no table holds, or a name that no table may have.
///         invalid_argument  `time_column` is not there or no timestamp of one declared unit in
///         UTC;
///                           the timestamps have several units. `convert_times` takes any
///                           timestamps; the unit is then microseconds.
Result<model::Schema> infer_schema(const FileFacts& facts, std::string_view time_column,
                                   bool convert_times = false);

}  // namespace highwater::parquet
