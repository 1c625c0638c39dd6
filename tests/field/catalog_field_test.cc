// What others failed at in their catalogs, line by line. Each test says what ours does instead.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <latch>
#include <thread>

#include "catalog/sqlite_catalog.h"
#include "testkit/commits.h"
#include "testkit/fault.h"
#include "testkit/faulty_catalog.h"
#include "testkit/matchers.h"
#include "testkit/temporary_directory.h"

namespace highwater::catalog {
namespace {

using testkit::FailsWith;
using testkit::IsOk;
using testkit::make_partition;
using Kind = CommitOutcome::Kind;

constexpr model::Hour nine{496'017};
constexpr model::Hour ten = model::next(nine);

/// A catalog with one empty table, opened twice, as by two processes.
class Field : public ::testing::Test {
protected:
    Field() {
        env::SeededRandom random(7);
        auto made = SqliteCatalog::create(path_, random);
        EXPECT_THAT(made, IsOk());
        catalog = *std::move(made);
        auto opened = SqliteCatalog::open(path_);
        EXPECT_THAT(opened, IsOk());
        other = *std::move(opened);
        put(make("tables", {table}, {}));
    }

    Commit make(const std::string& batch, std::vector<Table> tables,
                std::vector<Partition> partitions) {
        auto commit = testkit::make_commit(*catalog, Operation::publish, batch, std::move(tables),
                                           std::move(partitions));
        EXPECT_THAT(commit, IsOk());
        return *std::move(commit);
    }

    GenerationRecord put(const Commit& commit) {
        const auto outcome = catalog->commit(commit);
        EXPECT_THAT(outcome, IsOk());
        EXPECT_EQ(outcome->kind, Kind::committed) << outcome->what;
        return outcome->record.value_or(GenerationRecord{});
    }

    std::vector<Partition> read(std::optional<std::uint64_t> at = std::nullopt) {
        std::vector<Partition> found;
        const auto view = other->load_view({{{table.id, {}}}, at, false});
        EXPECT_THAT(view, IsOk());
        for (const auto& partition : view->partitions) found.push_back(*partition);
        return found;
    }

    testkit::TemporaryDirectory directory_;
    const std::string path_ = directory_.path() + "/catalog.db";
    std::unique_ptr<SqliteCatalog> catalog;
    std::unique_ptr<SqliteCatalog> other;
    const Table table = testkit::make_table("sensors", "/data/sensors");
};

TEST_F(Field, A30_APastGenerationIsReadWithItsOwnBounds) {
    const Partition at_46 = make_partition(table, nine, {"a"});
    const std::uint64_t number_46 = put(make("46", {}, {at_46})).generation.number;
    Partition at_47 = make_partition(table, nine, {"longer content"});
    ASSERT_NE(at_46.objects[0].min_time, at_47.objects[0].min_time);
    put(make("47", {}, {at_47}));
    const auto past = read(number_46);
    ASSERT_EQ(past.size(), 1U);
    EXPECT_EQ(past[0].objects, at_46.objects) << "bounds, counts and all";
    EXPECT_EQ(read()[0].objects, at_47.objects);
}

TEST_F(Field, A46_ACorrectionIsOneGenerationWhateverItTouches) {
    std::vector<Partition> hours;
    std::vector<Partition> corrected;
    for (std::int64_t i = 0; i < 50; ++i) {
        const model::Hour hour{nine.since_epoch + i};
        const std::string name = std::to_string(i);
        hours.push_back(make_partition(table, hour, {name + "-a", name + "-b"}));
        corrected.push_back(make_partition(table, hour, {name + "-a", name + "-c"}));
    }
    const std::uint64_t before = put(make("hours", {}, hours)).generation.number;

    // A reader that looks all the time sees the one or the other, never some of both.
    std::atomic<bool> is_done = false;
    int mixed = 0;
    std::jthread reader([&] {
        while (!is_done) {
            const auto seen = read();
            const auto is_new = [&](const Partition& p) { return p.changed != before; };
            const auto count = std::ranges::count_if(seen, is_new);
            mixed += count != 0 && count != std::ssize(seen);
        }
    });
    const std::uint64_t after = put(make("correction", {}, corrected)).generation.number;
    is_done = true;
    reader.join();
    EXPECT_EQ(mixed, 0);
    EXPECT_EQ(after, before + 1);
    for (const Partition& partition : read()) EXPECT_EQ(partition.changed, after);
}

TEST_F(Field, A48_AnUnknownOutcomeIsLookedUpAndARetryIsTheFirst) {
    const Commit commit = make("47", {}, {make_partition(table, nine, {"a"})});
    testkit::Fault fault(0, testkit::Fault::When::after_effect);
    testkit::FaultyCatalog faulty(*catalog, fault);
    ASSERT_THAT(faulty.commit(commit), FailsWith(Code::outcome_unknown));

    const auto found = other->find({Catalog::By::Kind::key, commit.idempotency_key});
    ASSERT_THAT(found, IsOk());
    ASSERT_TRUE(found->has_value()) << "it was made: its answer alone was lost";
    const auto again = catalog->commit(commit);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->kind, Kind::repeated);
    EXPECT_EQ(again->record, *found);
    EXPECT_EQ(catalog->head()->number, (*found)->generation.number);
}

TEST_F(Field, A50_OfTwoPublishersOfOneHourExactlyOneWins) {
    for (int round = 0; round < 20; ++round) {
        const model::Hour hour{nine.since_epoch + round};
        const std::array<std::string, 2> names = {std::to_string(round) + "-a",
                                                  std::to_string(round) + "-b"};
        const std::array<Commit, 2> commits = {
            make(names[0], {}, {make_partition(table, hour, {names[0]})}),
            make(names[1], {}, {make_partition(table, hour, {names[1]})})};
        const std::array<Catalog*, 2> catalogs = {catalog.get(), other.get()};
        std::array<std::optional<CommitOutcome>, 2> outcomes;
        std::latch start(2);
        {
            std::vector<std::jthread> publishers;
            for (std::size_t i = 0; i < 2; ++i) {
                publishers.emplace_back([&, i] {
                    start.arrive_and_wait();
                    const auto outcome = catalogs[i]->commit(commits[i]);
                    if (outcome.ok()) outcomes[i] = *outcome;
                });
            }
        }
        ASSERT_TRUE(outcomes[0] && outcomes[1]);
        const std::size_t winner = outcomes[0]->kind == Kind::committed ? 0 : 1;
        EXPECT_EQ(outcomes[winner]->kind, Kind::committed);
        EXPECT_EQ(outcomes[1 - winner]->kind, Kind::conflict);
        EXPECT_EQ(outcomes[1 - winner]->record, outcomes[winner]->record) << "the winner is named";
        EXPECT_EQ(outcomes[1 - winner]->record->batch, names[winner]);
    }
    EXPECT_EQ(read().size(), 20U);
    EXPECT_EQ(catalog->head()->number, 21U);
}

TEST_F(Field, A62_TheSameBatchAgainIsTheFirstAndOtherContentIsRefused) {
    const Commit commit = make("telemetry-47", {}, {make_partition(table, nine, {"a"})});
    const GenerationRecord first = put(commit);
    for (int i = 0; i < 3; ++i) {
        const auto again = other->commit(commit);
        ASSERT_THAT(again, IsOk());
        EXPECT_EQ(again->kind, Kind::repeated);
        EXPECT_EQ(again->record, first);
    }
    const auto others =
        other->commit(make("telemetry-47", {}, {make_partition(table, ten, {"b"})}));
    ASSERT_THAT(others, IsOk());
    EXPECT_EQ(others->kind, Kind::reused);
    EXPECT_EQ(others->record, first);
    EXPECT_EQ(*catalog->head(), first.generation);
}

}  // namespace
}  // namespace highwater::catalog
