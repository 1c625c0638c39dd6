#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/result.h"
#include "object/store.h"
#include "read/plan.h"

namespace highwater::engine {

/// What one call of an engine may use.
struct EngineLimits {
    std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
    std::uint64_t spill_bytes = std::uint64_t{16} << 30U;  // Of the engine's own temporary files.
    int threads = 2;
    ResultLimits result;
};

enum class Comparison : std::uint8_t { equal, less, at_most, greater, at_least };

using Literal = std::variant<bool, std::int64_t, double, std::string, Time>;

/// Holds for the rows whose cell in `column` compares so with `literal`. A null, and a NaN,
/// compares with nothing.
struct Condition {
    std::string column;
    Comparison comparison = Comparison::equal;
    Literal literal;
};

/// The column of `select_rows` that says where each row was read: root and path, joined by '/'.
constexpr std::string_view filename_column = "filename";

/// Which rows and columns of a planned table.
struct Scan {
    std::vector<std::string> columns{};   // In this order; none: all, in table order.
    std::vector<Condition> conditions{};  // All of them hold.
    bool with_filename = false;           // One more column, the last.
};

/// What an engine says of one file after it decoded every column of it.
struct FileFacts {
    object::Name name;
    std::uint64_t rows = 0;  // That carried this file's own name.
    // What the engine read in the file's footer; nothing: it did not look into it.
    std::optional<std::uint64_t> footer_rows;
    Digest row_fingerprint;        // model::row_fingerprint_algorithm, as the table's types.
    std::optional<Error> failure;  // It could not be read; the counts are then worth nothing.

    friend bool operator==(const FileFacts&, const FileFacts&) = default;
};

/// What one engine did, by its own account.
struct EngineLedger {
    std::uint64_t listed_files = 0;
    std::uint64_t opened_files = 0;  // Different ones.
    std::uint64_t reads = 0;
    std::uint64_t bytes_read = 0;

    EngineLedger& operator+=(const EngineLedger& other);

    friend bool operator==(const EngineLedger&, const EngineLedger&) = default;
};

/// What one engine says of the planned hours of one table.
struct EngineFacts {
    std::string engine;
    std::optional<std::vector<object::Name>> discovered;  // In order; by engines that look.
    std::vector<FileFacts> files;  // In name order: those of the plan, and any that rows came from.
    EngineLedger ledger;

    friend bool operator==(const EngineFacts&, const EngineFacts&) = default;
};

/// Turns the files of a plan into rows. The caller checks the files' identities before and after,
/// and hands out no row before the second check has passed.
///
/// A backend is right when it passes tests/conformance/engine_test.cc.
///
/// Only files of the plan ever become rows; all of them do, or there is an error. Tables must lie
/// in the local file system. Errors of every method:
///   not_found         a planned file is not there
///   corrupt           a planned file cannot be decoded
///   unsupported       the engine cannot show a column as the table means it
///   exhausted         a limit; the message names it
///   cancelled         `stop` was requested
///   unavailable       the machine
/// Thread-safety: every method, from any thread.
class Engine {
public:
    virtual ~Engine() = default;

    virtual std::string_view name() const = 0;

    /// Rows of the planned hours with times in the table's range, in the order of the plan's files,
    /// with the cells of the table's types whatever version of its schema a file was written in.
    ///
    /// Errors: also invalid_argument  a column that the table lacks, or a literal of another type.
    virtual Result<ResultTable> select_rows(const read::PlannedTable& table, const Scan& scan,
                                            std::stop_token stop) = 0;

    /// Decodes every column of every row of the planned hours, whatever the range of times. A file
    /// that cannot be read is a fact, not an error.
    virtual Result<EngineFacts> gather_facts(const read::PlannedTable& table,
                                             std::stop_token stop) = 0;
};

/// Where the local file system has `name`.
///
/// Errors: unsupported  the root is no absolute directory.
Result<std::string> path_of(const object::Name& name);

}  // namespace highwater::engine
