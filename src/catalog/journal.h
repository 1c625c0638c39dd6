#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"
#include "base/uuid.h"
#include "catalog/table.h"

namespace highwater::catalog {

/// One passage through the gate, kept whether or not it was accepted.
struct Attempt {
    std::uint64_t id = 0;  // Assigned, ascending.
    std::string idempotency_key;
    std::string batch;
    Digest publication;
    std::uint64_t number = 0;  // 1, 2, 3 ... for this key; assigned.
    bool accepted = false;
    std::string code;         // The verdict's code, "accepted" or a problem code.
    std::string report_json;  // The whole report.
    Time time;

    friend bool operator==(const Attempt&, const Attempt&) = default;
};

/// Names that a writer is about to make visible, so that they are known until a publication names
/// them or the intent expires.
struct Intent {
    Uuid id;
    TableId table;
    std::string batch;
    std::string root;
    std::vector<std::string> paths;
    Time created;
    Time expires;

    friend bool operator==(const Intent&, const Intent&) = default;
};

/// What the write river notes beside the line of generations. Nothing here is visible to readers.
///
/// Thread-safety: every method, from any thread and process.
/// Errors of every method: unavailable (nothing changed, try again), outcome_unknown, corrupt.
class Journal {
public:
    virtual ~Journal() = default;

    /// Stores an attempt under the next id and the next number of its key; both are returned in it.
    virtual Result<Attempt> add_attempt(const Attempt& attempt) = 0;

    /// The newest attempts first, of one key when given, at most `limit`.
    virtual Result<std::vector<Attempt>> load_attempts(const std::optional<std::string>& key,
                                                       std::size_t limit) = 0;

    /// Stores an intent; one with the same id is replaced. Durable before it returns.
    virtual Result<void> put_intent(const Intent& intent) = 0;

    /// Every intent of `table` in id order, expired ones too.
    virtual Result<std::vector<Intent>> load_intents(const TableId& table) = 0;

    /// Removing an absent one succeeds.
    virtual Result<void> remove_intent(const Uuid& id) = 0;
};

}  // namespace highwater::catalog
