// Steps 5 to 7 through the gate, each both ways: what lies there, how large it is, and whether its
// name stood for something else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "publish/gate.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/simulated_store.h"

namespace highwater::publish {
namespace {

using catalog::KnownName;
using manifest::Manifest;
using manifest::ObjectClaim;
using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::Mishap;
using testkit::PublishWorld;
using testkit::SimulatedStore;
using enum ProblemCode;

constexpr model::Hour nine = PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);
const std::string root = "/lake/logs";

class GateInventoryTest : public ::testing::Test {
protected:
    GateInventoryTest() { table_ = world_.add_table("logs"); }

    GateReport publish(const Manifest& manifest, const Options& options = {}) {
        return publish(world_.store, manifest, options);
    }
    GateReport publish(object::Store& store, const Manifest& manifest,
                       const Options& options = {}) {
        Gate gate(store, world_.catalog, world_.catalog, world_.clock, {.threads = 1});
        const auto outcome = gate.publish({{{manifest}}, {}, options});
        EXPECT_THAT(outcome, IsOk());
        return outcome->report();
    }

    static Manifest logs(const std::string& batch, std::vector<ObjectClaim> objects,
                         model::Hour hour = nine) {
        return PublishWorld::make_manifest("logs", batch, hour, std::move(objects));
    }
    ObjectClaim put(const std::string& file, double value = 0) {
        return world_.put(root, nine, file, 4, value);
    }
    static ObjectClaim claim(const std::string& file, double value = 0) {
        return PublishWorld::claim(nine, file, 4, value);
    }

    void expect_accepted(const GateReport& report) {
        EXPECT_EQ(code_text(report), "accepted") << format_report(report);
    }
    /// Rejected for one reason alone, which is about `path`.
    void expect_only(const GateReport& report, ProblemCode code, const std::string& path) {
        ASSERT_THAT(report.problems, SizeIs(1)) << format_report(report);
        EXPECT_EQ(report.code, code) << format_report(report);
        EXPECT_EQ(report.problems[0].path, path);
    }

