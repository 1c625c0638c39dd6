#include "publish/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::publish {
namespace {

using catalog::Operation;
using manifest::Manifest;
using manifest::ObjectClaim;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr model::Hour nine = PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);

class GateTest : public ::testing::Test {
protected:
    GateTest() { world_.add_table("logs"); }

    Outcome publish(std::vector<Manifest> manifests, const Options& options = {}) {
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        auto outcome = gate.publish({{std::move(manifests)}, {}, options});
        EXPECT_THAT(outcome, IsOk());
        EXPECT_FALSE(outcome->journal_failure);
        return *outcome;
    }
    Outcome publish(Manifest manifest, const Options& options = {}) {
        return publish(std::vector{std::move(manifest)}, options);
    }

    Registered must_publish(Manifest manifest, const Options& options = {}) {
        const Outcome outcome = publish(std::move(manifest), options);
        EXPECT_EQ(code_text(outcome.report()), "accepted") << format_report(outcome.report());
        return std::get<Registered>(outcome.value);
    }

    ObjectClaim put(model::Hour hour, const std::string& file, std::size_t rows = 4,
                    double value = 0) {
        return world_.put("/lake/logs", hour, file, rows, value);
    }
    static Manifest logs(const std::string& batch, model::Hour hour,
                         std::vector<ObjectClaim> objects) {
        return PublishWorld::make_manifest("logs", batch, hour, std::move(objects));
    }

    PublishWorld world_;
};

TEST_F(GateTest, MakesAnHourVisibleAsOneGeneration) {
    const Manifest manifest = logs("b1", nine, {put(nine, "a"), put(nine, "b", 7)});
    const Registered registered = must_publish(manifest);

    const auto partition = world_.find_partition("logs", nine);
    ASSERT_TRUE(partition);
    EXPECT_THAT(registered.partitions, ElementsAre(*partition));
    EXPECT_EQ(registered.record.operation, Operation::publish);
    EXPECT_EQ(registered.record.batch, "b1");
    EXPECT_EQ(registered.record.idempotency_key, "b1");
    EXPECT_EQ(registered.record.publication,
              manifest::digest_of(manifest::Publication{{manifest}}));
    EXPECT_THAT(registered.record.manifests, ElementsAre(manifest::digest_of(manifest)));
    EXPECT_EQ(registered.report.generation, world_.visible().head);
    EXPECT_EQ(partition->root, "/lake/logs");
    EXPECT_FALSE(partition->has_own_root);
    EXPECT_EQ(partition->incarnation, 1U);
    EXPECT_EQ(partition->digest_policy, catalog::DigestPolicy::always);
}

TEST_F(GateTest, DerivesWhatTheManifestLeavesOut) {
    ObjectClaim stated = put(nine, "stated", 3);
    const ObjectClaim bare = put(nine, "bare", 3);
    const Bytes bytes = PublishWorld::make_file(nine, 3);
    stated.sha256 = digest_of(bytes);
    stated.min_time = model::start_of(nine);
    stated.max_time = model::start_of(nine) + std::chrono::minutes(40);
    must_publish(logs("b1", nine, {stated, bare}));

    const auto partition = world_.find_partition("logs", nine);
    ASSERT_THAT(partition->objects, SizeIs(2));
    const auto& first = partition->objects[0];
    const auto& second = partition->objects[1];
    EXPECT_EQ(first.path, bare.path);
    EXPECT_EQ(first.sha256, digest_of(bytes));
    EXPECT_EQ(first.min_time, stated.min_time);
    EXPECT_EQ(first.max_time, stated.max_time);
    EXPECT_TRUE(first.derived_by_gate);
    EXPECT_EQ(first.row_fingerprint, second.row_fingerprint);
    EXPECT_TRUE(second.derived_by_gate);  // The fingerprint alone.
    EXPECT_EQ(first.identity.size_bytes, bytes.size());
    EXPECT_NE(first.identity.version, 0U);
}

TEST_F(GateTest, KeepsWhatWasDeclaredWhole) {
    ObjectClaim object = put(nine, "a", 3);
    must_publish(logs("b1", nine, {object}));
    const auto found = world_.find_partition("logs", nine)->objects[0];
    object.sha256 = found.sha256;
    object.row_fingerprint = found.row_fingerprint;
    object.min_time = found.min_time;
    object.max_time = found.max_time;
    Manifest again = logs("b2", nine, {object});
    again.base_generation = world_.base();
    must_publish(again, {.rehash = true});
    EXPECT_FALSE(world_.find_partition("logs", nine)->objects[0].derived_by_gate);
}

TEST_F(GateTest, ARejectionLeavesNoTraceButTheReport) {
    must_publish(logs("b1", nine, {put(nine, "a")}));
    const auto before = world_.visible();
    const Outcome outcome =
        publish(logs("b2", ten, {put(ten, "b"), PublishWorld::claim(ten, "c", 5)}));

    ASSERT_TRUE(std::holds_alternative<Rejected>(outcome.value));
    EXPECT_EQ(outcome.report().code, ProblemCode::object_missing);
    EXPECT_THAT(outcome.report().problems,
                ElementsAre(Problem{Step::inventory, ProblemCode::object_missing, "logs",
                                    PublishWorld::path_of(ten, "c"), "273 bytes", "absent"}));
    EXPECT_EQ(world_.visible(), before);
}

