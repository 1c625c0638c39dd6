// What every catalog::Catalog promises of reading, asked of every backend. What commits promise is
// asked in catalog_commit_test.cc.

#include <algorithm>
#include <limits>

#include "catalog_fixture.h"

namespace highwater::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

INSTANTIATE_TEST_SUITE_P(Backends, CatalogTest, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return test.param.name; });

constexpr std::uint64_t number_max = std::numeric_limits<std::uint64_t>::max();

TEST_P(CatalogTest, BeginsEmptyInItsFirstEpoch) {
    EXPECT_EQ(head().number, 0U);
    EXPECT_EQ(head().chain, Digest{});
    EXPECT_EQ(head().epoch.ordinal, 1U);
    EXPECT_EQ(head().epoch, GetParam().make_world(7)->catalog().head()->epoch);
    EXPECT_NE(head().epoch, GetParam().make_world(8)->catalog().head()->epoch);
    const View empty = view({});
    EXPECT_EQ(empty.generation, head());
    EXPECT_THAT(empty.tables, IsEmpty());
    EXPECT_THAT(empty.partitions, IsEmpty());
}

TEST_P(CatalogTest, EachCommitAddsOneToTheLineAndToTheChain) {
    Generation parent = head();
    for (const std::string batch : {"a", "b", "c"}) {
        const Commit commit = make(batch, {make_table(batch, "/data/" + batch)});
        const GenerationRecord record = put(commit);
        EXPECT_EQ(record.generation.number, parent.number + 1);
        EXPECT_EQ(record.generation.epoch, parent.epoch);
        EXPECT_EQ(record.parent_chain, parent.chain);
        EXPECT_EQ(record.generation.chain,
                  next_chain(parent.chain, commit.publication, commit.locations));
        EXPECT_EQ(head(), record.generation);
        parent = record.generation;
    }
}

TEST_P(CatalogTest, ARecordSaysWhatTheGenerationDid) {
    const Table other = make_table("others", "/data/others");
    put("tables", {table, other});
    Commit commit = make("batch 1", {testkit::with_column(other, "extra")},
                         {make_partition(table, ten, {"b"}), make_partition(table, nine, {"a"})});
    commit.operation = Operation::correct;
    commit.idempotency_key = "key 1";
    commit.manifests = {digest_of("one"), digest_of("another")};
    commit.time = time_from_ns(1'791'277'200'000'000'001);
    const GenerationRecord record = put(commit);
    EXPECT_EQ(record.operation, Operation::correct);
    EXPECT_EQ(record.batch, "batch 1");
    EXPECT_EQ(record.idempotency_key, "key 1");
    EXPECT_EQ(record.publication, commit.publication);
    EXPECT_EQ(record.locations, commit.locations);
    EXPECT_EQ(record.manifests, commit.manifests);
    EXPECT_EQ(record.time, commit.time);
    EXPECT_THAT(record.partitions,
                ElementsAre(PartitionKey{table.id, nine}, PartitionKey{table.id, ten}));
    EXPECT_THAT(record.tables, ElementsAre(other.id));
}

TEST_P(CatalogTest, TimeNeverGoesBack) {
    Commit commit = make("a", {table});
    commit.time = time_from_ns(100);
    EXPECT_EQ(put(commit).time, time_from_ns(100));
    commit = make("b", {}, {make_partition(table, nine, {"a"})});
    commit.time = time_from_ns(99);
    EXPECT_EQ(put(commit).time, time_from_ns(100));
    commit = make("c", {}, {make_partition(table, ten, {"b"})});
    commit.time = time_from_ns(101);
    EXPECT_EQ(put(commit).time, time_from_ns(101));
}

