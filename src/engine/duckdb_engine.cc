#include "engine/duckdb_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "engine/duckdb_files.h"
#include "engine/duckdb_session.h"
#include "engine/duckdb_sql.h"
#include "engine/facts.h"
#include "engine/scan.h"
#include "engine/watch.h"
#include "engine/workplace.h"

namespace highwater::engine {

namespace {

using parquet::Cells;
using parquet::RowBatch;

constexpr Duration no_timeout = std::chrono::hours(24 * 365);

Error stopped() {
    return {Code::cancelled, "the scan was stopped"};
}

/// Our own statements are right: what DuckDB finds wrong with them is wrong with a file.
Error blame_files(Error error) {
    if (error.code() == Code::cancelled) return stopped();
    if (error.code() != Code::invalid_argument) return error;
    return Error(Code::corrupt, error.message());
}

/// Whether an error tells about one file, so that the others may still be read.
bool is_about_a_file(const Error& error) {
    switch (error.code()) {
        case Code::cancelled:
        case Code::exhausted: return false;
        default: return true;
    }
}

/// DuckDB's times are microseconds, whatever the file's unit is.
Cells to_unit(Cells cells, model::TimeUnit unit) {
    if (unit == model::TimeUnit::microsecond) return cells;
    Cells converted(cells.type());
    for (std::size_t row = 0; row < cells.size(); ++row) {
        if (cells.is_null(row)) {
            converted.append_null();
        } else {
            converted.append_integer(cells.integer_at(row) / 1'000);
        }
    }
    return converted;
}

void convert_times(RowBatch& batch, model::TimeUnit unit) {
    for (Cells& cells : batch.columns) {
        if (cells.type() == model::ColumnType::timestamp) cells = to_unit(std::move(cells), unit);
    }
}

std::string sql_literal(const Literal& literal) {
    if (const auto* boolean = std::get_if<bool>(&literal)) return *boolean ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&literal)) {
        return fmt::format("CAST('{}' AS BIGINT)", *integer);
    }
    if (const auto* number = std::get_if<double>(&literal)) {
        return fmt::format("CAST('{}' AS DOUBLE)", *number);
    }
    if (const auto* text = std::get_if<std::string>(&literal)) return quote_literal(*text);
    return sql_time(std::get<Time>(literal));
}

std::string_view sql_comparison(Comparison comparison) {
    switch (comparison) {
        case Comparison::equal: return "=";
        case Comparison::less: return "<";
        case Comparison::at_most: return "<=";
        case Comparison::greater: return ">";
        case Comparison::at_least: return ">=";
    }
    return "=";
}

std::string sql_condition(const ResolvedCondition& condition) {
    const std::string column = quote_identifier(condition.column->name);
    std::string sql = fmt::format("{} {} {}", column, sql_comparison(condition.comparison),
                                  sql_literal(condition.literal));
    // DuckDB takes NaN for the largest number; nothing compares with it here.
    if (std::holds_alternative<double>(condition.literal)) {
        sql += fmt::format(" AND NOT isnan({})", column);
    }
    return sql;
}

std::string sql_columns(const std::vector<const model::Column*>& columns) {
    std::string sql;
    for (const model::Column* const column : columns) {
        if (!sql.empty()) sql += ", ";
        sql += quote_identifier(column->name);
    }
    return sql;
}

std::string sql_select(const ResolvedScan& scan, const read::PlannedTable& table,
                       const std::vector<std::string>& files) {
    const model::Schema& schema = table.table.current().schema;
    const std::string time = quote_identifier(schema.time_column);
    std::string sql = fmt::format("SELECT {}, filename FROM {} WHERE {} >= {} AND {} < {}",
                                  sql_columns(scan.columns), sql_read_files(files, schema), time,
                                  sql_time(table.range.from), time, sql_time(table.range.to));
    for (const ResolvedCondition& condition : scan.conditions) {
        sql += " AND " + sql_condition(condition);
    }
    return sql;
}

/// Streams every row of `opened` into `found`.
Result<void> add_rows(Session& session, const DuckDbFiles& files,
                      const std::vector<std::string>& opened, const model::Schema& schema,
                      const std::stop_token& stop, FoundFacts& found) {
    std::vector<const model::Column*> columns;
    for (const model::Column& column : schema.columns) columns.push_back(&column);
    SessionCursor cursor = TRY(session.query(fmt::format(
        "SELECT {}, filename FROM {}", sql_columns(columns), sql_read_files(opened, schema))));
    while (auto batch = TRY(cursor.next())) {
        if (stop.stop_requested()) return stopped();
        const Cells filenames = std::move(batch->columns.back());
        batch->columns.pop_back();
        convert_times(*batch, schema.unit);
        TRY(found.add(*batch, schema,
                      [&](std::size_t row) { return files.path_of(filenames.bytes_at(row)); }));
    }
    return {};
}

Result<void> add_footers(Session& session, const DuckDbFiles& files,
                         const std::vector<std::string>& opened, FoundFacts& found) {
    SessionCursor cursor =
        TRY(session.query("SELECT file_name, CAST(num_rows AS BIGINT) FROM parquet_file_metadata(" +
                          quote_list(opened) + ")"));
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            const auto path = files.path_of(batch->columns[0].bytes_at(row));
            found.footer_rows[std::string(path)] =
                static_cast<std::uint64_t>(batch->columns[1].integer_at(row));
        }
    }
    return {};
}

