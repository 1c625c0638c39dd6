// Random commits, and after each a comparison of every backend with a model that keeps whole copies
// of every generation.

#include <algorithm>
#include <map>
#include <set>

#include "catalog_fixture.h"
#include "env/random.h"

namespace highwater::catalog {
namespace {

using Kind = CommitOutcome::Kind;

/// All that a generation holds.
struct State {
    std::map<TableId, Table> tables;
    std::map<PartitionKey, Partition> partitions;
};

/// Keeps whole copies; knows nothing of intervals or indexes.
class Model {
public:
    const State& head() const { return states_.back(); }
    std::uint64_t number() const { return states_.size() - 1; }

    void apply(const Commit& commit) {
        State next = head();
        const std::uint64_t number = states_.size();
        for (Table table : commit.tables) {
            const auto before = next.tables.find(table.id);
            table.created = before == next.tables.end() ? number : before->second.created;
            table.changed = number;
            for (std::size_t i = 0; i < table.schemas.size(); ++i) {
                const bool is_old =
                    before != next.tables.end() && i < before->second.schemas.size();
                table.schemas[i].since = is_old ? before->second.schemas[i].since : number;
            }
            next.tables.insert_or_assign(table.id, table);
        }
        for (Partition partition : commit.partitions) {
            partition.changed = number;
            next.partitions.insert_or_assign(partition.key, partition);
        }
        states_.push_back(std::move(next));
    }

    std::vector<Table> tables(std::uint64_t at) const {
        std::vector<Table> all;
        for (const auto& [id, table] : states_[at].tables) all.push_back(table);
        return all;
    }

    std::vector<Partition> partitions(std::uint64_t at) const {
        std::vector<Partition> all;
        for (const auto& [key, partition] : states_[at].partitions) all.push_back(partition);
        return all;
    }

    /// Told from the copies alone: who differs from the generation before.
    std::vector<PartitionChange> changes(std::uint64_t since) const {
        std::map<PartitionKey, PartitionChange> changes;
        for (std::uint64_t at = since + 1; at < states_.size(); ++at) {
            for (const auto& [key, partition] : states_[at].partitions) {
                const auto before = states_[at - 1].partitions.find(key);
                const bool is_same =
                    before != states_[at - 1].partitions.end() && before->second == partition;
                if (is_same) continue;
                changes.try_emplace(key, PartitionChange{key, at, at}).first->second.last = at;
            }
        }
        std::vector<PartitionChange> all;
        for (const auto& [key, change] : changes) all.push_back(change);
        return all;
    }

private:
    std::vector<State> states_{1};
};

/// Makes commits that are likely to fit, and some that come too late.
class Writer {
public:
    explicit Writer(std::uint64_t seed) : random_(seed) {}

    Commit next(Catalog& catalog, const Model& model) {
        if (!late_.empty() && chance(3)) {
            const Commit commit = std::move(late_.back());
            late_.pop_back();
            return commit;
        }
        Commit commit = chance(4) ? make_tables(catalog, model) : make_hours(catalog, model);
        if (!chance(3)) return commit;
        // Another is sent at once; by the time of this one, others may have come first.
        late_.push_back(std::move(commit));
        return make_hours(catalog, model);
    }

    std::size_t below(std::size_t limit) { return random_.next() % limit; }

private:
    bool chance(std::size_t one_in) { return below(one_in) == 0; }

    std::string text(const std::string& prefix, std::size_t limit) {
        return prefix + std::to_string(below(limit));
    }

