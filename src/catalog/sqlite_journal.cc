#include <sqlite3.h>

#include <algorithm>
#include <limits>

#include "base/try.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/sqlite_pool.h"

namespace highwater::catalog {

namespace {

using Kind = SqliteTransaction::Kind;
using Row = SqliteQuery::Row;

Result<std::uint64_t> next_number(SqliteConnection& connection, const std::string& key) {
    SqliteQuery query = TRY(connection.prepare(
        "SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE idempotency_key = ?"));
    query.bind(key);
    TRY(query.next());
    const std::uint64_t number = query.take_uint64();
    TRY(query.verify("the attempts of '" + key + "'"));
    return number;
}

Result<void> insert_attempt(SqliteConnection& connection, Attempt& attempt) {
    attempt.number = TRY(next_number(connection, attempt.idempotency_key));
    SqliteQuery query =
        TRY(connection.prepare("INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"));
    query.bind(attempt.idempotency_key).bind(attempt.number).bind(attempt.batch);
    query.bind(attempt.publication).bind(attempt.accepted).bind(attempt.code);
    query.bind(attempt.report_json).bind(attempt.time);
    TRY(query.run());
    attempt.id = static_cast<std::uint64_t>(sqlite3_last_insert_rowid(connection.handle()));
    return {};
}

Attempt take_attempt(SqliteQuery& query) {
    Attempt attempt;
    attempt.id = query.take_uint64();
    attempt.idempotency_key = query.take_text();
    attempt.number = query.take_uint64();
    attempt.batch = query.take_text();
    attempt.publication = query.take_digest();
    attempt.accepted = query.take_bool();
    attempt.code = query.take_text();
    attempt.report_json = query.take_text();
    attempt.time = query.take_time();
    return attempt;
}

const std::string attempts =
    "SELECT id, idempotency_key, number, batch, publication, accepted, code, report_json, time_ns "
    "FROM attempts ";
const std::string newest_attempts = attempts + "ORDER BY id DESC LIMIT ?";
const std::string newest_attempts_of_key =
    attempts + "WHERE idempotency_key = ? ORDER BY number DESC LIMIT ?";

Result<void> delete_intent(SqliteConnection& connection, const Uuid& id) {
    SqliteQuery query = TRY(connection.prepare("DELETE FROM intents WHERE id = ?"));
    return query.bind(id).run();
}

Result<void> insert_intent(SqliteConnection& connection, const Intent& intent) {
    SqliteQuery query = TRY(connection.prepare("INSERT INTO intents VALUES (?, ?, ?, ?, ?, ?)"));
    query.bind(intent.id).bind(intent.table.value).bind(intent.batch).bind(intent.root);
    TRY(query.bind(intent.created).bind(intent.expires).run());
    std::uint64_t position = 0;
    for (const std::string& path : intent.paths) {
        SqliteQuery insert = TRY(connection.prepare("INSERT INTO intent_paths VALUES (?, ?, ?)"));
        TRY(insert.bind(intent.id).bind(position++).bind(path).run());
    }
    return {};
}

Result<void> load_paths(SqliteConnection& connection, Intent& intent) {
    SqliteQuery query = TRY(
        connection.prepare("SELECT path FROM intent_paths WHERE intent_id = ? ORDER BY position"));
    query.bind(intent.id);
    while (TRY(query.next()) == Row::found) intent.paths.push_back(query.take_text());
    return query.verify("a path of an intent");
}

}  // namespace

Result<Attempt> SqliteCatalog::add_attempt(const Attempt& attempt) {
    auto connection = TRY(pool_->take());
    auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::write));
    Attempt stored = attempt;
    TRY(insert_attempt(*connection, stored));
    TRY(transaction.commit());
    return stored;
}

Result<std::vector<Attempt>> SqliteCatalog::load_attempts(const std::optional<std::string>& key,
                                                          std::size_t limit) {
    auto connection = TRY(pool_->take());
    SqliteQuery query = TRY(connection->prepare(key ? newest_attempts_of_key : newest_attempts));
    if (key) query.bind(*key);
    query.bind(std::min<std::uint64_t>(limit, std::numeric_limits<std::int64_t>::max()));
    std::vector<Attempt> newest;
    while (TRY(query.next()) == Row::found) newest.push_back(take_attempt(query));
    TRY(query.verify("an attempt"));
    return newest;
}

Result<void> SqliteCatalog::put_intent(const Intent& intent) {
    auto connection = TRY(pool_->take());
    auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::write));
    TRY(delete_intent(*connection, intent.id));
    TRY(insert_intent(*connection, intent));
    return transaction.commit();
}

Result<std::vector<Intent>> SqliteCatalog::load_intents(const TableId& table) {
    auto connection = TRY(pool_->take());
    const auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::read));
    SqliteQuery query =
        TRY(connection->prepare("SELECT id, batch, root, created_ns, expires_ns "
                                "FROM intents WHERE table_uuid = ? ORDER BY id"));
    query.bind(table.value);
    std::vector<Intent> intents;
    while (TRY(query.next()) == Row::found) {
        Intent& intent = intents.emplace_back();
        intent.table = table;
        intent.id = query.take_uuid();
        intent.batch = query.take_text();
        intent.root = query.take_text();
        intent.created = query.take_time();
        intent.expires = query.take_time();
        TRY(query.verify("an intent"));
        TRY(load_paths(*connection, intent));
    }
    return intents;
}

Result<void> SqliteCatalog::remove_intent(const Uuid& id) {
    auto connection = TRY(pool_->take());
    auto transaction = TRY(SqliteTransaction::begin(*connection, Kind::write));
    TRY(delete_intent(*connection, id));
    return transaction.commit();
}

}  // namespace highwater::catalog
