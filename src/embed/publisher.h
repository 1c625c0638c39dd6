#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cache/metadata_cache.h"
#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "embed/progress.h"
#include "embed/record_keeper.h"
#include "env/clock.h"
#include "object/store.h"
#include "publish/confirm.h"
#include "publish/gate.h"

namespace highwater::embed {

/// How a publication ended.
enum class PublishOutcome : std::uint8_t {
    rejected,               // Nothing changed.
    conflict,               // Another publisher won; nothing of this one is visible.
    served,                 // Confirmed: readers get it, or something newer.
    registered_not_served,  // Committed; a step after it failed, and `failure` says which.
};

std::string_view to_text(PublishOutcome outcome);

/// All that there is to say about one publication.
struct Published {
    PublishOutcome outcome = PublishOutcome::rejected;
    publish::GateReport report;
    std::optional<catalog::GenerationRecord> record;  // Its own; the winner's after a conflict.
    std::optional<publish::Confirmation> confirmation;
    std::optional<cache::RefreshReport> refresh;
    std::optional<Error> failure;
    std::vector<std::string> warnings;  // What could not be noted, and does not change the outcome.
    std::vector<publish::StageDuration> durations;  // The gate's, then those after the commit.
    Duration total{0};
};

/// What a publisher uses. Borrowed: all of it outlives the publisher.
struct PublisherParts {
    object::Store& store;
    catalog::Catalog& catalog;
    catalog::Journal& journal;
    catalog::Catalog& second_catalog;  // Another connection, to read back what was registered.
    cache::MetadataCache& cache;
    env::Clock& clock;
    RecordKeeper keeper;
    std::function<void(std::string_view)> on_step;  // At each named step; may be empty.
};

/// Drives the sentence `gate and commit -> record -> read back -> refresh -> list -> confirm`.
///
/// Thread-safety: from any thread.
class Publisher {
public:
    explicit Publisher(PublisherParts parts) : parts_(std::move(parts)) {}

    /// The verdict, as `publish` would reach it. Changes nothing. Errors: those of Gate::check.
    Result<publish::GateReport> check(const publish::Submission& submission,
                                      const publish::Watch& watch);

    /// Publishes, or finishes a publication that was committed before and not served.
    ///
    /// Errors: those of Gate::publish. After the commit nothing is an error any more:
    ///         registered_not_served says what failed.
    Result<Published> publish(const publish::Submission& submission, const publish::Watch& watch);

private:
    struct Step;

    void record(Published& published, const publish::Submission& submission);
    Result<void> serve(Published& published, std::vector<catalog::Partition> accepted);
    Result<void> refresh(Published& published, const std::vector<catalog::Scope>& scopes);
    Result<publish::ConfirmFacts> look_again(const catalog::GenerationRecord& record,
                                             const std::vector<catalog::Partition>& accepted);
    void step(std::string_view name);

    PublisherParts parts_;
};

}  // namespace highwater::embed
