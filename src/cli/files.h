#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater::cli {

/// The whole file that the user named.
///
/// Errors: not_found, denied (a folder, no permission), exhausted (more than `size_max` bytes).
Result<std::string> read_file(const std::string& path, std::size_t size_max);

/// Writes `text` as the file that the user named: beside it first, then in its place.
///
/// Errors: denied, exhausted (no space), unavailable; what was there before is untouched.
Result<void> write_file(const std::string& path, std::string_view text);

/// `path` made absolute, with links resolved as far as it exists.
///
/// Errors: denied.
Result<std::string> absolute_path(const std::string& path);

}  // namespace highwater::cli
