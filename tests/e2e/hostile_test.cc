// What a malicious or careless user writes is refused, changes nothing and says why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "world.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Rows nine{"2026-10-06T09", 6, 0};

const std::string escape = "\x1B[2J";

TEST(Hostile, SqlReachesNothingButItsTables) {
    const World world;
    const std::string object = World::objects_of(world.stage("b1", {nine})).at(0);
    world.expect(0, {"publish", world.manifest("b1")});
    const std::string bytes = content(object);
    const std::string stolen = world.folder() + "/stolen";
    const std::vector<std::string> statements{
        "drop view cpu",
        "create table x as select * from cpu",
        "create or replace view cpu as select 1",
        "insert into cpu values (1)",
        "update cpu set load = 0",
        "delete from cpu",
        "truncate cpu",
        "copy cpu to '" + object + "'",
        "copy (select * from cpu) to '" + stolen + "'",
        "copy cpu from '/etc/passwd'",
        "attach '" + stolen + "' as other; select * from cpu",
        "attach '" + world.directory() + "/catalog.db' as cpu (type sqlite)",
        "export database '" + stolen + "'; select * from cpu",
        "select * from read_csv('/etc/passwd'), cpu",
        "select * from read_text('/etc/passwd'), cpu",
        "select (select content from read_blob('/etc/passwd')) from cpu",
        "with x as (from read_csv('/etc/passwd')) select * from x, cpu",
        "select * from '/etc/passwd', cpu",
        "select * from read_parquet('" + object + "'), cpu",
        "select * from '" + object + "', cpu",
        "select * from glob('/etc/*'), cpu",
        "select * from duckdb_settings(), cpu",
        "select * from duckdb_secrets(), cpu",
        "select * from information_schema.tables, cpu",
        "select getenv('PATH') from cpu",
        "set memory_limit = '1TB'; select * from cpu",
        "set enable_external_access = true; select * from cpu",
        "reset all; select * from cpu",
        "pragma table_info('cpu')",
        "pragma database_list; select * from cpu",
        "install httpfs; select * from cpu",
        "load '" + object + "'; select * from cpu",
        "select 1 from cpu; select 2 from cpu",
        "select 1 from cpu; drop view cpu",
        "prepare p as select * from cpu",
        "call pragma_version() -- cpu",
        "begin; select * from cpu",
        "checkpoint; select * from cpu",
        "select nothing sensible from cpu",
        "select * from cpu, no_table",
        "select 1",
        "",
    };
    for (const auto& sql : statements) {
        const Json refused = world.expect(2, {"query", "--all", "--sql", sql});
        EXPECT_NE(text(refused, "error.message"), "") << sql;
    }
    EXPECT_EQ(content(object), bytes);
    EXPECT_FALSE(fs::exists(stolen));
    EXPECT_TRUE(fs::is_empty(world.directory() + "/spill"));
    EXPECT_EQ(world.totals({"--all"}), totals_of({nine}));
}

TEST(Hostile, AnAnswerNeverReplacesAFile) {
    const World world;
    const std::string object = World::objects_of(world.stage("b1", {nine})).at(0);
    world.expect(0, {"publish", world.manifest("b1")});
    const std::string bytes = content(object);
    for (const char* format : {"csv", "json", "parquet", "arrow"}) {
        world.expect(2, World::ask({"--all", "--format", format, "--out", object}));
    }
    EXPECT_EQ(world.say(World::ask({"--all", "--format", "parquet"})).exit_code, 2);
    EXPECT_EQ(content(object), bytes);
    world.expect(0, World::ask({"--all", "--format", "csv", "--out", world.folder() + "/new.csv"}));
    EXPECT_EQ(content(world.folder() + "/new.csv"), "n,total\n6,15\n");
}

TEST(Hostile, ALimitRefusesAndDoesNotCut) {
    const World world;
    world.publish("b1", {nine});
    const Words read{"read", "--table", "cpu", "--all"};
    EXPECT_EQ(length(world.expect(0, read + Words{"--rows-max", "6"}), "rows"), 6U);
    EXPECT_EQ(text(world.expect(2, read + Words{"--rows-max", "5"}), "error.code"), "exhausted");
}

