
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
