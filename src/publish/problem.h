#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace highwater::publish {

/// What the gate checks, in order. The numbers are those of the report.
enum class Step : std::uint8_t {
    manifest = 1,   // well formed, table known, limits
    key = 2,        // idempotency key and batch are free, or this publication's
    base = 3,       // made against the newest state of what it restates
    location = 4,   // roots are the catalog's current ones
    inventory = 5,  // every expected object is there, everything else is known
    size = 6,
    name = 7,    // no known name stands for other bytes
    footer = 8,  // decodable, rows, schema, times inside the hour
    digest = 9,  // digests and row fingerprints
    audit = 10,  // what was audited is still there
};

constexpr std::size_t steps_count = 10;
constexpr std::array<Step, steps_count> steps{
    Step::manifest, Step::key,  Step::base,   Step::location, Step::inventory,
    Step::size,     Step::name, Step::footer, Step::digest,   Step::audit};

std::string_view to_text(Step step);

enum class ProblemCode : std::uint8_t {
    manifest_invalid,
    unknown_table,
    limit_exceeded,
    batch_generation_reused,
    not_next_generation,
    epoch_mismatch,
    location_changed,
    location_overlap,
    object_missing,
    object_unexpected,
    listing_failed,
    size_mismatch,
    name_reused,
    footer_invalid,
    unsupported,
    record_count_mismatch,
    schema_mismatch,
    time_out_of_bounds,
    digest_mismatch,
    fingerprint_mismatch,
    audit_stale,
};

std::string_view to_text(ProblemCode code);

/// One thing that keeps a publication out. `path` is an object's path, a prefix, an hour or a place
/// in the manifest, whichever the problem is about.
struct Problem {
    Step step = Step::manifest;
    ProblemCode code = ProblemCode::manifest_invalid;
    std::string table;
    std::string path;
    std::string expected;
    std::string observed;

    friend bool operator==(const Problem&, const Problem&) = default;
};

constexpr std::size_t problems_max = 1'000;

/// What one step found: the first `problems_max` problems, and how many there were.
class Findings {
public:
    explicit Findings(Step step) : step_(step) {}

    void add(ProblemCode code, std::string_view table, std::string_view path,
             std::string_view expected, std::string_view observed);

    Step step() const { return step_; }
    std::uint64_t count() const { return count_; }
    bool is_empty() const { return count_ == 0; }
    const std::vector<Problem>& problems() const { return problems_; }

private:
    Step step_;
    std::uint64_t count_ = 0;
    std::vector<Problem> problems_;
};

}  // namespace highwater::publish