Result<void> add_facts(Session& session, const DuckDbFiles& files,
                       const std::vector<std::string>& opened, const model::Schema& schema,
                       const std::stop_token& stop, FoundFacts& found) {
    if (stop.stop_requested()) return stopped();
    if (opened.empty()) return {};
    FoundFacts facts;
    TRY(add_rows(session, files, opened, schema, stop, facts));
    TRY(add_footers(session, files, opened, facts));
    found.sums.merge(facts.sums);
    found.footer_rows.merge(facts.footer_rows);
    return {};
}

/// All files in one scan; when that fails, one by one, so that the broken ones are known by name.
Result<FoundFacts> find_facts(Session& session, const DuckDbFiles& files,
                              const model::Schema& schema, const std::stop_token& stop) {
    FoundFacts found;
    const auto together = add_facts(session, files, files.opened(), schema, stop, found);
    if (together.ok()) return found;
    if (!is_about_a_file(together.error())) return blame_files(together.error());
    for (const std::string& opened : files.opened()) {
        const auto alone = add_facts(session, files, {opened}, schema, stop, found);
        if (alone.ok()) continue;
        if (!is_about_a_file(alone.error())) return blame_files(alone.error());
        found.failures.emplace(files.path_of(opened), blame_files(alone.error()));
    }
    return found;
}

/// DuckDB's own account of what it opened and read.
Result<EngineLedger> read_ledger(Session& session) {
    TRY(session.run("CALL disable_logging()"));
    SessionCursor cursor = TRY(session.query(
        "SELECT count(DISTINCT path) FILTER (op = 'OPEN'), count(*) FILTER (op = 'READ'), "
        "CAST(coalesce(sum(bytes) FILTER (op = 'READ'), 0) AS BIGINT) "
        "FROM duckdb_logs_parsed('FileSystem')"));
    const auto batch = TRY(cursor.next());
    EngineLedger ledger;
    if (!batch) return ledger;
    const auto number = [&](std::size_t column) {
        return static_cast<std::uint64_t>(batch->columns[column].integer_at(0));
    };
    ledger.opened_files = number(0);
    ledger.reads = number(1);
    ledger.bytes_read = number(2);
    return ledger;
}

/// What to read for each planned hour when nobody keeps a list.
std::vector<std::string> make_patterns(const read::PlannedTable& table) {
    std::vector<std::string> patterns;
    for (const read::PlannedHour& hour : table.hours) {
        const auto prefix = table.table.pattern.render(hour.hour);
        if (!prefix) continue;
        const auto file = std::ranges::find(table.files, hour.hour, &read::PlannedFile::hour);
        const std::string& root =
            file == table.files.end() ? table.table.location : file->name.root;
        const auto folder = path_of({root, *prefix});
        if (folder.ok()) patterns.push_back(escape_pattern(*folder) + "/**/*.parquet");
    }
    return patterns;
}

/// The files that a pattern fits, by DuckDB's own listing.
Result<std::vector<std::string>> list_pattern(Session& session, const std::string& pattern) {
    std::vector<std::string> paths;
    SessionCursor cursor =
        TRY(session.query("SELECT file FROM glob(" + quote_literal(pattern) + ")"));
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            paths.emplace_back(batch->columns[0].bytes_at(row));
        }
    }
    return paths;
}

}  // namespace

Result<void> verify_duckdb_schema(const model::Schema& schema) {
    if (schema.unit == model::TimeUnit::nanosecond) {
        return Error(Code::unsupported,
                     "DuckDB reads nanoseconds in UTC as microseconds and drops the rest");
    }
    std::set<std::string> taken = {"hour", std::string(filename_column)};
    for (const model::Column& column : schema.columns) {
        std::string folded = column.name;
        for (char& letter : folded) {
            if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
        }
        if (taken.insert(folded).second) continue;
        return Error(Code::unsupported, "DuckDB cannot tell column " + format_quoted(column.name) +
                                            " from another one that differs in case alone");
    }
    return {};
}

