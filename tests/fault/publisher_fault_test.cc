// Goal: whatever fails while a publication is driven from the gate to its announcement (after the
// commit and before the read-back, after the swap and before the completion is stored, too), a
// reader gets the old rows or the new ones, whole; the outcome tells the truth; and the same
// publication, sent again, is served as one generation. Method: walk one fault, or all from one
// call on, through every call to store, catalog, journal, the second connection and the cache file,
// before and after its effect.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "cache/file.h"
#include "cache/memory_disk.h"
#include "embed/publisher.h"
#include "embed/reader.h"
#include "testkit/fault.h"
#include "testkit/faulty_catalog.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::embed {
namespace {

using testkit::Fault;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr int calls_max = 300;  // The walk must end: a publication makes a bounded number of calls.
constexpr model::Hour nine = PublishWorld::nine;

/// A Disk that fails where its Fault says, and otherwise is the one it wraps.
class FaultyDisk final : public cache::Disk {
public:
    FaultyDisk(cache::Disk& inner, Fault& fault) : inner_(inner), fault_(fault) {}

    Result<std::optional<cache::FileState>> find_state(const std::string& path) override {
        return fault_.around_read([&] { return inner_.find_state(path); });
    }
    Result<cache::FileBytes> read(const std::string& path, std::uint64_t offset,
                                  std::uint64_t size_max) override {
        return fault_.around_read([&] { return inner_.read(path, offset, size_max); });
    }
    Result<void> write(const std::string& path, std::uint64_t offset, BytesView bytes) override {
        return fault_.around([&] { return inner_.write(path, offset, bytes); });
    }
    Result<void> sync(const std::string& path) override {
        return fault_.around([&] { return inner_.sync(path); });
    }
    Result<void> rename(const std::string& from, const std::string& to) override {
        return fault_.around([&] { return inner_.rename(from, to); });
    }
    Result<std::unique_ptr<cache::DiskLock>> try_lock(const std::string& path) override {
        return fault_.around_read([&] { return inner_.try_lock(path); });
    }

private:
    cache::Disk& inner_;
    Fault& fault_;
};

/// One published hour, and its correction that is to be published.
struct Scene {
    PublishWorld world;
    cache::MemoryDisk disk;
    publish::Submission submission;

    Scene() {
        world.add_table("logs");
        const auto kept = world.put("/lake/logs", nine, "a", 3);
        const auto old = world.put("/lake/logs", nine, "b", 3);
        submission.publication.manifests = {
            PublishWorld::make_manifest("logs", "b1", nine, {kept, old})};
        EXPECT_THAT(publish(), IsOk());
        auto correction = PublishWorld::make_manifest(
            "logs", "b2", nine, {kept, world.put("/lake/logs", nine, "b-corrected", 3, 100)});
        correction.base_generation = world.base();
        submission.publication.manifests = {correction};
    }

    Result<Published> publish() { return publish(world.store, world.catalog, world.catalog, disk); }

    Result<Published> publish(object::Store& store, catalog::Catalog& catalog,
                              catalog::Journal& journal, cache::Disk& on_disk) {
        cache::File file(on_disk, world.clock, "/cache");
        cache::MetadataCache cache({catalog, store, world.clock}, &file);
        static_cast<void>(cache.take_in().ok());
        return Publisher({.store = store,
                          .catalog = catalog,
                          .journal = journal,
                          .second_catalog = catalog,
                          .cache = cache,
                          .clock = world.clock,
                          .keeper = RecordKeeper(store, catalog, "/records"),
                          .on_step = nullptr})
            .publish(submission, {});
    }

