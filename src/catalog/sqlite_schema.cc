#include "catalog/sqlite_schema.h"

#include <sqlite3.h>

#include "base/try.h"
#include "catalog/checked_pages.h"

namespace highwater::catalog {

namespace {

// Times are nanoseconds since 1970; digests are 32 bytes, ids 16. A state of a table or partition
// holds from the generation `added` up to, not including, `removed`; the newest has none.
constexpr std::string_view tables_sql = R"(
CREATE TABLE catalog (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch_ordinal INTEGER NOT NULL,
    epoch_random INTEGER NOT NULL,
    settled INTEGER NOT NULL
) STRICT;

CREATE TABLE generations (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    epoch_ordinal INTEGER NOT NULL,
    epoch_random INTEGER NOT NULL,
    chain BLOB NOT NULL,
    parent_chain BLOB NOT NULL,
    operation TEXT NOT NULL,
    batch TEXT NOT NULL UNIQUE,
    idempotency_key TEXT NOT NULL UNIQUE,
    publication BLOB NOT NULL,
    locations BLOB NOT NULL,
    manifests BLOB NOT NULL,
    time_ns INTEGER NOT NULL,
    digest BLOB NOT NULL
) STRICT;

CREATE TABLE tables (
    id INTEGER PRIMARY KEY,
    uuid BLOB NOT NULL UNIQUE
) STRICT;

CREATE TABLE table_states (
    table_id INTEGER NOT NULL REFERENCES tables,
    added INTEGER NOT NULL REFERENCES generations,
    removed INTEGER REFERENCES generations,
    name TEXT NOT NULL,
    location TEXT NOT NULL,
    incarnation INTEGER NOT NULL,
    created INTEGER NOT NULL,
    dropped INTEGER NOT NULL,
    pattern TEXT NOT NULL,
    pattern_date TEXT,
    digest BLOB NOT NULL,
    PRIMARY KEY (table_id, added)
) STRICT, WITHOUT ROWID;
CREATE INDEX table_states_added ON table_states (added);

CREATE TABLE schemas (
    table_id INTEGER NOT NULL REFERENCES tables,
    version INTEGER NOT NULL,
    since INTEGER NOT NULL REFERENCES generations,
    time_column TEXT NOT NULL,
    unit TEXT NOT NULL,
    PRIMARY KEY (table_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE columns (
    table_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    nullable INTEGER NOT NULL,
    decimal_precision INTEGER NOT NULL,
    decimal_scale INTEGER NOT NULL,
    PRIMARY KEY (table_id, version, id),
    FOREIGN KEY (table_id, version) REFERENCES schemas
) STRICT, WITHOUT ROWID;

CREATE TABLE partitions (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL REFERENCES tables,
    hour INTEGER NOT NULL,
    added INTEGER NOT NULL REFERENCES generations,
    removed INTEGER REFERENCES generations,
    root TEXT NOT NULL,
    has_own_root INTEGER NOT NULL,
    incarnation INTEGER NOT NULL,
    retired INTEGER NOT NULL,
    declared_empty TEXT,
    digest_policy TEXT NOT NULL,
    inventory BLOB NOT NULL,
    digest BLOB NOT NULL,
    UNIQUE (table_id, hour, added)
) STRICT;
CREATE INDEX partitions_added ON partitions (added, table_id, hour);
CREATE UNIQUE INDEX partitions_newest ON partitions (table_id, hour) WHERE removed IS NULL;

CREATE TABLE objects (
    partition_id INTEGER NOT NULL REFERENCES partitions,
    path TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    record_count INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    sha256 BLOB,
    row_fingerprint BLOB,
    min_time_ns INTEGER,
    max_time_ns INTEGER,
    derived_by_gate INTEGER NOT NULL,
    identity_size_bytes INTEGER NOT NULL,
    identity_mtime_ns INTEGER NOT NULL,
    identity_ctime_ns INTEGER NOT NULL,
    identity_inode INTEGER NOT NULL,
    identity_version INTEGER NOT NULL,
    PRIMARY KEY (partition_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE names (
    table_id INTEGER NOT NULL REFERENCES tables,
    path TEXT NOT NULL,
    root TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 BLOB,
    state TEXT NOT NULL CHECK (state IN ('live', 'tombstoned', 'deleting', 'deleted')),
    registered INTEGER NOT NULL REFERENCES generations,
    PRIMARY KEY (table_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    idempotency_key TEXT NOT NULL,
    number INTEGER NOT NULL,
    batch TEXT NOT NULL,
    publication BLOB NOT NULL,
    accepted INTEGER NOT NULL,
    code TEXT NOT NULL,
    report_json TEXT NOT NULL,
    time_ns INTEGER NOT NULL,
    UNIQUE (idempotency_key, number)
) STRICT;

CREATE TABLE intents (
    id BLOB PRIMARY KEY,
    table_uuid BLOB NOT NULL,
    batch TEXT NOT NULL,
    root TEXT NOT NULL,
    created_ns INTEGER NOT NULL,
    expires_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX intents_table ON intents (table_uuid);

CREATE TABLE intent_paths (
    intent_id BLOB NOT NULL REFERENCES intents ON DELETE CASCADE,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (intent_id, position)
) STRICT, WITHOUT ROWID;
)";

Result<std::int64_t> load_seal_size(SqliteConnection& connection) {
    int size = -1;  // Asks, and changes nothing.
    const int rc =
        sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &size);
    if (rc != SQLITE_OK) return connection.error(rc);
    return std::int64_t{size};
}

/// What must be so before the first page is written, and the page that says whose file it is: from
/// here on any connection knows that its pages are sealed.
Result<void> lay_out(SqliteConnection& connection) {
    // Until there is a log, changes go through a journal that is deleted when they are done. EXTRA
    // makes its deletion durable, too: it must not come back with the power and undo them.
    TRY(connection.execute("PRAGMA synchronous = EXTRA"));
    int size = page_seal_bytes;
    const int rc =
        sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &size);
    if (rc != SQLITE_OK) return connection.error(rc);
    TRY(connection.execute("PRAGMA page_size = " + std::to_string(page_size_bytes)));
    return connection.execute("PRAGMA application_id = " + std::to_string(application_id));
}

Result<void> insert_epoch(SqliteConnection& connection, const Epoch& epoch) {
    SqliteQuery query = TRY(connection.prepare("INSERT INTO catalog VALUES (1, ?, ?, 0)"));
    return query.bind(epoch.ordinal).bind(epoch.random).run();
}

}  // namespace

std::string_view schema_sql() {
    return tables_sql;
}

Result<void> make_schema(SqliteConnection& connection, const Epoch& epoch) {
    const auto application = TRY(connection.load_number("PRAGMA application_id"));
    const auto objects = TRY(connection.load_number("SELECT count(*) FROM sqlite_schema"));
    if (application == 0 && objects == 0) {
        TRY(lay_out(connection));
    } else if (application != application_id) {
        return connection.refuse(Code::denied, "the file is the database of another program");
    }
    TRY(connection.execute("PRAGMA journal_mode = WAL"));
    auto transaction = TRY(SqliteTransaction::begin(connection, SqliteTransaction::Kind::write));
    if (TRY(connection.load_number("PRAGMA user_version")) != 0) {
        return connection.refuse(Code::already_exists, "it is there already");
    }
    TRY(connection.execute(std::string(tables_sql)));
    TRY(insert_epoch(connection, epoch));
    TRY(connection.execute("PRAGMA user_version = " + std::to_string(schema_version)));
    return transaction.commit();
}

Result<void> verify_schema(SqliteConnection& connection) {
    const auto seal_size = TRY(load_seal_size(connection));
    const bool is_ours = TRY(connection.load_number("PRAGMA application_id")) == application_id &&
                         TRY(connection.load_number("PRAGMA page_size")) == page_size_bytes &&
                         seal_size == page_seal_bytes;
    if (!is_ours) return connection.refuse(Code::corrupt, "the file is no catalog of ours");
    const auto version = TRY(connection.load_number("PRAGMA user_version"));
    if (version > schema_version) {
        return connection.refuse(Code::unsupported,
                                 "it is of version " + std::to_string(version) +
                                     ", made by a newer program; this one knows " +
                                     std::to_string(schema_version));
    }
    if (version < schema_version) {
        return connection.refuse(Code::corrupt, "it is not whole: its creation was cut short");
    }
    return {};
}

}  // namespace highwater::catalog
