// What someone does to the store behind the program's back is found by whoever would be misled.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <optional>

#include "world.h"

namespace highwater::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const Rows nine{"2026-10-06T09", 6, 0};
const Rows ten{"2026-10-06T10", 6, 0};

/// Every way to ask for all rows.
const std::vector<Words> asking{
    {"query", "--sql", "select count(*) from cpu", "--all"},
    {"read", "--table", "cpu", "--all", "--engine", "duckdb"},
    {"read", "--table", "cpu", "--all", "--engine", "arrow"},
    {"prove", "--table", "cpu", "--all"},
};

/// Everyone who asks is refused, in these words, about the object `path`; what lies elsewhere is
/// still answered.
void expect_refused(const World& world, const std::string& refusal, const std::string& path) {
    for (const auto& words : asking) {
        const Json refused = world.expect(4, words);
        EXPECT_EQ(text(refused, "refusal.refused"), refusal) << words.front();
        EXPECT_THAT(text(refused, "refusal.text"), HasSubstr(path)) << words.front();
        EXPECT_EQ(refused.find("rows"), nullptr) << words.front();
    }
}

/// `verify` finds this about `path`, and that it is a fault or not.
void expect_found(const World& world, const std::string& kind, const std::string& path,
                  int exit_code = 4) {
    const Json verified = world.expect(exit_code, {"verify"});
    EXPECT_EQ(at(verified, "is_clean"), Json(exit_code == 0));
    EXPECT_EQ(text(verified, "discrepancies.0.kind"), kind);
    EXPECT_TRUE(path.ends_with(text(verified, "discrepancies.0.path"))) << format_json(verified, 2);
}

struct Published {
    World world;
    std::vector<std::string> objects;

    explicit Published(const std::vector<Rows>& rows = {nine, ten})
        : objects(World::objects_of(world.stage("b1", rows))) {
        world.expect(0, {"publish", world.manifest("b1")});
    }
};

