// The records beside the catalog: kept for every generation, and enough to prove the newest one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embed/offline_verifier.h"
#include "embed/publisher.h"
#include "embed/record_keeper.h"
#include "embed/tables.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/temporary_directory.h"

namespace highwater::embed {
namespace {

using testkit::FailsWith;
using testkit::IsOk;
using testkit::PublishWorld;

constexpr model::Hour nine = PublishWorld::nine;

class RecordsTest : public ::testing::Test {
protected:
    RecordKeeper keeper() { return {world.store, world.catalog, "/records"}; }

    /// Made as a user would, its records kept at `records`.
    void create_table(const std::string& records = "/records") {
        model::Schema schema;
        schema.time_column = "time";
        schema.columns = {
            {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
            {.id = 2, .name = "value", .type = model::ColumnType::float64}};
        Tables tables(world.catalog, world.clock, world.random,
                      RecordKeeper(world.store, world.catalog, records));
        ASSERT_THAT(tables.create({.name = "logs", .location = root, .schema = schema}), IsOk());
    }

    Published publish(const std::string& batch, std::vector<manifest::ObjectClaim> objects) {
        auto manifest = PublishWorld::make_manifest("logs", batch, nine, std::move(objects));
        if (world.find_partition("logs", nine)) manifest.base_generation = world.base();
        cache::MetadataCache cache({world.catalog, world.store, world.clock}, nullptr);
        publish::Submission submission;
        submission.publication.manifests = {manifest};
        auto published = Publisher({.store = world.store,
                                    .catalog = world.catalog,
                                    .journal = world.catalog,
                                    .second_catalog = world.catalog,
                                    .cache = cache,
                                    .clock = world.clock,
                                    .keeper = keeper(),
                                    .on_step = nullptr})
                             .publish(submission, {});
        EXPECT_THAT(published, IsOk());
        return *std::move(published);
    }

    Verification verify(bool full = true) {
        const auto state = replay_records(world.store, "/records");
        EXPECT_THAT(state, IsOk());
        const auto verification = verify_recorded(world.store, *state, full, {});
        EXPECT_THAT(verification, IsOk());
        return *verification;
    }

    PublishWorld world;
    testkit::TemporaryDirectory folder;
    const std::string root = folder.path() + "/logs";
};

TEST_F(RecordsTest, TheNewestGenerationIsProvedWithoutTheCatalog) {
    create_table();
    publish("b1", {world.put(root, nine, "a", 3)});
    publish("b2", {world.put(root, nine, "a2", 3, 9)});
    const auto verification = verify();
    EXPECT_TRUE(verification.is_clean());
    EXPECT_EQ(verification.generation, world.visible().head);
    EXPECT_EQ(verification.registered_objects, 1u);  // The correction's; the old one is no more.
    EXPECT_EQ(verification.listed_objects, 2u);
}

TEST_F(RecordsTest, RecordsThatAreMissingAreWrittenByTheNextGeneration) {
    create_table("/elsewhere");
    EXPECT_THAT(replay_records(world.store, "/records"), FailsWith(Code::not_found));
    publish("b1", {world.put(root, nine, "a", 3)});
    EXPECT_EQ(verify().generation, world.visible().head);
    const auto kept = keeper().keep();
    ASSERT_THAT(kept, IsOk());
    EXPECT_EQ(*kept, 0u);
}

TEST_F(RecordsTest, AnObjectThatWentOrChangedIsNamed) {
    create_table();
    publish("b1", {world.put(root, nine, "a", 3), world.put(root, nine, "b", 3)});
    const std::string gone = PublishWorld::path_of(nine, "a");
    ASSERT_THAT(world.store.remove({root, gone}), IsOk());
    const auto verification = verify();
    ASSERT_EQ(verification.fault_count, 1u);
    EXPECT_EQ(verification.discrepancies.front().kind, Discrepancy::Kind::missing_object);
    EXPECT_EQ(verification.discrepancies.front().path, gone);
}

TEST_F(RecordsTest, AGenerationThatTheCatalogLacksIsFound) {
    create_table();
    publish("b1", {world.put(root, nine, "a", 3)});
    EXPECT_EQ(*keeper().find_ahead(), std::nullopt);
    auto record =
        *world.catalog.find({.kind = catalog::Catalog::By::Kind::batch, .text = "b1", .number = 0});
    ASSERT_TRUE(record.has_value());
    catalog::GenerationRecord next = *record;
    next.parent_chain = record->generation.chain;
    next.generation.number += 1;
    next.generation.chain =
        catalog::next_chain(next.parent_chain, next.publication, next.locations);
    ASSERT_THAT(stage::Records(world.store, "/records").put_record(next), IsOk());
    ASSERT_TRUE(keeper().find_ahead()->has_value());
    EXPECT_EQ(**keeper().find_ahead(), next.generation);
}

TEST_F(RecordsTest, ACutLineOfRecordsIsCorrupt) {
    create_table();
    publish("b1", {world.put(root, nine, "a", 3)});
    const auto first =
        world.catalog.find({.kind = catalog::Catalog::By::Kind::number, .text = {}, .number = 1});
    const std::string path = stage::record_path((**first).generation);
    ASSERT_THAT(world.store.remove({"/records", path}), IsOk());
    EXPECT_THAT(replay_records(world.store, "/records"), FailsWith(Code::corrupt));
}

}  // namespace
}  // namespace highwater::embed