TEST_P(CatalogTest, ARecordIsFoundByKeyByBatchAndByNumber) {
    Commit commit = make("the batch", {table});
    commit.idempotency_key = "the key";
    const GenerationRecord record = put(commit);
    const auto find = [&](const Catalog::By& by) {
        const auto found = catalog().find(by);
        EXPECT_THAT(found, IsOk());
        return found.ok() ? *found : std::nullopt;
    };
    using Kind = Catalog::By::Kind;
    EXPECT_THAT(find({Kind::key, "the key"}), Optional(record));
    EXPECT_THAT(find({Kind::batch, "the batch"}), Optional(record));
    EXPECT_THAT(find({Kind::number, "", 1}), Optional(record));
    EXPECT_EQ(find({Kind::key, "the batch"}), std::nullopt);
    EXPECT_EQ(find({Kind::batch, "the key"}), std::nullopt);
    EXPECT_EQ(find({Kind::number, "", 0}), std::nullopt);
    EXPECT_EQ(find({Kind::number, "", 2}), std::nullopt);
    EXPECT_EQ(find({Kind::number, "", number_max}), std::nullopt);
}

TEST_P(CatalogTest, TheLogComesInOrderAndInParts) {
    std::vector<GenerationRecord> records = {put("tables", {table})};
    records.push_back(put("nine", {}, {make_partition(table, nine, {"a"})}));
    records.push_back(put("ten", {}, {make_partition(table, ten, {"b"})}));
    const auto log = [&](std::uint64_t after, std::size_t limit) {
        const auto loaded = catalog().load_log(after, limit);
        EXPECT_THAT(loaded, IsOk());
        return loaded.ok() ? *loaded : std::vector<GenerationRecord>();
    };
    EXPECT_EQ(log(0, 10), records);
    EXPECT_THAT(log(0, 2), ElementsAre(records[0], records[1]));
    EXPECT_THAT(log(1, 1), ElementsAre(records[1]));
    EXPECT_THAT(log(2, std::numeric_limits<std::size_t>::max()), ElementsAre(records[2]));
    EXPECT_THAT(log(3, 10), IsEmpty());
    EXPECT_THAT(log(number_max, 10), IsEmpty());
    EXPECT_THAT(log(0, 0), IsEmpty());
}

TEST_P(CatalogTest, GivesBackEveryFieldOfAPartition) {
    put("tables", {table});
    Partition partition = make_partition(table, nine, {"a", "bb"});
    partition.root = "/elsewhere/it's \"here\"/\xC3\xA9\xFF";
    partition.has_own_root = true;
    partition.incarnation = number_max;
    partition.digest_policy = DigestPolicy::never;
    RegisteredObject& object = partition.objects[0];
    object.size_bytes = number_max;
    object.record_count = number_max;
    object.sha256.reset();
    object.row_fingerprint.reset();
    object.min_time = Time::min();
    object.max_time = Time::max();
    object.identity = {number_max, std::numeric_limits<std::int64_t>::min(), -1, number_max, 9};
    partition.objects[1].min_time.reset();
    partition.objects[1].max_time.reset();
    partition.inventory = inventory_of(partition);
    Partition empty = make_partition(table, ten, {});
    empty.declared_empty = std::string("because\0of\n\xFF\xC3\xA9'\"", 14);
    empty.inventory = inventory_of(empty);
    put("hours", {}, {partition, empty});
    world_->reopen();
    EXPECT_THAT(partitions(), ElementsAre(as_of(partition, 2), as_of(empty, 2)));
}

TEST_P(CatalogTest, GivesBackEveryFieldOfATable) {
    Table odd = table;
    odd.location = "s3://bucket/a b/it's";
    odd.incarnation = number_max;
    odd.pattern = *model::PathPattern::parse("d/{HH}", "2026-10-06");
    odd.schemas[0].schema.unit = model::TimeUnit::nanosecond;
    odd.schemas[0].schema.columns.push_back({.id = 7,
                                             .name = "pr'ice \xC3\xA9",
                                             .type = model::ColumnType::decimal,
                                             .decimal_precision = 10,
                                             .decimal_scale = 2});
    const Table plain = make_table("plain", "/data/plain");
    put("odd", {odd, plain});
    put("more", {testkit::with_column(odd, "extra")});
    world_->reopen();

    Table expected = testkit::with_column(odd, "extra");
    expected.created = 1;
    expected.changed = 2;
    expected.schemas[0].since = 1;
    expected.schemas[1].since = 2;
    Table expected_plain = plain;
    expected_plain.created = expected_plain.changed = expected_plain.schemas[0].since = 1;
    std::vector<Table> both = {expected, expected_plain};
    std::ranges::sort(both, {}, &Table::id);
    EXPECT_EQ(view({}).tables, both);

    expected = odd;
    expected.created = expected.changed = expected.schemas[0].since = 1;
    both = {expected, expected_plain};
    std::ranges::sort(both, {}, &Table::id);
    EXPECT_EQ(view({.scopes = {}, .at = 1}).tables, both);
}

