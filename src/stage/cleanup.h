#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/uuid.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "catalog/table.h"
#include "model/hour.h"
#include "object/store.h"

namespace highwater::stage {

/// Where `quarantine` puts what it takes out of readers' view, beneath the partition's root:
/// ROOT/.highwater/quarantine/PATH.<first 16 of its SHA-256>.quarantined
constexpr std::string_view quarantine_folder = "quarantine";
constexpr std::string_view quarantine_ending = ".quarantined";

/// What became of the names of abandoned intents.
struct Abandoned {
    std::vector<Uuid> intents;
    std::vector<std::string> removed;
    std::vector<std::string> kept;  // A generation registered them.

    friend bool operator==(const Abandoned&, const Abandoned&) = default;
};

struct Quarantined {
    struct Moved {
        std::string path;
        object::Name to;

        friend bool operator==(const Moved&, const Moved&) = default;
    };

    std::vector<Moved> moved;
    std::vector<std::string> intended;   // Left: an unexpired intent names them.
    std::vector<std::string> immovable;  // Left: no regular files.

    friend bool operator==(const Quarantined&, const Quarantined&) = default;
};

/// Frees hours from objects that no publication will name.
///
/// Neither method touches a name that any generation registered, and none removes an object before
/// a durable copy of it is there. A publication that registers a name in the meantime wins: the
/// object is put back. Lifetime: the ports outlive it.
class Cleaner {
public:
    Cleaner(object::Store& store, catalog::Catalog& catalog, catalog::Journal& journal);

    /// Removes the visible objects of an intent that no generation registered, then the intent.
    ///
    /// Errors: not_found (no such intent), unavailable, outcome_unknown, denied, corrupt. After
    /// any,
    ///         the intent is still there unless the message says otherwise: do it again.
    Result<Abandoned> abandon(const catalog::TableId& table, const Uuid& intent);

    /// The same for every intent of a batch.
    Result<Abandoned> abandon_batch(const catalog::TableId& table, const std::string& batch);

    /// Moves what lies in an hour's prefix, and neither a generation nor an unexpired intent knows,
    /// out of readers' view.
    ///
    /// Errors: invalid_argument (the pattern cannot express the hour), unavailable,
    /// outcome_unknown,
    ///         denied, corrupt. After any, each object is where it was, or in the quarantine, or in
    ///         both: do it again.
    Result<Quarantined> quarantine(const catalog::Table& table, model::Hour hour, Time now);

private:
    Result<void> abandon_intent(const catalog::Intent& intent, Abandoned& abandoned);

    object::Store& store_;
    catalog::Catalog& catalog_;
    catalog::Journal& journal_;
};

}  // namespace highwater::stage
