// Several processes on one data directory: one publisher wins an hour, nobody reads a mixture.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "world.h"

namespace highwater::e2e {
namespace {

/// Runs every one of `commands` in a process, all at once; what each ended with.
std::vector<demo::Command> run_together(const World& world, const std::vector<Words>& commands) {
    std::vector<demo::Command> finished(commands.size());
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        running.emplace_back([&, i] { finished[i] = world.run(commands[i]); });
    }
    for (auto& thread : running) thread.join();
    return finished;
}

TEST(Concurrency, OfTwoPublishersOfOneHourExactlyOneWins) {
    for (int round = 0; round < 4; ++round) {
        SCOPED_TRACE(round);
        const World world;
        const std::vector<Rows> one{{hour_name(9), 3, 10}};
        const std::vector<Rows> other{{hour_name(9), 5, 200}};
        world.stage("one", one);
        world.stage("other", other);
        const auto ended = run_together(
            world, {{"publish", world.manifest("one")}, {"publish", world.manifest("other")}});
        const std::size_t winner = ended[0].exit_code == 0 ? 0 : 1;
        const auto& won = ended[winner];
        const auto& lost = ended[1 - winner];
        ASSERT_EQ(won.exit_code, 0) << format_json(won.answer);
        // It lost at the commit, or came so late that the gate saw the winner's hour.
        ASSERT_TRUE(lost.exit_code == 7 || lost.exit_code == 5) << format_json(lost.answer);
        if (lost.exit_code == 7) {
            EXPECT_EQ(text(lost.answer, "generation"), text(won.answer, "generation"));
            EXPECT_EQ(text(lost.answer, "record.batch"), text(won.answer, "batch"));
        } else {
            EXPECT_EQ(text(lost.answer, "report.code"), "not_next_generation");
        }
        EXPECT_EQ(world.totals({"--all"}), totals_of(winner == 0 ? one : other));
        EXPECT_EQ(number(world.expect(0, {"status"}), "head.number"), 2U);
    }
}

TEST(Concurrency, ThePublishersOfOneManifestAllSucceedWithOneGeneration) {
    const World world;
    world.stage("b1", {{hour_name(9), 6, 0}});
    const Words publish{"publish", world.manifest("b1")};
    for (const auto& ended : run_together(world, {publish, publish, publish})) {
        EXPECT_EQ(ended.exit_code, 0) << format_json(ended.answer);
        EXPECT_EQ(number(ended.answer, "record.number"), 2U);
    }
    EXPECT_EQ(number(world.expect(0, {"status"}), "head.number"), 2U);
}

TEST(Concurrency, PublishersOfDifferentHoursAllSucceed) {
    const World world;
    std::vector<Words> commands;
    std::vector<Rows> all;
    for (int of_day = 0; of_day < 5; ++of_day) {
        const std::string batch = "b" + std::to_string(of_day);
        all.push_back({hour_name(of_day), of_day + 1, of_day * 100});
        world.stage(batch, {all.back()});
        commands.push_back({"publish", world.manifest(batch)});
    }
    std::set<std::string> generations;
    for (const auto& ended : run_together(world, commands)) {
        EXPECT_EQ(ended.exit_code, 0) << format_json(ended.answer);
        generations.insert(text(ended.answer, "generation"));
    }
    EXPECT_EQ(generations.size(), 5U);
    EXPECT_EQ(world.totals({"--all"}), totals_of(all));
    EXPECT_EQ(at(world.expect(0, {"verify"}), "is_clean"), Json(true));
}

TEST(Concurrency, StagersAndReadersAndWatchersDoNotDisturbEachOther) {
    const World world;
    world.publish("b1", {{hour_name(9), 6, 0}});
    write(world.folder() + "/more.csv", csv_of({{hour_name(10), 200, 0}}));
    std::vector<Words> commands{{"status"},
                                {"refresh"},
                                {"refresh", "--reload"},
                                {"verify", "--full"},
                                {"prove", "--table", "cpu", "--all"},
                                {"log", "--attempts"},
                                World::ask({"--all"})};
    for (const char* batch : {"s1", "s2"}) {
        commands.push_back({"stage", "--table", "cpu", "--csv", world.folder() + "/more.csv",
                            "--batch", batch, "--out", world.manifest(batch)});
    }
    for (const auto& ended : run_together(world, commands)) {
        EXPECT_EQ(ended.exit_code, 0) << ended.line() << format_json(ended.answer, 2);
    }
}

/// One answer, and the generation that it says to be of.
struct Told {
    std::string generation;
    Totals totals;
};

TEST(Concurrency, ReadersDuringCorrectionsGetExactlyOneGenerationEachTime) {
    constexpr int corrections = 20;
    const World world;
    // Two hours that always change together: a mixture would have another count or sum.
    const auto rows_of = [](int round) {
        return std::vector<Rows>{{hour_name(9), 2 + round, round * 1'000},
                                 {hour_name(10), 40 - 2 * round, round * 7}};
    };
    std::map<std::string, Totals> truth;
    std::string token = world.publish("b0", rows_of(0));
    truth[token] = totals_of(rows_of(0));
    std::atomic<bool> is_over = false;
    const auto read = [&](const Words& words, std::vector<Told>& told) {
        while (!is_over || told.empty()) {
            const auto asked = world.run(words);
            ASSERT_EQ(asked.exit_code, 0) << format_json(asked.answer, 2);
            told.push_back({text(asked.answer, "answer.generation"), totals_in(asked.answer)});
        }
    };
    std::array<std::vector<Told>, 2> told;
    std::thread shared(read, World::ask({"--all"}), std::ref(told[0]));
    std::thread own(read,
                    Words{"--cache", world.folder() + "/reader.bin"} +
                        World::ask({"--all", "--on-stale", "direct_listing"}),
                    std::ref(told[1]));
    for (int round = 1; round < corrections; ++round) {
        token = world.publish("b" + std::to_string(round), rows_of(round), {"--base", token});
        truth[token] = totals_of(rows_of(round));
    }
    is_over = true;
    shared.join();
    own.join();
    for (const auto& answers : told) {
        EXPECT_GT(answers.size(), 1U);
        for (const auto& [generation, totals] : answers) {
            ASSERT_TRUE(truth.contains(generation)) << generation;
            EXPECT_EQ(totals, truth[generation]) << generation;
        }
    }
    EXPECT_EQ(at(world.expect(0, {"verify"}), "is_clean"), Json(true));
}

}  // namespace
}  // namespace highwater::e2e
