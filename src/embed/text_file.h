#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater::embed {

/// Writes `text` as a new file that the user named: durable, whole or not at all.
///
/// Errors: already_exists (what is there is untouched), not_found (no such folder), denied,
///         exhausted (no space), unavailable.
Result<void> write_new_file(const std::string& path, std::string_view text);

/// Checks that `write_new_file` may succeed: the folder is there and the name is free.
Result<void> verify_new_file(const std::string& path);

}  // namespace highwater::embed
