#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "model/schema.h"
#include "object/store.h"
#include "parquet/rows.h"
#include "stage/text_cell.h"

namespace highwater::stage {

/// A string column with one value for a whole file. "{stem}" in the value is the file's name
/// without folders and without what follows its first dot.
struct Label {
    std::string column;
    std::string value;
};

/// "key=value". Errors: invalid_argument.
Result<Label> parse_label(std::string_view text);

/// One file of rows.
struct Input {
    enum class Kind : std::uint8_t { csv, parquet };

    object::Name file;
    Kind kind = Kind::csv;
    std::vector<Label> labels = {};  // Beside those of all inputs.
    std::string shown = {};          // How messages call it; its path when empty.
};

struct InputOptions {
    char delimiter = ',';
    std::vector<std::string> names = {};     // Of the columns, for CSV without a header.
    std::vector<std::string> left_out = {};  // Columns of the files that are not staged.
    std::vector<Label> labels = {};          // Of every input.
    TimeFormat times = {};
};

/// A line (CSV) or row (Parquet) that is not staged, and why.
struct BadLine {
    std::string file;
    std::uint64_t number = 0;  // The first line or row is 1.
    std::string reason;
    Bytes original;  // The line as it stands in the file; empty for Parquet.
};

/// Who takes what is read. An error from any of them ends the reading and is passed on.
struct InputListener {
    std::function<Result<void>(const parquet::RowBatch& batch, std::size_t row)> on_row;
    std::function<Result<void>(BadLine line)> on_bad;
    /// Now and then, at least once for 8,192 rows or 1 MiB: for progress and cancellation.
    std::function<Result<void>()> on_step;
};

/// Reads one input as rows of `schema`. Columns are matched by name; those that the file lacks are
/// null. Parquet times of any unit, INT96 and local ones (in `options.times.zone`) are converted.
///
/// Errors: invalid_argument  a column of the file is not in the schema and not left out, a column
/// that
///                           may not be null is missing, a type that does not fit, a header that
///                           names a column twice, a quote that is never closed, a Parquet time
///                           that cannot be converted without loss.
///         corrupt, unsupported  a Parquet file that cannot be read.
///         Those of object::Store::open and of the listener. Each names the file.
Result<void> read_input(object::Store& store, const Input& input, const InputOptions& options,
                        const model::Schema& schema, const InputListener& listener);

/// The schema that the inputs give, read whole: columns in the order in which they are first seen,
/// labels last, ids 1, 2, 3 ...; CSV types by TypeInference, Parquet types as they are.
///
/// Errors: invalid_argument  no time column in some input, a name that no table may have, two
/// inputs
///                           whose types for a column do not fit each other. Those of `read_input`.
Result<model::Schema> infer_schema(object::Store& store, const std::vector<Input>& inputs,
                                   const InputOptions& options, const std::string& time_column,
                                   model::TimeUnit unit);

}  // namespace highwater::stage
