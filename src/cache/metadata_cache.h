#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/result.h"
#include "cache/file.h"
#include "cache/refresh.h"
#include "cache/snapshot.h"

namespace highwater::cache {

/// How the cache fared since it was made.
struct Counters {
    std::uint64_t hits = 0;
    std::array<std::uint64_t, miss_count> misses{};  // By Miss.
    std::uint64_t refreshes_started = 0;
    std::uint64_t refreshes_completed = 0;
    std::uint64_t refreshes_failed = 0;

    std::uint64_t missed(Miss miss) const { return misses.at(static_cast<std::size_t>(miss)); }
};

/// What is known of the refreshes. A refresh that only started, or failed, is no completed one.
struct Health {
    std::optional<Time> last_started;
    std::optional<Time> last_completed;
    std::optional<catalog::Generation> last_completed_generation;
    std::optional<Error> last_error;  // Of the last refresh, when it failed.
};

/// The snapshot that the readers of one process share, and the only way to a newer one.
///
/// A refresh swaps its snapshot in when it has succeeded, whole; until then, and for ever when it
/// fails or dies, readers have the one before. With a file, processes share what each of them
/// refreshed; the higher seen generation wins.
/// Thread-safety: every method, from any thread. Refreshes run one after the other.
/// Lifetime: borrows its sources and the file, which outlive it.
class MetadataCache {
public:
    /// Without a file (null) the cache starts empty and ends with the process.
    MetadataCache(const Sources& sources, File* file, const SnapshotLimits& limits = {});

    /// Null until the first refresh or `take_in`.
    std::shared_ptr<const Snapshot> snapshot() const;

    /// Takes in what other processes stored in the file, if they have seen more.
    ///
    /// Errors: unavailable  the snapshot stays as it is.
    /// Cost: a look at the file's state when nothing was stored.
    Result<void> take_in();

    /// Brings what is asked for up to date, from the catalog's list of changes; see cache::refresh
    /// for the errors. After a failure the snapshot is the one before.
    Result<RefreshReport> refresh(const RefreshRequest& request);

    void count_hit() { ++hits_; }
    void count_miss(Miss miss) { ++misses_.at(static_cast<std::size_t>(miss)); }

    Counters counters() const;
    Health health() const;
    /// Why the file's content was not used, when it was not.
    std::optional<Discarded> discarded() const;

private:
    void swap(std::shared_ptr<const Snapshot> next);
    Result<void> store();

    const Sources sources_;
    const SnapshotLimits limits_;
    Mutex refreshing_;  // Taken before the others.
    mutable Mutex filing_;
    File* const file_ GUARDED_BY(filing_);
    mutable Mutex mutex_;
    std::shared_ptr<const Snapshot> snapshot_ GUARDED_BY(mutex_);
    Health health_ GUARDED_BY(mutex_);
    std::atomic<std::uint64_t> hits_ = 0;
    std::array<std::atomic<std::uint64_t>, miss_count> misses_{};
    std::atomic<std::uint64_t> started_ = 0;
    std::atomic<std::uint64_t> completed_ = 0;
    std::atomic<std::uint64_t> failed_ = 0;
};

}  // namespace highwater::cache
