#include "publish/examine.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/mutex.h"
#include "base/try.h"

namespace highwater::publish {

namespace {

using object::Reader;

/// How much of a large object is in memory at a time, and how often a stop is looked for.
constexpr std::uint64_t piece_size = std::uint64_t{1} << 20U;

/// An object whose bytes were read once and are in memory.
class HeldObject final : public Reader {
public:
    HeldObject(const object::Identity& identity, Bytes bytes)
        : identity_(identity), bytes_(std::move(bytes)) {}

    const object::Identity& identity() const override { return identity_; }

    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        if (offset >= bytes_.size()) return Bytes();
        return bytes_.substr(offset, size);
    }

    BytesView bytes() const { return bytes_; }

private:
    object::Identity identity_;
    Bytes bytes_;
};

/// Nothing when it is gone, or something else is there.
Result<std::unique_ptr<Reader>> open_listed(object::Store& store, const object::Name& name,
                                            const object::Identity& identity) {
    auto reader = store.open(name);
    if (!reader.ok()) {
        const Code code = reader.error().code();
        if (code == Code::not_found || code == Code::denied) return std::unique_ptr<Reader>();
        return reader.error();
    }
    if ((*reader)->identity() != identity) return std::unique_ptr<Reader>();
    return reader;
}

/// Nothing when the object is shorter than it was: someone cut it.
Result<std::optional<Bytes>> read_piece(const Reader& reader, std::uint64_t offset,
                                        std::uint64_t size) {
    auto bytes = reader.read_at(offset, size);
    if (!bytes.ok()) {
        if (bytes.error().code() == Code::corrupt) return std::optional<Bytes>();
        return bytes.error();
    }
    if (bytes->size() != size) return std::optional<Bytes>();
    return std::optional(*std::move(bytes));
}

Result<std::optional<Digest>> digest_pieces(const Reader& reader, const std::stop_token& stop) {
    Sha256 hash;
    const std::uint64_t size = reader.identity().size_bytes;
    for (std::uint64_t offset = 0; offset < size; offset += piece_size) {
        TRY(verify_not_stopped(stop));
        const auto piece = TRY(read_piece(reader, offset, std::min(piece_size, size - offset)));
        if (!piece) return std::optional<Digest>();
        hash.update(*piece);
    }
    return std::optional(hash.finish());
}

bool is_believable(const parquet::FileFacts& footer) {
    if (footer.record_count == 0) return true;
    return footer.is_ours && footer.times && footer.times->null_count == 0;
}

/// What the footer says, and where it is not to be believed what the rows say.
Result<void> read_parquet(const Reader& reader, const ObjectWork& work, ObjectFacts& facts) {
    const parquet::FileFacts footer = TRY(parquet::inspect_file(reader, work.schema->time_column));
    facts.verdict = footer.verdict;
    facts.reason = footer.reason;
    facts.record_count = footer.record_count;
    if (footer.verdict != parquet::Verdict::readable) return {};
    facts.schema_differences = parquet::find_schema_differences(footer, *work.schema);
    if (!facts.schema_differences.empty()) return {};
    if (!work.is_decoded && is_believable(footer)) {
        if (footer.record_count == 0) return {};
        facts.min_time = footer.times->min_time;
        facts.max_time = footer.times->max_time;
        return {};
    }
    const parquet::ScanFacts scan = TRY(parquet::scan_file(reader, *work.schema));
    facts.verdict = scan.verdict;
    facts.reason = scan.reason;
    if (scan.verdict != parquet::Verdict::readable) return {};
    facts.record_count = scan.record_count;
    facts.null_times = scan.null_times;
    facts.is_time_overflow = scan.is_time_overflow;
    facts.min_time = scan.min_time;
    facts.max_time = scan.max_time;
    facts.row_fingerprint = scan.row_fingerprint;
    return {};
}

/// What the threads share: who takes which object next, and what came of each.
struct Pool {
    object::Store& store;
    const std::vector<ObjectWork>& work;
    const Resources& resources;
    const Watch& watch;
    std::vector<ObjectFacts> facts = std::vector<ObjectFacts>(work.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> has_failed = false;
    Mutex mutex = {};
    std::size_t failed_at GUARDED_BY(mutex) = SIZE_MAX;
    std::optional<Error> failure GUARDED_BY(mutex) = std::nullopt;
};

void note_failure(Pool& pool, std::size_t index, const Error& error) {
    const Lock lock(pool.mutex);
    pool.has_failed = true;
    if (index >= pool.failed_at) return;
    pool.failed_at = index;
    pool.failure = error;
}

/// Takes objects until there is none or one failed. All objects before a failed one were taken, so
/// the first failure is found whatever the threads do.
void run_worker(Pool& pool, bool is_caller) {
    while (!pool.has_failed) {
        const std::size_t index = pool.next++;
        if (index >= pool.work.size()) return;
        auto facts =
            examine(pool.store, pool.work[index], pool.resources.held_bytes_max, pool.watch.stop);
        if (!facts.ok()) return note_failure(pool, index, facts.error());
        pool.facts[index] = *std::move(facts);
        const std::size_t done = ++pool.done;
        if (is_caller) pool.watch.tell("read", done, pool.work.size());
    }
}

std::size_t count_threads(const Resources& resources, std::size_t objects) {
    const std::size_t wanted = resources.threads > 0
                                   ? resources.threads
                                   : std::max(1U, std::thread::hardware_concurrency());
    return std::max<std::size_t>(1, std::min(wanted, objects));
}

/// A thread, or none when the machine has no more: the others then do its part.
std::optional<std::jthread> start_worker(Pool& pool) {
    try {
        return std::jthread([&pool] { run_worker(pool, false); });
    } catch (const std::system_error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<ObjectWork> make_work(const Submission& submission, const BasisFacts& basis,
                                  const InventoryFacts& inventory) {
    const bool is_always = submission.options.digest_policy == catalog::DigestPolicy::always;
    std::vector<ObjectWork> work;
    for (std::uint32_t i = 0; i < inventory.hours.size(); ++i) {
        const NamedHour& hour = inventory.hours[i];
        const auto& names = inventory.names[hour.manifest].names;
        const catalog::Table* const table =
            find_table(basis.view, submission.publication.manifests[hour.manifest].table);
        PathCursor known(names, hour.prefix);
        const auto& claims = inventory.matches[i].claims;
        for (std::uint32_t j = 0; j < claims.size(); ++j) {
            const Match& match = claims[j];
            if (match.is_kept || match.entry == no_index) continue;
            const object::Entry& entry = inventory.listings[i].entries[match.entry];
            if (entry.kind != object::Entry::Kind::object) continue;
            // A name that stands for a digest must be shown to stand for it still.
            const std::uint32_t index = known.find(entry.path);
            const bool has_digest = index != no_index && names[index].sha256;
            work.push_back({.hour = i,
                            .match = j,
                            .name = {hour.root, entry.path},
                            .identity = entry.identity,
                            .schema = &table->find_schema(version_of(hour, match))->schema,
                            .is_digested = is_always || has_digest,
                            .is_decoded = is_always});
        }
    }
    return work;
}

Result<ObjectFacts> examine(object::Store& store, const ObjectWork& work,
                            std::uint64_t held_bytes_max, const std::stop_token& stop) {
    ObjectFacts facts;
    facts.hour = work.hour;
    facts.match = work.match;
    TRY(verify_not_stopped(stop));
    std::unique_ptr<Reader> reader = TRY(open_listed(store, work.name, work.identity));
    facts.is_changed = !reader;
    if (facts.is_changed) return facts;
    const std::uint64_t size = work.identity.size_bytes;
    if (work.is_digested && size <= held_bytes_max) {
        auto bytes = TRY(read_piece(*reader, 0, size));
        facts.is_changed = !bytes;
        if (facts.is_changed) return facts;
        facts.sha256 = digest_of(*bytes);
        reader = std::make_unique<HeldObject>(work.identity, *std::move(bytes));
    } else if (work.is_digested) {
        facts.sha256 = TRY(digest_pieces(*reader, stop));
        facts.is_changed = !facts.sha256;
        if (facts.is_changed) return facts;
    }
    TRY(read_parquet(*reader, work, facts).within(work.name.path));
    return facts;
}

Result<std::vector<ObjectFacts>> examine_all(object::Store& store,
                                             const std::vector<ObjectWork>& work,
                                             const Resources& resources, const Watch& watch) {
    Pool pool{.store = store, .work = work, .resources = resources, .watch = watch};
    {
        std::vector<std::optional<std::jthread>> others;
        for (std::size_t i = 1; i < count_threads(resources, work.size()); ++i) {
            others.push_back(start_worker(pool));
        }
        run_worker(pool, true);
    }
    const Lock lock(pool.mutex);
    if (pool.failure) return *pool.failure;
    return std::move(pool.facts);
}

Result<std::optional<Digest>> digest_object(object::Store& store, const object::Name& name,
                                            const object::Identity& identity,
                                            const std::stop_token& stop) {
    const auto reader = TRY(open_listed(store, name, identity));
    if (!reader) return std::optional<Digest>();
    return digest_pieces(*reader, stop);
}

}  // namespace highwater::publish
