// A reader whose cache is behind gets the generation that it needs, or is told why not; never zero
// rows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "world.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Rows nine{"2026-10-06T09", 6, 0};
const Rows ten{"2026-10-06T10", 4, 100};

/// A world where `reader` has a cache of its own that knows b1 (nine o'clock), while the catalog
/// has b2 (ten o'clock), too.
class Stale : public ::testing::Test {
protected:
    Stale() {
        old_token_ = world_.publish("b1", {nine});
        world_.expect(0, reader({"refresh"}));
        token_ = world_.publish("b2", {ten});
    }

    Words reader(const Words& words) const {
        return Words{"--cache", world_.folder() + "/reader.bin"} + words;
    }
    Json ask(int exit_code, const Words& contract) const {
        return world_.expect(exit_code, reader(World::ask(contract)));
    }

    const World world_;
    std::string old_token_;
    std::string token_;
};

TEST_F(Stale, RefreshBringsTheGenerationThatIsNeeded) {
    const Json answer = ask(0, hour(10) + Words{"--min-generation", token_});
    EXPECT_EQ(text(answer, "answer.outcome.kind"), "refreshed");
    EXPECT_EQ(text(answer, "answer.generation"), token_);
    EXPECT_EQ(totals_in(answer), totals_of({ten}));
    // It was kept for the next reader.
    const Json next = ask(0, hour(10) + Words{"--min-generation", token_, "--on-stale", "fail"});
    EXPECT_EQ(text(next, "answer.outcome.kind"), "fresh");
}

TEST_F(Stale, APermittedListingBringsItAndLeavesTheCacheAlone) {
    const std::string before = content(world_.folder() + "/reader.bin");
    const Json answer =
        ask(0, hour(10) + Words{"--min-generation", token_, "--on-stale", "direct_listing"});
    EXPECT_EQ(text(answer, "answer.outcome.kind"), "direct_listing");
    EXPECT_EQ(text(answer, "answer.generation"), token_);
    EXPECT_EQ(totals_in(answer), totals_of({ten}));
    EXPECT_EQ(content(world_.folder() + "/reader.bin"), before);
}

TEST_F(Stale, ToldToFailItIsRefusedWithWhatItHasAndNeeds) {
    const Json refused = ask(4, hour(10) + Words{"--min-generation", token_, "--on-stale", "fail"});
    EXPECT_EQ(text(refused, "refusal.refused"), "stale");
    EXPECT_EQ(text(refused, "refusal.refusals.0.have"), old_token_);
    EXPECT_EQ(text(refused, "refusal.refusals.0.need"), token_);
    EXPECT_EQ(refused.find("rows"), nullptr);
}

TEST_F(Stale, WhatDidNotChangeIsFreshAtTheNewestGenerationOnceTheCacheIs) {
    world_.expect(0, reader({"refresh"}));
    const Json answer = ask(0, hour(9) + Words{"--min-generation", token_, "--on-stale", "fail"});
    EXPECT_EQ(totals_in(answer), totals_of({nine}));
}

TEST_F(Stale, ABatchIsAsGoodAsAToken) {
    const Json refused =
        ask(4, hour(10) + Words{"--min-generation", "batch:b2", "--on-stale", "fail"});
    EXPECT_EQ(text(refused, "refusal.refused"), "stale");
    EXPECT_EQ(text(refused, "refusal.refusals.0.need"), "batch:b2");
    EXPECT_EQ(totals_in(ask(0, hour(10) + Words{"--min-generation", "batch:b2"})),
              totals_of({ten}));
    const Json unknown = ask(4, hour(10) + Words{"--min-generation", "batch:b3"});
    EXPECT_EQ(text(unknown, "refusal.refused"), "catalog_behind");
    EXPECT_EQ(text(unknown, "refusal.refusals.0.reason"), "unknown_batch");
}

TEST_F(Stale, ATokenOfAnotherCatalogIsNeverTakenForOneOfThis) {
    const World other;
    other.publish("b1", {nine});
    const std::string foreign = other.publish("b2", {ten});
    const Json refused = ask(4, hour(10) + Words{"--min-generation", foreign});
    EXPECT_EQ(text(refused, "refusal.refused"), "catalog_behind");
    EXPECT_EQ(text(refused, "refusal.refusals.0.reason"), "other_epoch");
    world_.expect(2, {"wait", "--generation", foreign, "--timeout", "1s"});
}

