// From rows to an answer, and what a rejected publication leaves: nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "world.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Rows nine{"2026-10-06T09", 6, 0};
const Rows ten{"2026-10-06T10", 4, 100};

/// All that others can see of a table, as text.
struct Seen {
    std::string head;
    std::string table;
    std::string cache;
    std::string answer;

    friend bool operator==(const Seen&, const Seen&) = default;
};

/// An answer but for what it cost: a file that changed a moment ago is digested again.
Json without_ledger(const Json& json) {
    Json kept(Json::Object{});
    for (const auto& [name, value] : *json.find_object()) {
        if (name == "ledger") continue;
        kept.set(name, value.find_object() != nullptr ? without_ledger(value) : value);
    }
    return kept;
}

Seen look(const World& world) {
    return {world.head(), format_json(world.expect(0, {"table", "show", "cpu"})),
            content(world.directory() + "/cache.bin"),
            format_json(without_ledger(world.expect(0, World::ask({"--all"}))))};
}

TEST(Publish, GoesTheWholeWayFromACsvFileToAnAnswer) {
    const testkit::TemporaryDirectory folder;
    const demo::Shell shell(HIGHWATER_PROGRAM, folder.path() + "/data");
    const auto expect = [&](Words words) {
        const auto command = shell.expect(0, std::move(words));
        EXPECT_TRUE(command.ok()) << command.error().message();
        return command.ok() ? command->answer : Json();
    };
    const std::string csv = folder.path() + "/cpu.csv";
    const std::string manifest = folder.path() + "/cpu.json";
    write(csv, csv_of({nine, ten}));

    expect({"init"});
    const Json table = expect({"table", "create", "cpu", "--csv", csv, "--time-column", "ts"});
    EXPECT_EQ(text(table, "table.schemas.0.columns.0.column"), "ts:timestamp!");
    EXPECT_EQ(text(table, "table.schemas.0.columns.2.column"), "load:float64");
    const Json staged = expect({"stage", "--table", "cpu", "--csv", csv, "--out", manifest});
    EXPECT_EQ(number(staged, "rows"), 10U);
    EXPECT_EQ(number(staged, "hours"), 2U);
    EXPECT_EQ(text(expect({"check", manifest}), "report.verdict"), "accepted");
    const Json published = expect({"publish", manifest});
    EXPECT_EQ(text(published, "outcome"), "served");
    EXPECT_EQ(at(published, "confirmation.is_confirmed"), Json(true));
    const Json answer = expect(World::ask({"--all"}));
    EXPECT_EQ(totals_in(answer), totals_of({nine, ten}));
    EXPECT_EQ(text(answer, "answer.generation"), text(published, "generation"));
    EXPECT_EQ(text(answer, "answer.outcome.kind"), "fresh");
}

TEST(Publish, BothEnginesReadTheSameRows) {
    const World world;
    world.publish("b1", {nine, ten});
    const Json duckdb = world.expect(0, {"read", "--table", "cpu", "--all", "--engine", "duckdb"});
    const Json arrow = world.expect(0, {"read", "--table", "cpu", "--all", "--engine", "arrow"});
    EXPECT_EQ(length(duckdb, "rows"), 10U);
    EXPECT_EQ(at(duckdb, "rows"), at(arrow, "rows"));
    const Json proof = world.expect(0, {"prove", "--table", "cpu", "--all"});
    EXPECT_EQ(at(proof, "is_proved"), Json(true));
    EXPECT_EQ(number(proof, "rows"), 10U);
    EXPECT_EQ(number(proof, "files"), 2U);
}

TEST(Publish, EveryVerbTellsOfTheSameGeneration) {
    const World world;
    const std::string token = world.publish("b1", {nine, ten});
    const Json status = world.expect(0, {"status"});
    EXPECT_EQ(text(status, "head.token"), token);
    EXPECT_EQ(text(status, "cache.seen"), token);
    EXPECT_EQ(length(status, "waiting"), 0U);
    const Json log = world.expect(0, {"log", "--attempts"});
    EXPECT_EQ(text(log, "generations.1.generation"), token);
    EXPECT_EQ(text(log, "generations.1.batch"), "b1");
    EXPECT_EQ(text(log, "attempts.0.code"), "accepted");
    const Json verified = world.expect(0, {"verify", "--full"});
    EXPECT_EQ(text(verified, "generation"), token);
    EXPECT_EQ(number(verified, "digested_objects"), 2U);
    EXPECT_EQ(text(world.expect(0, {"wait", "--table", "cpu", "--hour", nine.hour}), "generation"),
              token);
    EXPECT_EQ(text(world.expect(0, {"wait", "--generation", "batch:b1"}), "generation"), token);
    const Json refreshed = world.expect(0, {"refresh"});
    EXPECT_EQ(text(refreshed, "seen"), token);
    EXPECT_EQ(number(refreshed, "completed"), 2U);
    const Json explained = world.expect(0, {"explain", "--table", "cpu", "--hour", nine.hour});
    EXPECT_EQ(text(explained, "layers.0.values.head"), token);
    EXPECT_EQ(text(explained, "next.next.step"), "serve");
}

