// Goal: whatever call fails, whatever byte is damaged and whoever else writes, the cache holds the
// generation before or the one after, whole, and its file gives one of them or nothing. Method:
// walk a fault through every call of a refresh and of its file; crash; flip every byte; two
// processes.

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <tuple>

#include "cache/local_disk.h"
#include "cache/memory_disk.h"
#include "cache/metadata_cache.h"
#include "testkit/faulty_catalog.h"
#include "testkit/faulty_store.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::cache {
namespace {

using testkit::Fault;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;
constexpr int calls_max = 200;
const std::string path = "/data/cache";

/// A Disk that fails where its Fault says. A write that fails after its effect has written half.
class FaultyDisk final : public Disk {
public:
    FaultyDisk(Disk& inner, Fault& fault) : inner_(inner), fault_(fault) {}

    Result<std::optional<FileState>> find_state(const std::string& name) override {
        return fault_.around_read([&] { return inner_.find_state(name); });
    }
    Result<FileBytes> read(const std::string& name, std::uint64_t offset,
                           std::uint64_t size_max) override {
        return fault_.around_read([&] { return inner_.read(name, offset, size_max); });
    }
    Result<void> write(const std::string& name, std::uint64_t offset, BytesView bytes) override {
        if (!fault_.fires()) return inner_.write(name, offset, bytes);
        if (fault_.when() == Fault::When::after_effect) {
            static_cast<void>(inner_.write(name, offset, bytes.substr(0, bytes.size() / 2)));
        }
        return Error(Code::exhausted, "no space");
    }
    Result<void> sync(const std::string& name) override {
        return fault_.around([&] { return inner_.sync(name); });
    }
    Result<void> rename(const std::string& from, const std::string& to) override {
        return fault_.around([&] { return inner_.rename(from, to); });
    }
    Result<std::unique_ptr<DiskLock>> try_lock(const std::string& name) override {
        return fault_.around_read([&] { return inner_.try_lock(name); });
    }

private:
    Disk& inner_;
    Fault& fault_;
};

/// A lake with a cache that has seen it, and one correction that it has not seen.
class World {
public:
    World() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1});
        before = refreshed(nullptr);
        lake.correct(table, first);
        after = refreshed(before);
    }

    std::shared_ptr<const Snapshot> refreshed(const std::shared_ptr<const Snapshot>& base) {
        auto done = refresh({lake.catalog, lake.store, lake.clock}, base, {});
        EXPECT_THAT(done, IsOk());
        return done->snapshot;
    }

    /// Every entry is the registration of its generation.
    void expect_true(const Snapshot& snapshot) {
        for (std::int64_t hour = first; hour < first + 3; ++hour) {
            const auto found = snapshot.find({table, {hour}});
            if (std::holds_alternative<Miss>(found)) continue;
            const auto& entry = std::get<Entry>(found);
            const model::HourRange range{{hour}, {hour + 1}};
            const auto view =
                lake.catalog.load_view({{{table, {range}}}, snapshot.seen().number, true});
            ASSERT_THAT(view, IsOk());
            ASSERT_EQ(view->generation, snapshot.seen());
            ASSERT_EQ(entry.partition != nullptr, !view->partitions.empty());
            ASSERT_TRUE(!entry.partition || *entry.partition == *view->partitions.front());
        }
    }

    testkit::Lake lake;
    catalog::TableId table;
    std::shared_ptr<const Snapshot> before;
    std::shared_ptr<const Snapshot> after;
};

enum class Stored { nothing, before, long_log };

class FileFaultTest
    : public ::testing::TestWithParam<std::tuple<Stored, Fault::When, Fault::Lasting, bool>> {};

