// Steps 1 to 4 through the gate, each both ways. A step that stops costs nothing of those after it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "publish/gate.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::publish {
namespace {

using manifest::Manifest;
using manifest::ObjectClaim;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr model::Hour nine = PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);
constexpr model::Hour eleven = model::next(ten);

class GateAdmissionTest : public ::testing::Test {
protected:
    GateAdmissionTest() { world_.add_table("logs"); }

    GateReport publish(const Submission& submission) {
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        const auto outcome = gate.publish(submission);
        EXPECT_THAT(outcome, IsOk());
        return outcome->report();
    }
    GateReport publish(std::vector<Manifest> manifests) {
        return publish(Submission{{std::move(manifests)}, {}, {}});
    }
    GateReport publish(Manifest manifest) { return publish(std::vector{std::move(manifest)}); }

    /// The verdict is `code`, at `step`, and nothing was done beyond that step.
    void expect_stops(const GateReport& report, Step step, ProblemCode code) {
        EXPECT_EQ(report.code, code) << format_report(report);
        EXPECT_EQ(report.verdict, Verdict::rejected);
        for (const Step other : steps) {
            const auto expected = other < step    ? Check::Result::passed
                                  : other == step ? Check::Result::failed
                                                  : Check::Result::skipped;
            EXPECT_EQ(report.check_of(other).result, expected) << to_text(other);
        }
        EXPECT_EQ(report.ledger.lists, 0U);
        EXPECT_EQ(report.attempt > 0, true);
    }
    void expect_accepted(const GateReport& report) {
        EXPECT_EQ(code_text(report), "accepted") << format_report(report);
    }

    /// One new hour with one object that is there.
    Manifest good(model::Hour hour, const std::string& batch = "b1",
                  const std::string& table = "logs") {
        const auto claim = world_.put("/lake/" + table, hour, batch, 4);
        return PublishWorld::make_manifest(table, batch, hour, {claim});
    }

    PublishWorld world_;
};

using enum ProblemCode;

TEST_F(GateAdmissionTest, FaultsOfParsingAreTheVerdict) {
    auto parsed = manifest::parse_manifest(R"({"format": 1, "table": "logs"})");
    const GateReport report = publish(make_submission({parsed}));
    expect_stops(report, Step::manifest, manifest_invalid);
    EXPECT_THAT(report.problems, SizeIs(2));  // batch_generation, partitions
    EXPECT_FALSE(report.publication);
    EXPECT_EQ(report.ledger.catalog_round_trips, 0U);

    manifest::Limits limits;
    limits.objects_max = 1;
    Manifest large = good(nine);
    large.partitions[0].objects.push_back(world_.put("/lake/logs", nine, "second", 4));
    parsed = manifest::parse_manifest(manifest::format_manifest(large), limits);
    expect_stops(publish(make_submission({parsed})), Step::manifest, limit_exceeded);

    limits.objects_max = 2;
    parsed = manifest::parse_manifest(manifest::format_manifest(large), limits);
    expect_accepted(publish(make_submission({parsed})));
}

TEST_F(GateAdmissionTest, FaultsNameTheirManifest) {
    const auto parsed = manifest::parse_manifest("[]");
    const Submission submission = make_submission({parsed, parsed});
    ASSERT_THAT(submission.faults, SizeIs(2));
    EXPECT_EQ(submission.faults[1].where, "manifests[1]");
    const auto named = manifest::parse_manifest(R"({"format": 2})");
    EXPECT_EQ(make_submission({parsed, named}).faults[1].where, "manifests[1].format");
}

TEST_F(GateAdmissionTest, AManifestBuiltInMemoryIsHeldToTheSameRules) {
    Manifest manifest = good(nine);
    manifest.partitions[0].objects[0].path = "../secret";
    expect_stops(publish(manifest), Step::manifest, manifest_invalid);
}

TEST_F(GateAdmissionTest, TheTableMustExist) {
    Manifest manifest = good(nine);
    manifest.table = "spans";
    const GateReport report = publish(manifest);
    expect_stops(report, Step::manifest, unknown_table);
    EXPECT_EQ(report.ledger.catalog_round_trips, 1U);
    manifest.table = "logs";
    expect_accepted(publish(manifest));
}

TEST_F(GateAdmissionTest, ADroppedTableDoesNotExist) {
    catalog::Table table = world_.table("logs");
    const Manifest manifest = good(nine);
    table.dropped = true;
    ++table.incarnation;
    world_.commit(catalog::Operation::drop_table, {table}, {});
    expect_stops(publish(manifest), Step::manifest, unknown_table);
}

