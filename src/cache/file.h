#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cache/disk.h"
#include "cache/snapshot.h"
#include "env/clock.h"

namespace highwater::cache {

/// Why what a file held was not used. The cache then starts empty: never wrong, only slow.
struct Discarded {
    enum class Reason : std::uint8_t {
        not_a_cache,     // It begins with something else.
        unknown_format,  // A later version of this program wrote it.
        corrupt,  // The base, or a change before the last one, breaks its digest or its rules.
        forked,   // A record continues another snapshot than the one before it.
        too_large,
    };

    Reason reason = Reason::corrupt;
    std::string what;
};

struct FileLimits {
    std::uint64_t size_bytes_max = std::uint64_t{8} << 30U;
    std::uint64_t log_bytes_min = std::uint64_t{1} << 20U;  // A shorter log is never compacted.
    Duration lock_wait_max = std::chrono::seconds(5);
    Duration lock_retry = std::chrono::milliseconds(5);
};

/// The newest snapshot of all processes that share one file: a base and the changes after it, each
/// a record with a digest that binds it to the one before. Every `store` is one transaction: after
/// a crash the file holds it or what was there before. A last record that is cut short or broken
/// was never finished and is cut off by the next `store`.
///
/// Not thread-safe; any number of objects and processes may use one file.
/// Lifetime: borrows disk and clock, which outlive it.
/// Source: docs/formats/cache-file.md
class File {
public:
    File(Disk& disk, env::Clock& clock, std::string path, const FileLimits& limits = {});

    /// The snapshot that the file holds; null when there is none, or it was discarded.
    ///
    /// Errors: unavailable  nothing is known; what was known before still counts.
    /// Cost: a look at the file's state, and what was appended since the last call.
    Result<std::shared_ptr<const Snapshot>> load();

    /// Makes the file hold the newest of `next` and what others stored meanwhile, which is
    /// returned. The log is compacted when it is longer than its base.
    ///
    /// Errors: unavailable, exhausted  the file holds what it held before, or `next`.
    /// Cost: O(difference), two writes to disk; all of it for a compaction.
    Result<std::shared_ptr<const Snapshot>> store(const std::shared_ptr<const Snapshot>& next);

    /// Why the last `load` that read the file from its beginning did not use it.
    const std::optional<Discarded>& discarded() const { return discarded_; }

    const std::string& path() const { return path_; }

private:
    struct Position {
        std::uint64_t end = 0;       // Of the records that were taken in; 0 when there are none.
        std::uint64_t base_end = 0;  // Of the first of them.
        Digest digest;               // Of the last of them.
        std::shared_ptr<const Snapshot> snapshot;
    };

    Result<void> read_again();
    Result<void> read_on();
    bool take_in(BytesView bytes, Position& position);
    void discard(Discarded::Reason reason, std::string what);
    Result<std::unique_ptr<DiskLock>> lock();
    Result<void> append(const Snapshot& next);
    Result<void> replace(const Snapshot& next);

    Disk& disk_;
    env::Clock& clock_;
    const std::string path_;
    const FileLimits limits_;
    std::optional<FileState> state_;  // As of the last reading.
    Position position_;
    std::optional<Discarded> discarded_;
};

std::string_view to_text(Discarded::Reason reason);

}  // namespace highwater::cache
