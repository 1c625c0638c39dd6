#include "catalog/sqlite_pool.h"

#include "base/try.h"
#include "catalog/sqlite_schema.h"

namespace highwater::catalog {

SqlitePool::Lease::~Lease() {
    if (connection_ && !connection_->has_failed()) pool_.give_back(std::move(connection_));
}

Result<SqlitePool::Lease> SqlitePool::take() {
    {
        const Lock lock(mutex_);
        if (!idle_.empty()) {
            Lease lease(*this, std::move(idle_.back()));
            idle_.pop_back();
            return lease;
        }
    }
    return take_new();
}

Result<SqlitePool::Lease> SqlitePool::take_new() {
    auto connection =
        TRY(SqliteConnection::open(path_, options_, SqliteConnection::Missing::is_error));
    TRY(verify_schema(*connection));
    return Lease(*this, std::move(connection));
}

void SqlitePool::give_back(std::unique_ptr<SqliteConnection> connection) {
    const Lock lock(mutex_);
    // One too many is closed after the lock: closing may write the log back.
    if (idle_.size() < idle_connections_max) idle_.push_back(std::move(connection));
}

}  // namespace highwater::catalog
