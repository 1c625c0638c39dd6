#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cache/metadata_cache.h"
#include "catalog/catalog.h"
#include "engine/result.h"
#include "env/clock.h"
#include "object/ledger.h"
#include "object/store.h"
#include "read/decide.h"
#include "read/explain.h"
#include "read/outcome.h"
#include "read/plan.h"
#include "read/refusal.h"
#include "read/request.h"

namespace highwater::embed {

/// How a request was settled: a plan, or why there is none.
struct Settled {
    std::optional<read::Serve> serve;
    std::vector<read::Refusal> refusals;  // Empty iff `serve` is there; the first one decides.
    std::vector<read::Why> why;
};

/// A request's end: rows with their provenance, or refusals. Never both, never neither.
struct Answered {
    std::optional<read::Plan> plan;
    std::optional<read::Provenance> provenance;
    std::optional<engine::ResultTable> rows;
    std::vector<read::Refusal> refusals;
    std::vector<read::Why> why;
    std::uint64_t digested_files =
        0;  // Files whose identity had changed, and that were read again.
    object::Ledger ledger;
};

/// What turns a plan into rows.
using Scan = std::function<Result<engine::ResultTable>(const read::Plan&)>;

/// What a reader uses. Borrowed: all of it outlives the reader.
struct ReaderParts {
    object::Store& store;
    catalog::Catalog& catalog;
    cache::MetadataCache& cache;
    env::Clock& clock;
    std::function<object::Ledger()> ledger;  // What has been spent so far.
    std::stop_token stop;
};

/// Drives the sentence `request -> probe -> plan -> check -> engine -> check again -> answer`.
///
/// Thread-safety: from any thread.
class Reader {
public:
    explicit Reader(ReaderParts parts) : parts_(std::move(parts)) {}

    /// Learns what `read::decide` asks for until it serves or refuses.
    ///
    /// Errors: invalid_argument, not_found (no such table), exhausted, cancelled, corrupt.
    Result<Settled> settle(const read::Request& request);

    /// Settles the request, checks the planned files, scans, checks them again, and only then hands
    /// the rows out.
    ///
    /// Errors: those of `settle` and of `scan`, unless the files explain the failure: then it is a
    ///         refusal.
    Result<Answered> answer(const read::Request& request, const Scan& scan);

    /// What a read of `hour` would do, layer by layer, as far as a probe and a comparison of places
    /// tell; nothing is refreshed.
    Result<read::Explanation> explain(const read::Request& request, model::Hour hour);

private:
    Result<void> take(const read::Step& step, const read::Request& request, read::Facts& facts,
                      Settled& settled);

    ReaderParts parts_;
};

}  // namespace highwater::embed
