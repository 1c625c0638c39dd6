#include "engine/duckdb_session.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"
#include "engine/duckdb_cells.h"
#include "engine/duckdb_sql.h"

namespace highwater::engine {

namespace {

/// How DuckDB's messages begin, and what they mean to us. Most of what is about a file is known by
/// its words alone.
struct Meaning {
    std::string_view words;
    bool at_start;
    Code code;
};

constexpr std::string_view refusal_mark = "refused: ";

constexpr std::array meanings = {
    Meaning{"Invalid Input Error: refused: ", true, Code::precondition_failed},
    Meaning{"No files found that match", false, Code::not_found},
    Meaning{"No such file or directory", false, Code::not_found},
    Meaning{"No magic bytes found", false, Code::corrupt},
    Meaning{"too small to be a Parquet file", false, Code::corrupt},
    Meaning{"TProtocolException", false, Code::corrupt},
    Meaning{"INTERRUPT Error", true, Code::cancelled},
    Meaning{"Out of Memory Error", true, Code::exhausted},
    Meaning{"Permission Error", true, Code::denied},
    Meaning{"IO Error", true, Code::unavailable},
    Meaning{"Internal Error", true, Code::corrupt},
    Meaning{"INTERNAL Error", true, Code::corrupt},
    Meaning{"FATAL Error", true, Code::corrupt},
};

Code code_of(std::string_view message) {
    for (const Meaning& meaning : meanings) {
        const bool fits = meaning.at_start ? message.starts_with(meaning.words)
                                           : message.find(meaning.words) != std::string_view::npos;
        if (fits) return meaning.code;
    }
    return Code::invalid_argument;
}

/// DuckDB's own words: the paragraph before its hints and before the quotation of the statement.
Error error_of(const char* said) {
    std::string_view message = said == nullptr ? "no reason given" : said;
    const Code code = code_of(message);
    message = message.substr(0, message.find("\n\n"));
    std::string text = "DuckDB: ";
    for (const char character : message) text += character == '\n' ? ' ' : character;
    constexpr std::size_t size_max = 2'000;
    return Error(code, format_quoted(text, size_max));
}

class Config {
public:
    Config() { duckdb_create_config(&config_); }
    ~Config() { duckdb_destroy_config(&config_); }
    Config(const Config&) = delete;
    Config& operator=(const Config&) = delete;

    void set(const char* name, const std::string& value) {
        ASSERT(duckdb_set_config(config_, name, value.c_str()) == DuckDBSuccess);
    }

    duckdb_config get() const { return config_; }

private:
    duckdb_config config_ = nullptr;
};

void fill_config(Config& config, const SessionOptions& options) {
    config.set("threads", std::to_string(options.threads));
    config.set("memory_limit", std::to_string(options.memory_bytes) + "B");
    config.set("temp_directory", options.temporary_directory);
    config.set("autoinstall_known_extensions", "false");
    config.set("autoload_known_extensions", "false");
    config.set("allow_community_extensions", "false");
    config.set("allow_persistent_secrets", "false");
    // Nothing of the user's home directory is looked at.
    config.set("secret_directory", options.temporary_directory + "/secrets");
    config.set("extension_directory", options.temporary_directory + "/extensions");
}

/// What a function that add_refusal made fails with.
void fail_with_message(duckdb_function_info info, duckdb_data_chunk, duckdb_vector) {
    const auto* message =
        static_cast<const std::string*>(duckdb_scalar_function_get_extra_info(info));
    duckdb_scalar_function_set_error(info, message->c_str());
}

}  // namespace

// ---- Session -----------------------------------------------------------------------------------

struct Session::State {
    State() = default;
    ~State() {
        duckdb_disconnect(&connection);
        duckdb_close(&database);
    }

    State(const State&) = delete;
    State& operator=(const State&) = delete;

