#pragma once

#include "base/digest.h"
#include "base/result.h"
#include "object/store.h"

namespace highwater::stage {

/// SHA-256 of a whole object, read in pieces of 4 MiB.
///
/// Errors: those of object::Reader; corrupt (it ends before its size says).
Result<Digest> digest_object(const object::Reader& reader);

/// Writes the bytes of `from`, whose digest is `digest`, as `to`. Equal bytes that are there
/// already will do.
///
/// Errors: corrupt (the bytes changed, or others are there), those of object::Upload.
Result<void> copy_object(object::Store& store, const object::Reader& from, const object::Name& to,
                         const Digest& digest);

}  // namespace highwater::stage
