// Goal: whatever call fails while a publication passes the gate, others see the old state or the
// new one, never a third; the outcome or the error says which, or that it does not know; and the
// same publication, sent again, ends in the new state, once. Method: walk one fault, or all faults
// from one call on, through every call to store, catalog and journal, each before and after its
// effect.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "publish/gate.h"
#include "testkit/fault.h"
#include "testkit/faulty_catalog.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::publish {
namespace {

using manifest::Manifest;
using testkit::Fault;
using testkit::FaultyCatalog;
using testkit::FaultyJournal;
using testkit::FaultyStore;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr int calls_max = 200;  // The walk must end: a passage makes a bounded number of calls.
constexpr model::Hour nine = PublishWorld::nine;
constexpr Resources one_thread{.threads = 1, .held_bytes_max = 250};  // Some objects in pieces.

/// A world, always the same, and what is to be published in it.
struct Scene {
    PublishWorld world;
    Submission submission;

    Result<Outcome> publish(object::Store& store, catalog::Catalog& catalog,
                            catalog::Journal& journal) {
        return Gate(store, catalog, journal, world.clock, one_thread).publish(submission);
    }
    Result<Outcome> publish() { return publish(world.store, world.catalog, world.catalog); }
};

/// Two hours of one table and one of another, all new, an announced object beside them.
void set_new_hours(Scene& scene) {
    PublishWorld& world = scene.world;
    world.add_table("logs");
    world.add_table("spans");
    Manifest logs = PublishWorld::make_manifest(
        "logs", "b1", nine,
        {world.put("/lake/logs", nine, "a", 3), world.put("/lake/logs", nine, "b", 8)});
    const model::Hour ten = model::next(nine);
    logs.partitions.push_back({ten, {}, {world.put("/lake/logs", ten, "a", 3)}, {}});
    const auto coming = world.put("/lake/logs", ten, "coming", 2);
    const catalog::Intent intent{.id = {},
                                 .table = world.table("logs").id,
                                 .batch = "b2",
                                 .root = "/lake/logs",
                                 .paths = {coming.path},
                                 .created = world.clock.now(),
                                 .expires = world.clock.now() + std::chrono::hours(1)};
    ASSERT_THAT(world.catalog.put_intent(intent), IsOk());
    const Manifest spans =
        PublishWorld::make_manifest("spans", "b1", nine, {world.put("/lake/spans", nine, "a", 3)});
    scene.submission.publication.manifests = {logs, spans};
}

/// One hour restated: an object kept, one replaced.
void set_correction(Scene& scene) {
    PublishWorld& world = scene.world;
    world.add_table("logs");
    const auto kept = world.put("/lake/logs", nine, "a", 3);
    const auto old = world.put("/lake/logs", nine, "b", 3);
    scene.submission.publication.manifests = {
        PublishWorld::make_manifest("logs", "b1", nine, {kept, old})};
    ASSERT_THAT(scene.publish(), IsOk());
    Manifest correction = PublishWorld::make_manifest(
        "logs", "b2", nine, {kept, world.put("/lake/logs", nine, "b-corrected", 3, 100)});
    correction.base_generation = world.base();
    scene.submission.publication.manifests = {correction};
}

using SetScene = void (*)(Scene&);
using Parameters = std::tuple<SetScene, Fault::When, Fault::Lasting>;

class PublishFaultTest : public ::testing::TestWithParam<Parameters> {
protected:
    static void set(Scene& scene) { std::get<SetScene>(GetParam())(scene); }

    /// What an undisturbed publication ends in.
    static PublishWorld::Visible after() {
        Scene scene;
        set(scene);
        const auto outcome = scene.publish();
        EXPECT_THAT(outcome, IsOk());
        EXPECT_TRUE(std::holds_alternative<Registered>(outcome->value));
        return scene.world.visible();
    }

    static void expect_truth(const Result<Outcome>& outcome, const PublishWorld::Visible& visible,
                             const PublishWorld::Visible& before,
                             const PublishWorld::Visible& after) {
        if (!outcome.ok()) {
            const Code code = outcome.error().code();
            EXPECT_TRUE(code == Code::unavailable || code == Code::outcome_unknown)
                << outcome.error().message();
            EXPECT_TRUE(visible == before || (code == Code::outcome_unknown && visible == after));
            return;
        }
        const bool is_registered = std::holds_alternative<Registered>(outcome->value);
        EXPECT_EQ(visible, is_registered ? after : before);
        if (is_registered) return;
        EXPECT_TRUE(std::holds_alternative<Rejected>(outcome->value));
        EXPECT_EQ(outcome->report().code, ProblemCode::listing_failed);
    }
};

TEST_P(PublishFaultTest, LeavesTheOldStateOrTheNewOneAndSaysWhich) {
    const auto [unused, when, lasting] = GetParam();
    const PublishWorld::Visible after = PublishFaultTest::after();
    for (int at_call = 0;; ++at_call) {
        ASSERT_LT(at_call, calls_max);
        SCOPED_TRACE("call " + std::to_string(at_call));
        Scene scene;
        set(scene);
        const auto before = scene.world.visible();

        Fault fault(at_call, when, lasting);
        FaultyStore store(scene.world.store, fault);
        FaultyCatalog catalog(scene.world.catalog, fault);
        FaultyJournal journal(scene.world.catalog, fault);
        const auto outcome = scene.publish(store, catalog, journal);
        const auto visible = scene.world.visible();
        expect_truth(outcome, visible, before, after);

        const auto again = scene.publish();
        ASSERT_THAT(again, IsOk());
        const bool was_committed = visible == after;
        EXPECT_EQ(std::holds_alternative<Repeated>(again->value), was_committed);
        EXPECT_EQ(std::holds_alternative<Registered>(again->value), !was_committed);
        EXPECT_EQ(scene.world.visible(), after);
        if (!fault.fired()) {
            EXPECT_GE(at_call, 15);  // The walk went through everything that it was meant for.
            return;
        }
    }
}

std::string name_of(const ::testing::TestParamInfo<Parameters>& info) {
    const auto [set, when, lasting] = info.param;
    return std::string(set == set_new_hours ? "NewHours" : "Correction") +
           (when == Fault::When::before_effect ? "Before" : "After") +
           (lasting == Fault::Lasting::once ? "Once" : "FromThenOn");
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PublishFaultTest,
    ::testing::Combine(::testing::Values(&set_new_hours, &set_correction),
                       ::testing::Values(Fault::When::before_effect, Fault::When::after_effect),
                       ::testing::Values(Fault::Lasting::once, Fault::Lasting::from_then_on)),
    name_of);

}  // namespace
}  // namespace highwater::publish