TEST_P(FileFaultTest, TheFileHoldsTheSnapshotBeforeOrTheOneAfter) {
    const auto [stored, when, lasting, crashes] = GetParam();
    World world;
    for (int at_call = 0;; ++at_call) {
        ASSERT_LT(at_call, calls_max);
        SCOPED_TRACE(at_call);
        MemoryDisk disk;
        const FileLimits limits{.log_bytes_min = stored == Stored::long_log ? 1U : 1U << 20U};
        if (stored != Stored::nothing) {
            File prepared(disk, world.lake.clock, path, limits);
            ASSERT_THAT(prepared.store(world.before), IsOk());
        }
        Fault fault(at_call, when, lasting);
        FaultyDisk faulty(disk, fault);
        File file(faulty, world.lake.clock, path, limits);
        const auto outcome = file.store(world.after);

        if (crashes) disk.crash();
        File reopened(disk, world.lake.clock, path, limits);
        const auto loaded = reopened.load();
        ASSERT_THAT(loaded, IsOk());
        EXPECT_FALSE(reopened.discarded().has_value());
        const bool has_after = *loaded && (*loaded)->seen() == world.after->seen();
        const bool has_before = stored == Stored::nothing
                                    ? !*loaded
                                    : *loaded && (*loaded)->seen() == world.before->seen();
        EXPECT_TRUE(has_after || has_before);
        EXPECT_TRUE(has_after || !outcome.ok());
        if (*loaded) world.expect_true(**loaded);
        if (!fault.fired()) {
            EXPECT_THAT(outcome, IsOk());
            return;
        }
        // Whoever comes next puts it right, also the one that failed.
        ASSERT_THAT(reopened.store(world.after), IsOk());
        ASSERT_EQ((*File(disk, world.lake.clock, path).load())->seen(), world.after->seen());
        ASSERT_EQ(file.store(world.after).ok(), lasting == Fault::Lasting::once);
        ASSERT_EQ((*File(disk, world.lake.clock, path).load())->seen(), world.after->seen());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FileFaultTest,
    ::testing::Combine(::testing::Values(Stored::nothing, Stored::before, Stored::long_log),
                       ::testing::Values(Fault::When::before_effect, Fault::When::after_effect),
                       ::testing::Values(Fault::Lasting::once, Fault::Lasting::from_then_on),
                       ::testing::Bool()));

class RefreshFaultTest : public ::testing::TestWithParam<std::tuple<int, Fault::Lasting>> {};

TEST_P(RefreshFaultTest, ReadersKeepTheGenerationBeforeUntilTheOneAfterIsWhole) {
    const auto [port, lasting] = GetParam();
    for (int at_call = 0;; ++at_call) {
        ASSERT_LT(at_call, calls_max);
        SCOPED_TRACE(at_call);
        World world;
        MemoryDisk disk;
        Fault fault(at_call, Fault::When::before_effect, lasting);
        Fault none(calls_max * 10, Fault::When::before_effect);
        testkit::FaultyCatalog catalog(world.lake.catalog, port == 0 ? fault : none);
        testkit::FaultyStore store(world.lake.store, port == 1 ? fault : none);
        FaultyDisk faulty(disk, port == 2 ? fault : none);
        File prepared(disk, world.lake.clock, path);
        ASSERT_THAT(prepared.store(world.before), IsOk());
        File file(faulty, world.lake.clock, path);
        MetadataCache cache({catalog, store, world.lake.clock}, &file);
        const bool had_file = cache.take_in().ok();
        const auto held = cache.snapshot();
        EXPECT_EQ(had_file, held != nullptr);

        const auto report = cache.refresh({});

        const auto now = cache.snapshot();
        if (report.ok()) {
            EXPECT_EQ(now->seen(), world.after->seen());
            EXPECT_EQ(cache.health().last_completed_generation, world.after->seen());
        } else {
            // It may have taken in what the file holds, and nothing else.
            EXPECT_TRUE(now == held || (now && now->seen() == world.before->seen()));
            EXPECT_FALSE(cache.health().last_completed_generation.has_value());
            EXPECT_EQ(cache.counters().refreshes_failed, 1u);
        }
        if (now) {
            EXPECT_EQ(now->completed(), now->seen().number);
            world.expect_true(*now);
        }
        if (!fault.fired()) {
            ASSERT_THAT(report, IsOk());
            EXPECT_FALSE(report->not_stored.has_value());
            return;
        }
        // A disk that fails makes a refresh slower; it never makes it fail.
        EXPECT_EQ(report.ok(), port == 2);
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, RefreshFaultTest,
                         ::testing::Combine(::testing::Values(0, 1, 2),
                                            ::testing::Values(Fault::Lasting::once,
                                                              Fault::Lasting::from_then_on)));

TEST(CacheCorruptionTest, AFlippedByteIsTheSameAnswerAnOlderOneOrNone) {
    World world;
    MemoryDisk disk;
    File file(disk, world.lake.clock, path);
    ASSERT_THAT(file.store(world.before), IsOk());
    ASSERT_THAT(file.store(world.after), IsOk());
    const Bytes whole = disk.read(path, 0, 1 << 30)->bytes;
    int discarded = 0;
    int older = 0;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const int mask : {0x01, 0x80, 0xFF}) {
            Bytes flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ mask);
            ASSERT_THAT(disk.write(path, 0, flipped), IsOk());
            File damaged(disk, world.lake.clock, path);
            const auto loaded = damaged.load();
            ASSERT_THAT(loaded, IsOk()) << at;
            if (!*loaded) {
                EXPECT_TRUE(damaged.discarded().has_value()) << at;
                ++discarded;
                continue;
            }
            // The last record is cut off: what was there before it still stands.
            ASSERT_EQ((*loaded)->seen(), world.before->seen()) << at;
            world.expect_true(**loaded);
            ++older;
        }
    }
    EXPECT_GT(discarded, 0);
    EXPECT_GT(older, 0);
}