TEST_F(GateTest, TheSameManifestPassesOnceTheObjectIsThere) {
    const Manifest manifest = logs("b1", nine, {put(nine, "a"), PublishWorld::claim(nine, "b", 5)});
    EXPECT_EQ(publish(manifest).report().attempt, 1U);
    EXPECT_EQ(publish(manifest).report().attempt, 2U);
    put(nine, "b", 5);
    EXPECT_EQ(must_publish(manifest).report.attempt, 3U);

    const auto attempts = world_.catalog.load_attempts("b1", 10);
    ASSERT_THAT(attempts, IsOk());
    ASSERT_THAT(*attempts, SizeIs(3));
    EXPECT_EQ((*attempts)[0].code, "accepted");
    EXPECT_TRUE((*attempts)[0].accepted);
    EXPECT_EQ((*attempts)[1].code, "object_missing");
    EXPECT_FALSE((*attempts)[1].accepted);
    const auto report = parse_json((*attempts)[1].report_json);
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(*report->find("verdict")->find_string(), "rejected");
}

TEST_F(GateTest, ARepetitionIsTheFirstCommit) {
    const Manifest manifest = logs("b1", nine, {put(nine, "a")});
    const auto first = must_publish(manifest).record;
    const auto before = world_.visible();

    const Outcome again = publish(manifest);
    ASSERT_TRUE(std::holds_alternative<Repeated>(again.value));
    EXPECT_EQ(std::get<Repeated>(again.value).record, first);
    EXPECT_EQ(again.report().generation, first.generation);
    EXPECT_EQ(again.report().ledger.lists, 0U);
    EXPECT_EQ(world_.visible(), before);

    // Also when the objects are gone: the commit is what it was.
    ASSERT_THAT(world_.store.remove({"/lake/logs", manifest.partitions[0].objects[0].path}),
                IsOk());
    EXPECT_TRUE(std::holds_alternative<Repeated>(publish(manifest).value));
}

TEST_F(GateTest, ABatchStandsForOnePublication) {
    must_publish(logs("b1", nine, {put(nine, "a")}));
    const auto before = world_.visible();

    const Outcome other = publish(logs("b1", ten, {put(ten, "a")}));
    EXPECT_EQ(other.report().code, ProblemCode::batch_generation_reused);
    EXPECT_EQ(other.report().ledger.lists, 0U);

    Manifest keyed = logs("b1", ten, {put(ten, "b")});
    keyed.idempotency_key = "another key";
    EXPECT_EQ(publish(keyed).report().code, ProblemCode::batch_generation_reused);

    Manifest with_key = logs("b2", ten, {put(ten, "c")});
    with_key.idempotency_key = "b1";
    EXPECT_EQ(publish(with_key).report().code, ProblemCode::batch_generation_reused);
    EXPECT_EQ(world_.visible(), before);
}

TEST_F(GateTest, SeveralTablesArePublishedTogetherOrNotAtAll) {
    world_.add_table("spans");
    const auto before = world_.visible();
    const Manifest logs_part = logs("b1", nine, {put(nine, "a")});
    const Manifest spans_part =
        PublishWorld::make_manifest("spans", "b1", nine, {PublishWorld::claim(nine, "a", 4)});

    const Outcome rejected = publish({logs_part, spans_part});
    EXPECT_THAT(rejected.report().problems, ElementsAre(testing::Field(&Problem::table, "spans")));
    EXPECT_EQ(world_.visible(), before);

    world_.put("/lake/spans", nine, "a", 4);
    const Outcome accepted = publish({spans_part, logs_part});
    const auto& record = std::get<Registered>(accepted.value).record;
    EXPECT_THAT(record.partitions, SizeIs(2));
    EXPECT_EQ(world_.find_partition("logs", nine)->changed, record.generation.number);
    EXPECT_EQ(world_.find_partition("spans", nine)->changed, record.generation.number);
    // The order of the manifests is not part of the publication.
    EXPECT_TRUE(std::holds_alternative<Repeated>(publish({logs_part, spans_part}).value));
}

TEST_F(GateTest, ACorrectionReadsOnlyWhatIsNew) {
    const auto a = put(nine, "a");
    must_publish(logs("b1", nine, {a, put(nine, "b")}));
    const auto before = world_.find_partition("logs", nine);

    Manifest correction = logs("b2", nine, {a, put(nine, "b-corrected", 4, 100)});
    correction.base_generation = world_.base();
    const Registered registered = must_publish(correction);
    EXPECT_EQ(registered.record.operation, Operation::correct);
    EXPECT_EQ(registered.report.inventory.kept, 1U);
    EXPECT_EQ(registered.report.inventory.read, 1U);
    EXPECT_EQ(registered.report.inventory.known_others, 1U);  // The object that was replaced.
    EXPECT_EQ(registered.report.ledger.gets, 1U);
    EXPECT_THAT(registered.report.changes, ElementsAre(HourChange{"logs", nine, true, 1, 1, 0, 1}));
    const auto after = world_.find_partition("logs", nine);
    EXPECT_EQ(after->objects[0], before->objects[0]);
    EXPECT_EQ(after->incarnation, before->incarnation);
    EXPECT_EQ(after->objects[1].path, PublishWorld::path_of(nine, "b-corrected"));
}

