// What every catalog::Catalog promises of commits, asked of every backend.

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "catalog_fixture.h"

namespace highwater::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = CommitOutcome::Kind;

class CatalogCommitTest : public CatalogTest {
protected:
    /// Sends a commit that must be refused as a value, and change nothing.
    CommitOutcome refuse(const Commit& commit, Kind kind) {
        const Generation before = head();
        const CommitOutcome outcome = send(commit);
        EXPECT_EQ(outcome.kind, kind) << outcome.what;
        EXPECT_FALSE(outcome.what.empty());
        EXPECT_EQ(outcome.record.has_value(), kind != Kind::moved);
        EXPECT_EQ(head(), before);
        return outcome;
    }

    std::vector<KnownName> names(const std::vector<std::string>& paths) {
        auto found = catalog().find_names(table.id, paths);
        EXPECT_THAT(found, IsOk());
        return found.ok() ? *std::move(found) : std::vector<KnownName>();
    }

    const Partition at_nine = make_partition(table, nine, {"a", "b"});
    const Partition at_ten = make_partition(table, ten, {"c"});
};

INSTANTIATE_TEST_SUITE_P(Backends, CatalogCommitTest, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return test.param.name; });

TEST_P(CatalogCommitTest, TheSameCommitAgainIsTheFirst) {
    const Commit commit = make("tables", {table});
    const GenerationRecord first = put(commit);
    put("more", {}, {at_nine});
    EXPECT_EQ(refuse(commit, Kind::repeated).record, first);
}

TEST_P(CatalogCommitTest, ARepetitionIsToldWhateverChangedSince) {
    put("tables", {table});
    Commit commit = make("nine", {}, {at_nine});
    const GenerationRecord first = put(commit);
    put("nine again", {testkit::with_column(table, "extra")}, {make_partition(table, nine, {"x"})});
    commit.basis.epoch.ordinal = 9;
    EXPECT_EQ(refuse(commit, Kind::repeated).record, first);
}

TEST_P(CatalogCommitTest, TheSameBatchAndPublicationUnderAnotherKeyIsARepetition) {
    Commit commit = make("tables", {table});
    const GenerationRecord first = put(commit);
    commit.idempotency_key = "another key";
    EXPECT_EQ(refuse(commit, Kind::repeated).record, first);
}

TEST_P(CatalogCommitTest, AKeyOrBatchOfAnotherPublicationIsReused) {
    put("tables", {table});
    Commit commit = make("batch", {}, {at_nine});
    commit.idempotency_key = "key";
    const GenerationRecord first = put(commit);

    Commit other = make("batch", {}, {at_ten});
    EXPECT_EQ(refuse(other, Kind::reused).record, first);
    other = make("another", {}, {at_ten});
    other.idempotency_key = "key";
    EXPECT_EQ(refuse(other, Kind::reused).record, first);
    other.idempotency_key = "batch";  // Keys and batches are two sets of names.
    EXPECT_EQ(send(other).kind, Kind::committed);
}

TEST_P(CatalogCommitTest, OfTwoThatNameOneHourTheFirstWins) {
    put("tables", {table});
    const Commit loser = make("loser", {}, {at_nine, at_ten});
    put("between", {}, {make_partition(table, ten, {"d"})});
    const GenerationRecord winner = put("winner", {}, {make_partition(table, nine, {"e"})});
    const CommitOutcome outcome = refuse(loser, Kind::conflict);
    EXPECT_EQ(outcome.record, winner) << "the newest of the winners";
    EXPECT_THAT(outcome.what, HasSubstr("2026-08-02T09"));
    EXPECT_THAT(outcome.what, HasSubstr("generation 3"));
}

TEST_P(CatalogCommitTest, AnHourThatWasRestatedMeanwhileIsAConflict) {
    put("tables", {table});
    put("nine", {}, {at_nine});
    const Commit loser = make("loser", {}, {make_partition(table, nine, {"a", "x"})});
    const GenerationRecord winner = put("winner", {}, {make_partition(table, nine, {"a", "y"})});
    EXPECT_EQ(refuse(loser, Kind::conflict).record, winner);
}

