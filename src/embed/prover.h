#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "embed/reader.h"
#include "engine/proof.h"
#include "env/clock.h"
#include "object/store.h"
#include "read/request.h"

namespace highwater::embed {

/// What a proof uses. Borrowed: all of it outlives the prover.
struct ProverParts {
    Reader reader;
    object::Store& store;
    catalog::Catalog& catalog;
    catalog::Journal& journal;
    env::Clock& clock;
    std::string spill;  // Temporary files of the engines.
    std::stop_token stop;
};

/// A proof, or why there is nothing to prove it about.
struct Proved {
    std::optional<engine::Proof> proof;
    std::vector<read::Refusal> refusals;  // Empty iff there is a proof.
    std::vector<read::Why> why;
};

/// Lets both engines read the same planned hours and proves that they saw the same files and rows.
class Prover {
public:
    explicit Prover(ProverParts parts) : parts_(std::move(parts)) {}

    /// Errors: those of Reader::settle; unavailable, cancelled.
    Result<Proved> prove(const read::Request& request);

private:
    Result<std::vector<object::Name>> find_known_others(const read::PlannedTable& table);

    ProverParts parts_;
};

}  // namespace highwater::embed
