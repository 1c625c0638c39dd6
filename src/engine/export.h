#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/result.h"

namespace highwater::engine {

/// How rows are written as a file of columns.
enum class FileFormat : std::uint8_t {
    parquet,  // zstd
    arrow,    // Arrow IPC file
};

std::string_view to_text(FileFormat format);
std::optional<FileFormat> parse_file_format(std::string_view text);

/// Writes every row to the new file `path`, which appears whole or not at all.
///
/// Errors: already_exists    something has that name; it is untouched.
///         invalid_argument  a value that the format cannot hold.
///         exhausted         no space, no memory.
///         unavailable, corrupt  the rows cannot be read back, or the file cannot be written.
Result<void> write_file(const ResultTable& table, FileFormat format, const std::string& path);

}  // namespace highwater::engine
