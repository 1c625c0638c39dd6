#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/schema.h"
#include "parquet/rows.h"

namespace highwater::engine {

/// One column of an answer.
struct ResultColumn {
    std::string name;
    model::ColumnType type = model::ColumnType::string;
    model::TimeUnit unit = model::TimeUnit::microsecond;  // Timestamps only.
    bool is_utc = true;    // Timestamps: an instant; else a date and a time of day without zone.
    bool is_json = false;  // Strings: each value is one JSON document (lists, structs, maps).
    std::int32_t decimal_precision = 0;  // Decimals; 39 is what any 128-bit integer needs.
    std::int32_t decimal_scale = 0;

    friend bool operator==(const ResultColumn&, const ResultColumn&) = default;
};

/// The column of an answer that shows a table's `column` as it is.
ResultColumn make_result_column(const model::Column& column, model::TimeUnit unit);

/// How much an answer may hold, and where.
struct ResultLimits {
    std::uint64_t rows_max = 1'000'000'000;
    std::uint64_t size_bytes_max = std::uint64_t{64} << 30U;
    std::uint64_t memory_bytes_max = std::uint64_t{64} << 20U;  // Beyond it: a private file.
};

/// The rows of an answer, once, in order. Not thread-safe.
class RowCursor;

/// A finished answer: columns and rows, in memory or in a private file that nobody else can name.
/// A value that is cheap to copy: copies share the rows, which never change.
///
/// Thread-safety: every method, from any thread.
class ResultTable {
public:
    const std::vector<ResultColumn>& columns() const;
    std::uint64_t row_count() const;
    std::uint64_t size_bytes() const;
    bool is_spilled() const;  // The rows are in the file.

    /// Reads the rows from the first one on. Any number may read at the same time.
    RowCursor read() const;

private:
    friend class ResultWriter;
    friend class RowCursor;
    struct State;
    explicit ResultTable(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

class RowCursor {
public:
    /// The next rows, at least one; nothing after the last.
    ///
    /// Errors: unavailable (the file cannot be read), corrupt (it is not what was written).
    Result<std::optional<parquet::RowBatch>> next();

private:
    friend class ResultTable;
    explicit RowCursor(std::shared_ptr<const ResultTable::State> state);
    std::shared_ptr<const ResultTable::State> state_;
    std::size_t at_batch_ = 0;
};

/// Takes the rows of an answer in, in order. Not thread-safe.
class ResultWriter {
public:
    /// Column names that occur twice are told apart: "n", "n_1", "n_2". The private file is made,
    /// when it is needed, in `directory`, and has no name there.
    ResultWriter(std::vector<ResultColumn> columns, std::string directory,
                 const ResultLimits& limits);
    ~ResultWriter();
    ResultWriter(ResultWriter&&) noexcept;
    ResultWriter& operator=(ResultWriter&&) noexcept;

    const std::vector<ResultColumn>& columns() const;

    /// Requires: one column of cells for each column, of its type.
    /// Errors: exhausted (rows, size, no space for the file), unavailable. After any, drop it.
    Result<void> append(parquet::RowBatch batch);

    ResultTable finish() &&;

private:
    std::shared_ptr<ResultTable::State> state_;
};

}  // namespace highwater::engine
