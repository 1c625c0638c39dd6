#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "catalog/sqlite_connection.h"

namespace highwater::catalog {

/// One try to commit.
struct CommitTry {
    CommitOutcome outcome;
    std::optional<Error> doubt;  // The last step failed: whether the outcome is true is not known.
};

/// Decides and writes in one transaction. Requires: verify_commit(commit) passed.
///
/// Errors: those of `decide` and SqliteConnection::error: nothing changed. Where the last step
///         failed and something may have, it is a value, with its doubt.
Result<CommitTry> try_commit(SqliteConnection& connection, const Commit& commit);

/// Finds out, for certain, whether a commit with `key` came to be, after its last step failed.
///
/// A failed commit may lie in the log, whole, although no connection sees it, and come to life when
/// the log is next read from its start. A transaction that is written after it ends that: it takes
/// its place in the log.
/// Errors: those of SqliteConnection::error, outcome_unknown: still nobody knows.
Result<std::optional<GenerationRecord>> settle_commit(SqliteConnection& connection,
                                                      const std::string& key);

}  // namespace highwater::catalog
