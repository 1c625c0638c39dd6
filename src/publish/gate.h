#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "env/clock.h"
#include "object/store.h"
#include "publish/report.h"
#include "publish/submission.h"
#include "publish/watch.h"

namespace highwater::publish {

/// The gate said no, before registration: nothing that readers see changed.
struct Rejected {
    GateReport report;
};

/// Another publisher's commit came first: nothing of this one is visible.
struct Conflict {
    GateReport report;
    catalog::GenerationRecord winner;
};

/// It is one generation, all of it. Not yet served: see confirm.h.
struct Registered {
    GateReport report;
    catalog::GenerationRecord record;
    std::vector<catalog::Partition> partitions;  // As registered, in key order.
};

/// The same publication was committed before, as `record`. The caller goes on from there.
struct Repeated {
    GateReport report;
    catalog::GenerationRecord record;
};

struct Outcome {
    std::variant<Rejected, Conflict, Registered, Repeated> value;
    /// Why the attempt could not be filed in the journal. The outcome is true all the same.
    std::optional<Error> journal_failure;

    const GateReport& report() const;
};

/// The only door from "written" to "visible".
///
/// Writers put objects into the store at leisure; nobody sees them. The gate checks that what a
/// publication claims is really there, then moves the catalog forward by exactly one generation.
///
/// Thread-safety: one gate for many threads; two that race end with one conflict.
/// Lifetime: borrows its ports, which outlive it.
class Gate {
public:
    Gate(object::Store& store, catalog::Catalog& catalog, catalog::Journal& journal,
         env::Clock& clock, const Resources& resources = {})
        : store_(store),
          catalog_(catalog),
          journal_(journal),
          clock_(clock),
          resources_(resources) {}

    /// The verdict, as `publish` would reach it. Changes nothing and files nothing.
    ///
    /// Errors: as `publish`, except outcome_unknown.
    Result<GateReport> check(const Submission& submission, const Watch& watch = {});

    /// Checks, and if nothing is wrong makes the publication visible as one generation. Every
    /// passage that ends in a verdict is filed as an attempt.
    ///
    /// Errors: unavailable      the store or the catalog did not answer; nothing changed.
    ///         cancelled        nothing changed.
    ///         corrupt          the catalog breaks its own rules; nothing changed.
    ///         outcome_unknown  all of it is visible or nothing; the same call again tells.
    /// Cost: two listings of each named hour's prefix; each object that is not kept is read once;
    ///       about six catalog calls and one transaction. Memory for `Resources::held_bytes_max` a
    ///       thread, and O(objects).
    Result<Outcome> publish(const Submission& submission, const Watch& watch = {});

private:
    object::Store& store_;
    catalog::Catalog& catalog_;
    catalog::Journal& journal_;
    env::Clock& clock_;
    const Resources resources_;
};

}  // namespace highwater::publish
