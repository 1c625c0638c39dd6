#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "embed/progress.h"
#include "embed/tables.h"
#include "env/clock.h"
#include "env/random.h"
#include "model/schema.h"
#include "object/store.h"
#include "stage/adopt.h"
#include "stage/check.h"
#include "stage/cleanup.h"
#include "stage/stager.h"

namespace highwater::embed {

/// Files as the user named them, and how to read them.
struct IntakeFiles {
    std::vector<std::string> csv;
    std::vector<std::string> parquet;
    std::vector<std::string> labels;  // "key=value" or "key={stem}"
    std::vector<std::string> left_out;
    std::vector<std::string> names;  // Of the columns, for CSV without a header.
    std::string delimiter = ",";
    std::string zone = "UTC";
    std::string times = "text";  // text, s, ms, us, ns
    bool truncate_times = false;
};

struct StageCommand {
    std::string table;
    std::optional<std::string> batch;  // Else made from the time and the intent.
    IntakeFiles files;
    stage::Layout layout;
    std::uint64_t bad_lines_max = 0;
    bool drop_identical = false;
    std::optional<std::string> base_generation;
    std::string manifest_file;
    std::optional<std::string> rejects_file;
    Duration intent_lifetime = stage::intent_lifetime_default;
    std::optional<std::size_t> memory_bytes;
};

struct AdoptCommand {
    std::string name;
    std::string location;
    std::optional<std::string> time_column;
    std::optional<std::string> pattern;
    std::optional<std::string> batch;
    std::string manifest_file;
};

struct Adopted {
    catalog::GenerationRecord record;
    stage::Adoption adoption;
};

/// What an intake uses. Borrowed: all of it outlives the intake.
struct IntakeParts {
    object::Store& store;
    catalog::Catalog& catalog;
    catalog::Journal& journal;
    env::Clock& clock;
    env::Random& random;
    std::string records;  // The root of manifests and generation records.
    std::string spill;    // The folder of private temporary files.
    std::stop_token stop;
};

/// Brings rows and files in: staging, adoption, the verdict on one file, and cleaning up.
///
/// Thread-safety: from any thread.
class Intake {
public:
    explicit Intake(IntakeParts parts) : parts_(std::move(parts)) {}

    /// The columns that the files give. Errors: those of stage::infer_schema; not_found.
    Result<model::Schema> infer_schema(const IntakeFiles& files, const std::string& time_column,
                                       model::TimeUnit unit);

    /// Errors: those of stage::Stager::stage; invalid_argument for what cannot be read as meant.
    Result<stage::Staged> stage(const StageCommand& command, const Progress& progress);

    /// Creates the table of an existing lake and writes the manifest of its adoptable hours.
    ///
    /// Errors: those of stage::plan_adoption and Tables::adopt.
    Result<Adopted> adopt(const AdoptCommand& command, const Progress& progress);

    /// Errors: not_found, unavailable, invalid_argument.
    Result<stage::FileCheck> check_file(const std::string& file, const std::string& table,
                                        const std::optional<std::string>& hour);

    /// By batch, or by the intent's id. Errors: those of stage::Cleaner.
    Result<stage::Abandoned> abandon(const std::string& table, const std::string& batch_or_intent);

    Result<stage::Quarantined> quarantine(const std::string& table, model::Hour hour);

private:
    IntakeParts parts_;
};

}  // namespace highwater::embed
