#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/uuid.h"
#include "catalog/catalog.h"
#include "catalog/generation.h"
#include "catalog/journal.h"
#include "manifest/manifest.h"
#include "model/hour.h"
#include "object/store.h"
#include "stage/input.h"
#include "stage/plan.h"
#include "stage/sort.h"

namespace highwater::stage {

/// Uploads that are open at a time: so many objects are sealed, then linked, then the next ones.
constexpr std::size_t open_uploads_max = 128;

/// Bad lines that a report keeps; all of them go to the rejects.
constexpr std::size_t bad_lines_kept_max = 100;

constexpr Duration intent_lifetime_default = std::chrono::hours(24);

struct Progress {
    std::uint64_t rows_read = 0;
    std::uint64_t bad_lines = 0;
    std::uint64_t inputs_read = 0;
    std::uint64_t hours_written = 0;
    std::uint64_t objects_written = 0;

    friend bool operator==(const Progress&, const Progress&) = default;
};

/// What to stage, and how. `id` and `now` come from env: the id is used once.
struct StageRequest {
    std::string table;  // By name.
    std::string batch;
    std::vector<Input> inputs;
    InputOptions options = {};
    Layout layout = {};

    /// Lines that may be left out; one more, and nothing is staged.
    std::uint64_t bad_lines_max = 0;
    /// Of rows that are equal in every cell, stage one.
    bool drop_identical = false;

    /// The generation that the hours were read at: then hours that are published are restated by
    /// what is staged, whole. Without it they are refused.
    std::optional<catalog::GenerationRef> base_generation = std::nullopt;

    /// Both in the store of local files, neither there already, outside every table.
    std::optional<object::Name> manifest = std::nullopt;
    std::optional<object::Name> rejects = std::nullopt;  // CSV: file,line,reason,original.

    /// A private root in the store of local files; its owner removes it.
    std::string scratch_root = {};
    std::size_t memory = sort_memory_default;

    Uuid id = {};
    Time now = {};
    Duration intent_lifetime = intent_lifetime_default;

    std::function<void(const Progress&)> on_progress = nullptr;
    std::stop_token stop = {};
};

/// Why rows that could be read were not staged.
struct Refusal {
    enum class Kind : std::uint8_t { bad_lines, hours_published, no_rows };

    Kind kind = Kind::bad_lines;
    std::string why;
    std::vector<model::Hour> hours;  // hours_published
};

std::string_view to_text(Refusal::Kind kind);

/// What became of a request. After a refusal nothing is visible and no intent is left.
struct Staged {
    std::optional<Refusal> refusal;
    std::optional<manifest::Manifest> manifest;  // Nothing after a refusal.
    Uuid intent;
    std::uint64_t rows_read = 0;
    std::uint64_t rows_staged = 0;
    std::uint64_t rows_identical = 0;  // Dropped.
    std::uint64_t bad_lines = 0;
    std::vector<BadLine> first_bad_lines;
    std::vector<model::HourRange> gaps;  // Between the first and the last hour.
    std::uint64_t runs_spilled = 0;
};

/// Makes objects and a manifest from rows: sorted by time, then by the other columns; one file set
/// for each hour; written outside every reader's view and then made visible by link.
///
/// The order of what it does: read and sort everything; write and seal objects; record an intent
/// that names every object; link them; write the manifest. So a crash before the links leaves
/// nothing visible, and after it an intent names what is. Thread-safety: none; several may work at
/// once, each with its own request. Lifetime: the ports outlive it.
class Stager {
public:
    /// `store` holds the tables' objects, `local` the inputs, the scratch space and the outputs;
    /// they may be one.
    Stager(object::Store& store, object::Store& local, catalog::Catalog& catalog,
           catalog::Journal& journal);

    /// Errors: invalid_argument  the request, or an input as a whole, is wrong (see read_input).
    ///         not_found         no such table, or no such input.
    ///         already_exists    the manifest or the rejects are there already.
    ///         exhausted         a limit of hours or objects; no space.
    ///         cancelled, unavailable, corrupt, unsupported, denied.
    ///         After each of these nothing is visible and no intent is left.
    ///         outcome_unknown   what was linked could not be taken back: the message names the
    ///                           intent for `abandon`.
    /// Cost: memory for the sort, one row group for each open object; two passes over spilled rows.
    Result<Staged> stage(const StageRequest& request);

private:
    object::Store& store_;
    object::Store& local_;
    catalog::Catalog& catalog_;
    catalog::Journal& journal_;
};

}  // namespace highwater::stage
