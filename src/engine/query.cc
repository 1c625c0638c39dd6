#include "engine/query.h"

#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/try.h"
#include "engine/duckdb_files.h"
#include "engine/duckdb_session.h"
#include "engine/facts.h"
#include "engine/statement.h"
#include "engine/views.h"
#include "engine/watch.h"
#include "engine/workplace.h"

namespace highwater::engine {

namespace {

/// The names of the plan's tables, folded.
///
/// Errors: unsupported  two that DuckDB cannot tell apart.
Result<std::set<std::string>> fold_names(const read::Plan& plan) {
    std::set<std::string> names;
    for (const read::PlannedTable& table : plan.tables) {
        if (names.insert(fold_case(table.table.name)).second) continue;
        return Error(Code::unsupported, "DuckDB cannot tell table " +
                                            format_quoted(table.table.name) +
                                            " from another one that differs in case alone");
    }
    return names;
}

/// The files of each table, as DuckDB opens them.
Result<std::vector<std::vector<std::string>>> open_files(const read::Plan& plan,
                                                         const std::string& directory) {
    std::vector<std::string> all;
    for (const read::PlannedTable& table : plan.tables) {
        const PlannedPaths planned = TRY(PlannedPaths::make(table));
        all.insert(all.end(), planned.paths().begin(), planned.paths().end());
    }
    const auto absent = find_absent(all);
    if (!absent.empty()) return absent_file(absent.front());
    const DuckDbFiles files = TRY(DuckDbFiles::make(all, directory));
    std::vector<std::vector<std::string>> opened;
    auto next = files.opened().begin();
    for (const read::PlannedTable& table : plan.tables) {
        const auto count = static_cast<std::ptrdiff_t>(table.files.size());
        opened.emplace_back(next, next + count);
        next += count;
    }
    return opened;
}

Result<ResultTable> collect(Session& session, const std::string& sql, const QueryOptions& options,
                            const std::stop_token& stop) {
    const SessionStatement statement = TRY(session.prepare(sql));
    if (!statement.is_select()) {
        return Error(Code::invalid_argument, "the statement is no SELECT");
    }
    if (statement.has_parameters()) {
        return Error(Code::invalid_argument, "the statement has parameters, which have no value");
    }
    SessionCursor cursor = TRY(statement.execute());
    ResultWriter writer(cursor.columns(), options.directory, options.limits.result);
    while (auto batch = TRY(cursor.next())) {
        if (stop.stop_requested()) return Error(Code::cancelled, "the query was stopped");
        TRY(writer.append(*std::move(batch)));
    }
    return std::move(writer).finish();
}

Result<ResultTable> run_confined(Workplace& workplace, const read::Plan& plan,
                                 const std::string& sql, const QueryOptions& options,
                                 const std::stop_token& stop) {
    Session& session = workplace.session;
    const std::set<std::string> names = TRY(fold_names(plan));
    TRY(verify_statement(session, sql, names));
    const auto files = TRY(open_files(plan, workplace.directory.path()));
    std::vector<std::string> all;
    for (const auto& some : files) all.insert(all.end(), some.begin(), some.end());
    TRY(session.confine(all));
    Views views;
    for (std::size_t i = 0; i < files.size(); ++i) {
        TRY(views.add(session, plan.tables[i], files[i]));
    }
    // One transaction has one time of day: what the check proves of now() holds in the query too.
    TRY(session.run("BEGIN TRANSACTION"));
    TRY(views.verify_avoids_gaps(session, sql));
    return collect(session, sql, options, stop);
}

}  // namespace

Result<ResultTable> run_query(const read::Plan& plan, const std::string& sql,
                              const QueryOptions& options, env::Clock& clock,
                              std::stop_token stop) {
    Workplace workplace = TRY(Workplace::open(options.directory, options.limits));
    const Watch watch(workplace.session, clock, stop, options.timeout);
    if (stop.stop_requested()) return Error(Code::cancelled, "the query was stopped");
    auto answer = run_confined(workplace, plan, sql, options, stop);
    if (answer.ok() || answer.error().code() != Code::cancelled) return answer;
    if (!watch.is_timed_out()) return Error(Code::cancelled, "the query was stopped");
    return Error(Code::cancelled, "the query ran longer than " + format_duration(options.timeout));
}

}  // namespace highwater::engine
