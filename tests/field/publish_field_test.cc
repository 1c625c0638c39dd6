// What others failed at when they made data visible, line by line. Each test says what our gate
// does instead.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "publish/confirm.h"
#include "publish/gate.h"
#include "testkit/forwarding_catalog.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/simulated_store.h"

namespace highwater::publish {
namespace {

using catalog::Operation;
using manifest::Manifest;
using manifest::ObjectClaim;
using testing::ElementsAre;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::Mishap;
using testkit::PublishWorld;
using testkit::SimulatedStore;

constexpr model::Hour nine = PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);
const std::string root = "/lake/logs";

/// One table; hour nine can be published and is known to be published at times.
class Field : public ::testing::Test {
protected:
    Field() { world_.add_table("logs"); }

    Outcome publish(const Manifest& manifest) { return publish(world_.store, manifest); }
    Outcome publish(object::Store& store, const Manifest& manifest) {
        Gate gate(store, world_.catalog, world_.catalog, world_.clock, {.threads = 1});
        const auto outcome = gate.publish({{{manifest}}, {}, {}});
        EXPECT_THAT(outcome, IsOk());
        return *outcome;
    }
    void must_publish(const Manifest& manifest) {
        const Outcome outcome = publish(manifest);
        ASSERT_TRUE(std::holds_alternative<Registered>(outcome.value))
            << format_report(outcome.report());
    }

    static Manifest logs(const std::string& batch, std::vector<ObjectClaim> objects,
                         model::Hour hour = nine) {
        return PublishWorld::make_manifest("logs", batch, hour, std::move(objects));
    }
    Manifest correction(const std::string& batch, std::vector<ObjectClaim> objects) {
        Manifest manifest = logs(batch, std::move(objects));
        manifest.base_generation = world_.base();
        return manifest;
    }
    ObjectClaim put(const std::string& file, std::size_t rows = 4, double value = 0,
                    model::Hour hour = nine) {
        return world_.put(root, hour, file, rows, value);
    }
    static ObjectClaim claim(const std::string& file, std::size_t rows = 4, double value = 0) {
        return PublishWorld::claim(nine, file, rows, value);
    }