TEST_P(CatalogCommitTest, CommitsWithNothingInCommonBothSucceed) {
    const Table other = make_table("others", "/data/others");
    put("tables", {table, other});
    const Commit one = make("one", {}, {at_nine});
    const Commit two = make("two", {}, {at_ten});
    const Commit three = make("three", {testkit::with_column(other, "extra")});
    const Commit four = make("four", {make_table("fourth", "/data/fourth")});
    EXPECT_EQ(put(two).generation.number, 2U);
    EXPECT_EQ(put(four).generation.number, 3U);
    EXPECT_EQ(put(one).generation.number, 4U);
    EXPECT_EQ(put(three).generation.number, 5U);
    EXPECT_EQ(partitions().size(), 2U);
}

TEST_P(CatalogCommitTest, OfTwoThatNameOneTableTheFirstWins) {
    const Commit late = make("late", {table});
    const GenerationRecord made = put("tables", {table});
    EXPECT_EQ(refuse(late, Kind::conflict).record, made);

    const Commit loser = make("loser", {testkit::with_column(table, "one")});
    Table moved = table;
    moved.location = "/data/elsewhere";
    moved.incarnation = 2;
    const Commit other = make("other", {moved});
    const GenerationRecord winner = put("winner", {testkit::with_column(table, "two")});
    EXPECT_EQ(refuse(loser, Kind::conflict).record, winner);
    EXPECT_EQ(refuse(other, Kind::conflict).record, winner);
}

TEST_P(CatalogCommitTest, AnotherEpochIsMoved) {
    put("tables", {table});
    Commit commit = make("nine", {}, {at_nine});
    commit.basis.epoch.random ^= 1U;
    EXPECT_THAT(refuse(commit, Kind::moved).what, HasSubstr("epoch"));
}

TEST_P(CatalogCommitTest, ATableThatChangedUnderAnHourIsMoved) {
    put("tables", {table});
    const Commit commit = make("nine", {}, {at_nine});
    put("column", {testkit::with_column(table, "extra")});
    EXPECT_THAT(refuse(commit, Kind::moved).what, HasSubstr("schema version 2, not 1"));

    const Commit again = make("nine again", {}, {at_nine});
    Table moved = testkit::with_column(table, "extra");
    moved.location = "/data/elsewhere";
    moved.incarnation = 2;
    put("move", {moved});
    EXPECT_THAT(refuse(again, Kind::moved).what, HasSubstr("incarnation 2, not 1"));

    moved.dropped = true;
    moved.incarnation = 3;
    put("drop", {moved});
    const Commit too_late = make("too late", {}, {at_nine});
    EXPECT_THAT(refuse(too_late, Kind::moved).what, HasSubstr("dropped"));
}

TEST_P(CatalogCommitTest, ABasisThatNeverWasIsMoved) {
    put("tables", {table});
    Commit commit = make("nine", {}, {at_nine});
    commit.basis.tables[0].id = make_table("unknown", "/x").id;
    commit.partitions[0].key.table = commit.basis.tables[0].id;
    commit.basis.partitions[0].key = commit.partitions[0].key;
    testkit::renew_digests(commit);
    EXPECT_THAT(refuse(commit, Kind::moved).what, HasSubstr("is not there"));

    put("nine", {}, {at_nine});
    commit = make("ten", {}, {at_ten});
    commit.basis.partitions[0].changed = 1;
    EXPECT_THAT(refuse(commit, Kind::moved).what,
                HasSubstr("by generation 0, not by generation 1"));
    commit = make("nine again", {}, {at_nine});
    commit.basis.partitions[0].root = "/data/elsewhere";
    EXPECT_THAT(refuse(commit, Kind::moved).what, HasSubstr("is at '/data/sensors'"));
    commit = make("nine again", {}, {at_nine});
    commit.basis.partitions[0].incarnation = 5;
    EXPECT_THAT(refuse(commit, Kind::moved).what, HasSubstr("incarnation 1, not 5"));
}