    PublishWorld world_;
    catalog::Table table_;
};

TEST_F(GateInventoryTest, NamesEveryMissingObjectAndLooksAtTheOthers) {
    const auto broken = claim("broken");
    world_.store.replace({root, broken.path}, Bytes(broken.size_bytes, '?'));
    const GateReport report =
        publish(logs("b1", {put("a"), broken, claim("x"), claim("y"), put("z")}));
    EXPECT_EQ(report.code, object_missing);
    EXPECT_THAT(report.problems, ElementsAre(Field(&Problem::path, claim("x").path),
                                             Field(&Problem::path, claim("y").path),
                                             Field(&Problem::code, footer_invalid)));
    EXPECT_EQ(report.inventory.missing, 2U);
    EXPECT_EQ(report.inventory.observed, 3U);
    EXPECT_EQ(report.inventory.read, 3U);
    EXPECT_EQ(report.check_of(Step::size).result, Check::Result::passed);
    EXPECT_EQ(report.check_of(Step::footer).result, Check::Result::failed);
    EXPECT_EQ(report.check_of(Step::audit).result, Check::Result::skipped);
}

TEST_F(GateInventoryTest, WhatIsNoRegularFileIsNoObject) {
    world_.store.plant_other({root, claim("a").path});
    const GateReport report = publish(logs("b1", {claim("a")}));
    expect_only(report, object_missing, claim("a").path);
    EXPECT_EQ(report.problems[0].observed, "not a regular file");
}

TEST_F(GateInventoryTest, EverythingElseMustBeKnown) {
    const auto a = put("a");
    put("stray");
    expect_only(publish(logs("b1", {a})), object_unexpected, claim("stray").path);
    ASSERT_THAT(world_.store.remove({root, claim("stray").path}), IsOk());
    world_.store.plant_other({root, claim("link").path});
    expect_only(publish(logs("b1", {a})), object_unexpected, claim("link").path);
    ASSERT_THAT(world_.store.remove({root, claim("link").path}), FailsWith(Code::denied));
}

TEST_F(GateInventoryTest, AnotherHoursObjectsAreNotItsConcern) {
    world_.put(root, ten, "later", 4);
    world_.put(root, {nine.since_epoch - 1}, "earlier", 4);
    ASSERT_THAT(object::put_new(world_.store, {root, "hour=2026-10-06T091/a.parquet"}, "x"),
                IsOk());
    expect_accepted(publish(logs("b1", {put("a")})));
}

TEST_F(GateInventoryTest, ObjectsOfOlderGenerationsAreKnownUntilTheyAreDeleted) {
    expect_accepted(publish(logs("b1", {put("old")})));
    Manifest correction = logs("b2", {put("new")});
    correction.base_generation = world_.base();
    for (const auto state :
         {KnownName::State::live, KnownName::State::tombstoned, KnownName::State::deleting}) {
        ASSERT_THAT(world_.catalog.set_name_state(table_.id, claim("old").path, state), IsOk());
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        const auto report = gate.check({{{correction}}, {}, {}});
        ASSERT_THAT(report, IsOk());
        EXPECT_EQ(report->verdict, Verdict::accepted) << format_report(*report);
        EXPECT_EQ(report->inventory.known_others, 1U);
    }
    ASSERT_THAT(
        world_.catalog.set_name_state(table_.id, claim("old").path, KnownName::State::deleted),
        IsOk());
    expect_only(publish(correction), object_unexpected, claim("old").path);
}

TEST_F(GateInventoryTest, AnIntentMakesNamesKnownUntilItExpires) {
    const auto a = put("a");
    put("coming");
    catalog::Intent intent{.id = {},
                           .table = table_.id,
                           .batch = "b2",
                           .root = "/another/root",
                           .paths = {claim("coming").path},
                           .created = world_.clock.now(),
                           .expires = world_.clock.now() + std::chrono::minutes(5)};
    ASSERT_THAT(world_.catalog.put_intent(intent), IsOk());
    expect_only(publish(logs("b1", {a})), object_unexpected, claim("coming").path);

    intent.root = root;
    ASSERT_THAT(world_.catalog.put_intent(intent), IsOk());
    world_.clock.advance(std::chrono::minutes(5));
    expect_only(publish(logs("b1", {a})), object_unexpected, claim("coming").path);

    intent.expires = world_.clock.now() + std::chrono::nanoseconds(1);
    ASSERT_THAT(world_.catalog.put_intent(intent), IsOk());
    expect_accepted(publish(logs("b1", {a})));
}

TEST_F(GateInventoryTest, AListingThatFailsIsNeverAnEmptyOne) {
    const auto before = world_.visible();
    const Manifest manifest = logs("b1", {put("a"), put("b"), put("c"), put("d"), put("e")});
    using enum Mishap;
    for (const Mishap mishap : {denied, unavailable, timeout_before_effect, timeout_after_effect,
                                truncated, repeated_token, backwards}) {
        for (const int page : {0, 1}) {
            if (page == 0 && mishap == backwards) continue;  // It is the first page anyway.
            SimulatedStore store(world_.store, world_.clock);
            store.schedule(SimulatedStore::Call::list, mishap, page);
            const GateReport report = publish(store, manifest);
            expect_only(report, listing_failed, "hour=2026-10-06T09");
            EXPECT_EQ(report.check_of(Step::size).result, Check::Result::skipped);
            EXPECT_EQ(report.ledger.gets, 0U);
            EXPECT_EQ(world_.visible(), before);
        }
    }
}

TEST_F(GateInventoryTest, AnEmptyPageIsNotTheEnd) {
    SimulatedStore store(world_.store, world_.clock);
    const Manifest manifest = logs("b1", {put("a"), put("b"), put("c")});
    store.schedule(SimulatedStore::Call::list, Mishap::empty_page, 1, 2);
    const GateReport report = publish(store, manifest);
    expect_accepted(report);
    EXPECT_EQ(report.inventory.observed, 3U);
}

TEST_F(GateInventoryTest, AfterAFailedListingNoneIsTried) {
    SimulatedStore store(world_.store, world_.clock);
    Manifest manifest = logs("b1", {put("a")});
    manifest.partitions.push_back({ten, std::nullopt, {world_.put(root, ten, "a", 4)}, {}});
    store.schedule(SimulatedStore::Call::list, Mishap::denied);
    const GateReport report = publish(store, manifest);
    EXPECT_EQ(report.problem_count, 2U);
    EXPECT_EQ(report.ledger.lists, 1U);
}

TEST_F(GateInventoryTest, SizesAreThoseOfTheManifest) {
    const auto a = put("a");
    for (const std::int64_t more : {-1, 1}) {
        ObjectClaim wrong = a;
        wrong.size_bytes = a.size_bytes + static_cast<std::uint64_t>(more);
        const GateReport report = publish(logs("b1", {wrong}));
        expect_only(report, size_mismatch, a.path);
        EXPECT_EQ(report.problems[0].expected, std::to_string(wrong.size_bytes) + " bytes");
        EXPECT_EQ(report.problems[0].observed, std::to_string(a.size_bytes) + " bytes");
    }
    expect_accepted(publish(logs("b1", {a})));
}

TEST_F(GateInventoryTest, ANameStandsForTheSameBytesForEver) {
    expect_accepted(publish(logs("b1", {put("a")})));
    const auto before = world_.visible();
    Manifest correction = logs("b2", {claim("a", 100)});
    correction.base_generation = world_.base();

    world_.store.replace({root, claim("a").path}, PublishWorld::make_file(nine, 4, 100));
    GateReport report = publish(correction);
    expect_only(report, name_reused, claim("a").path);

    // Also when nobody would have digested it.
    report = publish(correction, {.digest_policy = catalog::DigestPolicy::never});
    expect_only(report, name_reused, claim("a").path);

    // Another size needs no digest.
    world_.store.replace({root, claim("a").path}, PublishWorld::make_file(nine, 5, 100));
    correction.partitions[0].objects[0] = PublishWorld::claim(nine, "a", 5, 100);
    report = publish(correction);
    expect_only(report, name_reused, claim("a").path);
    EXPECT_EQ(world_.visible(), before);

    // The same bytes written anew are the same object under another identity.
    world_.store.replace({root, claim("a").path}, PublishWorld::make_file(nine, 4));
    correction.partitions[0].objects[0] = claim("a");
    report = publish(correction);
    expect_accepted(report);
    EXPECT_EQ(report.inventory.kept, 0U);
}

TEST_F(GateInventoryTest, ADeclaredDigestOfAnotherObjectIsAReusedNameToo) {
    expect_accepted(publish(logs("b1", {put("a")})));
    Manifest correction = logs("b2", {claim("a")});
    correction.base_generation = world_.base();
    correction.partitions[0].objects[0].sha256 = digest_of("something else");
    const GateReport report = publish(correction);
    EXPECT_EQ(report.code, name_reused);
    EXPECT_EQ(report.check_of(Step::digest).result, Check::Result::failed);
}

TEST_F(GateInventoryTest, NamesOutliveTheirObjects) {
    expect_accepted(publish(logs("b1", {put("a"), put("b")})));
    Manifest correction = logs("b2", {claim("b")});
    correction.base_generation = world_.base();
    expect_accepted(publish(correction));
    const auto set_state = [&](KnownName::State state) {
        ASSERT_THAT(world_.catalog.set_name_state(table_.id, claim("a").path, state), IsOk());
    };
    const auto with_a = [&](const std::string& batch, double value) {
        Manifest manifest = logs(batch, {claim("a", value), claim("b")});
        manifest.base_generation = world_.base();
        return manifest;
    };

    set_state(KnownName::State::deleting);
    expect_only(publish(with_a("b3", 0)), name_reused, claim("a").path);

    set_state(KnownName::State::deleted);
    world_.store.replace({root, claim("a").path}, PublishWorld::make_file(nine, 4, 7));
    expect_only(publish(with_a("b3", 7)), name_reused, claim("a").path);

    set_state(KnownName::State::tombstoned);
    world_.store.replace({root, claim("a").path}, PublishWorld::make_file(nine, 4));
    expect_accepted(publish(with_a("b3", 0)));
    const auto names = world_.catalog.find_names(table_.id, {claim("a").path});
    ASSERT_THAT(names, IsOk());
    EXPECT_EQ(names->front().state, KnownName::State::live);
}

}  // namespace
}  // namespace highwater::publish
