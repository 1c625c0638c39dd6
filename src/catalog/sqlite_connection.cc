#include "catalog/sqlite_connection.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"
#include "catalog/checked_pages.h"

namespace highwater::catalog {

namespace {

// How every connection is set up. FULL: a commit is on disk when it returns. The cache holds the
// upper pages of every index at 10^6 objects.
constexpr const char* setup_sql = R"(
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
)";

Code code_of_io_error(int extended) {
    return extended == SQLITE_IOERR_DATA || extended == SQLITE_IOERR_CORRUPTFS ? Code::corrupt
                                                                               : Code::unavailable;
}

Code code_of(int extended, int system_errno) {
    switch (extended & 0xFF) {
        case SQLITE_IOERR: return code_of_io_error(extended);
        case SQLITE_FULL:
        case SQLITE_NOMEM:
        case SQLITE_TOOBIG: return Code::exhausted;
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_AUTH: return Code::denied;
        case SQLITE_CANTOPEN:
            if (system_errno == ENOENT || system_errno == ENOTDIR) return Code::not_found;
            return system_errno == EACCES ? Code::denied : Code::unavailable;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
        case SQLITE_INTERRUPT:
        case SQLITE_NOLFS: return Code::unavailable;
        // What is left says that the file is no database, a damaged one, or one without our tables.
        default: return Code::corrupt;
    }
}

std::string what_of(int extended, const char* message) {
    switch (extended & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return "busy, try again";
        case SQLITE_NOTADB: return "this is no database";
        default: break;
    }
    if (extended == SQLITE_IOERR_DATA) return "a page is not as it was written";
    return message;
}

}  // namespace

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(const std::string& path,
                                                                 const SqliteOptions& options,
                                                                 Missing missing) {
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (options.mode == SqliteOptions::Mode::read_only) {
        flags |= SQLITE_OPEN_READONLY;
    } else {
        flags |= SQLITE_OPEN_READWRITE;
        if (missing == Missing::is_made) flags |= SQLITE_OPEN_CREATE;
    }
    auto connection = std::unique_ptr<SqliteConnection>(new SqliteConnection(path));
    const int rc =
        sqlite3_open_v2(path.c_str(), &connection->db_, flags, checked_pages_vfs(options.vfs));
    if (rc != SQLITE_OK) return connection->error(rc);
    const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(options.busy_timeout);
    sqlite3_busy_timeout(connection->db_, static_cast<int>(std::clamp<std::int64_t>(
                                              wait.count(), 0, std::numeric_limits<int>::max())));
    TRY(connection->execute(setup_sql));
    return connection;
}

SqliteConnection::~SqliteConnection() {
    for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close(db_);
}

Error SqliteConnection::error(int rc) {
    has_failed_ = true;
    if (!db_) return refuse(Code::exhausted, "no memory");
    const int last = sqlite3_extended_errcode(db_);
    const int extended = last == SQLITE_OK ? rc : last;
    return refuse(
        code_of(extended, sqlite3_system_errno(db_)),
        what_of(extended, sqlite3_errmsg(db_)) + " (SQLite code " + std::to_string(extended) + ")");
}

Error SqliteConnection::refuse(Code code, const std::string& why) const {
    return {code, "catalog '" + format_quoted(path_) + "': " + why};
}

Result<SqliteQuery> SqliteConnection::prepare(std::string_view sql) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) found = statements_.emplace(sql, nullptr).first;
    sqlite3_stmt*& statement = found->second;
    if (!statement) {
        const int rc = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
        if (rc != SQLITE_OK) return error(rc);
    }
    ASSERT(!sqlite3_stmt_busy(statement));
    return SqliteQuery(*this, statement);
}

Result<void> SqliteConnection::execute(const std::string& sql) {
    const int rc = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) return error(rc);
    return {};
}

Result<std::int64_t> SqliteConnection::load_number(std::string_view sql) {
    SqliteQuery query = TRY(prepare(sql));
    if (TRY(query.next()) == SqliteQuery::Row::end) {
        return refuse(Code::corrupt, "no row for " + std::string(sql));
    }
    const std::int64_t number = query.take_int64();
    TRY(query.verify(std::string(sql)));
    return number;
}