TEST_P(CatalogCommitTest, WhatElseTheBasisHoldsIsCheckedToo) {
    put("tables", {table, make_table("others", "/data/others")});
    put("nine", {}, {at_nine});
    Commit commit = make("ten", {}, {at_ten});
    const Commit nine_too = make("x", {}, {at_nine});
    commit.basis.partitions.push_back(nine_too.basis.partitions[0]);
    put("nine again", {}, {make_partition(table, nine, {"d"})});
    EXPECT_THAT(refuse(commit, Kind::moved).what, HasSubstr("2026-08-02T09"));
}

TEST_P(CatalogCommitTest, ANameOrPlaceOfAnotherTableIsMoved) {
    put("tables", {table});
    const Table same_name = [&] {
        Table made = make_table("unlike", "/data/unlike");
        made.name = table.name;
        return made;
    }();
    EXPECT_THAT(refuse(make("a", {same_name}), Kind::moved).what, HasSubstr("already"));
    for (const std::string location : {"/data/sensors/x", "/data", "/data/sensors/", "/"}) {
        EXPECT_THAT(refuse(make("b", {make_table("other", location)}), Kind::moved).what,
                    HasSubstr("overlaps"));
    }
    put("beside", {make_table("beside", "/data/sensors2")});

    Table dropped = table;
    dropped.dropped = true;
    dropped.incarnation = 2;
    put("drop", {dropped});
    put("the same name and place", {same_name, make_table("inside", "/data/sensors/x")});
    dropped.dropped = false;
    dropped.incarnation = 3;
    refuse(make("return", {dropped}), Kind::moved);
}

TEST_P(CatalogCommitTest, ATableMayBeMadeWithItsFirstHours) {
    const GenerationRecord record = put("all", {table}, {at_nine, at_ten});
    EXPECT_EQ(record.partitions.size(), 2U);
    EXPECT_EQ(record.tables.size(), 1U);
    EXPECT_EQ(partitions().size(), 2U);
}

TEST_P(CatalogCommitTest, RegisteredNamesAreKnownForEver) {
    const Table other = make_table("others", "/data/others");
    put("tables", {table, other});
    Partition moved = make_partition(table, ten, {"c"});
    moved.root = "/data/elsewhere";
    moved.has_own_root = true;
    put("hours", {}, {at_nine, moved, make_partition(other, nine, {"d"})});
    put("gone", {}, {testkit::retired(at_nine)});
    world_->reopen();

    const RegisteredObject& first = at_nine.objects[0];
    const RegisteredObject& third = moved.objects[0];
    EXPECT_THAT(names({third.path, "unknown", first.path, first.path}),
                ElementsAre(KnownName{first.path, "/data/sensors", first.size_bytes, first.sha256,
                                      KnownName::State::live},
                            KnownName{third.path, "/data/elsewhere", third.size_bytes, third.sha256,
                                      KnownName::State::live}));
    EXPECT_THAT(names({make_partition(other, nine, {"d"}).objects[0].path}), IsEmpty());
    EXPECT_THAT(names({}), IsEmpty());

    moved.root = table.location;
    moved.has_own_root = false;
    moved.incarnation = 2;
    put("back", {}, {moved});
    EXPECT_EQ(names({third.path}).at(0).root, table.location);
}

