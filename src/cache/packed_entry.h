#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "cache/entry.h"

namespace highwater::cache {

/// One hour as compact bytes: paths without what they share with the path before, numbers by their
/// distance, digests raw, and of a listing only what differs from the registration.
///
/// Requires: objects and entries are in path order.
/// Cost: about 110 bytes an object with both digests.
/// Source: docs/formats/cache-file.md
Bytes pack(const catalog::Partition& partition, const std::optional<Listing>& listing);

/// What `pack` was given.
struct Unpacked {
    catalog::Partition partition;
    std::optional<Listing> listing;
};

/// The inverse of `pack`, of any bytes at all.
///
/// Errors: corrupt  `pack` writes no such bytes.
Result<Unpacked> unpack(const catalog::PartitionKey& key, BytesView bytes);

}  // namespace highwater::cache
