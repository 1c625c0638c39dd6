#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/result.h"
#include "parquet/rows.h"

namespace highwater::engine {

/// Expressions within expressions. DuckDB's time to plan grows with the cube of it (a thousand take
/// half a minute), and nothing interrupts it there.
constexpr int expression_depth_max = 250;

/// What one DuckDB may use.
struct SessionOptions {
    std::string temporary_directory;  // Absolute; DuckDB's alone.
    std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
    std::uint64_t spill_bytes = std::uint64_t{16} << 30U;
    int threads = 2;
};

/// The rows of one statement as DuckDB makes them. Not thread-safe. Lifetime: within its session's.
class SessionCursor {
public:
    SessionCursor(SessionCursor&&) noexcept;
    SessionCursor& operator=(SessionCursor&&) noexcept;
    ~SessionCursor();

    const std::vector<ResultColumn>& columns() const;

    /// The next rows, at least one; nothing after the last.
    ///
    /// Errors: those of DuckDB as `Session` tells them; invalid_argument also for a type that no
    ///         answer can show.
    Result<std::optional<parquet::RowBatch>> next();

private:
    friend class SessionStatement;
    struct State;
    explicit SessionCursor(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// One statement, bound and planned, not yet run. Not thread-safe. Lifetime: within its session's.
class SessionStatement {
public:
    SessionStatement(SessionStatement&&) noexcept;
    SessionStatement& operator=(SessionStatement&&) noexcept;
    ~SessionStatement();

    bool is_select() const;
    bool has_parameters() const;

    /// Runs it; rows are made as they are asked for.
    Result<SessionCursor> execute() const;

private:
    friend class Session;
    struct State;
    explicit SessionStatement(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// One DuckDB in memory, which nothing outlives: no files of its own but temporary ones, times
/// shown in UTC, no extension loaded from anywhere.
///
/// Errors of what runs in it, by what DuckDB says:
///   invalid_argument  the statement is wrong, or a value does not fit
///   not_found         a file is not there
///   corrupt           a file is no Parquet, or broken
///   denied            the session's confinement forbids it
///   exhausted         memory or temporary space
///   cancelled         `interrupt`
///   precondition_failed  a function that `add_refusal` made was called
///   unavailable       anything else of the machine
///
/// Not thread-safe but for `interrupt`. Cost: about 15 ms to open.
class Session {
public:
    /// Errors: unavailable.
    static Result<Session> open(const SessionOptions& options);

    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    /// Runs one statement that has no rows to give.
    Result<void> run(const std::string& sql);

    /// Errors: also invalid_argument for anything but exactly one statement.
    Result<SessionStatement> prepare(const std::string& sql);

    /// Prepares and executes. Requires: `sql` is ours.
    Result<SessionCursor> query(const std::string& sql);

    /// The first column of the first row of `sql`, as text. Requires: `sql` is ours; text.
    Result<std::string> query_text(const std::string& sql);

    /// Makes `name` a function of no argument whose value is text and which always fails with
    /// `message`, as precondition_failed. The optimizer knows nothing of its values.
    Result<void> add_refusal(const std::string& name, const std::string& message);

    /// From here on only `paths` and the temporary directory can be reached, and no setting can be
    /// changed any more.
    Result<void> confine(const std::vector<std::string>& paths);

    /// Ends what runs now, if anything does, with `cancelled`. What starts later is not touched.
    /// Thread-safety: from any thread.
    void interrupt();

private:
    struct State;
    explicit Session(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace highwater::engine