TEST_P(CatalogCommitTest, AKnownNameStandsForItsBytesOnly) {
    put("tables", {table});
    const GenerationRecord first = put("nine", {}, {at_nine});
    put("gone", {}, {testkit::retired(at_nine)});
    Partition other = at_nine;
    other.incarnation = 2;
    other.objects[1].sha256 = digest_of("other bytes");
    const CommitOutcome outcome = refuse(make("other bytes", {}, {other}), Kind::conflict);
    EXPECT_EQ(outcome.record, first);
    EXPECT_THAT(outcome.what, HasSubstr(other.objects[1].path));
    other = at_nine;
    other.incarnation = 2;
    other.objects[1].size_bytes += 1;
    refuse(make("other size", {}, {other}), Kind::conflict);
    other = at_nine;
    other.incarnation = 2;
    put("the same bytes", {}, {other});
}

TEST_P(CatalogCommitTest, ADigestThatIsNotKnownIsNoOtherDigest) {
    put("tables", {table});
    Partition without = at_nine;
    without.digest_policy = DigestPolicy::never;
    for (RegisteredObject& object : without.objects) object.sha256.reset();
    put("without", {}, {without});
    EXPECT_EQ(names({at_nine.objects[0].path}).at(0).sha256, std::nullopt);
    put("with", {}, {at_nine});
    put("without again", {}, {without});
    EXPECT_EQ(names({at_nine.objects[0].path}).at(0).sha256, at_nine.objects[0].sha256);
    Partition other = at_nine;
    other.objects[0].sha256 = digest_of("other bytes");
    refuse(make("other bytes", {}, {other}), Kind::conflict);
}

TEST_P(CatalogCommitTest, ANameLivesAgainUnlessItIsBeingDeleted) {
    put("tables", {table});
    const GenerationRecord first = put("nine", {}, {at_nine});
    const std::string path = at_nine.objects[0].path;
    const auto state = [&] { return names({path}).at(0).state; };
    std::string batch = "again";
    for (const auto revived : {KnownName::State::tombstoned, KnownName::State::deleted}) {
        ASSERT_THAT(world_->set_name_state(table.id, path, revived), IsOk());
        EXPECT_EQ(state(), revived);
        put(batch += "!", {}, {at_nine});
        EXPECT_EQ(state(), KnownName::State::live);
    }
    ASSERT_THAT(world_->set_name_state(table.id, path, KnownName::State::deleting), IsOk());
    const CommitOutcome outcome = refuse(make("too late", {}, {at_nine}), Kind::conflict);
    EXPECT_THAT(outcome.what, HasSubstr("being deleted"));
    EXPECT_EQ(outcome.record->generation.number, 4U);
    EXPECT_EQ(state(), KnownName::State::deleting);
    EXPECT_THAT(world_->set_name_state(table.id, "unknown", KnownName::State::deleted),
                FailsWith(Code::not_found));
}

TEST_P(CatalogCommitTest, SchemasRememberTheGenerationThatMadeThem) {
    put("tables", {table});
    put("between", {make_table("others", "/data/others")});
    Table wider = testkit::with_column(table, "extra");
    put("column", {wider});
    Partition partition = make_partition(table, nine, {"a", "b"});
    partition.objects[1].schema_version = 2;
    partition.inventory = inventory_of(partition);
    put("nine", {}, {partition});
    const auto tables = view({}).tables;
    const auto found = std::ranges::find(tables, table.id, &Table::id);
    ASSERT_NE(found, tables.end());
    ASSERT_EQ(found->schemas.size(), 2U);
    EXPECT_EQ(found->schemas[0].since, 1U);
    EXPECT_EQ(found->schemas[1].since, 3U);
}

