#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace highwater::family {

/// The hash of hash profile 1, which never changes: XXH64 with seed 0.
///
/// Source: the xxHash specification, version 0.2.0.
std::uint64_t hash64(BytesView bytes);

}  // namespace highwater::family
