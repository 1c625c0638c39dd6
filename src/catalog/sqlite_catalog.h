#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/journal.h"
#include "catalog/sqlite_connection.h"
#include "env/random.h"

namespace highwater::catalog {

class SqlitePool;

/// A catalog and its journal in one SQLite database file, shared by any number of processes on one
/// machine: readers never wait for a writer, and writers wait for each other. A process that forks
/// opens it anew in the child.
///
/// Errors of every method, beyond those of the ports: denied  opened for reading only, or not
/// permitted; exhausted  no space: nothing changed.
/// Source: docs/formats/catalog-sqlite.md
class SqliteCatalog final : public Catalog, public Journal {
public:
    /// Makes an empty catalog in its first epoch, in a file that is not there or empty.
    ///
    /// Errors: already_exists   a catalog is there; it is untouched
    ///         denied           another program's database is there, or no permission
    ///         not_found        no such folder
    ///         unavailable, exhausted, corrupt (something that is no database is there)
    ///         outcome_unknown  `open` tells; `create` may be called again
    static Result<std::unique_ptr<SqliteCatalog>> create(const std::string& path,
                                                         env::Random& random,
                                                         const SqliteOptions& options = {});

    /// Opens the catalog that is there.
    ///
    /// Errors: not_found, denied, unavailable, exhausted
    ///         corrupt      no catalog, a damaged one, or one whose creation was cut short
    ///         unsupported  made by a newer version
    static Result<std::unique_ptr<SqliteCatalog>> open(const std::string& path,
                                                       const SqliteOptions& options = {});

    ~SqliteCatalog() override;

    Result<Generation> head() override;
    Result<View> load_view(const ViewRequest& request) override;
    Result<Changes> load_changes(std::uint64_t since) override;
    Result<CommitOutcome> commit(const Commit& commit) override;
    Result<std::optional<GenerationRecord>> find(const By& by) override;
    Result<std::vector<GenerationRecord>> load_log(std::uint64_t after, std::size_t limit) override;
    Result<std::vector<KnownName>> find_names(const TableId& table,
                                              const std::vector<std::string>& paths) override;

    Result<Attempt> add_attempt(const Attempt& attempt) override;
    Result<std::vector<Attempt>> load_attempts(const std::optional<std::string>& key,
                                               std::size_t limit) override;
    Result<void> put_intent(const Intent& intent) override;
    Result<std::vector<Intent>> load_intents(const TableId& table) override;
    Result<void> remove_intent(const Uuid& id) override;

    /// Moves a known name to another state, as retention does.
    ///
    /// Errors: not_found; outcome_unknown.
    Result<void> set_name_state(const TableId& table, const std::string& path,
                                KnownName::State state);

private:
    explicit SqliteCatalog(std::unique_ptr<SqlitePool> pool);

    Result<CommitOutcome> settle(const Commit& commit, const Error& failure);

    const std::unique_ptr<SqlitePool> pool_;
};

}  // namespace highwater::catalog