TEST_P(CatalogCommitTest, ServesManyThreadsAtOnce) {
    constexpr int threads = 4;
    constexpr int rounds = 8;
    put("tables", {table});
    std::atomic<int> won = 0;
    std::atomic<int> lost = 0;
    {
        std::vector<std::jthread> running;
        for (int thread = 0; thread < threads; ++thread) {
            running.emplace_back([&, thread] {
                for (int round = 0; round < rounds; ++round) {
                    const std::string name = std::to_string(thread) + "-" + std::to_string(round);
                    // One hour that all of them want, and one that only this one wants.
                    Commit commit = make(name, {}, {make_partition(table, {round}, {name})});
                    commit.basis.partitions[0].changed = 0;
                    const Kind kind = send(commit).kind;
                    won += kind == Kind::committed;
                    lost += kind == Kind::conflict;
                    put(name + "-own", {},
                        {make_partition(table, {1'000 * (thread + 1) + round}, {name + "-own"})});
                    EXPECT_THAT(catalog().load_changes(round), IsOk());
                }
            });
        }
    }
    EXPECT_EQ(won, rounds);
    EXPECT_EQ(lost, (threads - 1) * rounds);
    EXPECT_EQ(partitions().size(), std::size_t{rounds + threads * rounds});
    EXPECT_EQ(catalog().load_log(0, 1'000)->size(), std::size_t{1 + rounds + threads * rounds});
}

/// A commit that breaks one of its own rules.
struct Broken {
    std::string name;
    std::function<void(Commit&)> breaks;
};

void check_all(const std::vector<Broken>& all, const Commit& good, Catalog& catalog) {
    for (const Broken& broken : all) {
        Commit commit = good;
        broken.breaks(commit);
        EXPECT_THAT(catalog.commit(commit), FailsWith(Code::invalid_argument)) << broken.name;
    }
    EXPECT_EQ(catalog.head()->number, 1U);
    const auto outcome = catalog.commit(good);
    ASSERT_THAT(outcome, IsOk());
    EXPECT_EQ(outcome->kind, Kind::committed);
}

/// Changes a commit so that its digests are right again.
Broken changed(const std::string& name, const std::function<void(Commit&)>& change) {
    return {name, [change](Commit& commit) {
                change(commit);
                testkit::renew_digests(commit);
            }};
}

TEST_P(CatalogCommitTest, RefusesHoursThatBreakTheRules) {
    put("tables", {table});
    const auto object = [](Commit& commit) -> RegisteredObject& {
        return commit.partitions[0].objects[0];
    };
    const std::vector<Broken> all = {
        changed("no batch", [](Commit& c) { c.batch.clear(); }),
        changed("a batch too long", [](Commit& c) { c.batch.assign(batch_size_max + 1, 'x'); }),
        changed("a key with a newline", [](Commit& c) { c.idempotency_key = "a\n"; }),
        {"other inventory", [](Commit& c) { c.partitions[0].inventory.bytes[0] ^= 1U; }},
        {"other locations", [](Commit& c) { c.locations.bytes[0] ^= 1U; }},
        changed("nothing", [](Commit& c) { c.partitions.clear(); }),
        changed("an hour twice", [](Commit& c) { c.partitions.push_back(c.partitions[0]); }),
        changed("no root", [](Commit& c) { c.partitions[0].root.clear(); }),
        changed("incarnation 0", [](Commit& c) { c.partitions[0].incarnation = 0; }),
        changed("an hour out of range",
                [](Commit& c) {
                    c.partitions[0].key.hour = model::next(model::hour_max);
                    c.basis.partitions[0].key = c.partitions[0].key;
                }),
        changed("objects and a reason", [](Commit& c) { c.partitions[0].declared_empty = "x"; }),
        changed("neither", [](Commit& c) { c.partitions[0].objects.clear(); }),
        changed("an empty reason",
                [](Commit& c) {
                    c.partitions[0].objects.clear();
                    c.partitions[0].declared_empty = "";
                }),
        changed("retired with objects", [](Commit& c) { c.partitions[0].retired = true; }),
        changed("out of order", [](Commit& c) { std::ranges::reverse(c.partitions[0].objects); }),
        changed("a path twice",
                [](Commit& c) {
                    auto& objects = c.partitions[0].objects;
                    objects[1].path = objects[0].path;
                }),
        changed("a path in two hours",
                [&](Commit& c) { c.partitions[1].objects[0].path = object(c).path; }),
        changed("no path", [&](Commit& c) { object(c).path = "../x"; }),
        changed("no such schema", [&](Commit& c) { object(c).schema_version = 2; }),
        changed("no basis", [](Commit& c) { c.basis.partitions.clear(); }),
        changed("no basis of the table", [](Commit& c) { c.basis.tables.clear(); }),
        changed("a basis twice",
                [](Commit& c) { c.basis.partitions.push_back(c.basis.partitions[0]); }),
        changed("a table's basis twice",
                [](Commit& c) { c.basis.tables.push_back(c.basis.tables[0]); }),
    };
    Commit good = make(std::string(batch_size_max, 'x'), {}, {at_nine, at_ten});
    check_all(all, good, catalog());
}

TEST_P(CatalogCommitTest, RefusesTablesThatBreakTheRules) {
    put("tables", {table});
    const std::vector<Broken> all = {
        changed("no name", [](Commit& c) { c.tables[1].name.clear(); }),
        changed("no such name", [](Commit& c) { c.tables[1].name = "9x"; }),
        changed("two of one name", [](Commit& c) { c.tables[1].name = c.tables[0].name; }),
        changed("one place for two", [](Commit& c) { c.tables[1].location = "/data/sensors/x"; }),
        changed("a table twice", [](Commit& c) { c.tables[1] = c.tables[0]; }),
        changed("no location", [](Commit& c) { c.tables[1].location.clear(); }),
        changed("incarnation 0", [](Commit& c) { c.tables[1].incarnation = 0; }),
        changed("no schema", [](Commit& c) { c.tables[1].schemas.clear(); }),
        changed("versions from 2", [](Commit& c) { c.tables[1].schemas[0].version = 2; }),
        changed("no time column",
                [](Commit& c) { c.tables[1].schemas[0].schema.time_column = "x"; }),
        changed("another name", [](Commit& c) { c.tables[0].name = "renamed"; }),
        changed("another pattern",
                [](Commit& c) {
                    c.tables[0].pattern = *model::PathPattern::parse("x={YYYY-MM-DD}T{HH}");
                }),
        changed("an older schema changed",
                [](Commit& c) { c.tables[0].schemas[0].schema.columns[1].name = "other"; }),
        changed("a new location, the same incarnation",
                [](Commit& c) { c.tables[0].location = "/data/elsewhere"; }),
        changed("dropped, the same incarnation", [](Commit& c) { c.tables[0].dropped = true; }),
        changed("nothing changes", [](Commit& c) { c.tables[0].schemas.pop_back(); }),
    };
    const Commit good =
        make("good", {testkit::with_column(table, "extra"), make_table("others", "/data/others")});
    check_all(all, good, catalog());
}

TEST_P(CatalogCommitTest, AnIncarnationIsRaisedByAnotherRootAndByAReturn) {
    put("tables", {table});
    put("nine", {}, {at_nine});
    Partition moved = at_nine;
    moved.root = "/data/elsewhere";
    EXPECT_THAT(catalog().commit(make("a", {}, {moved})), FailsWith(Code::invalid_argument));
    moved.incarnation = 3;
    put("moved", {}, {moved});
    moved.incarnation = 2;
    EXPECT_THAT(catalog().commit(make("b", {}, {moved})), FailsWith(Code::invalid_argument));
    moved.incarnation = 3;
    put("gone", {}, {testkit::retired(moved)});
    EXPECT_THAT(catalog().commit(make("c", {}, {moved})), FailsWith(Code::invalid_argument));
    moved.incarnation = 4;
    put("back", {}, {moved});

    Table wider = testkit::with_column(table, "extra");
    wider.incarnation = 2;
    put("both", {wider});
    wider = testkit::with_column(wider, "more");
    wider.incarnation = 1;
    EXPECT_THAT(catalog().commit(make("d", {wider})), FailsWith(Code::invalid_argument));
}

}  // namespace
}  // namespace highwater::catalog
