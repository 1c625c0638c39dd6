#include "publish/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/hex.h"
#include "testkit/commits.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::publish {
namespace {

using manifest::ObjectClaim;
using testing::SizeIs;

constexpr model::Hour nine{497'577};  // 2026-10-06T09
const std::string prefix = "hour=2026-10-06T09/";

/// Facts as they would be gathered for one hour of one table, with no I/O at all.
struct Desk {
    Submission submission;
    Facts facts;

    explicit Desk(const std::vector<ObjectClaim>& claims) {
        manifest::Manifest manifest;
        manifest.table = "logs";
        manifest.batch_generation = "b1";
        manifest.partitions.push_back({nine, std::nullopt, claims, std::nullopt});
        submission.publication.manifests.push_back(manifest);
        catalog::View view;
        view.tables.push_back(testkit::make_table("logs", "/lake/logs"));
        facts.tables = view;
        facts.key.emplace();
        facts.basis = BasisFacts{view, {std::nullopt}};
        facts.objects.emplace();
    }

    /// The listing shows these paths and sizes.
    void list(const std::map<std::string, std::uint64_t>& files) {
        Listing listing;
        for (const auto& [path, size] : files) {
            listing.entries.push_back({path, {.size_bytes = size}, object::Entry::Kind::object});
        }
        set_listing(std::move(listing));
    }

    void set_listing(Listing listing) {
        const auto& publication = submission.publication;
        InventoryFacts inventory;
        inventory.hours = make_named_hours(publication, facts.basis->view);
        inventory.listings = {std::move(listing)};
        if (!inventory.listings[0].failure) {
            inventory.matches = {match_hour(inventory.hours[0],
                                            claim_of(publication, inventory.hours[0]),
                                            inventory.listings[0], submission.options)};
            inventory.names.resize(1);
        }
        facts.inventory = inventory;
        facts.relisting = RelistingFacts{inventory.listings, {}};
    }
};

ObjectClaim claim_for(const std::string& path, std::uint64_t size) {
    ObjectClaim claim;
    claim.path = path;
    claim.size_bytes = size;
    claim.record_count = 1;
    return claim;
}

// The seed's reference gate, with the names and numbers that it uses, answered by ours. Catalog and
// requested generation are the last change of the hour and the base of the publication.
bool can_publish(const std::map<std::string, std::uint64_t>& manifest_files,
                 const std::map<std::string, std::uint64_t>& object_files,
                 const std::string& catalog_generation, const std::string& requested_generation) {
    std::vector<ObjectClaim> claims;
    for (const auto& [path, size] : manifest_files) claims.push_back(claim_for(path, size));
    Desk desk(claims);
    const auto pattern = model::PathPattern::parse("hour={HH}", "2026-10-06");
    desk.facts.tables->tables[0].pattern = *pattern;
    desk.facts.basis->view = *desk.facts.tables;

    auto current = testkit::make_partition(desk.facts.basis->view.tables[0], nine, {"telemetry"});
    current.changed = 47;
    desk.facts.basis->view.partitions = {std::make_shared<const catalog::Partition>(current)};
    desk.facts.basis->view.generation.number = 47;
    desk.submission.publication.manifests[0].base_generation =
        catalog::BatchRef{requested_generation};
    if (catalog_generation == requested_generation) {
        desk.facts.basis->bases[0].emplace().generation.number = 47;
    }
    desk.list(object_files);
    return decide(desk.submission, desk.facts).verdict == Verdict::accepted;
}

TEST(DecideTest, TheSeedsGateIsOurs) {
    const std::map<std::string, std::uint64_t> expected_files = {
        {"hour=09/telemetry-47.parquet", 470},
        {"hour=09/telemetry-48.parquet", 480},
    };
    std::map<std::string, std::uint64_t> observed_files = {{"hour=09/telemetry-47.parquet", 470}};
    EXPECT_FALSE(can_publish(expected_files, observed_files, "telemetry-46", "telemetry-47"));
    EXPECT_FALSE(can_publish(expected_files, observed_files, "telemetry-47", "telemetry-47"));
    observed_files["hour=09/telemetry-48.parquet"] = 480;
    EXPECT_TRUE(can_publish(expected_files, observed_files, "telemetry-47", "telemetry-47"));
    EXPECT_FALSE(can_publish(expected_files, observed_files, "telemetry-46", "telemetry-47"));
    observed_files["hour=09/telemetry-48.parquet"] = 481;
    EXPECT_FALSE(can_publish(expected_files, observed_files, "telemetry-47", "telemetry-47"));
    observed_files["hour=09/telemetry-48.parquet"] = 480;
    observed_files["hour=09/telemetry-49.parquet"] = 490;
    EXPECT_FALSE(can_publish(expected_files, observed_files, "telemetry-47", "telemetry-47"));
}

TEST(DecideTest, NothingIsAcceptedOnFactsThatAreNotThere) {
    Desk desk({claim_for(prefix + "a", 1)});
    desk.list({{prefix + "a", 1}});
    const Facts whole = desk.facts;
    EXPECT_EQ(decide(desk.submission, whole).verdict, Verdict::accepted);
    const auto without = [&](auto forget) {
        Facts facts = whole;
        forget(facts);
        return decide(desk.submission, facts).verdict;
    };
    EXPECT_EQ(without([](Facts& facts) { facts.tables.reset(); }), Verdict::undecided);
    EXPECT_EQ(without([](Facts& facts) { facts.key.reset(); }), Verdict::undecided);
    EXPECT_EQ(without([](Facts& facts) { facts.basis.reset(); }), Verdict::undecided);
    EXPECT_EQ(without([](Facts& facts) { facts.inventory.reset(); }), Verdict::undecided);
    EXPECT_EQ(without([](Facts& facts) { facts.objects.reset(); }), Verdict::undecided);
    EXPECT_EQ(without([](Facts& facts) { facts.relisting.reset(); }), Verdict::undecided);
}

TEST(DecideTest, DecidesEachStepWhenItsFactsCome) {
    Desk desk({claim_for(prefix + "a", 1)});
    desk.list({{prefix + "a", 1}});
    const Facts whole = desk.facts;
    Facts facts;
    Decision decision(desk.submission);
    EXPECT_TRUE(decision.advance(facts));
    EXPECT_EQ(decision.report().check_of(Step::manifest).result, Check::Result::passed);
    facts.tables = whole.tables;
    facts.key = whole.key;
    EXPECT_TRUE(decision.advance(facts));
    EXPECT_EQ(decision.report().check_of(Step::key).result, Check::Result::passed);
    EXPECT_EQ(decision.report().check_of(Step::base).result, Check::Result::skipped);
    facts = whole;
    EXPECT_FALSE(decision.advance(facts));
    EXPECT_EQ(decision.report().verdict, Verdict::accepted);
    EXPECT_FALSE(decision.advance(facts));  // And says so again.
}

TEST(DecideTest, TheFirstThousandProblemsAreKeptAndTheRestCounted) {
    for (const std::size_t count : {problems_max, problems_max + 1}) {
        std::vector<ObjectClaim> claims;
        for (std::size_t i = 0; i < count; ++i) {
            claims.push_back(claim_for(prefix + std::to_string(1'000'000 + i), 1));
        }
        Desk desk(claims);
        desk.list({});
        const GateReport report = decide(desk.submission, desk.facts);
        EXPECT_THAT(report.problems, SizeIs(problems_max));
        EXPECT_EQ(report.problem_count, count);
        EXPECT_EQ(report.problems.back().path, prefix + "1000999");
        EXPECT_EQ(report.check_of(Step::inventory).problem_count, count);
    }
}

TEST(DecideTest, AProblemOfAnEarlyStepIsKeptBeforeThoseOfLaterOnes) {
    GateReport report;
    Findings many(Step::size);
    for (std::size_t i = 0; i < problems_max; ++i) {
        many.add(ProblemCode::size_mismatch, "logs", std::to_string(i), "", "");
    }
    add_findings(report, many);
    Findings early(Step::location);
    early.add(ProblemCode::location_changed, "logs", "", "", "");
    add_findings(report, early);
    EXPECT_EQ(report.code, ProblemCode::location_changed);
    EXPECT_EQ(report.problems.front().step, Step::location);
    EXPECT_EQ(report.problem_count, problems_max + 1);
    EXPECT_THAT(report.problems, SizeIs(problems_max));
}

TEST(DecideTest, TheVerdictIsThatOfTheLowestStepThatFailed) {
    Desk desk({claim_for(prefix + "a", 1), claim_for(prefix + "b", 1)});
    desk.list({{prefix + "a", 2}});
    EXPECT_EQ(decide(desk.submission, desk.facts).code, ProblemCode::object_missing);
    desk.list({{prefix + "a", 2}, {prefix + "b", 1}});
    EXPECT_EQ(decide(desk.submission, desk.facts).code, ProblemCode::size_mismatch);
}

TEST(DecideTest, WhatWasObservedHasADigestThatTellsListingsApart) {
    Desk desk({claim_for(prefix + "a", 1)});
    const auto digest_of = [&](const std::map<std::string, std::uint64_t>& files) {
        desk.list(files);
        return *decide(desk.submission, desk.facts).observed_inventory;
    };
    const Digest one = digest_of({{prefix + "a", 1}});
    EXPECT_EQ(digest_of({{prefix + "a", 1}}), one);
    EXPECT_NE(digest_of({{prefix + "a", 2}}), one);
    EXPECT_NE(digest_of({{prefix + "b", 1}}), one);
    EXPECT_NE(digest_of({{prefix + "a", 1}, {prefix + "b", 1}}), one);
    EXPECT_NE(digest_of({}), one);
}

TEST(DecideTest, TheObservedInventoryIsTheOneOfTheFormatPage) {
    const auto golden =
        testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/gate-report.hex");
    ASSERT_THAT(golden, testkit::IsOk());
    Desk desk({claim_for(prefix + "a", 1)});
    using enum object::Entry::Kind;
    desk.set_listing(
        {.entries = {{prefix + "a", {.size_bytes = 1}, object}, {prefix + "b", {}, other}},
         .failure = std::nullopt});
    EXPECT_EQ(format_digest(digest_of_listings(*desk.facts.inventory)),
              format_hex(golden->at("digest")));
}

}  // namespace
}  // namespace highwater::publish
