#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater::demo {

/// Writes `text` as the whole file `path`. Errors: unavailable, naming the file.
Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace highwater::demo
