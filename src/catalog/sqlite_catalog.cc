#include "catalog/sqlite_catalog.h"

#include <algorithm>
#include <set>

#include "base/try.h"
#include "catalog/commit_rules.h"
#include "catalog/sqlite_commit.h"
#include "catalog/sqlite_log.h"
#include "catalog/sqlite_partitions.h"
#include "catalog/sqlite_pool.h"
#include "catalog/sqlite_schema.h"
#include "catalog/sqlite_tables.h"
#include "catalog/view_request.h"

namespace highwater::catalog {

using Kind = SqliteTransaction::Kind;

SqliteCatalog::SqliteCatalog(std::unique_ptr<SqlitePool> pool) : pool_(std::move(pool)) {}

SqliteCatalog::~SqliteCatalog() = default;

Result<std::unique_ptr<SqliteCatalog>> SqliteCatalog::create(const std::string& path,
                                                             env::Random& random,
                                                             const SqliteOptions& options) {
    if (options.mode == SqliteOptions::Mode::read_only) {
        return Error(Code::invalid_argument, "a new catalog is not opened for reading only");
    }
    auto connection =
        TRY(SqliteConnection::open(path, options, SqliteConnection::Missing::is_made));
    TRY(make_schema(*connection, {1, random.next()}));
    connection.reset();
    return open(path, options);
}

Result<std::unique_ptr<SqliteCatalog>> SqliteCatalog::open(const std::string& path,
                                                           const SqliteOptions& options) {
    auto pool = std::make_unique<SqlitePool>(path, options);
    TRY(pool->take_new());
    return std::unique_ptr<SqliteCatalog>(new SqliteCatalog(std::move(pool)));
}

Result<Generation> SqliteCatalog::head() {
    auto connection = TRY(pool_->take());
    return load_head(*connection);
}

Result<View> SqliteCatalog::load_view(const ViewRequest& request) {
    auto connection = TRY(pool_->take());
    const auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::read));
    const Generation head = TRY(load_head(*connection));
    const std::uint64_t at = request.at.value_or(head.number);
    if (at > head.number) return above_head(at, head);
    const bool is_head = at == head.number;

    View view;
    view.generation = is_head ? head : TRY(load_generation(*connection, at));
    view.tables = TRY(load_tables(*connection, at));
    if (!request.with_dropped)
        std::erase_if(view.tables, [](const Table& table) { return table.dropped; });
    for (const Scope& scope : request.scopes) {
        for (const model::HourRange& hours : hours_of(scope)) {
            TRY(append_partitions(*connection, scope.table, hours, at, is_head, view.partitions));
        }
    }
    put_in_key_order(view.partitions);
    return view;
}

Result<Changes> SqliteCatalog::load_changes(std::uint64_t since) {
    auto connection = TRY(pool_->take());
    const auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::read));
    const Generation head = TRY(load_head(*connection));
    if (since > head.number) return above_head(since, head);
    Changes changes;
    changes.from = since == head.number ? head : TRY(load_generation(*connection, since));
    changes.to = head;
    changes.tables = TRY(load_changed_tables(*connection, since, head.number));
    changes.partitions = TRY(load_changed_partitions(*connection, since));
    return changes;
}

Result<CommitOutcome> SqliteCatalog::commit(const Commit& commit) {
    TRY(verify_commit(commit));
    CommitTry tried;
    {
        auto connection = TRY(pool_->take());
        tried = TRY(try_commit(*connection, commit));
    }
    if (tried.doubt) return settle(commit, *tried.doubt);
    return std::move(tried.outcome);
}

Result<CommitOutcome> SqliteCatalog::settle(const Commit& commit, const Error& failure) {
    const auto unknown = [&](const Error& why) {
        return Error(Code::outcome_unknown, failure.message() + "; then: " + why.message());
    };
    auto connection = pool_->take_new();
    if (!connection) return unknown(connection.error());
    const auto record = settle_commit(**connection, commit.idempotency_key);
    if (!record) return unknown(record.error());
    if (!*record) return failure;
    const bool is_same = (*record)->publication == commit.publication;
    return CommitOutcome{is_same ? CommitOutcome::Kind::repeated : CommitOutcome::Kind::reused,
                         *record, "found by its key after: " + failure.message()};
}

Result<std::optional<GenerationRecord>> SqliteCatalog::find(const By& by) {
    auto connection = TRY(pool_->take());
    const auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::read));
    return find_record(*connection, by);
}

Result<std::vector<GenerationRecord>> SqliteCatalog::load_log(std::uint64_t after,
                                                              std::size_t limit) {
    auto connection = TRY(pool_->take());
    const auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::read));
    return load_records(*connection, after, limit);
}

Result<std::vector<KnownName>> SqliteCatalog::find_names(const TableId& table,
                                                         const std::vector<std::string>& paths) {
    auto connection = TRY(pool_->take());
    const auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::read));
    std::vector<KnownName> names;
    for (const std::string& path : std::set(paths.begin(), paths.end())) {
        auto name = TRY(find_name(*connection, table, path));
        if (name) names.push_back(std::move(name->name));
    }
    return names;
}

Result<void> SqliteCatalog::set_name_state(const TableId& table, const std::string& path,
                                           KnownName::State state) {
    auto connection = TRY(pool_->take());
    auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::write));
    auto name = TRY(find_name(*connection, table, path));
    if (!name) return unknown_name(path);
    name->name.state = state;
    TRY(put_name(*connection, *name));
    return transaction.commit();
}

}  // namespace highwater::catalog