TEST_P(CatalogTest, ShowsEveryGenerationAsItWas) {
    put("tables", {table});
    const Partition first = make_partition(table, nine, {"a", "b"});
    const Partition second = make_partition(table, nine, {"a", "c"});
    const Partition other = make_partition(table, ten, {"d"});
    put("first", {}, {first});
    put("second", {}, {second, other});
    put("third", {}, {testkit::retired(other)});
    world_->reopen();
    EXPECT_THAT(partitions(0), IsEmpty());
    EXPECT_THAT(partitions(1), IsEmpty());
    EXPECT_THAT(partitions(2), ElementsAre(as_of(first, 2)));
    EXPECT_THAT(partitions(3), ElementsAre(as_of(second, 3), as_of(other, 3)));
    EXPECT_THAT(partitions(4), ElementsAre(as_of(second, 3), as_of(testkit::retired(other), 4)));
    EXPECT_EQ(partitions(), partitions(4));
    for (std::uint64_t at = 1; at <= 4; ++at) {
        const auto record = catalog().find({Catalog::By::Kind::number, "", at});
        EXPECT_EQ(view({.scopes = {}, .at = at}).generation, record->value().generation);
    }
    EXPECT_EQ(view({.scopes = {}, .at = 0}).generation, (Generation{head().epoch, 0, {}}));
    EXPECT_THAT(catalog().load_view({.scopes = {}, .at = 5}), FailsWith(Code::not_found));
    EXPECT_THAT(catalog().load_view({.scopes = {}, .at = number_max}), FailsWith(Code::not_found));
}

TEST_P(CatalogTest, LoadsTheHoursThatAreAskedFor) {
    const Table other = make_table("others", "/data/others");
    put("tables", {table, other});
    const std::vector<Partition> all = {
        make_partition(table, nine, {"a"}), make_partition(table, ten, {"b"}),
        make_partition(table, eleven, {"c"}), make_partition(other, nine, {"d"})};
    put("hours", {}, all);
    const auto keys = [&](const std::vector<Scope>& scopes, std::uint64_t at) {
        std::vector<PartitionKey> found;
        for (const auto& partition : view({scopes, at, false}).partitions) {
            found.push_back(partition->key);
        }
        return found;
    };
    put("later", {}, {make_partition(table, nine, {"e"})});
    for (const std::uint64_t at : {2U, 3U}) {  // A past generation and the head.
        EXPECT_THAT(keys({}, at), IsEmpty());
        EXPECT_THAT(keys({{table.id, {{ten, eleven}}}}, at), ElementsAre(all[1].key));
        EXPECT_THAT(keys({{table.id, {{nine, nine}, {eleven, nine}}}}, at), IsEmpty());
        EXPECT_THAT(keys({{table.id, {{eleven, model::next(eleven)}, {nine, eleven}}}}, at),
                    ElementsAre(all[0].key, all[1].key, all[2].key));
        EXPECT_THAT(
            keys({{table.id, {{nine, eleven}, {ten, eleven}}}, {table.id, {{nine, ten}}}}, at),
            ElementsAre(all[0].key, all[1].key));
        EXPECT_THAT(keys({{other.id, {{nine, ten}}}}, at), ElementsAre(all[3].key));
        EXPECT_THAT(keys({{make_table("unknown", "/x").id, {}}}, at), IsEmpty());
        std::vector<PartitionKey> every;
        for (const Partition& partition : all) every.push_back(partition.key);
        std::ranges::sort(every);
        EXPECT_EQ(keys({{other.id, {}}, {table.id, {}}}, at), every);
    }
}