/// Changes one byte and puts the times back that the file had.
void flip_byte(const std::string& path, std::size_t place) {
    struct stat before{};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    fs::permissions(path, fs::perms::owner_all);
    std::string bytes = content(path);
    bytes.at(place) = static_cast<char>(bytes.at(place) ^ 1);
    write(path, bytes);
    const timespec times[]{before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    struct stat after{};
    ASSERT_EQ(::stat(path.c_str(), &after), 0);
    ASSERT_EQ(after.st_size, before.st_size);
    ASSERT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
}

TEST(Tamper, ADeletedObjectIsMissed) {
    const Published published;
    fs::remove(published.objects[0]);
    expect_refused(published.world, "missing_objects", published.objects[0]);
    expect_found(published.world, "missing_object", published.objects[0]);
    EXPECT_EQ(published.world.totals(hour(10)), totals_of({ten}));
}

TEST(Tamper, AnObjectThatComesBackIsServedAgain) {
    const Published published;
    const std::string held = published.world.folder() + "/held";
    fs::rename(published.objects[0], held);
    published.world.expect(4, World::ask({"--all"}));
    fs::rename(held, published.objects[0]);
    EXPECT_EQ(published.world.totals({"--all"}), totals_of({nine, ten}));
    expect_found(published.world, "identity_changed", published.objects[0], 0);
}

TEST(Tamper, AnObjectShorterByOneByteIsNotTheSame) {
    const Published published;
    fs::permissions(published.objects[0], fs::perms::owner_all);
    fs::resize_file(published.objects[0], fs::file_size(published.objects[0]) - 1);
    expect_refused(published.world, "inventory_drift", published.objects[0]);
    expect_found(published.world, "inventory_drift", published.objects[0]);
    EXPECT_EQ(published.world.totals(hour(10)), totals_of({ten}));
}

TEST(Tamper, AByteThatChangedUnderTheSameSizeAndTimeIsFound) {
    for (const bool is_in_footer : {false, true}) {
        const Published published;
        const std::size_t size = fs::file_size(published.objects[0]);
        flip_byte(published.objects[0], is_in_footer ? size - 20 : 40);
        expect_refused(published.world, "inventory_drift", published.objects[0]);
        expect_found(published.world, "inventory_drift", published.objects[0]);
        EXPECT_EQ(published.world.totals(hour(10)), totals_of({ten}));
    }
}

/// Two objects of one size, of different hours.
std::optional<std::pair<std::string, std::string>> find_equals(
    const std::vector<std::string>& objects) {
    std::map<std::uintmax_t, std::string> by_size;
    for (const auto& object : objects) {
        const auto [other, is_new] = by_size.emplace(fs::file_size(object), object);
        if (!is_new) return std::pair(other->second, object);
    }
    return std::nullopt;
}

TEST(Tamper, TwoObjectsOfOneSizeThatChangedPlacesAreBothFound) {
    std::vector<Rows> rows;
    for (int of_day = 0; of_day < 12; ++of_day) rows.push_back({hour_name(of_day), 6, 0});
    const Published published(rows);
    const auto pair = find_equals(published.objects);
    ASSERT_TRUE(pair) << "no two objects of one size";
    const std::string held = published.world.folder() + "/held";
    fs::rename(pair->first, held);
    fs::rename(pair->second, pair->first);
    fs::rename(held, pair->second);
    expect_refused(published.world, "inventory_drift", pair->first);
    const Json verified = published.world.expect(4, {"verify"});
    EXPECT_EQ(number(verified, "fault_count"), 2U);
    EXPECT_EQ(text(verified, "discrepancies.1.kind"), "inventory_drift");
}

TEST(Tamper, AStrayFileMisleadsNobodyAndKeepsTheNextPublicationOutUntilItIsMoved) {
    const Published published;
    const World& world = published.world;
    const std::string stray = fs::path(published.objects[0]).parent_path() / "stray.parquet";
    fs::copy_file(published.objects[0], stray);
    expect_found(world, "unexpected", stray);
    EXPECT_EQ(world.totals({"--all"}), totals_of({nine, ten}));
    // A tool that trusts the folder would read it: the proof says so.
    const Json proof = world.expect(4, {"prove", "--table", "cpu", "--all"});
    EXPECT_EQ(at(proof, "is_proved"), Json(false));
    EXPECT_THAT(format_json(proof), HasSubstr("stray.parquet"));

    const Rows corrected{nine.hour, 3, 50};
    world.stage("b2", {corrected}, {"--base", world.head()});
    const Json rejected = world.expect(5, {"publish", world.manifest("b2")});
    EXPECT_EQ(text(rejected, "report.code"), "object_unexpected");
    EXPECT_TRUE(stray.ends_with(text(rejected, "report.problems.0.path")));
    const Json moved = world.expect(0, {"quarantine", "--table", "cpu", "--hour", nine.hour});
    ASSERT_EQ(length(moved, "moved"), 1U);
    EXPECT_TRUE(stray.ends_with(text(moved, "moved.0.path")));
    EXPECT_TRUE(fs::exists(text(moved, "moved.0.to")));
    EXPECT_FALSE(fs::exists(stray));
    world.expect(0, {"publish", world.manifest("b2")});
    EXPECT_EQ(world.totals({"--all"}), totals_of({corrected, ten}));
    EXPECT_EQ(at(world.expect(0, {"verify"}), "is_clean"), Json(true));
}

TEST(Tamper, AStrayFileInAnotherHourKeepsNobodyOut) {
    const Published published;
    fs::copy_file(published.objects[0],
                  fs::path(published.objects[0]).parent_path() / "stray.parquet");
    published.world.publish("b2", {{"2026-10-06T11", 2, 7}});
    EXPECT_EQ(published.world.totals(hour(11)), (Totals{2, 15}));
}

TEST(Tamper, QuarantineMovesNothingThatIsRegisteredOrStaged) {
    const Published published;
    const World& world = published.world;
    const Json staged = world.stage("b2", {{nine.hour, 3, 50}}, {"--base", world.head()});
    const Json moved = world.expect(0, {"quarantine", "--table", "cpu", "--hour", nine.hour});
    EXPECT_EQ(length(moved, "moved"), 0U);
    EXPECT_EQ(length(moved, "left"), 1U);
    EXPECT_TRUE(fs::exists(published.objects[0]));
    EXPECT_TRUE(fs::exists(World::objects_of(staged).at(0)));
}

TEST(Tamper, ADataDirectoryThatMovedIsRefusedNotEmpty) {
    const Published published;
    fs::rename(published.world.directory(), published.world.folder() + "/moved");
    fs::create_directory(published.world.directory());
    fs::copy(published.world.folder() + "/moved/catalog.db",
             published.world.directory() + "/catalog.db");
    expect_refused(published.world, "missing_objects", published.objects[0]);
    expect_found(published.world, "missing_object", published.objects[0]);
    fs::remove_all(published.world.directory());
    published.world.expect(2, {"status"});
}

TEST(Tamper, ACacheFileOfGarbageIsNoCache) {
    const Published published;
    for (const char* garbage : {"", "garbage"}) {
        write(published.world.directory() + "/cache.bin", garbage);
        EXPECT_EQ(published.world.totals({"--all"}), totals_of({nine, ten}));
    }
    write(published.world.directory() + "/cache.bin", "garbage");
    EXPECT_EQ(at(published.world.expect(0, {"status"}), "cache.is_warm"), Json(false));
}

TEST(Tamper, ACatalogOfGarbageIsToldToAPerson) {
    const Published published;
    write(published.world.directory() + "/catalog.db", std::string(8'192, 'x'));
    EXPECT_EQ(text(published.world.expect(1, World::ask({"--all"})), "error.code"), "corrupt");
}

}  // namespace
}  // namespace highwater::e2e