TEST(CacheCorruptionTest, AFileOfAnyLengthIsOneOfItsStatesOrNothing) {
    World world;
    MemoryDisk disk;
    File file(disk, world.lake.clock, path);
    ASSERT_THAT(file.store(world.before), IsOk());
    const std::size_t base_size = disk.read(path, 0, 1 << 30)->bytes.size();
    ASSERT_THAT(file.store(world.after), IsOk());
    const Bytes whole = disk.read(path, 0, 1 << 30)->bytes;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        ASSERT_THAT(disk.write(path, 0, BytesView(whole).substr(0, size)), IsOk());
        File cut(disk, world.lake.clock, path);
        const auto loaded = cut.load();
        ASSERT_THAT(loaded, IsOk()) << size;
        EXPECT_EQ(cut.discarded().has_value(), size < base_size) << size;
        if (*loaded) world.expect_true(**loaded);
        EXPECT_EQ(size == whole.size(), *loaded && (*loaded)->seen() == world.after->seen());
        ASSERT_THAT(cut.store(world.after), IsOk());
    }
}

/// One of several processes: refreshes its own part of the lake again and again.
void run_process(World& world, const std::string& file_path, std::int64_t own_hour, int rounds) {
    LocalDisk disk;
    env::SystemClock clock;
    File file(disk, clock, file_path, {.log_bytes_min = 1 << 12});
    MetadataCache cache({world.lake.catalog, world.lake.store, clock}, &file);
    std::uint64_t last = 0;
    for (int i = 0; i < rounds; ++i) {
        // Each process has its own copy of the lake; all of them take the same steps.
        world.lake.correct(world.table, i % 2 == 0 ? own_hour : first);
        ASSERT_THAT(cache.take_in(), IsOk());
        const auto taken = cache.snapshot();
        ASSERT_TRUE(!taken || taken->seen().number >= last);
        const auto report = cache.refresh({});
        if (!report.ok()) {
            // The other one is ahead: this one's catalog has not got there yet.
            ASSERT_EQ(report.error().code(), Code::precondition_failed);
            continue;
        }
        ASSERT_FALSE(report->not_stored.has_value()) << report->not_stored->message();
        last = cache.snapshot()->seen().number;
    }
}

TEST(CacheProcessesTest, TwoProcessesShareOneFile) {
    testkit::TemporaryDirectory folder;
    const std::string file_path = folder.path() + "/cache";
    constexpr int rounds = 60;
    World world;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        run_process(world, file_path, first, rounds);
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    run_process(world, file_path, first, rounds);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);

    LocalDisk disk;
    File file(disk, world.lake.clock, file_path);
    const auto loaded = file.load();
    ASSERT_THAT(loaded, IsOk());
    EXPECT_FALSE(file.discarded().has_value());
    ASSERT_NE(*loaded, nullptr);
    EXPECT_EQ((*loaded)->seen(), world.lake.head());
    world.expect_true(**loaded);
}

}  // namespace
}  // namespace highwater::cache