/// `text` with `with` in place of the first `what`.
std::string replaced(std::string text, const std::string& what, const std::string& with) {
    const auto found = text.find(what);
    EXPECT_NE(found, std::string::npos) << what;
    return text.replace(found, what.size(), with);
}

TEST(Hostile, AManifestThatIsNotInOrderIsRejectedBeforeAnythingIsLookedAt) {
    const World world;
    world.stage("b1", {nine});
    const std::string good = content(world.manifest("b1"));
    const std::string prefix = "\"hour=2026-10-06T09/";
    const std::string count = "\"record_count\": 6";
    const std::string before = world.head();
    const std::vector<std::string> manifests{
        "",
        "{",
        "[]",
        "null",
        "{}",
        "not JSON",
        std::string(100'000, '['),
        std::string("\0\0\0", 3),
        good + "x",
        replaced(good, prefix, "\"../../../etc/"),
        replaced(good, prefix, "\"hour=2026-10-06T09/../hour=2026-10-06T09/"),
        replaced(good, prefix, "\"/etc/"),
        replaced(good, prefix, "\"hour=2026-10-06T10/"),
        replaced(good, prefix, "\"hour=2026-10-06T09/\\u001b[2J"),
        replaced(good, count, "\"record_count\": 99999999999999999999999"),
        replaced(good, count, "\"record_count\": 18446744073709551615"),
        replaced(good, count, "\"record_count\": 1e3"),
        replaced(good, count, "\"record_count\": -1"),
        replaced(good, count, "\"record_count\": \"6\""),
        replaced(good, count, count + ", " + count),
        replaced(good, count, "\"more\": 1, " + count),
        replaced(good, "\"format\": 1", "\"format\": 2"),
        replaced(good, "\"cpu\"", "\"no_table\""),
        replaced(good, "2026-10-06T09\"", "2026-13-06T09\""),
    };
    for (const auto& manifest : manifests) {
        const std::string file = world.folder() + "/bad.json";
        write(file, manifest);
        const Json rejected = world.expect(5, {"publish", file});
        EXPECT_NE(text(rejected, "report.code"), "accepted");
        EXPECT_NE(text(rejected, "report.problems.0.observed"), "") << manifest.substr(0, 300);
        EXPECT_EQ(world.say({"publish", file}).out.find('\x1B'), std::string::npos);
    }
    EXPECT_EQ(world.head(), before);
    world.expect(0, {"publish", world.manifest("b1")});
}

TEST(Hostile, AManifestThatIsNoFileIsABadRequest) {
    const World world;
    EXPECT_THAT(text(world.expect(2, {"publish", world.folder()}), "error.message"),
                HasSubstr("directory"));
    EXPECT_EQ(text(world.expect(2, {"publish", world.folder() + "/none"}), "error.code"),
              "not_found");
    world.expect(2, {"publish"});
}

TEST(Hostile, NoNameReachesTheTerminalRaw) {
    const World world;
    const std::string object = World::objects_of(world.stage("b1", {nine})).at(0);
    world.expect(0, {"publish", world.manifest("b1")});
    fs::copy_file(object, fs::path(object).parent_path() / ("e" + escape + "vil.parquet"));
    const std::string csv = world.folder() + "/e" + escape + "vil.csv";
    write(csv, csv_of({nine}));
    const std::string evil = world.folder() + "/" + escape;
    const std::vector<Words> commands{
        {"stage", "--table", "cpu", "--csv", csv, "--out", evil + "1"},
        {"stage", "--table", "cpu", "--csv", world.folder() + "/ten.csv", "--out", evil + "2"},
        {"stage", "--table", "cpu", "--csv", evil + "none", "--out", evil + "3"},
        {"stage", "--table", escape, "--csv", csv, "--out", evil + "4"},
        {"stage", "abandon", escape, "--table", "cpu"},
        {"publish", evil + "none"},
        {"check", evil + "none", "--table", "cpu"},
        {"query", "--all", "--sql", "select " + escape + " from cpu"},
        {"query", "--all", "--sql", "select chr(27) || '[2J' as evil from cpu"},
        {"query", "--all", "--sql", "select * from cpu", "--out", evil + "/none"},
        {"read", "--all", "--table", escape},
        {"table", "show", escape},
        {"table", "create", escape, "--csv", csv},
        {"explain", "--table", "cpu", "--hour", escape},
        {"wait", "--generation", "batch:" + escape, "--timeout", "1ms"},
        {"refresh", "--table", "cpu", "--hour", escape},
        {"verify"},
        {"prove", "--table", "cpu", "--all"},
        {"quarantine", "--table", "cpu", "--hour", nine.hour},
        {escape},
        {"query", "--" + escape},
    };
    write(world.folder() + "/ten.csv", csv_of({{"2026-10-06T10", 1, 0}}));
    for (const auto& words : commands) {
        const auto said = world.say(words);
        EXPECT_EQ((said.out + said.err).find('\x1B'), std::string::npos)
            << ::testing::PrintToString(words) << said.out << said.err;
    }
    EXPECT_TRUE(fs::exists(evil + "2"));
    for (const auto* verb : {"status", "init", "init"}) {
        const auto said = demo::run_process(HIGHWATER_PROGRAM, {"--dir", evil, verb});
        ASSERT_TRUE(said.ok());
        EXPECT_EQ((said->out + said->err).find('\x1B'), std::string::npos) << verb;
    }
}

TEST(Hostile, AnUnknownVerbOrFlagIsABadRequestThatNamesIt) {
    const World world;
    EXPECT_THAT(text(world.expect(2, {"frobnicate"}), "error.message"), HasSubstr("frobnicate"));
    EXPECT_THAT(text(world.expect(2, {"status", "--frobnicate"}), "error.message"),
                HasSubstr("frobnicate"));
    EXPECT_THAT(text(world.expect(2, {"status", "frobnicate"}), "error.message"),
                HasSubstr("frobnicate"));
    for (const Words& words : std::vector<Words>{{},
                                                 {"table"},
                                                 {"query", "--all"},
                                                 {"read", "--all"},
                                                 {"log", "--limit", "0"},
                                                 {"log", "--limit", "many"},
                                                 {"stage"},
                                                 {"refresh", "--hour", nine.hour}}) {
        EXPECT_EQ(text(world.expect(2, words), "error.code"), "invalid_argument")
            << ::testing::PrintToString(words);
        EXPECT_THAT(world.say(words).err, HasSubstr("highwater: "));
    }
    EXPECT_EQ(text(world.expect(2, {"read", "--table", "none", "--all"}), "error.code"),
              "not_found");
}

TEST(Hostile, EveryVerbHelpsWithAnExample) {
    const World world;
    const auto help = world.say({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Exit codes"));
    const std::vector<Words> verbs{{"init"},
                                   {"table", "create"},
                                   {"table", "adopt"},
                                   {"table", "alter"},
                                   {"stage"},
                                   {"table", "show"},
                                   {"stage", "abandon"},
                                   {"table", "list"},
                                   {"publish"},
                                   {"quarantine"},
                                   {"check"},
                                   {"refresh"},
                                   {"read"},
                                   {"query"},
                                   {"plan"},
                                   {"prove"},
                                   {"verify"},
                                   {"status"},
                                   {"log"},
                                   {"wait"},
                                   {"explain"},
                                   {"demo"}};
    for (const auto& verb : verbs) {
        const auto said = world.say(verb + Words{"--help"});
        EXPECT_EQ(said.exit_code, 0) << verb.front();
        EXPECT_THAT(said.out, HasSubstr("Example:\n  highwater")) << verb.back();
        EXPECT_THAT(help.out, HasSubstr("\n  " + verb.front())) << verb.front();
    }
    EXPECT_EQ(world.say({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace highwater::e2e
