#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "base/result.h"
#include "catalog/generation.h"
#include "engine/duckdb_engine.h"
#include "engine/engine.h"
#include "model/hour.h"
#include "object/store.h"

namespace highwater::engine {

/// One file as it was registered.
struct ExpectedFile {
    object::Name name;
    model::Hour hour;
    std::uint64_t rows = 0;
    std::optional<Digest> row_fingerprint;

    friend bool operator==(const ExpectedFile&, const ExpectedFile&) = default;
};

/// An engine that gave no facts at all.
struct EngineFailure {
    std::string engine;
    Error error;

    friend bool operator==(const EngineFailure&, const EngineFailure&) = default;
};

/// What the proof of one table rests on.
struct TableFacts {
    std::string table;
    std::vector<model::Hour> hours;
    std::vector<ExpectedFile> expected;      // In name order.
    std::vector<object::Name> known_others;  // In order: of other generations, or about to come.
    std::vector<EngineFacts> engines;
    std::vector<EngineFailure> failures;
    std::optional<RawFacts> raw;

    friend bool operator==(const TableFacts&, const TableFacts&) = default;
};

struct ProofFacts {
    catalog::Generation generation;
    std::vector<TableFacts> tables;

    friend bool operator==(const ProofFacts&, const ProofFacts&) = default;
};

enum class ProofProblemKind : std::uint8_t {
    engine_failed,        // An engine gave no facts, or there are not two of them.
    file_unreadable,      // A planned file, to an engine.
    file_not_seen,        // No row of a planned file came, or its footer was not read.
    file_not_discovered,  // A planned file, by an engine that looks for files itself.
    file_unexpected,      // Discovered, but neither planned nor known.
    file_not_planned,     // Rows came from a file that is not in the plan.
    row_count_differs,    // From the registration, or between rows and footer.
    fingerprint_differs,  // From the registration.
    engines_differ,       // From each other, in what was not registered.
};

std::string_view to_text(ProofProblemKind kind);

struct ProofProblem {
    ProofProblemKind kind = ProofProblemKind::engine_failed;
    std::string table;
    std::string engine;
    std::optional<object::Name> name;  // Absent only for engine_failed.
    std::string expected;
    std::string observed;

    friend bool operator==(const ProofProblem&, const ProofProblem&) = default;
};

/// Whether reading by pattern would have given the planned rows.
struct RawVerdict {
    bool is_right = false;
    std::uint64_t rows = 0;
    std::vector<object::Name> extra;    // Files that are not of this generation.
    std::vector<object::Name> missing;  // Planned ones that the pattern does not find.
    std::string why;                    // One sentence.

    friend bool operator==(const RawVerdict&, const RawVerdict&) = default;
};

struct EngineTotal {
    std::string engine;
    std::uint64_t rows = 0;
    Digest row_fingerprint;

    friend bool operator==(const EngineTotal&, const EngineTotal&) = default;
};

struct TableVerdict {
    std::uint64_t expected_rows = 0;
    std::vector<EngineTotal> totals;  // One for each engine that gave facts.
    std::optional<RawVerdict> raw;

    friend bool operator==(const TableVerdict&, const TableVerdict&) = default;
};

struct ProofVerdict {
    std::vector<ProofProblem> problems;  // None: both engines see exactly the registered rows.
    std::vector<TableVerdict> tables;    // As those of the facts.

    bool is_proved() const { return problems.empty(); }

    friend bool operator==(const ProofVerdict&, const ProofVerdict&) = default;
};

struct Proof {
    ProofFacts facts;
    ProofVerdict verdict;
};

/// Decides. Pure: the same facts give the same verdict.
ProofVerdict judge(const ProofFacts& facts);

/// The facts and the verdict, each whole; the facts can be read back and judged again.
Json to_json(const Proof& proof);

/// Reads the facts that `to_json` wrote. Errors: invalid_argument.
Result<ProofFacts> parse_proof_facts(const Json& proof);

/// For people: a verdict in one line, then each table, then each problem.
std::string format_proof(const Proof& proof);

}  // namespace highwater::engine
