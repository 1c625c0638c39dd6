#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater::model {

constexpr std::size_t object_path_size_max = 1'024;

/// Checks that `path` is the one spelling of an object's path beneath its root: relative, UTF-8, at
/// most 1,024 bytes, segments separated by one '/', no empty segment, no "." or "..", no backslash,
/// no control character, and not beneath ".highwater" (the stores' own folder). Paths are compared
/// as bytes and never repaired: "a//b", "./a", "a/" and "%61" are other paths or none.
///
/// Errors: invalid_argument  and the message says which rule and where.
Result<void> verify_object_path(std::string_view path);

}  // namespace highwater::model