    PublishWorld world_;
};

// A cache keyed by path alone served old bytes after an overwrite in place.
TEST_F(Field, A16_AnObjectNameIsNeverUsedForOtherBytes) {
    must_publish(logs("b1", {put("a")}));
    const auto before = world_.visible();
    world_.store.replace({root, claim("a").path}, PublishWorld::make_file(nine, 4, 100));
    const Outcome outcome = publish(correction("b2", {claim("a", 4, 100)}));
    EXPECT_EQ(outcome.report().code, ProblemCode::name_reused);
    EXPECT_EQ(world_.visible(), before);
}

// Listing exceptions were swallowed, and the plan silently had no rows.
TEST_F(Field, A22_AListingThatFailsIsAnError) {
    const Manifest manifest = logs("b1", {put("a")});
    Manifest empty = logs("b2", {}, ten);
    empty.partitions[0].declared_empty = "nothing came";
    for (const Mishap mishap :
         {Mishap::denied, Mishap::unavailable, Mishap::timeout_before_effect}) {
        SimulatedStore store(world_.store, world_.clock);
        store.schedule(SimulatedStore::Call::list, mishap, 0, 2);
        EXPECT_EQ(publish(store, manifest).report().code, ProblemCode::listing_failed);
        // Emptiness is not shown by a listing that failed either.
        EXPECT_EQ(publish(store, empty).report().code, ProblemCode::listing_failed);
    }
    EXPECT_THAT(world_.visible().partitions, SizeIs(0));
}

// One vanished file dropped its siblings.
TEST_F(Field, A23_OneMissingObjectOf23IsNamedAndNothingIsServed) {
    std::vector<ObjectClaim> claims;
    for (int i = 0; i < 23; ++i) {
        const std::string file = "part-" + std::to_string(i);
        claims.push_back(i == 17 ? claim(file) : put(file));
    }
    const Outcome outcome = publish(logs("b1", claims));
    ASSERT_THAT(outcome.report().problems, SizeIs(1));
    EXPECT_EQ(outcome.report().problems[0].code, ProblemCode::object_missing);
    EXPECT_EQ(outcome.report().problems[0].path, claims[17].path);
    EXPECT_FALSE(world_.find_partition("logs", nine));
}

// The commit was fine, the partition's marker was missing, and the partition was skipped.
TEST_F(Field, A32_WhatWasRegisteredIsReadBackBeforeItIsAnnounced) {
    const Outcome outcome = publish(logs("b1", {put("a")}));
    const auto& registered = std::get<Registered>(outcome.value);
    ConfirmFacts facts;
    facts.allotted = registered.record.generation;
    facts.layers = {{"registrations", facts.allotted}, {"listings", facts.allotted}};
    facts.hours.resize(1);
    facts.hours[0].key = registered.partitions[0].key;
    facts.hours[0].accepted = state_of(registered.partitions[0]);
    facts.hours[0].cached = facts.hours[0].accepted;

    Confirmation confirmation = confirm(facts);  // Nothing was read back.
    ASSERT_THAT(confirmation.reasons, SizeIs(1));
    EXPECT_EQ(confirmation.reasons[0].reason, Unconfirmed::Reason::registration_lost);

    facts.hours[0].registered = state_of(*world_.find_partition("logs", nine));
    EXPECT_TRUE(confirm(facts).is_confirmed());
}

// Freshness was judged by the newest time while the load was still running.
TEST_F(Field, A36_TheManifestShowsFreshnessAndTheNewestTimeDoesNot) {
    // The last rows of the hour are there; the first object is not yet.
    const Manifest manifest = logs("b1", {claim("first"), put("last")});
    EXPECT_EQ(publish(manifest).report().code, ProblemCode::object_missing);
    put("first");
    must_publish(manifest);
}

// Checks passed vacuously on a blank partition.
TEST_F(Field, A37_NothingIsOnlyPublishedWithAReason) {
    EXPECT_EQ(publish(logs("b1", {})).report().code, ProblemCode::manifest_invalid);
    EXPECT_EQ(publish(logs("b1", {put("blank", 0)})).report().code, ProblemCode::manifest_invalid);
    ASSERT_THAT(world_.store.remove({root, claim("blank").path}), IsOk());
    Manifest declared = logs("b1", {});
    declared.partitions[0].declared_empty = "the fleet was switched off";
    must_publish(declared);
}

// The size in the metadata was not that of the object.
TEST_F(Field, A40_SizesOfManifestAndObjectAndTheFootersRowsAgree) {
    const ObjectClaim good = put("a");
    ObjectClaim wrong = good;
    ++wrong.size_bytes;
    EXPECT_EQ(publish(logs("b1", {wrong})).report().code, ProblemCode::size_mismatch);
    wrong = good;
    ++wrong.record_count;
    EXPECT_EQ(publish(logs("b1", {wrong})).report().code, ProblemCode::record_count_mismatch);
    must_publish(logs("b1", {good}));
}

// A drop and an overwrite left old and new rows side by side.
TEST_F(Field, A43_ACorrectionReplacesTheHourWhole) {
    std::vector<ObjectClaim> objects;
    for (int i = 0; i < 3; ++i) objects.push_back(put("part-" + std::to_string(i), 100));
    must_publish(logs("b1", objects));
    objects[1] = put("part-1-corrected", 100, 1'000);
    must_publish(correction("b2", objects));
    const auto partition = world_.find_partition("logs", nine);
    EXPECT_EQ(partition->record_count(), 300U);
    ASSERT_THAT(partition->objects, SizeIs(3));
    for (const auto& object : partition->objects) EXPECT_NE(object.path, claim("part-1").path);
}

// One logical change was two snapshots, and a reader in between saw half of it.
TEST_F(Field, A46_ACorrectionOfManyHoursIsOneGeneration) {
    must_publish(logs("b1", {put("a")}));
    must_publish(logs("b2", {put("a", 4, 0, ten)}, ten));
    const auto before = world_.visible();
    Manifest both = correction("b3", {put("a-corrected", 4, 7)});
    both.partitions.push_back({ten, {}, {put("a-corrected", 4, 7, ten)}, {}});
    must_publish(both);
    const auto after = world_.visible();
    EXPECT_EQ(after.head.number, before.head.number + 1);
    for (const auto& partition : after.partitions) {
        EXPECT_EQ(partition.changed, after.head.number);
    }
}

/// Commits, and then does not say so.
class MuteCatalog final : public testkit::ForwardingCatalog {
public:
    using ForwardingCatalog::ForwardingCatalog;
    bool may_be_asked = false;

    Result<catalog::CommitOutcome> commit(const catalog::Commit& commit) override {
        EXPECT_THAT(ForwardingCatalog::commit(commit), IsOk());
        return Error(Code::outcome_unknown, "no reply");
    }
    Result<std::optional<catalog::GenerationRecord>> find(const By& by) override {
        if (!may_be_asked && ++questions_ > 2) return Error(Code::unavailable, "no reply");
        return ForwardingCatalog::find(by);
    }

private:
    int questions_ = 0;
};

// The commit succeeded, the client thought that it failed and deleted what was committed.
TEST_F(Field, A48_AnUnknownCommitDeletesNothingAndARetryReturnsTheFirstOutcome) {
    const Manifest manifest = logs("b1", {put("a")});
    MuteCatalog mute(world_.catalog);
    Gate gate(world_.store, mute, world_.catalog, world_.clock);
    EXPECT_THAT(gate.publish({{{manifest}}, {}, {}}), FailsWith(Code::outcome_unknown));
    EXPECT_TRUE((*world_.store.head({root, claim("a").path})).has_value());
    const auto committed = world_.visible();
    EXPECT_THAT(committed.partitions, SizeIs(1));

    const Outcome again = publish(manifest);
    ASSERT_TRUE(std::holds_alternative<Repeated>(again.value));
    EXPECT_EQ(std::get<Repeated>(again.value).record.generation, committed.head);
    EXPECT_EQ(world_.visible(), committed);

    // And when the catalog can be asked, the outcome is known at once.
    MuteCatalog answering(world_.catalog);
    answering.may_be_asked = true;
    Gate other(world_.store, answering, world_.catalog, world_.clock);
    const auto outcome = other.publish({{{logs("b2", {put("a", 4, 0, ten)}, ten)}}, {}, {}});
    ASSERT_THAT(outcome, IsOk());
    EXPECT_TRUE(std::holds_alternative<Registered>(outcome->value));
}

/// Lets another publisher pass just before each commit.
class OvertakenCatalog final : public testkit::ForwardingCatalog {
public:
    OvertakenCatalog(catalog::Catalog& inner, std::function<void()> overtake)
        : ForwardingCatalog(inner), overtake_(std::move(overtake)) {}

    Result<catalog::CommitOutcome> commit(const catalog::Commit& commit) override {
        overtake_();
        return ForwardingCatalog::commit(commit);
    }

private:
    std::function<void()> overtake_;
};

// Two writers overwrote the same entry, and both reported success.
TEST_F(Field, A50_OfTwoPublishersOneWinsAndTheOtherLearnsWho) {
    const ObjectClaim object = put("a");
    OvertakenCatalog catalog(world_.catalog, [&] { must_publish(logs("winner", {object})); });
    Gate gate(world_.store, catalog, world_.catalog, world_.clock);
    const auto outcome = gate.publish({{{logs("loser", {object})}}, {}, {}});
    ASSERT_THAT(outcome, IsOk());
    ASSERT_TRUE(std::holds_alternative<Conflict>(outcome->value));
    const auto& winner = std::get<Conflict>(outcome->value).winner;
    EXPECT_EQ(winner.batch, "winner");
    EXPECT_EQ(winner.generation, world_.visible().head);
}

// A partition cache was not invalidated by drop and re-creation.
TEST_F(Field, A54_AnHourThatIsRegisteredAgainIsAnotherIncarnation) {
    must_publish(logs("b1", {put("a")}));
    auto retired = *world_.find_partition("logs", nine);
    retired.retired = true;
    retired.objects.clear();
    world_.commit(Operation::unpublish, {}, {retired});
    must_publish(logs("b2", {claim("a")}));
    EXPECT_EQ(world_.find_partition("logs", nine)->incarnation, 2U);
}

// A marker was missing, early, or there before the manifest.
TEST_F(Field, A61_AMarkerAloneNeverOpensTheGate) {
    const std::string marker = "hour=2026-10-06T09/_SUCCESS";
    world_.store.replace({root, marker}, "");
    const Outcome outcome = publish(logs("b1", {claim("a")}));
    EXPECT_EQ(outcome.report().code, ProblemCode::object_missing);
    EXPECT_EQ(outcome.report().inventory.unexpected, 1U);
    // Nor does it pass for part of what is published.
    put("a");
    EXPECT_EQ(publish(logs("b1", {claim("a")})).report().code, ProblemCode::object_unexpected);
    ASSERT_THAT(world_.store.remove({root, marker}), IsOk());
    must_publish(logs("b1", {claim("a")}));
}

// The default commit of a partition was immediate and repeated.
TEST_F(Field, A62_ARepeatedRegistrationIsTheSameOneAndOtherContentIsRefused) {
    const Manifest manifest = logs("b1", {put("a")});
    must_publish(manifest);
    const auto before = world_.visible();
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(std::holds_alternative<Repeated>(publish(manifest).value));
    }
    EXPECT_EQ(publish(logs("b1", {put("b")})).report().code, ProblemCode::batch_generation_reused);
    EXPECT_EQ(world_.visible(), before);
}

}  // namespace
}  // namespace highwater::publish
