#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "catalog/sqlite_connection.h"

namespace highwater::catalog {

/// How many connections are kept open while nobody uses them.
constexpr std::size_t idle_connections_max = 8;

/// Connections to one database, each used by one thread at a time.
///
/// Thread-safety: every method, from any thread. Lifetime: outlives its leases.
class SqlitePool {
public:
    SqlitePool(std::string path, SqliteOptions options)
        : path_(std::move(path)), options_(std::move(options)) {}

    /// A connection in use; it goes back at the end, or is closed if it has failed.
    class Lease {
    public:
        Lease(SqlitePool& pool, std::unique_ptr<SqliteConnection> connection)
            : pool_(pool), connection_(std::move(connection)) {}
        ~Lease();
        Lease(Lease&&) noexcept = default;
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        SqliteConnection& operator*() { return *connection_; }
        SqliteConnection* operator->() { return connection_.get(); }

    private:
        SqlitePool& pool_;
        std::unique_ptr<SqliteConnection> connection_;
    };

    /// An idle connection, or a new one. Errors: as SqliteConnection::open and verify_schema.
    Result<Lease> take();

    /// A new connection, for one who trusts no older one. Errors: as `take`.
    Result<Lease> take_new();

private:
    void give_back(std::unique_ptr<SqliteConnection> connection);

    const std::string path_;
    const SqliteOptions options_;
    Mutex mutex_;
    std::vector<std::unique_ptr<SqliteConnection>> idle_ GUARDED_BY(mutex_);
};

}  // namespace highwater::catalog
