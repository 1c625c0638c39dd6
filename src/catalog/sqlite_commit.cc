#include "catalog/sqlite_commit.h"

#include "base/try.h"
#include "catalog/commit_rules.h"
#include "catalog/sqlite_log.h"
#include "catalog/sqlite_partitions.h"
#include "catalog/sqlite_tables.h"

namespace highwater::catalog {

namespace {

using By = Catalog::By;

Result<void> gather_tables(SqliteConnection& connection, const Commit& commit, CommitFacts& facts) {
    if (!commit.tables.empty()) {
        for (Table& table : TRY(load_tables(connection, facts.head.number))) {
            facts.tables.emplace(table.id, std::move(table));
        }
        return {};
    }
    for (const auto& basis : commit.basis.tables) {
        auto table = TRY(find_table(connection, basis.id, facts.head.number));
        if (table) facts.tables.emplace(basis.id, *std::move(table));
    }
    return {};
}

Result<CommitFacts> gather(SqliteConnection& connection, const Commit& commit) {
    CommitFacts facts;
    facts.head = TRY(load_head(connection));
    facts.head_time = Time::min();
    if (facts.head.number != 0) {
        facts.head_time = TRY(load_time(connection, facts.head.number));
    }
    facts.with_key = TRY(find_known(connection, {By::Kind::key, commit.idempotency_key}));
    facts.with_batch = TRY(find_known(connection, {By::Kind::batch, commit.batch}));
    TRY(gather_tables(connection, commit, facts));
    for (const auto& basis : commit.basis.partitions) {
        auto newest = TRY(find_newest(connection, basis.key));
        if (newest) facts.partitions.emplace(basis.key, *std::move(newest));
    }
    for (const Partition& partition : commit.partitions) {
        for (const RegisteredObject& object : partition.objects) {
            auto name = TRY(find_name(connection, partition.key.table, object.path));
            if (!name) continue;
            facts.names.emplace(NameKey{partition.key.table, object.path}, *std::move(name));
        }
    }
    return facts;
}

Result<void> apply(SqliteConnection& connection, const Step& step) {
    TRY(insert_record(connection, step.record));
    for (const Table& table : step.tables) TRY(insert_table(connection, table));
    for (const Partition& partition : step.partitions) {
        TRY(insert_partition(connection, partition));
    }
    for (const NameRecord& name : step.names) TRY(put_name(connection, name));
    return {};
}

}  // namespace

Result<CommitTry> try_commit(SqliteConnection& connection, const Commit& commit) {
    auto transaction = TRY(SqliteTransaction::begin(connection, SqliteTransaction::Kind::write));
    const CommitFacts facts = TRY(gather(connection, commit));
    const Decision decision = TRY(decide(commit, facts));
    if (const auto* refusal = std::get_if<Refusal>(&decision)) {
        CommitOutcome outcome{refusal->kind, std::nullopt, refusal->what};
        if (refusal->number != 0) {
            outcome.record = TRY(find_record(connection, {By::Kind::number, "", refusal->number}));
        }
        return CommitTry{std::move(outcome), std::nullopt};
    }
    const Step& step = std::get<Step>(decision);
    TRY(apply(connection, step));
    const auto failure = transaction.try_commit();
    if (failure && failure->is_certain) return failure->error;
    CommitTry tried{{CommitOutcome::Kind::committed, step.record, ""}, std::nullopt};
    if (failure) tried.doubt = failure->error;
    return tried;
}

Result<std::optional<GenerationRecord>> settle_commit(SqliteConnection& connection,
                                                      const std::string& key) {
    auto transaction = TRY(SqliteTransaction::begin(connection, SqliteTransaction::Kind::write));
    auto record = TRY(find_record(connection, {By::Kind::key, key}));
    TRY(connection.execute("UPDATE catalog SET settled = settled + 1"));
    TRY(transaction.commit());
    return record;
}

}  // namespace highwater::catalog
