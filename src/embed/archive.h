#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cache/metadata_cache.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "embed/intake.h"
#include "embed/layout.h"
#include "embed/log_file.h"
#include "embed/metrics.h"
#include "embed/planning_measure.h"
#include "embed/prover.h"
#include "embed/publisher.h"
#include "embed/reader.h"
#include "embed/record_keeper.h"
#include "embed/tables.h"
#include "embed/verifier.h"
#include "env/clock.h"
#include "env/random.h"
#include "object/ledger.h"

namespace highwater::embed {

/// What an archive is opened with. Borrowed ports outlive it.
struct ArchiveOptions {
    std::string directory;
    std::string cache_file;  // Empty: the data directory's own.
    env::Clock& clock;
    env::Random& random;
    std::stop_token stop;
    std::function<void(std::string_view)> on_step;  // At each named step; may be empty.
};

/// One data directory, opened: owns the parts and hands out what works with them.
///
/// Thread-safety: every method, from any thread.
class Archive {
public:
    /// Makes a data directory with an empty catalog and returns its generation 0.
    ///
    /// Errors: already_exists, denied, unavailable, exhausted (no space).
    static Result<catalog::Generation> init(const std::string& directory, env::Random& random);

    /// Errors: not_found  no data directory is there; corrupt, unsupported, unavailable, denied.
    static Result<std::unique_ptr<Archive>> open(const ArchiveOptions& options);

    ~Archive();
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    const Layout& layout() const;

    /// The parts, for those who need one alone. They count what they cost: see `ledger`.
    catalog::Catalog& catalog();
    catalog::Journal& journal();
    object::Store& store();
    cache::MetadataCache& cache();
    env::Clock& clock();
    env::Random& random();

    RecordKeeper record_keeper();
    Tables tables();
    Intake intake();
    Publisher publisher();
    Reader reader();
    Prover prover();
    /// Compares everything in the store with the catalog, and the catalog with the records, which
    /// are completed on the way.
    ///
    /// Errors: those of Verifier::verify.
    Result<Verification> verify(const VerifyOptions& options, const Progress& progress);
    PlanningParts planning();

    /// What this archive has cost since it was opened.
    object::Ledger ledger() const;

    /// Notes what happened, in the log and in the metrics. A note that cannot be written is told to
    /// the caller as a sentence; it never changes what happened.
    std::string note(std::string_view event, const Json& fields, const MetricsFile::Change& change);

private:
    struct Parts;
    explicit Archive(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

/// Proves the newest recorded generation of a data directory without its catalog, and compares it
/// with the objects that are there.
///
/// Errors: those of replay_records and verify_recorded; not_found (no such directory).
Result<Verification> verify_offline(const std::string& directory, bool full, env::Random& random,
                                    std::stop_token stop);

}  // namespace highwater::embed
