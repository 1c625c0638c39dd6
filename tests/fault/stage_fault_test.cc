#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage/cleanup.h"
#include "stage/stager.h"
#include "testkit/commits.h"
#include "testkit/faulty_catalog.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::stage {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::Fault;
using testkit::IsOk;

constexpr model::Hour nine = testkit::PublishWorld::nine;

std::vector<std::string> paths_at(object::Store& store, const std::string& root) {
    const auto entries = object::list_all(store, root, "");
    EXPECT_THAT(entries, IsOk());
    std::vector<std::string> paths;
    for (const object::Entry& entry : *entries) paths.push_back(entry.path);
    return paths;
}

/// A table `t` and an input of three hours, a bad line among it.
class StagedWorld : public testkit::PublishWorld {
public:
    StagedWorld() {
        add_table("t");
        Bytes text = "time,value\nbad,line\n";
        for (int i = 0; i < 300; ++i) {
            text +=
                "2026-10-06 0" + std::to_string(7 + i % 3) + ":00:00," + std::to_string(i) + "\n";
        }
        EXPECT_THAT(object::put_new(store, {"/in", "a.csv"}, text), IsOk());
    }

    StageRequest request() {
        return {.table = "t",
                .batch = "batch-1",
                .inputs = {{.file = {"/in", "a.csv"}}},
                .layout = {.objects_per_hour = 2},
                .bad_lines_max = 1,
                .manifest = object::Name{"/out", "manifest.json"},
                .rejects = object::Name{"/out", "rejects.csv"},
                .scratch_root = "/scratch",
                .memory = sort_memory_min,
                .id = env::make_uuid(random),
                .now = clock.now()};
    }

    std::vector<catalog::Intent> intents() { return *catalog.load_intents(table("t").id); }

    void expect_nothing_but_input() {
        EXPECT_THAT(paths_at(store, "/lake/t"), IsEmpty());
        EXPECT_THAT(paths_at(store, "/out"), IsEmpty());
        EXPECT_THAT(intents(), IsEmpty());
    }
};

Result<Staged> stage_with(StagedWorld& world, Fault& fault, const StageRequest& request) {
    testkit::FaultyStore store(world.store, fault);
    testkit::FaultyCatalog catalog(world.catalog, fault);
    testkit::FaultyJournal journal(world.catalog, fault);
    return Stager(store, store, catalog, journal).stage(request);
}

/// After each failure: everything, or nothing, or an intent that names all there is.
void walk_stage(Fault::When when, Fault::Lasting lasting) {
    for (int at_call = 0;; ++at_call) {
        SCOPED_TRACE(testing::Message() << "call " << at_call);
        StagedWorld world;
        Fault fault(at_call, when, lasting);
        StageRequest request = world.request();
        const auto staged = stage_with(world, fault, request);
        if (staged.ok()) {
            ASSERT_TRUE(staged->manifest.has_value());
            EXPECT_THAT(paths_at(world.store, "/lake/t"), SizeIs(6));
            EXPECT_THAT(paths_at(world.store, "/out"), ElementsAre("manifest.json", "rejects.csv"));
            EXPECT_THAT(world.intents(), SizeIs(1));
            // Only a run that could not be removed is forgiven.
            if (!fault.fired()) return;
            continue;
        }
        if (staged.error().code() != Code::outcome_unknown) {
            EXPECT_EQ(staged.error().code(), Code::unavailable) << staged.error().message();
            world.expect_nothing_but_input();
            // As it was, so the same request goes through.
            request.scratch_root = "/scratch-2";  // Private, so a run that stayed is not in it.
            Fault none(1 << 30, when);
            EXPECT_THAT(stage_with(world, none, request), IsOk());
            continue;
        }
        const auto visible = paths_at(world.store, "/lake/t");
        const auto intents = world.intents();
        for (const std::string& path : visible) {
            ASSERT_THAT(intents, SizeIs(1));
            EXPECT_THAT(intents[0].paths, Contains(path));
        }
        EXPECT_THAT(staged.error().message(), HasSubstr(format_uuid(request.id)));
        if (!intents.empty()) {
            Cleaner cleaner(world.store, world.catalog, world.catalog);
            EXPECT_THAT(cleaner.abandon(world.table("t").id, request.id), IsOk());
        }
        EXPECT_THAT(paths_at(world.store, "/lake/t"), IsEmpty());
        EXPECT_THAT(world.intents(), IsEmpty());
    }
}

TEST(StageFault, OneFailureBeforeItsEffectLeavesAllOrNothing) {
    walk_stage(Fault::When::before_effect, Fault::Lasting::once);
}

TEST(StageFault, OneFailureAfterItsEffectLeavesAllOrNothing) {
    walk_stage(Fault::When::after_effect, Fault::Lasting::once);
}

TEST(StageFault, LastingFailuresLeaveAnIntentThatNamesWhatIsThere) {
    walk_stage(Fault::When::before_effect, Fault::Lasting::from_then_on);
    walk_stage(Fault::When::after_effect, Fault::Lasting::from_then_on);
}