TEST_P(CatalogTest, LoadsTheFirstAndTheLastHourThatThereCanBe) {
    put("tables", {table});
    Partition first = make_partition(table, nine, {"a"});
    first.key.hour = model::hour_min;
    Partition last = make_partition(table, nine, {"b"});
    last.key.hour = model::hour_max;
    put("hours", {}, {testkit::retired(first), testkit::retired(last)});
    EXPECT_EQ(partitions().size(), 2U);
}

TEST_P(CatalogTest, ADroppedTableIsSeenByWhoAsksForIt) {
    put("tables", {table});
    put("hours", {}, {make_partition(table, nine, {"a"})});
    Table dropped = table;
    dropped.dropped = true;
    dropped.incarnation = 2;
    put("drop", {dropped});
    world_->reopen();
    EXPECT_THAT(view({}).tables, IsEmpty());
    const auto tables = view({.scopes = {}, .at = {}, .with_dropped = true}).tables;
    ASSERT_EQ(tables.size(), 1U);
    EXPECT_TRUE(tables[0].dropped);
    EXPECT_EQ(tables[0].created, 1U);
    EXPECT_EQ(tables[0].changed, 3U);
    EXPECT_EQ(view({.scopes = {}, .at = 2}).tables.size(), 1U);
    EXPECT_EQ(partitions().size(), 1U);
}

TEST_P(CatalogTest, TellsTheFirstAndTheLastChangeOfEachPartition) {
    const Table other = make_table("others", "/data/others");
    put("tables", {table, other});
    put("b", {}, {make_partition(table, ten, {"a"}), make_partition(table, nine, {"b"})});
    put("c", {}, {make_partition(table, nine, {"c"})});
    put("d", {testkit::with_column(other, "extra")}, {make_partition(table, nine, {"d"})});
    put("e", {}, {testkit::retired(make_partition(table, nine, {}))});
    const PartitionKey key{table.id, nine};
    const PartitionKey next{table.id, ten};
    const auto changes = [&](std::uint64_t since) {
        auto loaded = catalog().load_changes(since);
        EXPECT_THAT(loaded, IsOk());
        return loaded.ok() ? *std::move(loaded) : Changes{};
    };
    EXPECT_THAT(changes(0).partitions,
                ElementsAre(PartitionChange{key, 2, 5}, PartitionChange{next, 2, 2}));
    EXPECT_THAT(changes(2).partitions, ElementsAre(PartitionChange{key, 3, 5}));
    EXPECT_THAT(changes(3).partitions, ElementsAre(PartitionChange{key, 4, 5}));
    EXPECT_THAT(changes(5).partitions, IsEmpty());
    EXPECT_EQ(changes(0).tables, view({}).tables);
    EXPECT_THAT(changes(1).tables, ElementsAre(::testing::Field(&Table::id, other.id)));
    EXPECT_EQ(changes(3).tables.at(0).current().version, 2U);
    EXPECT_THAT(changes(4).tables, IsEmpty());
    EXPECT_EQ(changes(2).from, catalog().load_log(1, 1)->at(0).generation);
    EXPECT_EQ(changes(0).from, (Generation{head().epoch, 0, {}}));
    EXPECT_EQ(changes(2).to, head());
    EXPECT_EQ(changes(5).from, head());
    EXPECT_FALSE(changes(0).trimmed);
    EXPECT_THAT(catalog().load_changes(6), FailsWith(Code::not_found));
    EXPECT_THAT(catalog().load_changes(number_max), FailsWith(Code::not_found));
}

TEST_P(CatalogTest, ChangesNameDroppedTablesToo) {
    put("tables", {table});
    Table dropped = table;
    dropped.dropped = true;
    dropped.incarnation = 2;
    put("drop", {dropped});
    const auto changes = catalog().load_changes(1);
    ASSERT_THAT(changes, IsOk());
    ASSERT_EQ(changes->tables.size(), 1U);
    EXPECT_TRUE(changes->tables[0].dropped);
}

}  // namespace
}  // namespace highwater::catalog
