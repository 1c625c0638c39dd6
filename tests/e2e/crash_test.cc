// The program is killed at every step that it names: what is there afterwards is the old generation
// or the new one, and the same command finishes what was begun.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "world.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int killed = 128 + 9;

const Rows nine{"2026-10-06T09", 6, 0};
const Rows ten{"2026-10-06T10", 4, 100};

/// The names that stand in `source` where `pattern` has its group.
std::vector<std::string> names_in(const std::string& source, const std::string& pattern) {
    const std::string code = content(HIGHWATER_SOURCE_DIR "/" + source);
    const std::regex finder(pattern);
    std::vector<std::string> names;
    for (std::sregex_iterator at(code.begin(), code.end(), finder), end; at != end; ++at) {
        names.push_back((*at)[1]);
    }
    return names;
}

/// The steps of a refresh of the cache file, as the code that says them names them.
std::vector<std::string> cache_steps() {
    return names_in("src/embed/stepping_disk.h", R"re(say\("([\w.]+)"\))re");
}

/// The steps of a publication, likewise. Of the gate's own, "gate.digest again" is said only when
/// an object changes while the gate looks at it.
std::vector<std::string> publish_steps() {
    std::vector<std::string> steps = names_in("src/embed/publisher.cc", R"re(step\("(\w+)"\))re");
    for (const auto& name :
         names_in("src/embed/publisher.cc", R"re(\{\*this, published, "(\w+)"\})re")) {
        steps.push_back(name);
    }
    for (const auto& name : names_in("src/publish/examine.cc", R"re(tell\("(\w+)")re")) {
        steps.push_back("gate." + name);
    }
    for (const auto& name : cache_steps()) steps.push_back(name);
    return steps;
}

/// Runs `words` in a process that is killed at `step`; its exit code.
int run_until(const World& world, const std::string& step, const Words& words) {
    ::setenv("HIGHWATER_KILL_AT", step.c_str(), 1);
    const int exit_code = world.say(words).exit_code;
    ::unsetenv("HIGHWATER_KILL_AT");
    return exit_code;
}

/// A cache file is renamed into place when it is made; later refreshes add to it.
bool needs_no_cache(const std::string& step) {
    return step == "cache.rename";
}

/// Whether nothing was committed yet at `step`; at every other one the commit is done.
bool is_before_commit(const std::string& step) {
    return step == "begin" || step.starts_with("gate.");
}

TEST(Crash, EveryStepHasAName) {
    EXPECT_THAT(cache_steps(), SizeIs(4));
    for (const char* step : {"begin", "gate", "gate.read", "record", "read_back", "refresh",
                             "confirm", "cache.lock", "cache.rename"}) {
        EXPECT_THAT(publish_steps(), Contains(step));
    }
    const World world;
    world.stage("b1", {nine});
    EXPECT_EQ(run_until(world, "no such step", {"publish", world.manifest("b1")}), 0);
}

TEST(Crash, APublicationThatIsCutAtAnyStepIsOldOrNewAndIsFinishedByTheSameCommand) {
    for (const std::string& step : publish_steps()) {
        SCOPED_TRACE(step);
        const World world;
        const std::string old_token = world.publish("b1", {nine});
        world.stage("b2", {ten});
        if (needs_no_cache(step)) fs::remove(world.directory() + "/cache.bin");
        ASSERT_EQ(run_until(world, step, {"publish", world.manifest("b2")}), killed)
            << "the step was not reached";
        const std::string after = world.head();
        EXPECT_EQ(after == old_token, is_before_commit(step));
        EXPECT_EQ(world.totals({"--all"}),
                  totals_of(after == old_token ? std::vector{nine} : std::vector{nine, ten}));
        EXPECT_EQ(world.run(World::ask(hour(10))).exit_code, after == old_token ? 4 : 0);

        const Json finished = world.expect(0, {"publish", world.manifest("b2")});
        EXPECT_EQ(text(finished, "outcome"), "served");
        EXPECT_TRUE(after == old_token || text(finished, "generation") == after);
        EXPECT_EQ(world.totals({"--all"}), totals_of({nine, ten}));
        const Json verified = world.expect(0, {"verify", "--full"});
        EXPECT_THAT(*at(verified, "discrepancies").find_array(), IsEmpty());
        EXPECT_EQ(length(world.expect(0, {"status"}), "waiting"), 0U);
    }
}

TEST(Crash, ACorrectionThatIsCutIsTheOldHourOrTheNewOneNeverBoth) {
    const Rows corrected{nine.hour, 3, 900};
    for (const std::string& step : publish_steps()) {
        SCOPED_TRACE(step);
        const World world;
        const std::string old_token = world.publish("b1", {nine, ten});
        world.stage("b2", {corrected}, {"--base", old_token});
        if (needs_no_cache(step)) fs::remove(world.directory() + "/cache.bin");
        ASSERT_EQ(run_until(world, step, {"publish", world.manifest("b2")}), killed);
        EXPECT_EQ(world.totals({"--all"}),
                  is_before_commit(step) ? totals_of({nine, ten}) : totals_of({corrected, ten}));
        world.expect(0, {"publish", world.manifest("b2")});
        EXPECT_EQ(world.totals({"--all"}), totals_of({corrected, ten}));
    }
}

