#pragma once

#include <memory>

#include "base/bytes.h"
#include "base/result.h"
#include "cache/snapshot.h"

namespace highwater::cache {

/// The bytes that turn `base` (null: nothing) into `next`: what differs and no more.
///
/// Requires: every table of `base` is one of `next`.
/// Cost: O(chunks + differing hours).
/// Source: docs/formats/cache-file.md
Bytes encode_change(const Snapshot* base, const Snapshot& next);

/// The inverse of `encode_change`, of any bytes at all.
///
/// Errors: conflict  the bytes were made for another `base`.
///         corrupt   `encode_change` writes no such bytes.
Result<std::shared_ptr<const Snapshot>> decode_change(std::shared_ptr<const Snapshot> base,
                                                      BytesView bytes);

/// True when `encode_change` may be given these two and `next` is a later state of the same line.
bool is_successor(const Snapshot& base, const Snapshot& next);

/// The one that has seen more, of the same epoch; of two that saw the same generation, what is best
/// of both. `ours` when they have nothing to do with each other. Either may be null.
std::shared_ptr<const Snapshot> newest(const std::shared_ptr<const Snapshot>& theirs,
                                       const std::shared_ptr<const Snapshot>& ours);

}  // namespace highwater::cache