TEST_F(GateTest, RehashReadsKeptObjectsToo) {
    const auto a = put(nine, "a");
    must_publish(logs("b1", nine, {a}));
    Manifest same = logs("b2", nine, {a});
    same.base_generation = world_.base();
    const Registered registered = must_publish(same, {.rehash = true});
    EXPECT_EQ(registered.report.inventory.kept, 0U);
    EXPECT_EQ(registered.report.inventory.read, 1U);
}

TEST_F(GateTest, VerifiesWhatWasOncePublishedUnverified) {
    const auto a = put(nine, "a");
    must_publish(logs("b1", nine, {a}), {.digest_policy = catalog::DigestPolicy::never});
    const auto unverified = world_.find_partition("logs", nine);
    EXPECT_FALSE(unverified->objects[0].sha256);
    EXPECT_EQ(unverified->digest_policy, catalog::DigestPolicy::never);

    Manifest same = logs("b2", nine, {a});
    same.base_generation = world_.base();
    EXPECT_EQ(must_publish(same).report.inventory.kept, 0U);
    EXPECT_TRUE(world_.find_partition("logs", nine)->objects[0].sha256);
}

TEST_F(GateTest, AnHourThatWasUnpublishedComesBackAsAnotherOne) {
    must_publish(logs("b1", nine, {put(nine, "a")}));
    auto retired = *world_.find_partition("logs", nine);
    retired.retired = true;
    retired.objects.clear();
    world_.commit(Operation::unpublish, {}, {retired});

    const Registered back = must_publish(logs("b2", nine, {put(nine, "b")}));
    EXPECT_EQ(back.record.operation, Operation::publish);
    EXPECT_EQ(world_.find_partition("logs", nine)->incarnation, retired.incarnation + 1);
}

TEST_F(GateTest, DeclaresAnHourEmpty) {
    Manifest manifest = logs("b1", nine, {});
    manifest.partitions[0].declared_empty = "the fleet was switched off";
    must_publish(manifest);
    EXPECT_EQ(world_.find_partition("logs", nine)->declared_empty, "the fleet was switched off");

    put(ten, "forgotten");
    Manifest untrue = logs("b2", ten, {});
    untrue.partitions[0].declared_empty = "nothing came";
    EXPECT_EQ(publish(untrue).report().code, ProblemCode::object_unexpected);
}

TEST_F(GateTest, ACheckChangesNothingAndFilesNothing) {
    Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
    const auto before = world_.visible();
    const Submission submission{{{logs("b1", nine, {put(nine, "a")})}}, {}, {}};
    const auto report = gate.check(submission);
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->verdict, Verdict::accepted);
    EXPECT_EQ(report->attempt, 0U);
    for (const Step step : steps) {
        EXPECT_EQ(report->check_of(step).result, Check::Result::passed) << to_text(step);
    }
    EXPECT_EQ(world_.visible(), before);
    EXPECT_THAT(*world_.catalog.load_attempts(std::nullopt, 10), IsEmpty());
}

TEST_F(GateTest, TellsHowFarItIsAndStopsWhenAsked) {
    Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock, {.threads = 1});
    const Submission submission{
        {{logs("b1", nine, {put(nine, "a"), put(nine, "b"), put(nine, "c")})}}, {}, {}};
    const auto before = world_.visible();
    std::stop_source stop;
    std::vector<std::string> told;
    const Watch watch{.progress =
                          [&](const Progress& progress) {
                              told.push_back(std::string(progress.step) + " " +
                                             std::to_string(progress.done) + "/" +
                                             std::to_string(progress.total));
                              if (told.size() == 3) stop.request_stop();
                          },
                      .stop = stop.get_token()};
    EXPECT_THAT(gate.publish(submission, watch), FailsWith(Code::cancelled));
    EXPECT_THAT(told, ElementsAre("list 1/1", "read 1/3", "read 2/3"));
    EXPECT_EQ(world_.visible(), before);
}

TEST_F(GateTest, SaysWhatItCost) {
    const Manifest manifest = logs("b1", nine, {put(nine, "a"), put(nine, "b")});
    const auto report = must_publish(manifest).report;
    EXPECT_EQ(report.ledger.lists, 2U);  // One page before, one after.
    EXPECT_EQ(report.ledger.listed_objects, 4U);
    EXPECT_EQ(report.ledger.heads, 2U);  // Opening.
    EXPECT_EQ(report.ledger.gets, 2U);   // Each object once, for all that is asked of it.
    EXPECT_EQ(report.ledger.bytes_read, manifest.partitions[0].objects[0].size_bytes * 2);
    // Tables, key, batch, basis, names, commit.
    EXPECT_EQ(report.ledger.catalog_round_trips, 6U);
    EXPECT_THAT(report.durations, SizeIs(8));
}

}  // namespace
}  // namespace highwater::publish
