#include "stage/cleanup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/ledger.h"
#include "testkit/commits.h"
#include "testkit/forwarding_catalog.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::stage {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine = testkit::PublishWorld::nine;

class CleanerTest : public testing::Test {
protected:
    CleanerTest() : table_(world_.add_table("t")) {}

    std::string put(const std::string& file, const std::string& root = "/lake/t") {
        const std::string path = world_.path_of(nine, file);
        EXPECT_THAT(object::put_new(world_.store, {root, path}, "bytes of " + file), IsOk());
        return path;
    }

    catalog::Intent intend(const std::string& batch, std::vector<std::string> paths) {
        const catalog::Intent intent{.id = env::make_uuid(world_.random),
                                     .table = table_.id,
                                     .batch = batch,
                                     .root = "/lake/t",
                                     .paths = std::move(paths),
                                     .created = world_.clock.now(),
                                     .expires = world_.clock.now() + std::chrono::hours(1)};
        EXPECT_THAT(world_.catalog.put_intent(intent), IsOk());
        return intent;
    }

    /// Registers objects of the hour by path, whatever is there.
    catalog::Partition registered(const std::vector<std::string>& paths) {
        catalog::Partition partition = testkit::make_partition(table_, nine, {"x"});
        partition.objects.clear();
        for (const std::string& path : paths) {
            partition.objects.push_back(testkit::make_object(path, path));
        }
        partition.inventory = catalog::inventory_of(partition);
        return partition;
    }

    std::vector<std::string> paths_at(const std::string& root) {
        std::vector<std::string> paths;
        const auto entries = object::list_all(world_.store, root, "");
        for (const object::Entry& entry : *entries) paths.push_back(entry.path);
        return paths;
    }

    Cleaner cleaner() { return {world_.store, world_.catalog, world_.catalog}; }

    testkit::PublishWorld world_;
    catalog::Table table_;
};

TEST_F(CleanerTest, AbandonsWhatNoGenerationRegistered) {
    const std::string a = put("a");
    const std::string b = put("b");
    const std::string stray = put("stray");
    const auto intent = intend("one", {a, b, world_.path_of(nine, "never-linked")});
    const auto other = intend("two", {stray});
    world_.commit(catalog::Operation::publish, {}, {registered({b})});

    const auto abandoned = cleaner().abandon(table_.id, intent.id);
    ASSERT_THAT(abandoned, IsOk());
    EXPECT_EQ(*abandoned, (Abandoned{.intents = {intent.id}, .removed = {a}, .kept = {b}}));
    EXPECT_THAT(paths_at("/lake/t"), ElementsAre(b, stray));
    EXPECT_THAT(paths_at("/lake/t/.highwater"), IsEmpty());
    EXPECT_THAT(*world_.catalog.load_intents(table_.id), ElementsAre(other));
    EXPECT_THAT(cleaner().abandon(table_.id, intent.id), FailsWith(Code::not_found));
}

TEST_F(CleanerTest, AbandonsEveryIntentOfABatch) {
    const std::string a = put("a");
    const std::string b = put("b");
    const std::string c = put("c");
    intend("one", {a});
    intend("one", {b});
    intend("two", {c});
    const auto abandoned = cleaner().abandon_batch(table_.id, "one");
    ASSERT_THAT(abandoned, IsOk());
    EXPECT_THAT(abandoned->intents, SizeIs(2));
    EXPECT_THAT(paths_at("/lake/t"), ElementsAre(c));
    EXPECT_THAT(cleaner().abandon_batch(table_.id, "one"), FailsWith(Code::not_found));
}

TEST_F(CleanerTest, QuarantinesStraysOfAnHour) {
    const std::string known = put("known");
    const std::string stray = put("stray");
    const std::string intended = put("intended");
    const std::string expired = put("expired");
    const std::string elsewhere = "hour=2026-10-06T10/x.parquet";
    ASSERT_THAT(object::put_new(world_.store, {"/lake/t", elsewhere}, "x"), IsOk());
    world_.store.plant_other({"/lake/t", world_.path_of(nine, "pipe")});
    world_.commit(catalog::Operation::publish, {}, {registered({known})});
    intend("one", {expired});
    world_.clock.advance(std::chrono::hours(1));
    intend("two", {intended});

    const auto quarantined = cleaner().quarantine(table_, nine, world_.clock.now());
    ASSERT_THAT(quarantined, IsOk());
    ASSERT_THAT(quarantined->moved, SizeIs(2));
    EXPECT_EQ(quarantined->moved[0].path, expired);
    EXPECT_EQ(quarantined->moved[1].path, stray);
    EXPECT_THAT(quarantined->intended, ElementsAre(intended));
    EXPECT_THAT(quarantined->immovable, ElementsAre(world_.path_of(nine, "pipe")));
    EXPECT_THAT(paths_at("/lake/t"),
                ElementsAre(intended, known, world_.path_of(nine, "pipe"), elsewhere));
    const object::Name& to = quarantined->moved[1].to;
    EXPECT_EQ(to.root, "/lake/t/.highwater");
    EXPECT_THAT(to.path, StartsWith("quarantine/" + stray + "."));
    EXPECT_THAT(to.path, EndsWith(".quarantined"));
    EXPECT_EQ(*object::get(world_.store, to, 100), "bytes of stray");
}