    Commit finish(Catalog& catalog, std::vector<Table> tables, std::vector<Partition> partitions) {
        auto commit =
            testkit::make_commit(catalog, Operation::publish, "batch " + std::to_string(batches_++),
                                 std::move(tables), std::move(partitions));
        EXPECT_THAT(commit, IsOk());
        commit->time = time_from_ns(static_cast<std::int64_t>(below(1'000)));
        if (chance(10)) commit->batch = text("batch ", batches_);
        return *std::move(commit);
    }

    Commit make_tables(Catalog& catalog, const Model& model) {
        const std::string name = text("table", 4);
        Table table = make_table(name, "/data/" + name);
        const auto present = model.head().tables.find(table.id);
        if (present != model.head().tables.end()) {
            table = present->second;
            switch (below(3)) {
                case 0: table = testkit::with_column(table, text("column", 1'000'000)); break;
                case 1: table.location = text("/moved/" + name, 100); break;
                default: table.dropped = !table.dropped && chance(3);
            }
            ++table.incarnation;
        }
        return finish(catalog, {table}, {});
    }

    Commit make_hours(Catalog& catalog, const Model& model) {
        if (model.head().tables.empty()) return make_tables(catalog, model);
        std::map<PartitionKey, Partition> partitions;
        for (std::size_t count = 1 + below(3); count > 0; --count) {
            auto table = model.head().tables.begin();
            std::advance(table, below(model.head().tables.size()));
            Partition partition = make_hour(table->second, model);
            partitions.emplace(partition.key, std::move(partition));
        }
        std::vector<Partition> all;
        for (auto& [key, partition] : partitions) all.push_back(std::move(partition));
        return finish(catalog, {}, std::move(all));
    }

    Partition make_hour(const Table& table, const Model& model) {
        std::set<std::string> contents;
        for (std::size_t count = below(4); count > 0; --count) contents.insert(text("object", 30));
        Partition partition = make_partition(table, {nine.since_epoch + std::int64_t(below(6))},
                                             {contents.begin(), contents.end()});
        if (chance(5)) partition = testkit::retired(partition);
        const auto before = model.head().partitions.find(partition.key);
        if (before != model.head().partitions.end()) {
            partition.incarnation = before->second.incarnation + below(2);
        }
        return partition;
    }

    env::SeededRandom random_;
    std::size_t batches_ = 0;
    std::vector<Commit> late_;
};

class CatalogModelTest : public CatalogTest {
protected:
    void compare(const Model& model, std::uint64_t at, Writer& writer) {
        ViewRequest request{.scopes = {}, .at = at, .with_dropped = true};
        for (const Table& known : model.tables(model.number())) {
            request.scopes.push_back({known.id, {}});
        }
        const View all = view(request);
        ASSERT_EQ(all.generation.number, at);
        ASSERT_EQ(all.tables, model.tables(at));
        std::vector<Partition> found;
        for (const auto& partition : all.partitions) found.push_back(*partition);
        ASSERT_EQ(found, model.partitions(at));
        const auto changes = catalog().load_changes(at);
        ASSERT_THAT(changes, IsOk());
        ASSERT_EQ(changes->partitions, model.changes(at));
        ASSERT_EQ(changes->to, head());
        if (writer.below(20) == 0) world_->reopen();
    }
};

INSTANTIATE_TEST_SUITE_P(Backends, CatalogModelTest, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return test.param.name; });

TEST_P(CatalogModelTest, EveryGenerationIsAsTheModelHasIt) {
    std::map<Kind, int> kinds;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        world_ = GetParam().make_world(seed);
        const auto reference = backends().front().make_world(seed);
        Model model;
        Writer writer(seed);
        for (int step = 0; step < 60; ++step) {
            SCOPED_TRACE("step " + std::to_string(step));
            const Commit commit = writer.next(catalog(), model);
            const auto outcome = catalog().commit(commit);
            const auto expected = reference->catalog().commit(commit);
            ASSERT_EQ(outcome.ok(), expected.ok());
            if (!outcome.ok()) {
                ASSERT_EQ(outcome.error(), expected.error());
                continue;
            }
            ++kinds[outcome->kind];
            ASSERT_EQ(outcome->kind, expected->kind);
            ASSERT_EQ(outcome->record, expected->record);
            ASSERT_EQ(outcome->what, expected->what);
            if (outcome->kind == Kind::committed) model.apply(commit);
            ASSERT_EQ(head().number, model.number());
            ASSERT_NO_FATAL_FAILURE(compare(model, writer.below(model.number() + 1), writer));
        }
        for (std::uint64_t at = 0; at <= model.number(); ++at) {
            ASSERT_NO_FATAL_FAILURE(compare(model, at, writer));
        }
        EXPECT_EQ(catalog().load_log(0, 1'000)->size(), model.number());
        EXPECT_EQ(*catalog().load_log(0, 1'000), *reference->catalog().load_log(0, 1'000));
    }
    // The walk is worth something only if all of this happened in it.
    EXPECT_GT(kinds[Kind::committed], 60);
    for (const Kind kind : {Kind::conflict, Kind::reused, Kind::moved}) EXPECT_GT(kinds[kind], 0);
}

}  // namespace
}  // namespace highwater::catalog