SqliteQuery::SqliteQuery(SqliteQuery&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      parameter_(other.parameter_),
      column_(other.column_),
      is_bound_(other.is_bound_),
      is_sound_(other.is_sound_) {}

SqliteQuery::~SqliteQuery() {
    if (!statement_) return;
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

SqliteQuery& SqliteQuery::bind(std::int64_t value) {
    is_bound_ &= sqlite3_bind_int64(statement_, ++parameter_, value) == SQLITE_OK;
    return *this;
}

SqliteQuery& SqliteQuery::bind(std::uint64_t value) {
    return bind(static_cast<std::int64_t>(value));
}

SqliteQuery& SqliteQuery::bind(const Digest& value) {
    return bind_bytes({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

SqliteQuery& SqliteQuery::bind(const Uuid& value) {
    return bind_bytes({reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()});
}

SqliteQuery& SqliteQuery::bind(std::string_view text) {
    // A null pointer would be a null, not an empty text.
    is_bound_ &= sqlite3_bind_text64(statement_, ++parameter_, text.data() ? text.data() : "",
                                     text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) == SQLITE_OK;
    return *this;
}

SqliteQuery& SqliteQuery::bind_bytes(BytesView bytes) {
    is_bound_ &= sqlite3_bind_blob64(statement_, ++parameter_, bytes.data() ? bytes.data() : "",
                                     bytes.size(), SQLITE_TRANSIENT) == SQLITE_OK;
    return *this;
}

SqliteQuery& SqliteQuery::bind_null() {
    is_bound_ &= sqlite3_bind_null(statement_, ++parameter_) == SQLITE_OK;
    return *this;
}

Result<SqliteQuery::Row> SqliteQuery::next() {
    // Only a value too large for SQLite (or memory) cannot be bound: the texts are our own.
    if (!is_bound_) return connection_.error(SQLITE_TOOBIG);
    column_ = 0;
    switch (const int rc = sqlite3_step(statement_)) {
        case SQLITE_ROW: return Row::found;
        case SQLITE_DONE: return Row::end;
        default: return connection_.error(rc);
    }
}

Result<void> SqliteQuery::run() {
    const Row row = TRY(next());
    ASSERT(row == Row::end);
    return {};
}

bool SqliteQuery::has_type(int type) {
    const bool has = sqlite3_column_type(statement_, column_) == type;
    is_sound_ &= has;
    return has;
}

bool SqliteQuery::skip_null() {
    if (sqlite3_column_type(statement_, column_) != SQLITE_NULL) return false;
    ++column_;
    return true;
}

std::int64_t SqliteQuery::take_int64() {
    const bool has = has_type(SQLITE_INTEGER);
    const int column = column_++;
    return has ? sqlite3_column_int64(statement_, column) : 0;
}

std::uint32_t SqliteQuery::take_uint32() {
    const std::int64_t value = take_int64();
    is_sound_ &= std::in_range<std::uint32_t>(value);
    return static_cast<std::uint32_t>(value);
}

std::int32_t SqliteQuery::take_int32() {
    const std::int64_t value = take_int64();
    is_sound_ &= std::in_range<std::int32_t>(value);
    return static_cast<std::int32_t>(value);
}

bool SqliteQuery::take_bool() {
    const std::int64_t value = take_int64();
    is_sound_ &= value == 0 || value == 1;
    return value == 1;
}

std::string_view SqliteQuery::take_view(int type) {
    const bool has = has_type(type);
    const int column = column_++;
    if (!has) return {};
    const void* bytes = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

Digest SqliteQuery::take_digest() {
    const std::string_view bytes = take_view(SQLITE_BLOB);
    Digest digest;
    is_sound_ &= bytes.size() == digest.bytes.size();
    if (is_sound_) std::ranges::copy(bytes, digest.bytes.begin());
    return digest;
}

Uuid SqliteQuery::take_uuid() {
    const std::string_view bytes = take_view(SQLITE_BLOB);
    Uuid uuid;
    is_sound_ &= bytes.size() == uuid.bytes.size();
    if (is_sound_) std::ranges::copy(bytes, uuid.bytes.begin());
    return uuid;
}

std::string SqliteQuery::take_text() {
    return std::string(take_view(SQLITE_TEXT));
}

Bytes SqliteQuery::take_bytes() {
    return Bytes(take_view(SQLITE_BLOB));
}

Result<void> SqliteQuery::verify(const std::string& what) const {
    if (is_sound_) return {};
    return Error(Code::corrupt, what + " has a value of another type or out of range");
}

Result<SqliteTransaction> SqliteTransaction::begin(SqliteConnection& connection, Kind kind) {
    SqliteQuery query =
        TRY(connection.prepare(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED"));
    TRY(query.run());
    return SqliteTransaction(connection);
}

SqliteTransaction::SqliteTransaction(SqliteTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

SqliteTransaction::~SqliteTransaction() {
    // A connection that has failed is closed by its owner, and that undoes what it had begun.
    if (!connection_ || connection_->has_failed()) return;
    if (auto query = connection_->prepare("ROLLBACK")) static_cast<void>(query->run());
}

std::optional<SqliteTransaction::Failure> SqliteTransaction::try_commit() {
    SqliteConnection& connection = *std::exchange(connection_, nullptr);
    auto query = connection.prepare("COMMIT");
    if (!query) return Failure{query.error(), true};
    const auto row = query->next();
    if (row) return std::nullopt;
    // On a full disk the last page, which makes the others count, was not written.
    const int code = sqlite3_errcode(connection.handle()) & 0xFF;
    return Failure{row.error(), code == SQLITE_BUSY || code == SQLITE_FULL};
}

Result<void> SqliteTransaction::commit() {
    const auto failure = try_commit();
    if (!failure) return {};
    if (failure->is_certain) return failure->error;
    return Error(Code::outcome_unknown, failure->error.message());
}

}  // namespace highwater::catalog