TEST_F(Stale, ATokenAboveTheHeadIsWaitedForAndThenRefused) {
    const std::string above = old_token_.substr(0, old_token_.find('-')) + "-99-00000000";
    for (const char* wait : {"0s", "30ms"}) {
        const Json refused = ask(4, hour(10) + Words{"--min-generation", above, "--wait", wait});
        EXPECT_EQ(text(refused, "refusal.refused"), "catalog_behind");
        EXPECT_EQ(text(refused, "refusal.refusals.0.have"), token_);
        EXPECT_EQ(text(refused, "refusal.refusals.0.reason"), "above_head");
    }
}

TEST_F(Stale, ATokenWithAnotherChainIsNotTheGenerationOfThatNumber) {
    const std::string forked = token_.substr(0, token_.rfind('-')) + "-00000000";
    EXPECT_EQ(text(ask(4, hour(10) + Words{"--min-generation", forked}), "refusal.refused"),
              "catalog_behind");
    world_.expect(2, {"wait", "--generation", forked, "--timeout", "1s"});
}

TEST_F(Stale, WhateverTheCacheHasIsSaidToBeThat) {
    const Json answer = ask(0, hour(9) + Words{"--any"});
    EXPECT_EQ(text(answer, "answer.outcome.kind"), "cached");
    EXPECT_EQ(text(answer, "answer.generation"), old_token_);
    EXPECT_EQ(totals_in(answer), totals_of({nine}));
    EXPECT_EQ(number(answer, "answer.ledger.catalog_round_trips"), 0U);
}

TEST_F(Stale, AYoungCacheWillDoWhereThatIsAllowed) {
    const Json answer = ask(0, hour(9) + Words{"--max-staleness", "1h"});
    EXPECT_EQ(text(answer, "answer.outcome.kind"), "cached");
    EXPECT_EQ(text(answer, "answer.generation"), old_token_);
    EXPECT_EQ(text(ask(0, hour(9) + Words{"--max-staleness", "1ns"}), "answer.generation"), token_);
}

TEST_F(Stale, ASessionReadsItsOwnWriteWithinTheWindowOfStaleness) {
    const Words window{"--max-staleness", "1h", "--min-generation", token_};
    const Json answer = ask(0, hour(10) + window);
    EXPECT_EQ(text(answer, "answer.generation"), token_);
    EXPECT_EQ(totals_in(answer), totals_of({ten}));
}

TEST_F(Stale, ACorrectionIsNotHiddenByTheCacheOfTheSameHour) {
    const Rows corrected{nine.hour, 2, 900};
    const std::string newest = world_.publish("b3", {corrected}, {"--base", token_});
    EXPECT_EQ(totals_in(ask(0, hour(9) + Words{"--any"})), totals_of({nine}));
    EXPECT_EQ(text(ask(4, hour(9) + Words{"--on-stale", "fail"}), "refusal.refused"), "stale");
    EXPECT_EQ(totals_in(ask(0, hour(9) + Words{"--on-stale", "direct_listing"})),
              totals_of({corrected}));
    EXPECT_EQ(totals_in(ask(0, hour(9))), totals_of({corrected}));
}

TEST_F(Stale, NoWayOfAskingGivesZeroRowsForAnHour) {
    const std::vector<Words> ways{{"--on-stale", "refresh"},
                                  {"--on-stale", "direct_listing"},
                                  {"--on-stale", "fail"},
                                  {"--any"},
                                  {"--any", "--on-stale", "fail"},
                                  {"--max-staleness", "1h"},
                                  {"--max-staleness", "1h", "--on-stale", "fail"},
                                  {"--min-generation", token_},
                                  {"--at-generation", token_}};
    const std::string known = content(world_.folder() + "/reader.bin");
    for (const auto& way : ways) {
        const std::string shown = ::testing::PrintToString(way);
        for (const int of_day : {10, 11}) {  // Published and unknown to the cache; unpublished.
            write(world_.folder() + "/reader.bin", known);
            const auto asked = world_.run(reader(World::ask(hour(of_day) + way)));
            EXPECT_TRUE(asked.exit_code == 4 || (asked.exit_code == 0 && of_day == 10)) << shown;
            if (asked.exit_code == 0) {
                EXPECT_EQ(totals_in(asked.answer), totals_of({ten})) << shown;
            }
            if (of_day == 11 && text(asked.answer, "refusal.refused") != "stale") {
                EXPECT_EQ(text(asked.answer, "refusal.refused"), "missing_hours") << shown;
                EXPECT_EQ(number(asked.answer, "refusal.refusals.0.count"), 1U) << shown;
            }
        }
    }
}

