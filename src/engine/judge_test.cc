#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/proof.h"
#include "testkit/matchers.h"

namespace highwater::engine {
namespace {

using ::testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;
using Kind = ProofProblemKind;

Digest digest(std::uint8_t value) {
    Digest made;
    made.bytes[0] = value;
    return made;
}

object::Name name(const std::string& file) {
    return {"/lake", "hour=2026-10-06T09/" + file};
}

FileFacts file_facts(const std::string& file, std::uint64_t rows, std::uint8_t fingerprint) {
    FileFacts facts;
    facts.name = name(file);
    facts.rows = rows;
    facts.footer_rows = rows;
    facts.row_fingerprint = digest(fingerprint);
    return facts;
}

/// Two files, which both engines saw as they were registered.
ProofFacts good_facts() {
    TableFacts table;
    table.table = "cpu";
    table.hours = {{497'577}};
    table.expected = {{name("a"), {497'577}, 10, digest(1)}, {name("b"), {497'577}, 20, digest(2)}};
    table.known_others = {name("old")};
    EngineFacts listed;
    listed.engine = "duckdb";
    listed.files = {file_facts("a", 10, 1), file_facts("b", 20, 2)};
    listed.ledger = {.listed_files = 0, .opened_files = 2, .reads = 5, .bytes_read = 99};
    EngineFacts derived = listed;
    derived.engine = "arrow";
    derived.discovered = {name("a"), name("b"), name("old")};
    table.engines = {listed, derived};
    RawFacts raw;
    raw.patterns = {"/lake/hour=2026-10-06T09/**/*.parquet"};
    raw.files = {file_facts("a", 10, 1), file_facts("b", 20, 2), file_facts("old", 10, 9)};
    table.raw = raw;
    ProofFacts facts;
    facts.generation.number = 48;
    facts.tables = {table};
    return facts;
}

/// The one problem that a change of the good facts causes.
ProofProblem only_problem(const ProofFacts& facts) {
    const ProofVerdict verdict = judge(facts);
    EXPECT_EQ(verdict.problems.size(), 1U);
    EXPECT_FALSE(verdict.is_proved());
    return verdict.problems.empty() ? ProofProblem{} : verdict.problems.front();
}

TEST(JudgeTest, EqualFactsAreProved) {
    const ProofVerdict verdict = judge(good_facts());
    EXPECT_TRUE(verdict.is_proved());
    ASSERT_EQ(verdict.tables.size(), 1U);
    EXPECT_EQ(verdict.tables[0].expected_rows, 30U);
    ASSERT_EQ(verdict.tables[0].totals.size(), 2U);
    EXPECT_EQ(verdict.tables[0].totals[0].rows, 30U);
    EXPECT_EQ(verdict.tables[0].totals[0].row_fingerprint, digest(3));
    EXPECT_EQ(verdict.tables[0].totals[1].row_fingerprint, digest(3));
}

TEST(JudgeTest, NamesAFileWithOtherRows) {
    ProofFacts facts = good_facts();
    facts.tables[0].engines[1].files[1].row_fingerprint = digest(7);
    const ProofProblem problem = only_problem(facts);
    EXPECT_EQ(problem.kind, Kind::fingerprint_differs);
    EXPECT_EQ(problem.engine, "arrow");
    EXPECT_EQ(problem.name, name("b"));
    EXPECT_EQ(problem.expected, format_digest(digest(2)));
    EXPECT_EQ(problem.observed, format_digest(digest(7)));
}

TEST(JudgeTest, NamesAFileWithAnotherNumberOfRows) {
    ProofFacts facts = good_facts();
    facts.tables[0].engines[0].files[0].rows = 9;
    EXPECT_EQ(only_problem(facts).kind, Kind::row_count_differs);
    facts = good_facts();
    facts.tables[0].engines[0].files[0].footer_rows = 11;
    EXPECT_EQ(only_problem(facts).kind, Kind::row_count_differs);
}

TEST(JudgeTest, NamesAFileThatAnEngineDidNotSee) {
    ProofFacts facts = good_facts();
    facts.tables[0].engines[0].files.erase(facts.tables[0].engines[0].files.begin());
    EXPECT_EQ(only_problem(facts).kind, Kind::file_not_seen);
    EXPECT_EQ(only_problem(facts).name, name("a"));
    facts = good_facts();
    facts.tables[0].engines[0].files[0].rows = 0;
    EXPECT_EQ(only_problem(facts).kind, Kind::file_not_seen);
}

TEST(JudgeTest, AFileWithoutRowsMustHaveBeenOpened) {
    ProofFacts facts = good_facts();
    facts.tables[0].expected[0].rows = 0;
    facts.tables[0].expected[0].row_fingerprint = digest(0);
    for (EngineFacts& engine : facts.tables[0].engines) {
        engine.files[0] = file_facts("a", 0, 0);
    }
    EXPECT_TRUE(judge(facts).is_proved());
    facts.tables[0].engines[0].files[0].footer_rows.reset();
    EXPECT_EQ(only_problem(facts).kind, Kind::file_not_seen);
    EXPECT_EQ(only_problem(facts).observed, "not opened");
}

TEST(JudgeTest, NamesAFileThatCannotBeRead) {
    ProofFacts facts = good_facts();
    facts.tables[0].engines[1].files[0].failure = Error(Code::corrupt, "no magic");
    const ProofProblem problem = only_problem(facts);
    EXPECT_EQ(problem.kind, Kind::file_unreadable);
    EXPECT_EQ(problem.name, name("a"));
    EXPECT_EQ(problem.observed, "no magic");
}

TEST(JudgeTest, DiscoveryIsTheManifestAndKnownOthers) {
    ProofFacts facts = good_facts();
    facts.tables[0].known_others.clear();
    EXPECT_EQ(only_problem(facts).kind, Kind::file_unexpected);
    EXPECT_EQ(only_problem(facts).name, name("old"));
    facts = good_facts();
    facts.tables[0].engines[1].discovered = {name("b"), name("old")};
    EXPECT_EQ(only_problem(facts).kind, Kind::file_not_discovered);
    EXPECT_EQ(only_problem(facts).name, name("a"));
}

TEST(JudgeTest, RowsOfAFileThatWasNotPlannedAreNamed) {
    ProofFacts facts = good_facts();
    facts.tables[0].engines[0].files.push_back(file_facts("old", 10, 9));
    EXPECT_EQ(only_problem(facts).kind, Kind::file_not_planned);
    EXPECT_EQ(only_problem(facts).name, name("old"));
}

TEST(JudgeTest, WithoutARegisteredFingerprintTheEnginesAreComparedWithEachOther) {
    ProofFacts facts = good_facts();
    facts.tables[0].expected[1].row_fingerprint.reset();
    EXPECT_TRUE(judge(facts).is_proved());
    facts.tables[0].engines[1].files[1].row_fingerprint = digest(7);
    EXPECT_EQ(only_problem(facts).kind, Kind::engines_differ);
    EXPECT_EQ(only_problem(facts).name, name("b"));
}

TEST(JudgeTest, OneEngineIsNoProof) {
    ProofFacts facts = good_facts();
    facts.tables[0].engines.pop_back();
    EXPECT_EQ(only_problem(facts).kind, Kind::engine_failed);
    facts.tables[0].failures = {{"arrow", Error(Code::unsupported, "cannot")}};
    EXPECT_EQ(only_problem(facts).observed, "cannot");
    facts.tables[0].engines.clear();
    facts.tables[0].failures.clear();
    EXPECT_FALSE(judge(facts).is_proved());
}

TEST(JudgeTest, ThePatternIsRightOnlyIfItGivesTheSameRows) {
    ProofFacts facts = good_facts();
    const auto raw = [&] { return *judge(facts).tables[0].raw; };
    EXPECT_FALSE(raw().is_right);
    EXPECT_EQ(raw().extra, std::vector{name("old")});
    EXPECT_EQ(raw().rows, 40U);
    EXPECT_EQ(raw().why,
              "the pattern would have been wrong: it reads 1 files that are not of this "
              "generation");
    facts.tables[0].raw->files.pop_back();
    EXPECT_TRUE(raw().is_right);
    facts.tables[0].raw->files[0].row_fingerprint = digest(5);
    EXPECT_FALSE(raw().is_right);
    facts.tables[0].raw->files.pop_back();
    EXPECT_EQ(raw().missing, std::vector{name("b")});
    facts.tables[0].raw->failure = Error(Code::corrupt, "a file of another schema");
    EXPECT_THAT(raw().why, HasSubstr("would have failed: a file of another schema"));
    // What a pattern would do is no part of the proof.
    EXPECT_TRUE(judge(facts).is_proved());
}

TEST(ProofTest, FactsCanBeReadBackAndJudgedAgain) {
    ProofFacts facts = good_facts();
    facts.generation = {{2, 0xC0FFEE00C0FFEE00}, 48, digest(8)};
    facts.tables[0].engines[0].files[0].failure = Error(Code::not_found, "gone");
    facts.tables[0].engines[0].files[1].footer_rows.reset();
    facts.tables[0].expected[0].row_fingerprint.reset();
    facts.tables[0].failures = {{"third", Error(Code::unsupported, "cannot")}};
    facts.tables[0].raw->failure = Error(Code::corrupt, "broken");
    facts.tables.push_back({});
    const Proof proof{facts, judge(facts)};
    const auto text = format_json(to_json(proof));
    const auto json = parse_json(text);
    ASSERT_THAT(json, IsOk());
    const auto read = parse_proof_facts(*json);
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, facts);
    EXPECT_EQ(judge(*read), proof.verdict);
    EXPECT_EQ(format_json(to_json(Proof{*read, judge(*read)})), text);
}

TEST(ProofTest, BrokenFactsAreRefused) {
    const Json good = to_json(Proof{good_facts(), judge(good_facts())});
    ASSERT_THAT(parse_proof_facts(good), IsOk());
    EXPECT_THAT(parse_proof_facts(Json()), FailsWith(Code::invalid_argument));
    EXPECT_THAT(parse_proof_facts(Json::object({{"facts", 1}})), FailsWith(Code::invalid_argument));
    // Every member that is missing, and every one of another kind.
    const std::string text = format_json(good.find("facts") != nullptr ? good : Json());
    for (const std::string member :
         {"generation", "chain", "hours", "expected", "known_others", "engines", "ledger", "rows",
          "root", "row_fingerprint", "patterns"}) {
        std::string changed = text;
        const std::string key = "\"" + member + "\":";
        changed.replace(changed.find(key), key.size(), "\"other\":");
        const auto json = parse_json(changed);
        ASSERT_THAT(json, IsOk()) << member;
        EXPECT_THAT(parse_proof_facts(*json), FailsWith(Code::invalid_argument)) << member;
    }
}

TEST(ProofTest, TheReportSaysWhatMatters) {
    ProofFacts facts = good_facts();
    const std::string good = format_proof({facts, judge(facts)});
    EXPECT_THAT(good, HasSubstr("proved at generation 0.0000000000000000-48-00000000: both"));
    EXPECT_THAT(good, HasSubstr("table cpu: 1 hours, 2 files, 30 rows"));
    EXPECT_THAT(good, HasSubstr("discovered 3 files, 1 of them of other generations"));
    EXPECT_THAT(good, HasSubstr("the pattern would have been wrong"));
    facts.tables[0].engines[1].files[1].row_fingerprint = digest(7);
    const std::string bad = format_proof({facts, judge(facts)});
    EXPECT_THAT(bad, HasSubstr("not proved at generation"));
    EXPECT_THAT(bad, HasSubstr("fingerprint_differs: arrow: hour=2026-10-06T09/b"));
}

}  // namespace
}  // namespace highwater::engine