TEST(Publish, APlanNamesTheFilesForOtherTools) {
    const World world;
    const Json staged = world.stage("b1", {nine, ten});
    world.expect(0, {"publish", world.manifest("b1")});
    const auto said = world.say({"plan", "--table", "cpu", "--all", "--files"});
    const auto objects = World::objects_of(staged);
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.out, objects.at(0) + "\n" + objects.at(1) + "\n");
    const Json answer = world.expect(0, Words{"plan", "--table", "cpu", "--files"} + hour(10));
    EXPECT_EQ(length(answer, "files"), 1U);
    EXPECT_EQ(text(answer, "files.0.name"), objects.at(1));
    EXPECT_EQ(number(answer, "files.0.record_count"), 4U);
}

TEST(Publish, AWaitForWhatIsNotThereEndsWithTryAgain) {
    const World world;
    world.publish("b1", {nine});
    world.expect(3, {"wait", "--table", "cpu", "--hour", ten.hour, "--timeout", "20ms"});
    world.expect(3, {"wait", "--generation", "batch:b2", "--timeout", "20ms"});
    world.expect(2, {"wait", "--timeout", "20ms"});
}

TEST(Publish, ARejectionChangesNothingAndTheSameManifestIsAcceptedLater) {
    const World world;
    world.publish("b1", {nine});
    const std::string object = World::objects_of(world.stage("b2", {ten})).at(0);
    const std::string held = world.folder() + "/held.parquet";
    fs::rename(object, held);
    const Seen before = look(world);
    EXPECT_EQ(text(world.expect(5, {"check", world.manifest("b2")}), "report.problems.0.code"),
              "object_missing");
    const Json rejected = world.expect(5, {"publish", world.manifest("b2")});
    EXPECT_EQ(text(rejected, "outcome"), "rejected");
    EXPECT_EQ(text(rejected, "report.problems.0.code"), "object_missing");
    EXPECT_TRUE(object.ends_with(text(rejected, "report.problems.0.path")));
    EXPECT_EQ(look(world), before);
    EXPECT_EQ(text(world.expect(4, World::ask(hour(10))), "refusal.refused"), "missing_hours");

    fs::rename(held, object);
    const Json accepted = world.expect(0, {"publish", world.manifest("b2")});
    EXPECT_EQ(text(accepted, "outcome"), "served");
    EXPECT_EQ(number(accepted, "report.attempt"), 2U);
    EXPECT_EQ(world.totals({"--all"}), totals_of({nine, ten}));
}

TEST(Publish, AgainIsTheSameGeneration) {
    const World world;
    const std::string token = world.publish("b1", {nine});
    const Json again = world.expect(0, {"publish", world.manifest("b1")});
    EXPECT_EQ(text(again, "generation"), token);
    EXPECT_EQ(text(again, "report.verdict"), "repeated");
    EXPECT_EQ(world.head(), token);
}

TEST(Publish, ABatchIsNeverUsedForOtherContent) {
    const World world;
    const std::string token = world.publish("b1", {nine});
    fs::rename(world.manifest("b1"), world.folder() + "/first.json");
    world.stage("b1", {ten});
    const Json rejected = world.expect(5, {"publish", world.manifest("b1")});
    EXPECT_EQ(text(rejected, "report.code"), "batch_generation_reused");
    EXPECT_EQ(world.head(), token);
}

TEST(Publish, ACorrectionReplacesTheHourAndTheOldGenerationStaysReadable) {
    const World world;
    const std::string first = world.publish("b1", {nine, ten});
    const Rows corrected{nine.hour, 5, 1000};
    const std::string second = world.publish("b2", {corrected}, {"--base", first});
    EXPECT_NE(second, first);
    EXPECT_EQ(world.totals({"--all"}), totals_of({corrected, ten}));
    EXPECT_EQ(world.totals(hour(9)), totals_of({corrected}));
    EXPECT_EQ(world.totals({"--all", "--at-generation", first}), totals_of({nine, ten}));
    EXPECT_EQ(at(world.expect(0, {"verify"}), "is_clean"), Json(true));
    EXPECT_EQ(at(world.expect(0, {"prove", "--table", "cpu", "--all"}), "is_proved"), Json(true));
}

TEST(Publish, ARestatementWithoutItsBaseIsRejected) {
    const World world;
    const std::string first = world.publish("b1", {nine});
    const std::string second = world.publish("b2", {{nine.hour, 5, 1000}}, {"--base", first});
    world.stage("b3", {{nine.hour, 5, 2000}}, {"--base", first});
    const Json stale = world.expect(5, {"publish", world.manifest("b3")});
    EXPECT_EQ(text(stale, "report.code"), "not_next_generation");
    EXPECT_EQ(world.head(), second);
}

TEST(Publish, TellsAPersonWhatHappened) {
    const World world;
    world.stage("b1", {nine});
    const auto served = world.say({"publish", world.manifest("b1")});
    EXPECT_EQ(served.exit_code, 0);
    EXPECT_THAT(served.err, HasSubstr("served: generation " + world.head()));
    const auto rows = world.say(World::ask({"--all", "--format", "csv"}));
    EXPECT_EQ(rows.out, "n,total\n6,15\n");
    EXPECT_THAT(rows.err, HasSubstr("fresh at generation " + world.head()));
    const auto refused = world.say(World::ask(hour(10)));
    EXPECT_EQ(refused.exit_code, 4);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("missing_hours"));
}

}  // namespace
}  // namespace highwater::e2e