TEST(StageFault, AProcessThatDiesBeforeTheLinksLeavesNothing) {
    // Dying is a failure from there on in which not even taking back happens.
    for (int at_call = 0;; ++at_call) {
        StagedWorld world;
        Fault fault(at_call, Fault::When::before_effect, Fault::Lasting::from_then_on);
        static_cast<void>(stage_with(world, fault, world.request()));
        if (!fault.fired()) return;
        const auto visible = paths_at(world.store, "/lake/t");
        if (visible.empty()) continue;
        ASSERT_THAT(world.intents(), SizeIs(1)) << "call " << at_call;
        for (const std::string& path : visible) {
            EXPECT_THAT(world.intents()[0].paths, Contains(path));
        }
    }
}

/// Two strays, one registered object, and an intent that names one more.
class LitteredWorld : public testkit::PublishWorld {
public:
    LitteredWorld() : table_(add_table("t")) {
        for (const char* file : {"intended", "known", "stray-1", "stray-2"}) {
            EXPECT_THAT(object::put_new(store, {"/lake/t", path_of(nine, file)}, file), IsOk());
        }
        catalog::Partition partition = testkit::make_partition(table_, nine, {"x"});
        partition.objects = {testkit::make_object(path_of(nine, "known"), "known")};
        partition.inventory = catalog::inventory_of(partition);
        commit(catalog::Operation::publish, {}, {partition});
        intent_ = {.id = env::make_uuid(random),
                   .table = table_.id,
                   .batch = "b",
                   .root = "/lake/t",
                   .paths = {path_of(nine, "intended"), path_of(nine, "known")},
                   .created = clock.now(),
                   .expires = clock.now() + std::chrono::hours(1)};
        EXPECT_THAT(catalog.put_intent(intent_), IsOk());
    }

    const catalog::Table& table() const { return table_; }
    const catalog::Intent& intent() const { return intent_; }

    bool is_somewhere(const std::string& file) {
        const std::string path = path_of(nine, file);
        for (const std::string& found : paths_at(store, "/lake/t")) {
            if (found == path) return true;
        }
        for (const std::string& found : paths_at(store, "/lake/t/.highwater")) {
            if (found.starts_with("quarantine/" + path + ".")) return true;
        }
        return false;
    }

private:
    catalog::Table table_;
    catalog::Intent intent_;
};

template <typename Clean>
void walk_cleaning(Clean clean) {
    for (const auto when : {Fault::When::before_effect, Fault::When::after_effect}) {
        for (const auto lasting : {Fault::Lasting::once, Fault::Lasting::from_then_on}) {
            for (int at_call = 0;; ++at_call) {
                SCOPED_TRACE(testing::Message() << "call " << at_call);
                LitteredWorld world;
                Fault fault(at_call, when, lasting);
                testkit::FaultyStore store(world.store, fault);
                testkit::FaultyCatalog catalog(world.catalog, fault);
                testkit::FaultyJournal journal(world.catalog, fault);
                const bool done = clean(Cleaner(store, catalog, journal), world, !fault.fired());
                const auto left = paths_at(world.store, "/lake/t");
                EXPECT_THAT(left, Contains(world.path_of(nine, "known")));
                if (!fault.fired()) {
                    EXPECT_TRUE(done);
                    break;
                }
                // Again, with nothing in the way, ends where it should have.
                Cleaner cleaner(world.store, world.catalog, world.catalog);
                clean(cleaner, world, true);
            }
        }
    }
}

TEST(StageFault, QuarantineNeverLosesAnObject) {
    walk_cleaning([](Cleaner cleaner, LitteredWorld& world, bool) {
        const auto quarantined = cleaner.quarantine(world.table(), nine, world.clock.now());
        for (const char* file : {"intended", "known", "stray-1", "stray-2"}) {
            EXPECT_TRUE(world.is_somewhere(file)) << file;
        }
        EXPECT_THAT(paths_at(world.store, "/lake/t"), Contains(world.path_of(nine, "intended")));
        if (!quarantined.ok()) return false;
        EXPECT_THAT(paths_at(world.store, "/lake/t"), SizeIs(2));
        EXPECT_THAT(paths_at(world.store, "/lake/t/.highwater"), SizeIs(2));
        return true;
    });
}

TEST(StageFault, AbandonKeepsItsIntentUntilAllIsGone) {
    walk_cleaning([](Cleaner cleaner, LitteredWorld& world, bool) {
        const auto abandoned = cleaner.abandon(world.table().id, world.intent().id);
        const bool is_intended = !world.catalog.load_intents(world.table().id)->empty();
        const auto left = paths_at(world.store, "/lake/t");
        EXPECT_THAT(left, Contains(world.path_of(nine, "stray-1")));
        const bool is_there =
            std::find(left.begin(), left.end(), world.path_of(nine, "intended")) != left.end();
        EXPECT_TRUE(is_intended || !is_there);
        if (!abandoned.ok() && abandoned.error().code() != Code::not_found) return false;
        EXPECT_FALSE(is_intended);
        return true;
    });
}

}  // namespace
}  // namespace highwater::stage
