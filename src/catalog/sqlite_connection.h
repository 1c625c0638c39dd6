#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"
#include "base/uuid.h"

struct sqlite3;
struct sqlite3_stmt;

namespace highwater::catalog {

class SqliteConnection;

/// One use of a prepared statement: its parameters are bound in order, its rows come one by one,
/// their columns are taken in order.
///
/// Lifetime: within its connection; one use of the same text at a time.
class SqliteQuery {
public:
    SqliteQuery(SqliteConnection& connection, sqlite3_stmt* statement)
        : connection_(connection), statement_(statement) {}
    ~SqliteQuery();
    SqliteQuery(SqliteQuery&& other) noexcept;
    SqliteQuery(const SqliteQuery&) = delete;
    SqliteQuery& operator=(const SqliteQuery&) = delete;

    SqliteQuery& bind(std::int64_t value);
    SqliteQuery& bind(std::uint64_t value);  // All 64 bits, above 2^63 as a negative number.
    SqliteQuery& bind(std::uint32_t value) { return bind(std::uint64_t{value}); }
    SqliteQuery& bind(bool value) { return bind(std::int64_t{value}); }
    SqliteQuery& bind(Time value) { return bind(to_ns(value)); }
    SqliteQuery& bind(const Digest& value);
    SqliteQuery& bind(const Uuid& value);
    SqliteQuery& bind(std::string_view text);
    SqliteQuery& bind(const std::string& text) { return bind(std::string_view(text)); }
    SqliteQuery& bind(const char* text) { return bind(std::string_view(text)); }
    SqliteQuery& bind_bytes(BytesView bytes);
    SqliteQuery& bind_null();
    template <typename T>
    SqliteQuery& bind(const std::optional<T>& value) {
        return value ? bind(*value) : bind_null();
    }

    enum class Row : std::uint8_t { found, end };

    /// The next row. Errors: as SqliteConnection::error.
    Result<Row> next();

    /// Runs a statement that has no rows. Errors: as SqliteConnection::error.
    Result<void> run();

    std::int64_t take_int64();
    std::uint64_t take_uint64() { return static_cast<std::uint64_t>(take_int64()); }
    std::uint32_t take_uint32();
    std::int32_t take_int32();
    bool take_bool();
    Time take_time() { return time_from_ns(take_int64()); }
    Digest take_digest();
    Uuid take_uuid();
    std::string take_text();
    Bytes take_bytes();
    /// `take`, or nothing for a null: `query.take_optional(&SqliteQuery::take_text)`.
    template <typename T>
    std::optional<T> take_optional(T (SqliteQuery::*take)()) {
        if (skip_null()) return std::nullopt;
        return (this->*take)();
    }

    /// Checks that every value taken so far was of its type and in its range.
    ///
    /// Errors: corrupt, naming `what` was read.
    Result<void> verify(const std::string& what) const;

private:
    bool has_type(int type);
    bool skip_null();
    std::string_view take_view(int type);

    SqliteConnection& connection_;
    sqlite3_stmt* statement_;
    int parameter_ = 0;
    int column_ = 0;
    bool is_bound_ = true;  // Every bind worked.
    bool is_sound_ = true;  // Every value taken was of its type.
};

/// How a database is opened.
struct SqliteOptions {
    enum class Mode : std::uint8_t { read_write, read_only } mode = Mode::read_write;
    /// How long a call waits for a lock that another one holds.
    Duration busy_timeout = std::chrono::seconds(5);
    /// The name of the SQLite VFS beneath the checks of pages; SQLite's default when empty.
    std::string vfs{};
};

/// One connection to a catalog's database file. Not thread-safe.
class SqliteConnection {
public:
    enum class Missing : std::uint8_t { is_error, is_made };

    /// Errors: not_found, denied, unavailable, exhausted (no space), corrupt (no database).
    static Result<std::unique_ptr<SqliteConnection>> open(const std::string& path,
                                                          const SqliteOptions& options,
                                                          Missing missing);
    ~SqliteConnection();
    SqliteConnection(const SqliteConnection&) = delete;
    SqliteConnection& operator=(const SqliteConnection&) = delete;

    /// Prepares `sql`, or takes it up again: statements are kept.
    /// Requires: `sql` lives as long as the connection; no other use of it is under way.
    Result<SqliteQuery> prepare(std::string_view sql);

    /// Runs statements whose rows do not matter.
    Result<void> execute(const std::string& sql);

    /// The first column of the first row of `sql`.
    Result<std::int64_t> load_number(std::string_view sql);

    /// Says what the return code of the last call means:
    ///     unavailable  busy, or the file cannot be read or written
    ///     exhausted    no space, no memory, or a value too large
    ///     denied       not permitted, or opened for reading
    ///     corrupt      not a database, or a damaged one
    Error error(int rc);

    /// An error about this catalog, named by its path.
    Error refuse(Code code, const std::string& why) const;

    /// True when a call failed: the connection is good for closing only.
    bool has_failed() const { return has_failed_; }

    sqlite3* handle() { return db_; }

private:
    explicit SqliteConnection(std::string path) : path_(std::move(path)) {}

    std::string path_;
    sqlite3* db_ = nullptr;
    std::map<std::string, sqlite3_stmt*, std::less<>> statements_;  // By their text.
    bool has_failed_ = false;
};

/// A transaction, undone unless it is committed.
class SqliteTransaction {
public:
    enum class Kind : std::uint8_t { read, write };

    /// One that writes holds the only lock for writing from here on. Errors:
    /// SqliteConnection::error.
    static Result<SqliteTransaction> begin(SqliteConnection& connection, Kind kind);
    ~SqliteTransaction();
    SqliteTransaction(SqliteTransaction&& other) noexcept;
    SqliteTransaction(const SqliteTransaction&) = delete;
    SqliteTransaction& operator=(const SqliteTransaction&) = delete;

    /// Why a commit failed, and whether it is certain that nothing changed. Where it is not, the
    /// log may hold the whole transaction, and a later opening brings it to life.
    struct Failure {
        Error error;
        bool is_certain = false;
    };

    /// Makes it durable; nothing when that worked.
    std::optional<Failure> try_commit();

    /// As try_commit. Errors: unavailable (busy), exhausted (no space): nothing changed;
    ///                        outcome_unknown.
    Result<void> commit();

private:
    explicit SqliteTransaction(SqliteConnection& connection) : connection_(&connection) {}

    SqliteConnection* connection_;  // Nothing once it is over.
};

}  // namespace highwater::catalog
