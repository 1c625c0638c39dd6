#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "base/time.h"
#include "catalog/generation.h"
#include "model/hour.h"
#include "object/ledger.h"
#include "publish/problem.h"
#include "publish/submission.h"

namespace highwater::publish {

constexpr std::uint32_t report_format_version = 1;

enum class Verdict : std::uint8_t {
    undecided,  // Facts are missing, so nothing may be concluded.
    accepted,
    rejected,
    repeated,  // The same publication was committed before: `generation` is that commit.
    conflict,  // The gate let it pass, but another publisher's commit came first.
};

std::string_view to_text(Verdict verdict);

struct Check {
    enum class Result : std::uint8_t { passed, failed, skipped };

    Result result = Result::skipped;
    std::uint64_t problem_count = 0;

    friend bool operator==(const Check&, const Check&) = default;
};

std::string_view to_text(Check::Result result);

/// What the manifests name against what the listings showed.
struct InventoryCounts {
    std::uint64_t expected = 0;
    std::uint64_t observed = 0;
    std::uint64_t missing = 0;
    std::uint64_t unexpected = 0;
    std::uint64_t known_others = 0;  // Of other generations, or of an intent.
    std::uint64_t kept = 0;          // Registered already and unchanged: not read again.
    std::uint64_t read = 0;

    friend bool operator==(const InventoryCounts&, const InventoryCounts&) = default;
};

/// What the publication does to one hour, against what was registered for it.
struct HourChange {
    std::string table;
    model::Hour hour;
    bool is_restated = false;
    std::uint64_t added = 0;
    std::uint64_t removed = 0;
    std::uint64_t changed = 0;
    std::uint64_t unchanged = 0;

    friend bool operator==(const HourChange&, const HourChange&) = default;
};

struct StageDuration {
    std::string_view stage;  // A literal.
    Duration duration{0};

    friend bool operator==(const StageDuration&, const StageDuration&) = default;
};

/// All that the gate has to say about one submission.
struct GateReport {
    Verdict verdict = Verdict::undecided;
    std::optional<ProblemCode> code;  // When rejected: that of the lowest step that failed.
    std::array<Check, steps_count> checks;
    std::vector<Problem> problems;  // The first `problems_max`, in step order.
    std::uint64_t problem_count = 0;

    std::string batch;
    std::string idempotency_key;
    std::optional<Digest> publication;  // Absent when the manifests could not be read.
    Options options;
    std::uint64_t attempt = 0;  // 0: not journaled.

    std::optional<catalog::Generation> audited_at;  // The head that the basis was read at.
    std::optional<catalog::Generation> generation;  // Committed (or repeated) as; or the winner's.
    std::optional<std::string> winner;              // conflict: the batch that won.

    InventoryCounts inventory;
    std::optional<Digest> observed_inventory;  // Over the listings; see docs/formats.
    std::vector<HourChange> changes;           // In table and hour order; the first 1,000 hours.

    std::vector<StageDuration> durations;
    object::Ledger ledger;

    Check& check_of(Step step) { return checks[static_cast<std::size_t>(step) - 1]; }
    const Check& check_of(Step step) const { return checks[static_cast<std::size_t>(step) - 1]; }
};

constexpr std::size_t hour_changes_max = 1'000;

/// "accepted", "repeated", "conflict" or the problem code: what an attempt is filed under.
std::string_view code_text(const GateReport& report);

/// Notes what a step found: passed when nothing, else failed, and the verdict follows.
void add_findings(GateReport& report, const Findings& findings);

/// Source: docs/formats/gate-report.md
Json to_json(const GateReport& report);

/// The report as a table for people. Nothing from outside reaches the terminal unescaped.
std::string format_report(const GateReport& report);

}  // namespace highwater::publish