DuckDb::DuckDb(env::Clock& clock, std::string directory, const EngineLimits& limits)
    : clock_(clock), directory_(std::move(directory)), limits_(limits) {}

Result<ResultTable> DuckDb::select_rows(const read::PlannedTable& table, const Scan& scan,
                                        std::stop_token stop) {
    const model::Schema& schema = table.table.current().schema;
    TRY(verify_duckdb_schema(schema));
    const ResolvedScan resolved = TRY(resolve_scan(scan, schema));
    const PlannedPaths planned = TRY(PlannedPaths::make(table));
    const auto absent = find_absent(planned.paths());
    if (!absent.empty()) return absent_file(absent.front());
    Workplace workplace = TRY(Workplace::open(directory_, limits_));
    const DuckDbFiles files = TRY(DuckDbFiles::make(planned.paths(), workplace.directory.path()));
    ResultWriter writer(resolved.result, directory_, limits_.result);
    if (files.opened().empty()) return std::move(writer).finish();
    TRY(workplace.session.confine(files.opened()));

    const Watch watch(workplace.session, clock_, stop, no_timeout);
    auto cursor = workplace.session.query(sql_select(resolved, table, files.opened()));
    if (!cursor.ok()) return blame_files(cursor.error());
    for (;;) {
        if (stop.stop_requested()) return stopped();
        auto batch = cursor->next();
        if (!batch.ok()) return blame_files(batch.error());
        if (!*batch) return std::move(writer).finish();
        const Cells filenames = std::move((*batch)->columns.back());
        (*batch)->columns.pop_back();
        convert_times(**batch, schema.unit);
        if (scan.with_filename) {
            Cells& shown = (*batch)->columns.emplace_back(model::ColumnType::string);
            for (std::size_t row = 0; row < filenames.size(); ++row) {
                shown.append_bytes(files.path_of(filenames.bytes_at(row)));
            }
        }
        TRY(writer.append(*std::move(*batch)));
    }
}

Result<EngineFacts> DuckDb::gather_facts(const read::PlannedTable& table, std::stop_token stop) {
    const model::Schema& schema = table.table.current().schema;
    TRY(verify_duckdb_schema(schema));
    const PlannedPaths planned = TRY(PlannedPaths::make(table));
    const auto absent = find_absent(planned.paths());
    std::vector<std::string> present;
    std::ranges::copy_if(
        planned.paths(), std::back_inserter(present),
        [&](const std::string& path) { return std::ranges::find(absent, path) == absent.end(); });
    Workplace workplace = TRY(Workplace::open(directory_, limits_));
    const DuckDbFiles files = TRY(DuckDbFiles::make(present, workplace.directory.path()));
    TRY(workplace.session.run("CALL enable_logging('FileSystem')"));
    TRY(workplace.session.confine(files.opened()));
    EngineFacts facts;
    facts.engine = name();
    {
        const Watch watch(workplace.session, clock_, stop, no_timeout);
        FoundFacts found = TRY(find_facts(workplace.session, files, schema, stop));
        for (const std::string& path : absent) found.failures.emplace(path, absent_file(path));
        facts.files = make_file_facts(found, planned, planned.paths());
    }
    facts.ledger = TRY(read_ledger(workplace.session));
    return facts;
}

Result<RawFacts> DuckDb::read_pattern(const read::PlannedTable& table, std::stop_token stop) {
    const model::Schema& schema = table.table.current().schema;
    TRY(verify_duckdb_schema(schema));
    const PlannedPaths planned = TRY(PlannedPaths::make(table));
    Workplace workplace = TRY(Workplace::open(directory_, limits_));
    const Watch watch(workplace.session, clock_, stop, no_timeout);
    RawFacts raw;
    raw.patterns = make_patterns(table);
    FoundFacts found;
    std::vector<std::string> listed;
    for (const std::string& pattern : raw.patterns) {
        for (std::string& path : TRY(list_pattern(workplace.session, pattern))) {
            listed.push_back(std::move(path));
        }
    }
    const DuckDbFiles files = TRY(DuckDbFiles::make(listed, workplace.directory.path()));
    const auto read = add_facts(workplace.session, files, files.opened(), schema, stop, found);
    if (!read.ok() && !is_about_a_file(read.error())) return blame_files(read.error());
    if (!read.ok()) raw.failure = blame_files(read.error());
    raw.files = make_file_facts(found, planned, listed);
    return raw;
}

}  // namespace highwater::engine
