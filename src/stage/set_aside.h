#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "object/store.h"

namespace highwater::stage {

/// What became of one object that was to leave readers' view.
struct SetAside {
    enum class Outcome : std::uint8_t {
        moved,       // It is gone from its name; the copy is at `copy`.
        absent,      // There was nothing.
        registered,  // A generation names it, so it is where it was.
    };

    Outcome outcome = Outcome::moved;
    object::Name copy;
};

/// Copies an object into the quarantine, then removes it. A generation that registered the name
/// meanwhile wins: the object is put back from the copy.
///
/// Errors: denied (no regular file), corrupt (it changed while it was copied), unavailable,
///         outcome_unknown, exhausted. After any, the object is at its name or in the quarantine,
///         or at both.
Result<SetAside> set_aside(object::Store& store, catalog::Catalog& catalog,
                           const catalog::TableId& table, const object::Name& name);

}  // namespace highwater::stage
