#include "catalog/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "catalog/catalog.h"
#include "catalog/seals.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::catalog {
namespace {

using testkit::IsOk;

// What the golden bytes are of.
const TableId table_id{*parse_uuid("00112233-4455-6677-8899-aabbccddeeff")};

Partition make_sample() {
    Partition sample;
    sample.key = {table_id, *model::parse_hour("2026-08-02T09")};
    sample.root = "/data/elsewhere";
    sample.has_own_root = true;
    sample.incarnation = 2;
    sample.changed = 47;
    sample.digest_policy = DigestPolicy::never;
    sample.objects = {{.path = "hour=2026-08-02T09/a.parquet",
                       .size_bytes = 470,
                       .record_count = 47,
                       .schema_version = 1,
                       .sha256 = digest_of("a"),
                       .row_fingerprint = digest_of("rows of a"),
                       .min_time = time_from_ns(1'785'661'200'000'000'000),
                       .max_time = time_from_ns(1'785'661'200'999'999'999),
                       .derived_by_gate = false,
                       .identity = {470, 11, 12, 13, 14}},
                      {.path = "hour=2026-08-02T09/b.parquet",
                       .size_bytes = 480,
                       .record_count = 48,
                       .schema_version = 2,
                       .sha256 = {},
                       .row_fingerprint = {},
                       .min_time = {},
                       .max_time = {},
                       .derived_by_gate = true,
                       .identity = {480, -1, 0, ~std::uint64_t{0}, 0}}};
    sample.inventory = inventory_of(sample);
    return sample;
}

Partition make_empty_sample() {
    Partition sample = make_sample();
    sample.objects.clear();
    sample.declared_empty = "nothing was measured";
    sample.inventory = inventory_of(sample);
    return sample;
}

Table make_table_sample() {
    Table table;
    table.id = table_id;
    table.name = "sensors";
    table.location = "/data/sensors";
    table.incarnation = 3;
    table.created = 1;
    table.changed = 46;
    table.pattern = *model::PathPattern::parse("d/{HH}", "2026-08-02");
    table.schemas = {{1, {}, 1}};
    table.schemas[0].schema.time_column = "time";
    table.schemas[0].schema.columns = {
        {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2,
         .name = "price",
         .type = model::ColumnType::decimal,
         .decimal_precision = 10,
         .decimal_scale = 2}};
    return table;
}

GenerationRecord make_record_sample() {
    GenerationRecord record;
    record.parent_chain = digest_of("parent");
    record.publication = digest_of("publication");
    record.locations = digest_of("locations");
    record.generation = {{1, 0x00c0ffee00c0ffeeU},
                         47,
                         next_chain(record.parent_chain, record.publication, record.locations)};
    record.operation = Operation::correct;
    record.batch = "telemetry-47";
    record.idempotency_key = "a key";
    record.manifests = {digest_of("one"), digest_of("another")};
    record.time = time_from_ns(1'785'664'800'000'000'001);
    record.partitions = {{table_id, *model::parse_hour("2026-08-02T09")}};
    record.tables = {table_id};
    return record;
}

std::map<std::string, Bytes> read_golden(const std::string& name) {
    auto golden = testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/" + name);
    EXPECT_THAT(golden, IsOk());
    return golden.ok() ? *std::move(golden) : std::map<std::string, Bytes>();
}

TEST(Inventory, DigestsAreThoseOfTheReleasedFormat) {
    auto golden = read_golden("inventory.hex");
    EXPECT_EQ(inventory_of(make_sample()), digest_of(golden["inventory"]));
    EXPECT_EQ(inventory_of(make_empty_sample()), digest_of(golden["inventory_empty"]));
    EXPECT_EQ(inventory_of({std::make_shared<const Partition>(make_sample()),
                            std::make_shared<const Partition>(make_empty_sample())}),
              digest_of(golden["inventories"]));
    EXPECT_EQ(locations_of({make_table_sample()}, {make_sample()}), digest_of(golden["locations"]));
}

TEST(Seals, DigestsAreThoseOfTheReleasedFormat) {
    auto golden = read_golden("catalog-seals.hex");
    EXPECT_EQ(seal_of(make_table_sample()), digest_of(golden["table"]));
    EXPECT_EQ(seal_of(make_sample()), digest_of(golden["partition"]));
    EXPECT_EQ(seal_of(make_record_sample()), digest_of(golden["record"]));
}

/// Every change of a partition, and whether its inventory tells it.
struct Change {
    std::string name;
    bool is_of_inventory;
    std::function<void(Partition&)> make;
};

TEST(Inventory, TellsWhatItCoversAndTheSealTellsTheRest) {
    const auto object = [](Partition& p) -> RegisteredObject& { return p.objects[0]; };
    const std::vector<Change> changes = {
        {"table", true, [](Partition& p) { p.key.table.value.bytes[15] ^= 1U; }},
        {"hour", true, [](Partition& p) { p.key.hour = model::next(p.key.hour); }},
        {"path", true, [&](Partition& p) { object(p).path += "x"; }},
        {"size", true, [&](Partition& p) { ++object(p).size_bytes; }},
        {"count", true, [&](Partition& p) { ++object(p).record_count; }},
        {"schema", true, [&](Partition& p) { ++object(p).schema_version; }},
        {"sha256", true, [&](Partition& p) { object(p).sha256->bytes[31] ^= 1U; }},
        {"no sha256", true, [&](Partition& p) { object(p).sha256.reset(); }},
        {"fingerprint", true, [&](Partition& p) { object(p).row_fingerprint.reset(); }},
        {"from", true, [&](Partition& p) { *object(p).min_time += Duration(1); }},
        {"to", true, [&](Partition& p) { object(p).max_time.reset(); }},
        {"one less", true, [](Partition& p) { p.objects.pop_back(); }},
        {"a reason", true, [](Partition& p) { p.declared_empty = ""; }},
        {"root", false, [](Partition& p) { p.root += "x"; }},
        {"own root", false, [](Partition& p) { p.has_own_root = false; }},
        {"incarnation", false, [](Partition& p) { ++p.incarnation; }},
        {"generation", false, [](Partition& p) { ++p.changed; }},
        {"retired", false, [](Partition& p) { p.retired = true; }},
        {"policy", false, [](Partition& p) { p.digest_policy = DigestPolicy::always; }},
        {"derived", false, [&](Partition& p) { object(p).derived_by_gate = true; }},
        {"identity", false, [&](Partition& p) { ++object(p).identity.version; }},
    };
    std::set<Digest> seals = {seal_of(make_sample())};
    std::set<Digest> inventories = {inventory_of(make_sample())};
    for (const Change& change : changes) {
        Partition changed = make_sample();
        change.make(changed);
        const Digest inventory = inventory_of(changed);
        EXPECT_EQ(inventories.insert(inventory).second, change.is_of_inventory) << change.name;
        changed.inventory = inventory;
        EXPECT_TRUE(seals.insert(seal_of(changed)).second) << change.name;
    }
}

TEST(Locations, DoNotDependOnTheOrderTheyAreNamedIn) {
    Table other = make_table_sample();
    other.id.value.bytes[0] = 0xFF;
    Partition later = make_sample();
    later.key.hour = model::next(later.key.hour);
    EXPECT_EQ(locations_of({make_table_sample(), other}, {make_sample(), later}),
              locations_of({other, make_table_sample()}, {later, make_sample()}));
    later.incarnation = 9;
    EXPECT_NE(locations_of({}, {later}), locations_of({}, {make_sample()}));
}

TEST(Partition, CountsTheRecordsOfItsObjects) {
    EXPECT_EQ(make_sample().record_count(), 95U);
    EXPECT_EQ(make_empty_sample().record_count(), 0U);
}

TEST(Operation, IsWrittenAndRead) {
    for (const auto operation :
         {Operation::create_table, Operation::adopt_table, Operation::add_column,
          Operation::publish, Operation::correct, Operation::relocate, Operation::revert,
          Operation::compact, Operation::unpublish, Operation::drop_table}) {
        EXPECT_EQ(parse_operation(to_text(operation)), operation);
    }
    EXPECT_EQ(parse_operation("Publish"), std::nullopt);
}

}  // namespace
}  // namespace highwater::catalog