TEST_F(CleanerTest, QuarantinesTheSameBytesAgain) {
    const std::string stray = put("stray");
    ASSERT_THAT(cleaner().quarantine(table_, nine, world_.clock.now()), IsOk());
    put("stray");
    const auto again = cleaner().quarantine(table_, nine, world_.clock.now());
    ASSERT_THAT(again, IsOk());
    EXPECT_THAT(again->moved, SizeIs(1));
    EXPECT_THAT(paths_at("/lake/t"), IsEmpty());
    EXPECT_THAT(paths_at("/lake/t/.highwater"), SizeIs(1));
}

TEST_F(CleanerTest, KeepsOtherBytesApartInTheQuarantine) {
    put("stray");
    ASSERT_THAT(cleaner().quarantine(table_, nine, world_.clock.now()), IsOk());
    ASSERT_THAT(object::put_new(world_.store, {"/lake/t", world_.path_of(nine, "stray")}, "other"),
                IsOk());
    ASSERT_THAT(cleaner().quarantine(table_, nine, world_.clock.now()), IsOk());
    EXPECT_THAT(paths_at("/lake/t/.highwater"), SizeIs(2));
}

TEST_F(CleanerTest, LooksWhereAnHourHasItsOwnRoot) {
    const std::string stray = put("stray", "/elsewhere");
    catalog::Partition partition = registered({world_.path_of(nine, "known")});
    partition.root = "/elsewhere";
    partition.has_own_root = true;
    world_.commit(catalog::Operation::publish, {}, {partition});
    const auto quarantined = cleaner().quarantine(table_, nine, world_.clock.now());
    ASSERT_THAT(quarantined, IsOk());
    ASSERT_THAT(quarantined->moved, SizeIs(1));
    EXPECT_EQ(quarantined->moved[0].to.root, "/elsewhere/.highwater");
}

TEST_F(CleanerTest, RefusesAnHourThatThePatternCannotExpress) {
    catalog::Table table = table_;
    table.pattern = *model::PathPattern::parse("hour={HH}", "2026-10-05");
    EXPECT_THAT(cleaner().quarantine(table, nine, world_.clock.now()),
                FailsWith(Code::invalid_argument));
}

/// A catalog in which a publication registers a name between two looks at it.
class PublishingCatalog final : public testkit::ForwardingCatalog {
public:
    PublishingCatalog(catalog::Catalog& inner, std::function<void()> publish, int before_look)
        : ForwardingCatalog(inner), publish_(std::move(publish)), before_look_(before_look) {}

    Result<std::vector<catalog::KnownName>> find_names(
        const catalog::TableId& table, const std::vector<std::string>& paths) override {
        if (looks_++ == before_look_) publish_();
        return ForwardingCatalog::find_names(table, paths);
    }

private:
    std::function<void()> publish_;
    const int before_look_;
    int looks_ = 0;
};

TEST_F(CleanerTest, PutsBackWhatIsPublishedMeanwhile) {
    for (const int before_look : {1, 2}) {
        testkit::PublishWorld world;
        const catalog::Table table = world.add_table("t");
        const std::string path = world.path_of(nine, "late");
        ASSERT_THAT(object::put_new(world.store, {"/lake/t", path}, "late bytes"), IsOk());
        PublishingCatalog catalog(
            world.catalog,
            [&] { world.commit(catalog::Operation::publish, {}, {registered({path})}); },
            before_look);
        Cleaner cleaner(world.store, catalog, world.catalog);
        const auto quarantined = cleaner.quarantine(table, nine, world.clock.now());
        ASSERT_THAT(quarantined, IsOk());
        EXPECT_THAT(quarantined->moved, IsEmpty());
        EXPECT_EQ(*object::get(world.store, {"/lake/t", path}, 100), "late bytes");
        EXPECT_THAT(*object::list_all(world.store, "/lake/t/.highwater", ""), IsEmpty());
    }
}

}  // namespace
}  // namespace highwater::stage
