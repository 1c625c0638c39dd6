#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"
#include "model/schema.h"
#include "object/store.h"
#include "parquet/rows.h"

namespace highwater::parquet {

/// How the files of this writer say who made them; the statistics of such files may be believed.
constexpr std::string_view created_by_prefix = "highwater version ";
constexpr std::string_view created_by = "highwater version 0.1.0";

/// Rows of one row group; fewer in the last one, and where `row_group_size_max` came first.
constexpr std::size_t row_group_rows_max = 131'072;
constexpr std::size_t row_group_size_max = std::size_t{64} << 20U;

struct WriteOptions {
    std::string table_id = {};         // Both go into the file's key-value metadata, under
    std::uint32_t schema_version = 1;  // "highwater.table_id" and "highwater.schema_version".
    std::size_t row_group_rows = row_group_rows_max;
};

/// What was written, counted and digested on the way.
struct WrittenObject {
    std::uint64_t size_bytes = 0;
    std::uint64_t record_count = 0;
    std::optional<Time> min_time;  // Absent only when there are no records.
    std::optional<Time> max_time;
    Digest sha256;
    Digest row_fingerprint;

    friend bool operator==(const WrittenObject&, const WrittenObject&) = default;
};

/// Writes rows as one Parquet object that every foreign reader gets right: timestamps adjusted to
/// UTC in the schema's unit, field ids equal to column ids, columns in table order, zstd,
/// statistics and page checksums. Equal rows in equal order give equal bytes, however they were
/// batched.
///
/// Not thread-safe. Lifetime: `upload` outlives the writer, which neither seals nor finishes it.
/// Cost: memory for one row group, decoded and encoded.
class ObjectWriter {
public:
    /// Requires: model::verify_schema(schema), options.row_group_rows > 0.
    ObjectWriter(object::Upload& upload, const model::Schema& schema, const WriteOptions& options);
    ~ObjectWriter();
    ObjectWriter(const ObjectWriter&) = delete;
    ObjectWriter& operator=(const ObjectWriter&) = delete;

    /// Adds the rows [from, to) of `batch`, in their order.
    ///
    /// Requires: `batch` is of the schema; to <= batch.rows().
    /// Errors: invalid_argument (a null in a column that has none, a time outside the range of
    /// Time,
    ///         text that is not UTF-8), those of object::Upload::append. After any, the object is
    ///         worth nothing: drop the upload.
    Result<void> append(const RowBatch& batch, std::size_t from, std::size_t to);

    std::uint64_t rows() const;

    /// Writes the footer. Called once, last.
    ///
    /// Errors: those of object::Upload::append.
    Result<WrittenObject> close();

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace highwater::parquet
