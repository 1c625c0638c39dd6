#pragma once

#include <cstddef>
#include <optional>

#include "model/schema.h"
#include "parquet/inspect.h"

namespace highwater::parquet {

/// True when every column of the file has a field id, so that columns are matched by it.
bool has_field_ids(const FileFacts& facts);

/// Where in the file `column` is: the first with its field id when the file has them, else with its
/// name.
std::optional<std::size_t> find_file_column(const FileFacts& facts, const model::Column& column);

}  // namespace highwater::parquet
