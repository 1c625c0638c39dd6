#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "embed/progress.h"
#include "env/clock.h"
#include "object/store.h"

namespace highwater::embed {

/// Something that is not as the catalog says.
struct Discrepancy {
    enum class Kind : std::uint8_t {
        missing_object,    // Registered, and not in the store.
        inventory_drift,   // Other bytes under a registered name.
        identity_changed,  // Other times or inode, the same bytes: reported, not a fault.
        unexpected,        // In the store, and in no generation and no live intent.
        known_other,       // Of another generation, or of an intent: reported, not a fault.
        listing_failed,    // The store did not answer: nothing is known.
        catalog_behind,    // A generation was recorded that the catalog does not have.
    };

    Kind kind = Kind::missing_object;
    std::string table;
    std::string path;
    std::string expected;
    std::string observed;

    bool is_fault() const { return kind != Kind::identity_changed && kind != Kind::known_other; }

    friend bool operator==(const Discrepancy&, const Discrepancy&) = default;
};

std::string_view to_text(Discrepancy::Kind kind);

struct VerifyOptions {
    std::optional<std::string> table;  // Every table when absent.
    bool full = false;  // Digest every registered object, not only those whose identity changed.
};

constexpr std::size_t discrepancies_max = 10'000;

struct Verification {
    catalog::Generation generation;
    std::uint64_t tables = 0;
    std::uint64_t hours = 0;
    std::uint64_t registered_objects = 0;
    std::uint64_t listed_objects = 0;
    std::uint64_t digested_objects = 0;
    std::vector<Discrepancy> discrepancies;  // In (table, path) order, the first 10,000.
    std::uint64_t fault_count = 0;

    bool is_clean() const { return fault_count == 0; }
};

/// Adds one, and counts it when it is a fault.
void add(Verification& verification, Discrepancy discrepancy);

Json to_json(const Verification& verification);

/// Compares a full listing of every table with the head generation, in both directions.
///
/// Thread-safety: from any thread.
class Verifier {
public:
    Verifier(object::Store& store, catalog::Catalog& catalog, catalog::Journal& journal,
             env::Clock& clock)
        : store_(store), catalog_(catalog), journal_(journal), clock_(clock) {}

    /// Errors: not_found (no such table), unavailable (the catalog), cancelled.
    /// Cost: a listing of everything; bytes of what is digested.
    Result<Verification> verify(const VerifyOptions& options, const Progress& progress,
                                std::stop_token stop);

private:
    struct Run;

    object::Store& store_;
    catalog::Catalog& catalog_;
    catalog::Journal& journal_;
    env::Clock& clock_;
};

}  // namespace highwater::embed
