#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "object/store.h"
#include "stage/csv.h"
#include "stage/input.h"

namespace highwater::stage {

/// How messages call an input.
std::string shown_name(const Input& input);

/// The labels of `input`: its own after those of all, with "{stem}" filled in.
///
/// Errors: invalid_argument  a column twice.
Result<std::vector<Label>> labels_of(const Input& input, const InputOptions& options);

/// The header and every record after it of a CSV text.
struct CsvListener {
    std::function<Result<void>(const std::vector<std::string>& names)> on_header;
    std::function<Result<void>(CsvRecord& record)> on_record;  // Bad ones too.
    std::function<Result<void>()> on_step;
};

/// Errors: invalid_argument (no header, a name empty or twice), those of CsvReader and the
/// listener.
Result<void> read_records(const object::Reader& reader, const InputOptions& options,
                          const CsvListener& listener);

Result<void> read_csv(const object::Reader& reader, const Input& input, const InputOptions& options,
                      const model::Schema& schema, const InputListener& listener);

Result<void> read_parquet(const object::Reader& reader, const Input& input,
                          const InputOptions& options, const model::Schema& schema,
                          const InputListener& listener);

}  // namespace highwater::stage