TEST_F(GateAdmissionTest, PathsLieBeneathThePrefixOfTheirHour) {
    Manifest manifest = good(nine);
    const std::string path = manifest.partitions[0].objects[0].path;
    const std::string prefix = "hour=2026-10-06T09";
    for (const std::string& other : {PublishWorld::path_of(ten, "b1"), prefix,
                                     prefix + "x/b1.parquet", std::string("b1.parquet")}) {
        manifest.partitions[0].objects[0].path = other;
        expect_stops(publish(manifest), Step::manifest, manifest_invalid);
    }
    manifest.partitions[0].objects[0].path = path;
    expect_accepted(publish(manifest));
}

TEST_F(GateAdmissionTest, TheSchemaVersionMustExist) {
    Manifest manifest = good(nine);
    manifest.schema_version = 2;
    expect_stops(publish(manifest), Step::manifest, manifest_invalid);
    world_.add_column("logs", "host");
    expect_accepted(publish(manifest));
    EXPECT_EQ(world_.find_partition("logs", nine)->objects[0].schema_version, 2U);

    manifest = good(ten, "b2");
    manifest.schema_version = 1;
    expect_accepted(publish(manifest));
    EXPECT_EQ(world_.find_partition("logs", ten)->objects[0].schema_version, 1U);
}

TEST_F(GateAdmissionTest, TheManifestsOfOnePublicationAgree) {
    world_.add_table("spans");
    const Manifest logs = good(nine);
    Manifest spans = good(nine, "b1", "spans");
    expect_stops(publish(std::vector<Manifest>{}), Step::manifest, manifest_invalid);
    expect_stops(publish({logs, logs}), Step::manifest, manifest_invalid);

    spans.batch_generation = "b2";
    expect_stops(publish({logs, spans}), Step::manifest, manifest_invalid);

    spans.batch_generation = "b1";
    Manifest keyed = logs;
    keyed.idempotency_key = "k1";
    spans.idempotency_key = "k2";
    expect_stops(publish({keyed, spans}), Step::manifest, manifest_invalid);

    spans.idempotency_key = std::nullopt;
    const GateReport report = publish({spans, keyed});
    expect_accepted(report);
    EXPECT_EQ(report.idempotency_key, "k1");
}

TEST_F(GateAdmissionTest, APublicationHasAtMostSoManyManifests) {
    std::vector<Manifest> manifests;
    for (std::size_t i = 0; i < manifests_max; ++i) {
        manifests.push_back(PublishWorld::make_manifest("t" + std::to_string(i), "b1", nine,
                                                        {PublishWorld::claim(nine, "a", 1)}));
    }
    expect_stops(publish(manifests), Step::manifest, unknown_table);
    manifests.push_back(manifests.front());
    expect_stops(publish(manifests), Step::manifest, limit_exceeded);
}

TEST_F(GateAdmissionTest, ARestatedHourNeedsABase) {
    expect_accepted(publish(good(nine)));
    Manifest correction = good(nine, "b2");
    const GateReport report = publish(correction);
    expect_stops(report, Step::base, not_next_generation);
    EXPECT_EQ(report.problems[0].path, "2026-10-06T09");
    EXPECT_EQ(report.problems[0].observed, "none");

    correction.base_generation = world_.base();
    expect_accepted(publish(correction));
}

TEST_F(GateAdmissionTest, TheBaseCoversTheLastChangeOfEveryNamedHour) {
    expect_accepted(publish(good(nine, "b1")));
    const auto after_nine = world_.base();
    expect_accepted(publish(good(ten, "b2")));
    const auto after_ten = world_.base();
    expect_accepted(publish(good(eleven, "b3")));

    // The head moved on, but not for this hour.
    Manifest correction = good(nine, "b4");
    correction.base_generation = after_nine;
    expect_accepted(publish(correction));

    // For two hours the newest of their changes counts.
    Manifest both = good(ten, "b5");
    both.partitions.push_back(good(eleven, "b5").partitions[0]);
    both.base_generation = after_ten;
    const GateReport report = publish(both);
    expect_stops(report, Step::base, not_next_generation);
    EXPECT_THAT(report.problems, SizeIs(1));
    EXPECT_EQ(report.problems[0].path, "2026-10-06T11");
    both.base_generation = catalog::BatchRef{"b4"};
    expect_accepted(publish(both));
}

TEST_F(GateAdmissionTest, AChangeOfTheTableIsAChangeOfEveryHour) {
    expect_accepted(publish(good(nine)));
    Manifest correction = good(nine, "b2");
    correction.base_generation = world_.base();
    world_.add_column("logs", "host");
    expect_stops(publish(correction), Step::base, not_next_generation);
    correction.base_generation = world_.base();
    expect_accepted(publish(correction));
}

