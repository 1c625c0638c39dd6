#include "publish/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "testkit/matchers.h"

namespace highwater::publish {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testkit::IsOk;

/// A rejection with something in every field that a rejection has.
GateReport make_rejection() {
    GateReport report;
    report.batch = "telemetry-48";
    report.idempotency_key = "telemetry-48";
    report.publication = digest_of("publication");
    report.attempt = 1;
    report.audited_at = catalog::Generation{{1, 0x00c0ffee00c0ffee}, 47, digest_of("chain")};
    report.inventory = {.expected = 4,
                        .observed = 5,
                        .missing = 1,
                        .unexpected = 1,
                        .known_others = 1,
                        .kept = 2,
                        .read = 1};
    report.observed_inventory = digest_of("listing");
    report.changes = {{"telemetry", {497'578}, true, 1, 1, 0, 2}};
    report.durations = {{"manifest", std::chrono::microseconds(120)},
                        {"inventory", std::chrono::milliseconds(3)}};
    report.ledger.lists = 1;
    report.ledger.heads = 1;
    report.ledger.gets = 2;
    report.ledger.listed_objects = 5;
    report.ledger.bytes_read = 480;
    report.ledger.catalog_round_trips = 5;
    for (const Step step : {Step::manifest, Step::key, Step::base, Step::location, Step::size,
                            Step::name, Step::digest}) {
        add_findings(report, Findings(step));
    }
    Findings inventory(Step::inventory);
    inventory.add(ProblemCode::object_missing, "telemetry",
                  "hour=2026-10-06T10/telemetry-48.parquet", "480 bytes", "absent");
    inventory.add(ProblemCode::object_unexpected, "telemetry", "hour=2026-10-06T10/_SUCCESS",
                  "named by a manifest, a generation or an intent", "0 bytes");
    Findings footer(Step::footer);
    footer.add(ProblemCode::record_count_mismatch, "telemetry",
               "hour=2026-10-06T10/telemetry-47.parquet", "12 records", "11 records");
    add_findings(report, footer);
    add_findings(report, inventory);
    return report;
}

GateReport make_acceptance() {
    GateReport report = make_rejection();
    report.verdict = Verdict::accepted;
    report.code = std::nullopt;
    report.problems.clear();
    report.problem_count = 0;
    report.checks = {};
    for (const Step step : steps) add_findings(report, Findings(step));
    report.generation = catalog::Generation{{1, 0x00c0ffee00c0ffee}, 48, digest_of("next")};
    return report;
}

std::string read_golden(const std::string& name) {
    std::ifstream file(HIGHWATER_SOURCE_DIR "/tests/golden/formats/" + name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReportTest, IsTheDocumentOfTheFormatPage) {
    EXPECT_EQ(format_json(to_json(make_rejection()), 2) + "\n", read_golden("gate-report.json"));
}

TEST(ReportTest, IsATableForPeople) {
    EXPECT_EQ(format_report(make_rejection()), read_golden("gate-report.txt"));
}

TEST(ReportTest, AnAcceptanceNamesTheGeneration) {
    const GateReport report = make_acceptance();
    const Json json = to_json(report);
    EXPECT_EQ(*json.find("verdict")->find_string(), "accepted");
    EXPECT_EQ(*json.find("code")->find_string(), "accepted");
    EXPECT_EQ(*json.find("generation")->find_string(), catalog::format_token(*report.generation));
    EXPECT_THAT(format_report(report), HasSubstr("generation 1.00c0ffee00c0ffee-48-"));
}

TEST(ReportTest, AConflictNamesTheWinner) {
    GateReport report = make_acceptance();
    report.verdict = Verdict::conflict;
    report.winner = "theirs";
    EXPECT_EQ(*to_json(report).find("winner")->find_string(), "theirs");
    EXPECT_THAT(format_report(report), HasSubstr("'theirs' won"));
    EXPECT_EQ(code_text(report), "conflict");
}

TEST(ReportTest, WhatIsNotKnownIsLeftOutOrNull) {
    const Json json = to_json(GateReport());
    EXPECT_EQ(json.find("attempt"), nullptr);
    EXPECT_EQ(json.find("winner"), nullptr);
    for (const std::string name :
         {"publication", "audited_at", "generation", "observed_inventory"}) {
        ASSERT_NE(json.find(name), nullptr) << name;
        EXPECT_TRUE(json.find(name)->is_null()) << name;
    }
    EXPECT_EQ(*json.find("verdict")->find_string(), "undecided");
}

TEST(ReportTest, TwentyProblemsAreShownAndTheRestCounted) {
    GateReport report;
    Findings findings(Step::size);
    for (int i = 0; i < 20; ++i) {
        findings.add(ProblemCode::size_mismatch, "logs", "p" + std::to_string(i), "1", "2");
    }
    add_findings(report, findings);
    EXPECT_THAT(format_report(report), AllOf(HasSubstr("logs: p19\n"), Not(HasSubstr("more"))));
    Findings more(Step::size);
    more.add(ProblemCode::size_mismatch, "logs", "last", "1", "2");
    add_findings(report, more);
    EXPECT_THAT(format_report(report), AllOf(Not(HasSubstr("last")), HasSubstr("and 1 more")));
}

TEST(ReportTest, NothingFromOutsideReachesTheTerminal) {
    GateReport report;
    report.batch = "b\x1B[31m";
    Findings findings(Step::size);
    findings.add(ProblemCode::size_mismatch, "t\x1B", "p\x07", "e\n", "o\x7F");
    add_findings(report, findings);
    const std::string text = format_report(report);
    EXPECT_EQ(text.find('\x1B'), std::string::npos);
    EXPECT_EQ(text.find('\x07'), std::string::npos);
    EXPECT_EQ(text.find('\x7F'), std::string::npos);
    EXPECT_THAT(text, HasSubstr("expected  e\\x0a"));
    // In JSON it is escaped as JSON does.
    EXPECT_THAT(parse_json(format_json(to_json(report))), IsOk());
}

TEST(ReportTest, EveryCodeAndStepHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (int code = 0; code <= static_cast<int>(ProblemCode::audit_stale); ++code) {
        names.insert(to_text(static_cast<ProblemCode>(code)));
    }
    EXPECT_EQ(names.size(), 21U);
    EXPECT_THAT(names, Each(Not("unknown")));
    std::set<std::string_view> step_names;
    for (const Step step : steps) step_names.insert(to_text(step));
    EXPECT_EQ(step_names.size(), steps_count);
}

}  // namespace
}  // namespace highwater::publish