TEST(Crash, ARefreshThatIsCutAtAnyStepLeavesACacheThatIsOldOrNew) {
    for (const std::string& step : cache_steps()) {
        if (needs_no_cache(step)) continue;
        SCOPED_TRACE(step);
        const World world;
        const Words reader{"--cache", world.folder() + "/reader.bin"};
        world.publish("b1", {nine});
        world.expect(0, reader + Words{"refresh"});
        const std::string token = world.publish("b2", {ten});
        ASSERT_EQ(run_until(world, step, reader + Words{"refresh"}), killed);
        const std::uint64_t completed =
            number(world.expect(0, reader + Words{"status"}), "cache.completed");
        EXPECT_TRUE(completed == 2 || completed == 3) << completed;
        EXPECT_EQ(world.expect(0, reader + World::ask({"--all", "--any"})).find("refusal"),
                  nullptr);
        EXPECT_EQ(text(world.expect(0, reader + Words{"refresh"}), "seen"), token);
        EXPECT_EQ(totals_in(world.expect(0, reader + World::ask({"--all"}))),
                  totals_of({nine, ten}));
    }
}

TEST(Crash, AFirstRefreshThatIsCutLeavesNoCacheOrOne) {
    for (const std::string& step : cache_steps()) {
        SCOPED_TRACE(step);
        const World world;
        const Words reader{"--cache", world.folder() + "/reader.bin"};
        world.publish("b1", {nine});
        ASSERT_EQ(run_until(world, step, reader + Words{"refresh"}), killed);
        EXPECT_EQ(totals_in(world.expect(0, reader + World::ask({"--all"}))), totals_of({nine}));
    }
}

/// Runs the program and kills it after that time; its exit code.
int run_for(const World& world, const std::string& seconds, const Words& words) {
    const auto finished = demo::run_process(
        "/usr/bin/timeout",
        Words{"-s", "KILL", seconds, HIGHWATER_PROGRAM, "--dir", world.directory()} + words);
    EXPECT_TRUE(finished.ok());
    return finished.ok() ? finished->exit_code : -1;
}

TEST(Crash, AStageThatIsCutAnywhereIsSeenByNoReaderAndCanBeGivenUpOrDoneAgain) {
    const World world;
    const std::string token = world.publish("b1", {nine});
    write(world.folder() + "/ten.csv", csv_of({{ten.hour, 3'000, 0}}));
    int cut = 0;
    for (int try_number = 0; try_number < 10; ++try_number) {
        const std::string batch = "cut-" + std::to_string(try_number);
        const Words stage{"stage",
                          "--table",
                          "cpu",
                          "--csv",
                          world.folder() + "/ten.csv",
                          "--batch",
                          batch,
                          "--out",
                          world.manifest(batch),
                          "--rows-per-object",
                          "100"};
        const std::string seconds = "0.0" + std::to_string(try_number) + "5";
        if (run_for(world, seconds, stage) == killed) ++cut;
        EXPECT_EQ(world.head(), token);
        EXPECT_EQ(world.totals({"--all"}), totals_of({nine}));
        EXPECT_EQ(text(world.expect(4, World::ask(hour(10))), "refusal.refused"), "missing_hours");
        // Every object that was linked is named by an intent: nothing is unexpected.
        EXPECT_EQ(at(world.expect(0, {"verify"}), "is_clean"), Json(true));
        if (try_number % 2 == 0) {
            const auto abandoned = world.run({"stage", "abandon", batch, "--table", "cpu"});
            EXPECT_TRUE(abandoned.exit_code == 0 || abandoned.exit_code == 2);
        }
    }
    EXPECT_GT(cut, 0);
    const Json staged = world.stage("done", {ten});
    world.expect(0, {"publish", world.manifest("done")});
    EXPECT_EQ(world.totals({"--all"}), totals_of({nine, ten}));
}

TEST(Crash, AnAbandonedStageLeavesNothing) {
    const World world;
    world.publish("b1", {nine});
    const auto objects = World::objects_of(world.stage("b2", {ten}));
    EXPECT_EQ(length(world.expect(0, {"status"}), "waiting"), 1U);
    const Json abandoned = world.expect(0, {"stage", "abandon", "b2", "--table", "cpu"});
    EXPECT_EQ(length(abandoned, "removed"), 1U);
    EXPECT_FALSE(fs::exists(objects.at(0)));
    EXPECT_EQ(text(world.expect(5, {"publish", world.manifest("b2")}), "report.code"),
              "object_missing");
    EXPECT_EQ(length(world.expect(0, {"status"}), "waiting"), 0U);
    // What is published cannot be given up.
    world.run({"stage", "abandon", "b1", "--table", "cpu"});
    EXPECT_EQ(world.totals({"--all"}), totals_of({nine}));
}

}  // namespace
}  // namespace highwater::e2e