TEST_F(GateAdmissionTest, TheBaseIsAGenerationOfThisLine) {
    expect_accepted(publish(good(nine, "b1")));
    expect_accepted(publish(good(ten, "b2")));
    Manifest correction = good(nine, "b3");
    const auto token = std::get<catalog::Token>(world_.base());

    catalog::Token other = token;
    ++other.epoch.random;
    correction.base_generation = other;
    expect_stops(publish(correction), Step::base, epoch_mismatch);

    other = token;
    ++other.epoch.ordinal;
    correction.base_generation = other;
    expect_stops(publish(correction), Step::base, epoch_mismatch);

    other = token;
    ++other.number;
    correction.base_generation = other;
    expect_stops(publish(correction), Step::base, not_next_generation);

    // A copy of the catalog went its own way: same numbers, another chain.
    other = token;
    other.chain_prefix = other.chain_prefix == "00000000" ? "11111111" : "00000000";
    correction.base_generation = other;
    expect_stops(publish(correction), Step::base, epoch_mismatch);

    correction.base_generation = catalog::BatchRef{"never"};
    expect_stops(publish(correction), Step::base, not_next_generation);

    correction.base_generation = catalog::BatchRef{"b1"};
    expect_accepted(publish(correction));
}

TEST_F(GateAdmissionTest, ANewHourMayNameAnEarlyBase) {
    Manifest manifest = good(nine);
    manifest.base_generation = world_.base();
    expect_accepted(publish(manifest));

    // A new table's history begins with its creation.
    const auto before = world_.base();
    world_.add_table("spans");
    Manifest spans = good(nine, "b2", "spans");
    spans.base_generation = before;
    expect_stops(publish(spans), Step::base, not_next_generation);
}

TEST_F(GateAdmissionTest, APublishedHourStaysWhereItIs) {
    expect_accepted(publish(good(nine)));
    Manifest correction = good(nine, "b2");
    correction.base_generation = world_.base();
    correction.partitions[0].location = "/elsewhere";
    const GateReport report = publish(correction);
    expect_stops(report, Step::location, location_changed);
    EXPECT_EQ(report.problems[0].expected, "/elsewhere");
    EXPECT_EQ(report.problems[0].observed, "/lake/logs");

    correction.partitions[0].location = "/lake/logs";
    expect_accepted(publish(correction));
}

TEST_F(GateAdmissionTest, ARelocatedHourIsCorrectedWhereItIsNow) {
    expect_accepted(publish(good(nine)));
    auto moved = *world_.find_partition("logs", nine);
    const auto kept = world_.put("/cold/logs", nine, "b1", 4);
    moved.root = "/cold/logs";
    moved.has_own_root = true;
    ++moved.incarnation;
    moved.objects[0].identity =
        (*world_.store.head({"/cold/logs", moved.objects[0].path}))->identity;
    world_.commit(catalog::Operation::relocate, {}, {moved});

    Manifest correction = PublishWorld::make_manifest(
        "logs", "b2", nine, {kept, world_.put("/cold/logs", nine, "late", 4)});
    correction.base_generation = world_.base();
    expect_stops(publish(correction), Step::location, location_changed);

    correction.partitions[0].location = "/cold/logs";
    const GateReport report = publish(correction);
    expect_accepted(report);
    EXPECT_EQ(report.inventory.kept, 1U);
    EXPECT_TRUE(world_.find_partition("logs", nine)->has_own_root);
    EXPECT_EQ(world_.find_partition("logs", nine)->incarnation, moved.incarnation);
}

TEST_F(GateAdmissionTest, AManifestMadeBeforeARelocationIsNoticed) {
    Manifest manifest = good(nine);
    manifest.partitions[0].location = "/lake/logs";
    const Manifest based = [&] {
        Manifest copy = manifest;
        copy.base_generation = world_.base();
        return copy;
    }();
    catalog::Table table = world_.table("logs");
    table.location = "/cold/logs";
    ++table.incarnation;
    world_.commit(catalog::Operation::relocate, {table}, {});

    expect_stops(publish(based), Step::base, not_next_generation);
    expect_stops(publish(manifest), Step::location, location_changed);
    // Left out, the place is the table's, and there the objects are not.
    manifest.partitions[0].location = std::nullopt;
    EXPECT_EQ(publish(manifest).code, object_missing);
}

TEST_F(GateAdmissionTest, AnHoursOwnPlaceIsNoOtherTables) {
    world_.add_table("spans");
    Manifest manifest = good(nine);
    manifest.base_generation = world_.base();
    for (const std::string location : {"/lake/spans", "/lake/spans/deep", "/lake"}) {
        manifest.partitions[0].location = location;
        expect_stops(publish(manifest), Step::location, location_overlap);
    }
    world_.put("/own/logs", nine, "b1", 4);
    manifest.partitions[0].location = "/own/logs";
    manifest.base_generation = std::nullopt;
    expect_stops(publish(manifest), Step::location, location_changed);
    manifest.base_generation = world_.base();
    expect_accepted(publish(manifest));
    EXPECT_EQ(world_.find_partition("logs", nine)->root, "/own/logs");
    EXPECT_TRUE(world_.find_partition("logs", nine)->has_own_root);
}

}  // namespace
}  // namespace highwater::publish