    /// The names that a reader in another process would read, which shares the cache file.
    std::vector<std::string> read(read::OnStale on_stale) {
        cache::File file(disk, world.clock, "/cache");
        cache::MetadataCache cache({world.catalog, world.store, world.clock}, &file);
        Reader reader({.store = world.store,
                       .catalog = world.catalog,
                       .cache = cache,
                       .clock = world.clock,
                       .ledger = [] { return object::Ledger{}; },
                       .stop = {}});
        read::Request request;
        request.tables = {{.name = "logs", .id = {}}};
        request.on_stale = on_stale;
        const auto settled = reader.settle(request);
        EXPECT_THAT(settled, IsOk());
        std::vector<std::string> paths;
        if (!settled.ok() || !settled->serve) return paths;
        for (const auto& file_of_plan : settled->serve->plan.tables.front().files) {
            paths.push_back(file_of_plan.name.path);
        }
        return paths;
    }
};

const std::vector<std::string> old_files{PublishWorld::path_of(nine, "a"),
                                         PublishWorld::path_of(nine, "b")};
const std::vector<std::string> new_files{PublishWorld::path_of(nine, "a"),
                                         PublishWorld::path_of(nine, "b-corrected")};

/// What the publisher said must be what is true.
void expect_truth(const Result<Published>& published, bool is_committed) {
    if (!published.ok()) {
        const Code code = published.error().code();
        EXPECT_TRUE(code == Code::unavailable || code == Code::outcome_unknown)
            << published.error().message();
        EXPECT_TRUE(!is_committed || code == Code::outcome_unknown);
        return;
    }
    switch (published->outcome) {
        case PublishOutcome::rejected: EXPECT_FALSE(is_committed); break;
        case PublishOutcome::conflict: FAIL() << "there is no other publisher"; break;
        case PublishOutcome::served:
            EXPECT_TRUE(is_committed);
            ASSERT_TRUE(published->confirmation.has_value());
            EXPECT_TRUE(published->confirmation->is_confirmed());
            break;
        case PublishOutcome::registered_not_served:
            EXPECT_TRUE(is_committed);
            EXPECT_TRUE(published->failure.has_value());
            break;
    }
}

using Parameters = std::tuple<Fault::When, Fault::Lasting>;

class PublisherFaultTest : public ::testing::TestWithParam<Parameters> {};

TEST_P(PublisherFaultTest, ReadersGetTheOldRowsOrTheNewOnesAndTheOutcomeIsTrue) {
    const auto [when, lasting] = GetParam();
    for (int at_call = 0;; ++at_call) {
        ASSERT_LT(at_call, calls_max);
        SCOPED_TRACE("call " + std::to_string(at_call));
        Scene scene;
        const auto before = scene.world.visible();
        Fault fault(at_call, when, lasting);
        testkit::FaultyStore store(scene.world.store, fault);
        testkit::FaultyCatalog catalog(scene.world.catalog, fault);
        testkit::FaultyJournal journal(scene.world.catalog, fault);
        FaultyDisk disk(scene.disk, fault);
        const auto published = scene.publish(store, catalog, journal, disk);

        const auto visible = scene.world.visible();
        const bool is_committed = visible.head != before.head;
        expect_truth(published, is_committed);
        for (const auto on_stale : {read::OnStale::refresh, read::OnStale::direct_listing}) {
            EXPECT_EQ(scene.read(on_stale), is_committed ? new_files : old_files);
        }

        const auto again = scene.publish();
        ASSERT_THAT(again, IsOk());
        EXPECT_EQ(again->outcome, PublishOutcome::served);
        EXPECT_EQ(scene.world.visible().head.number, before.head.number + 1);
        EXPECT_EQ(scene.read(read::OnStale::fail), new_files);
        if (!fault.fired()) {
            EXPECT_GE(at_call, 30);  // The walk went through gate, records, read-back and refresh.
            return;
        }
    }
}

std::string name_of(const ::testing::TestParamInfo<Parameters>& walk) {
    const auto [when, lasting] = walk.param;
    return std::string(when == Fault::When::before_effect ? "Before" : "After") +
           (lasting == Fault::Lasting::once ? "Once" : "FromThenOn");
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PublisherFaultTest,
    ::testing::Combine(::testing::Values(Fault::When::before_effect, Fault::When::after_effect),
                       ::testing::Values(Fault::Lasting::once, Fault::Lasting::from_then_on)),
    name_of);

}  // namespace
}  // namespace highwater::embed
