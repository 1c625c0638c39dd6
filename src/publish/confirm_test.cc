#include "publish/confirm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/commits.h"

namespace highwater::publish {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using Reason = Unconfirmed::Reason;

class ConfirmTest : public ::testing::Test {
protected:
    ConfirmTest() {
        facts_.allotted = generation(47);
        facts_.layers = {{"registrations", generation(47)}, {"listings", generation(48)}};
        const HourState state{47, 3, digest_of("inventory")};
        facts_.hours = {{{}, state, state, state, {}}};
    }

    static catalog::Generation generation(std::uint64_t number) {
        return {{1, 7}, number, digest_of(std::to_string(number))};
    }
    ConfirmFacts::Hour& hour() { return facts_.hours[0]; }
    void expect_only(Reason reason) {
        EXPECT_THAT(confirm(facts_).reasons, ElementsAre(Field(&Unconfirmed::reason, reason)));
        EXPECT_FALSE(confirm(facts_).is_confirmed());
    }

    ConfirmFacts facts_;
};

TEST_F(ConfirmTest, WhatIsServedAsAcceptedIsConfirmed) {
    EXPECT_TRUE(confirm(facts_).is_confirmed());
    EXPECT_THAT(confirm(facts_).superseded, IsEmpty());
}

TEST_F(ConfirmTest, EveryLayerMustHaveCompletedTheGeneration) {
    facts_.layers[1].completed = generation(46);
    expect_only(Reason::layer_behind);
    EXPECT_EQ(confirm(facts_).reasons[0].where, "listings");
    facts_.layers[1].completed = generation(47);
    EXPECT_TRUE(confirm(facts_).is_confirmed());
}

TEST_F(ConfirmTest, ALayerOfAnotherLifeProvesNothing) {
    facts_.layers[0].completed.epoch.random = 8;
    facts_.layers[0].completed.number = 99;
    expect_only(Reason::other_epoch);
}

TEST_F(ConfirmTest, TheRegistrationIsTheOneThatWasAccepted) {
    hour().registered->inventory = digest_of("something else");
    hour().cached = hour().registered;
    expect_only(Reason::registration_differs);
    hour().registered->inventory = hour().accepted.inventory;
    hour().registered->object_count = 2;
    hour().cached = hour().registered;
    expect_only(Reason::registration_differs);
}

TEST_F(ConfirmTest, ALostRegistrationIsNoticed) {
    hour().registered->changed = 46;
    expect_only(Reason::registration_lost);
    hour().registered = std::nullopt;
    expect_only(Reason::registration_lost);
}

TEST_F(ConfirmTest, BeingSupersededMeanwhileIsSuccess) {
    hour().registered = HourState{48, 5, digest_of("newer")};
    hour().cached = hour().registered;
    const Confirmation confirmation = confirm(facts_);
    EXPECT_TRUE(confirmation.is_confirmed());
    EXPECT_THAT(confirmation.superseded, ElementsAre(hour().key));
    // But then the newer one must be what is served.
    hour().cached = hour().accepted;
    expect_only(Reason::cache_differs);
}

TEST_F(ConfirmTest, TheCacheHoldsWhatIsRegistered) {
    hour().cached = std::nullopt;
    expect_only(Reason::not_cached);
    hour().cached = HourState{47, 2, hour().accepted.inventory};
    expect_only(Reason::cache_differs);
    hour().cached = HourState{47, 3, digest_of("other")};
    expect_only(Reason::cache_differs);
    hour().cached = HourState{46, 3, hour().accepted.inventory};
    expect_only(Reason::cache_differs);
}

TEST_F(ConfirmTest, ObjectsThatAreGoneAreNamed) {
    hour().missing = {"hour=2026-10-06T09/a.parquet"};
    expect_only(Reason::object_missing);
    EXPECT_EQ(confirm(facts_).reasons[0].where, "hour=2026-10-06T09/a.parquet");
}

TEST(HourStateTest, IsWhatAPartitionSaysOfItself) {
    auto partition =
        testkit::make_partition(testkit::make_table("logs", "/lake/logs"), {497'577}, {"a", "b"});
    partition.changed = 47;
    EXPECT_EQ(state_of(partition), (HourState{47, 2, partition.inventory}));
}

}  // namespace
}  // namespace highwater::publish
