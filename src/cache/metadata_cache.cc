#include "cache/metadata_cache.h"

#include "base/try.h"
#include "cache/stored_change.h"

namespace highwater::cache {

namespace {

bool is_worth_storing(const RefreshReport& report) {
    if (!report.from || *report.from != report.to) return true;
    for (const LayerReport& layer : report.layers) {
        if (layer.applied != 0) return true;
    }
    return false;
}

}  // namespace

MetadataCache::MetadataCache(const Sources& sources, File* file, const SnapshotLimits& limits)
    : sources_(sources), limits_(limits), file_(file) {}

std::shared_ptr<const Snapshot> MetadataCache::snapshot() const {
    const Lock lock(mutex_);
    return snapshot_;
}

void MetadataCache::swap(std::shared_ptr<const Snapshot> next) {
    const Lock lock(mutex_);
    snapshot_ = newest(snapshot_, next);
}

Result<void> MetadataCache::take_in() {
    const Lock filing(filing_);
    if (!file_) return {};
    const auto stored = TRY(file_->load().within("cache file"));
    const Lock lock(mutex_);
    // What we hold ourselves wins a tie, so that nothing is copied when nothing is new.
    if (stored && stored != snapshot_) snapshot_ = newest(stored, snapshot_);
    return {};
}

Result<void> MetadataCache::store() {
    const Lock filing(filing_);
    if (!file_) return {};
    swap(TRY(file_->store(snapshot()).within("cache file")));
    return {};
}

Result<RefreshReport> MetadataCache::refresh(const RefreshRequest& request) {
    const Lock refreshing(refreshing_);
    ++started_;
    // A file that cannot be read makes the refresh slower, not wrong.
    const auto taken = take_in();
    {
        const Lock lock(mutex_);
        health_.last_started = sources_.clock.now();
    }
    auto refreshed = cache::refresh(sources_, snapshot(), request, limits_);
    if (!refreshed.ok()) {
        ++failed_;
        const Lock lock(mutex_);
        health_.last_error = refreshed.error();
        return refreshed.error();
    }
    RefreshReport& report = refreshed->report;
    swap(refreshed->snapshot);
    if (!taken.ok()) report.not_stored = taken.error();
    if (taken.ok() && is_worth_storing(report)) {
        const auto stored = store();
        if (!stored.ok()) report.not_stored = stored.error();
    }
    ++completed_;
    const Lock lock(mutex_);
    health_.last_completed = report.finished;
    health_.last_completed_generation = report.to;
    health_.last_error.reset();
    return std::move(report);
}

Counters MetadataCache::counters() const {
    Counters counters{.hits = hits_,
                      .misses = {},
                      .refreshes_started = started_,
                      .refreshes_completed = completed_,
                      .refreshes_failed = failed_};
    for (std::size_t i = 0; i < misses_.size(); ++i) counters.misses.at(i) = misses_.at(i);
    return counters;
}

Health MetadataCache::health() const {
    const Lock lock(mutex_);
    return health_;
}

std::optional<Discarded> MetadataCache::discarded() const {
    const Lock filing(filing_);
    return file_ ? file_->discarded() : std::nullopt;
}

}  // namespace highwater::cache