TEST_F(Stale, HoursThatAreNotPublishedAreListedWhereTheyMayBeLeftOut) {
    const Words wide{"--from", "2026-10-06T08", "--to", "2026-10-06T12", "--allow-unpublished"};
    const Json answer = world_.expect(0, reader(Words{"read", "--table", "cpu"} + wide));
    EXPECT_EQ(length(answer, "rows"), 10U);
    EXPECT_EQ(length(answer, "answer.tables.0.gaps"), 2U);
    EXPECT_EQ(text(answer, "answer.tables.0.gaps.0.from"), "2026-10-06T08");
    EXPECT_EQ(text(answer, "answer.tables.0.gaps.1.from"), "2026-10-06T11");
    // SQL sees no zero rows there either: it must stay out of the gaps.
    EXPECT_THAT(text(ask(2, wide), "error.message"), HasSubstr("2026-10-06T08"));
    const std::string inside =
        "select count(*) as n, sum(load) as total from cpu where ts >= '2026-10-06 09:00:00' and "
        "ts < '2026-10-06 11:00:00'";
    EXPECT_EQ(totals_in(world_.expect(0, reader(Words{"query", "--sql", inside} + wide))),
              totals_of({nine, ten}));
}

TEST_F(Stale, ExplainSaysWhatTheReaderLacksAndChangesNothing) {
    const std::string before = content(world_.folder() + "/reader.bin");
    const Json explained =
        world_.expect(0, reader({"explain", "--table", "cpu", "--hour", ten.hour}));
    EXPECT_EQ(text(explained, "next.next.step"), "refresh");
    EXPECT_EQ(text(explained, "layers.1.values.seen"), old_token_);
    EXPECT_EQ(content(world_.folder() + "/reader.bin"), before);
}

TEST_F(Stale, AColdCacheIsFilledByTheFirstReader) {
    fs::remove(world_.folder() + "/reader.bin");
    EXPECT_EQ(text(ask(4, hour(9) + Words{"--on-stale", "fail"}), "refusal.refused"), "stale");
    EXPECT_EQ(text(ask(0, hour(9)), "answer.outcome.kind"), "refreshed");
    EXPECT_EQ(text(ask(0, hour(9)), "answer.outcome.kind"), "fresh");
}

TEST_F(Stale, ACacheFileMayBeNamedFromWhereOneStands) {
    const auto said =
        demo::run_process("/usr/bin/env", {"-C", world_.folder(), HIGHWATER_PROGRAM, "--json",
                                           "--dir", "data", "--cache", "here.bin", "refresh"});
    ASSERT_TRUE(said.ok());
    const auto refreshed = parse_json(said->out);
    ASSERT_TRUE(refreshed.ok()) << said->err;
    EXPECT_EQ(at(*refreshed, "is_stored"), Json(true));
    EXPECT_TRUE(fs::exists(world_.folder() + "/here.bin"));
}

TEST_F(Stale, ARefusalIsToldToAPersonOnce) {
    const auto said = world_.say(reader(World::ask(hour(10) + Words{"--on-stale", "fail"})));
    EXPECT_THAT(said.err, HasSubstr("refused: stale: have " + old_token_));
}

TEST_F(Stale, ContractsThatContradictThemselvesAreBadRequests) {
    for (const Words& way : std::vector<Words>{{"--min-generation", "nonsense"},
                                               {"--max-staleness", "soon"},
                                               {"--on-stale", "guess"},
                                               {"--any", "--max-staleness", "1h"},
                                               {"--wait", "-1s"},
                                               {"--all"}}) {
        const Json refused = ask(2, hour(9) + way);
        EXPECT_EQ(text(refused, "error.code"), "invalid_argument") << way.front();
    }
    EXPECT_THAT(text(ask(2, {}), "error.message"), HasSubstr("which hours"));
}

}  // namespace
}  // namespace highwater::e2e