    duckdb_database database = nullptr;
    duckdb_connection connection = nullptr;
};

struct SessionStatement::State {
    State() = default;
    ~State() { duckdb_destroy_prepare(&statement); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    duckdb_prepared_statement statement = nullptr;
};

struct SessionCursor::State {
    State() = default;
    ~State() { duckdb_destroy_result(&result); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    duckdb_result result{};
    std::vector<ResultColumn> columns;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::open(const SessionOptions& options) {
    Config config;
    fill_config(config, options);
    auto state = std::make_unique<State>();
    char* reason = nullptr;
    if (duckdb_open_ext(nullptr, &state->database, config.get(), &reason) != DuckDBSuccess) {
        const Error error = error_of(reason);
        duckdb_free(reason);
        return Error(Code::unavailable, error.message()).within("open");
    }
    if (duckdb_connect(state->database, &state->connection) != DuckDBSuccess) {
        return Error(Code::unavailable, "DuckDB: cannot connect");
    }
    Session session(std::move(state));
    TRY(session.run("SET TimeZone = 'UTC'"));
    // Said when opening, this limit is shown but not kept.
    TRY(session.run(fmt::format("SET max_temp_directory_size = '{}B'", options.spill_bytes)));
    TRY(session.run(fmt::format("SET max_expression_depth = {}", expression_depth_max)));
    return session;
}

Result<void> Session::run(const std::string& sql) {
    SessionCursor cursor = TRY(query(sql));
    while (TRY(cursor.next())) continue;
    return {};
}

Result<SessionStatement> Session::prepare(const std::string& sql) {
    if (sql.find('\0') != std::string::npos || !is_utf8(sql)) {
        return Error(Code::invalid_argument, "the statement is not UTF-8 text without null bytes");
    }
    auto state = std::make_unique<SessionStatement::State>();
    duckdb_extracted_statements extracted = nullptr;
    const idx_t count = duckdb_extract_statements(state_->connection, sql.c_str(), &extracted);
    const char* const reason = duckdb_extract_statements_error(extracted);
    std::optional<Error> error;
    if (reason != nullptr) {
        error = error_of(reason);
    } else if (count != 1) {
        error = Error(Code::invalid_argument,
                      std::to_string(count) + " statements were given in place of one");
    } else if (duckdb_prepare_extracted_statement(state_->connection, extracted, 0,
                                                  &state->statement) != DuckDBSuccess) {
        error = error_of(duckdb_prepare_error(state->statement));
    }
    duckdb_destroy_extracted(&extracted);
    if (error) return *std::move(error);
    return SessionStatement(std::move(state));
}

Result<SessionCursor> Session::query(const std::string& sql) {
    const SessionStatement statement = TRY(prepare(sql));
    return statement.execute();
}

Result<std::string> Session::query_text(const std::string& sql) {
    SessionCursor cursor = TRY(query(sql));
    const auto batch = TRY(cursor.next());
    ASSERT(batch && cursor.columns().front().type == model::ColumnType::string);
    if (batch->columns.front().is_null(0)) return std::string();
    return std::string(batch->columns.front().bytes_at(0));
}

Result<void> Session::add_refusal(const std::string& name, const std::string& message) {
    duckdb_scalar_function function = duckdb_create_scalar_function();
    duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_scalar_function_set_name(function, name.c_str());
    duckdb_scalar_function_set_return_type(function, text);
    duckdb_scalar_function_set_volatile(function);
    auto* const said = new std::string(std::string(refusal_mark) + message);
    duckdb_scalar_function_set_extra_info(
        function, said, [](void* owned) { delete static_cast<std::string*>(owned); });
    duckdb_scalar_function_set_function(function, fail_with_message);
    const duckdb_state done = duckdb_register_scalar_function(state_->connection, function);
    duckdb_destroy_logical_type(&text);
    duckdb_destroy_scalar_function(&function);
    if (done != DuckDBSuccess) return Error(Code::unavailable, "DuckDB: cannot add " + name);
    return {};
}

Result<void> Session::confine(const std::vector<std::string>& paths) {
    // In this order: what is allowed can be said only while access is still open, and a locked
    // configuration cannot be closed any more.
    TRY(run("SET allowed_paths = " + quote_list(paths)));
    TRY(run("SET enable_external_access = false"));
    return run("SET lock_configuration = true");
}

void Session::interrupt() {
    duckdb_interrupt(state_->connection);
}

// ---- SessionStatement --------------------------------------------------------------------------

SessionStatement::SessionStatement(std::unique_ptr<State> state) : state_(std::move(state)) {}
SessionStatement::SessionStatement(SessionStatement&&) noexcept = default;
SessionStatement& SessionStatement::operator=(SessionStatement&&) noexcept = default;
SessionStatement::~SessionStatement() = default;

bool SessionStatement::is_select() const {
    return duckdb_prepared_statement_type(state_->statement) == DUCKDB_STATEMENT_TYPE_SELECT;
}

bool SessionStatement::has_parameters() const {
    return duckdb_nparams(state_->statement) > 0;
}

Result<SessionCursor> SessionStatement::execute() const {
    auto cursor = std::make_unique<SessionCursor::State>();
    duckdb_pending_result pending = nullptr;
    std::optional<Error> error;
    if (duckdb_pending_prepared_streaming(state_->statement, &pending) != DuckDBSuccess) {
        error = error_of(duckdb_pending_error(pending));
    } else if (duckdb_execute_pending(pending, &cursor->result) != DuckDBSuccess) {
        error = error_of(duckdb_result_error(&cursor->result));
    }
    duckdb_destroy_pending(&pending);
    if (error) return *std::move(error);
    for (idx_t i = 0; i < duckdb_column_count(&cursor->result); ++i) {
        duckdb_logical_type type = duckdb_column_logical_type(&cursor->result, i);
        auto column = describe_column(duckdb_column_name(&cursor->result, i), type);
        duckdb_destroy_logical_type(&type);
        cursor->columns.push_back(TRY(std::move(column)));
    }
    return SessionCursor(std::move(cursor));
}

// ---- SessionCursor -----------------------------------------------------------------------------

SessionCursor::SessionCursor(std::unique_ptr<State> state) : state_(std::move(state)) {}
SessionCursor::SessionCursor(SessionCursor&&) noexcept = default;
SessionCursor& SessionCursor::operator=(SessionCursor&&) noexcept = default;
SessionCursor::~SessionCursor() = default;

const std::vector<ResultColumn>& SessionCursor::columns() const {
    return state_->columns;
}

Result<std::optional<parquet::RowBatch>> SessionCursor::next() {
    for (;;) {
        duckdb_data_chunk chunk = duckdb_fetch_chunk(state_->result);
        if (chunk == nullptr) {
            // The end and a failure look alike; the result knows which it was.
            const char* const reason = duckdb_result_error(&state_->result);
            if (reason != nullptr) return error_of(reason);
            return std::optional<parquet::RowBatch>();
        }
        parquet::RowBatch batch;
        std::optional<Error> error;
        for (std::size_t i = 0; i < state_->columns.size() && !error; ++i) {
            auto cells = read_cells(chunk, i, state_->columns[i]);
            if (cells.ok()) {
                batch.columns.push_back(*std::move(cells));
            } else {
                error = cells.error();
            }
        }
        duckdb_destroy_data_chunk(&chunk);
        if (error) return *std::move(error);
        if (batch.rows() > 0) return std::optional(std::move(batch));
    }
}

}  // namespace highwater::engine
