#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "env/clock.h"
#include "object/store.h"
#include "read/plan.h"
#include "read/refusal.h"

namespace highwater::read {

/// What stands in the store under the name of one planned file.
struct Observation {
    std::optional<object::Entry> entry;  // Nothing: there is no such object.
    std::optional<Digest> sha256;        // Of its bytes, when they were read.
    std::optional<Error> failure;        // The store did not say.
};

/// The planned files as they were found, in plan order, and what is wrong with them. An answer
/// counts only if both checks around the scan refuse nothing.
struct Check {
    std::vector<Observation> observed;
    std::vector<Refusal> refusals;  // The deciding one first.
};

/// A change within this time of the check may leave no trace in times, so that bytes are read
/// again.
constexpr Duration fresh_ctime = std::chrono::seconds(2);

/// Checks every planned file before a scan: it is there, and it has the identity that was
/// registered, or else the bytes.
///
/// Cost: a head for each file; a digest of those whose identity changed or is too fresh to tell.
Check verify_before(object::Store& store, const Plan& plan, env::Clock& clock);

/// Checks after the scan that every file is as it was found before. Another identity refuses even
/// when the bytes are right again: they may have been others during the scan.
///
/// Requires: `before` was made by verify_before of the same plan and refuses nothing.
/// Cost: as verify_before.
Check verify_after(object::Store& store, const Plan& plan, const Check& before, env::Clock& clock);

// The parts of the above: what touches the store, and the pure decisions between.

std::vector<Observation> observe(object::Store& store, const Plan& plan);

/// Which files must be read to be told apart from others; positions in plan order.
std::vector<std::size_t> find_suspects(const Plan& plan, const std::vector<Observation>& observed,
                                       Time now);

/// Reads the files at `positions` and notes digest and identity of what was read.
void digest(object::Store& store, const Plan& plan, const std::vector<std::size_t>& positions,
            std::vector<Observation>& observed);

/// What is wrong with files as observed, against what was registered.
std::vector<Refusal> judge(const Plan& plan, const std::vector<Observation>& observed);

/// What is wrong with files as observed, against how they were before.
std::vector<Refusal> judge(const Plan& plan, const std::vector<Observation>& before,
                           const std::vector<Observation>& after);

}  // namespace highwater::read
