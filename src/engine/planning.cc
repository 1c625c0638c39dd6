#include "engine/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/try.h"
#include "engine/arrow_engine.h"
#include "engine/duckdb_engine.h"
#include "engine/duckdb_files.h"
#include "engine/duckdb_sql.h"
#include "engine/facts.h"
#include "engine/workplace.h"

namespace highwater::engine {

namespace {

/// Calls `plan` as often as asked for and keeps how long it took.
template <typename Plan>
Result<std::vector<Duration>> measure(const PlanningOptions& options, env::Clock& clock,
                                      const std::stop_token& stop, Plan plan) {
    std::vector<Duration> samples;
    for (std::size_t i = 0; i < options.warmups + options.repeats; ++i) {
        if (stop.stop_requested()) return Error(Code::cancelled, "the measurement was stopped");
        const Duration start = clock.steady();
        TRY(plan());
        if (i >= options.warmups) samples.push_back(clock.steady() - start);
    }
    return samples;
}

/// name = 'value' for each folder of that form in the prefix of an hour; nothing without any.
std::string sql_folders(const std::string& prefix) {
    std::string sql;
    for (std::size_t from = 0; from < prefix.size();) {
        const std::size_t to = std::min(prefix.find('/', from), prefix.size());
        const std::string folder = prefix.substr(from, to - from);
        from = to + 1;
        const std::size_t equals = folder.find('=');
        if (equals == std::string::npos) continue;
        if (!sql.empty()) sql += " AND ";
        sql += fmt::format("{} = {}", quote_identifier(folder.substr(0, equals)),
                           quote_literal(folder.substr(equals + 1)));
    }
    return sql;
}

/// What somebody without a catalog asks: the folders of the planned hours, among all of the table.
Result<std::string> sql_pattern_source(const read::PlannedTable& table,
                                       const std::string& pattern) {
    std::string hours;
    for (const read::PlannedHour& hour : table.hours) {
        const std::string folders = sql_folders(table.table.pattern.render(hour.hour).value_or(""));
        if (folders.empty()) {
            return Error(Code::unsupported, "the path pattern of table " + table.table.name +
                                                " has no folder of the form name=value");
        }
        hours += fmt::format("{}({})", hours.empty() ? "" : " OR ", folders);
    }
    if (hours.empty()) hours = "false";
    return fmt::format(
        "read_parquet({}, filename = true, hive_partitioning = true, hive_types_autocast = false) "
        "WHERE ({})",
        quote_literal(pattern), hours);
}

struct Counted {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
};

/// The two numbers that `sql` selects.
Result<Counted> count(Session& session, const std::string& sql) {
    SessionCursor cursor = TRY(session.query(sql));
    const auto batch = TRY(cursor.next());
    if (!batch) return Counted{};
    return Counted{static_cast<std::uint64_t>(batch->columns[0].integer_at(0)),
                   static_cast<std::uint64_t>(batch->columns[1].integer_at(0))};
}

/// Plans and then reads `source`, which is what follows FROM.
Result<PlanningCost> measure_duckdb(Session& session, const std::string& source,
                                    const PlanningOptions& options, env::Clock& clock,
                                    const std::stop_token& stop) {
    PlanningCost cost;
    const std::string select = "SELECT count(*), count(DISTINCT filename) FROM " + source;
    const auto plan = [&] { return session.run("EXPLAIN " + select); };
    cost.samples = TRY(measure(options, clock, stop, plan));
    const Counted found = TRY(count(session, select));
    cost.rows = found.first;
    cost.files = found.second;
    return cost;
}

Result<PlanningCost> measure_pattern(const read::PlannedTable& table,
                                     const PlanningOptions& options, env::Clock& clock,
                                     const std::stop_token& stop) {
    Workplace workplace = TRY(Workplace::open(options.directory, options.limits));
    const std::string pattern = escape_pattern(table.table.location) + "/**/*.parquet";
    const std::string source = TRY(sql_pattern_source(table, pattern));
    PlanningCost cost = TRY(measure_duckdb(workplace.session, source, options, clock, stop));
    const Counted listed = TRY(count(
        workplace.session, "SELECT count(*), 0::BIGINT FROM glob(" + quote_literal(pattern) + ")"));
    cost.listed_files = listed.first;
    return cost;
}

Result<PlanningCost> measure_list(const read::PlannedTable& table, const PlanningOptions& options,
                                  env::Clock& clock, const std::stop_token& stop) {
    const PlannedPaths planned = TRY(PlannedPaths::make(table));
    if (planned.paths().empty()) return PlanningCost{};
    Workplace workplace = TRY(Workplace::open(options.directory, options.limits));
    const DuckDbFiles files = TRY(DuckDbFiles::make(planned.paths(), workplace.directory.path()));
    return measure_duckdb(workplace.session,
                          sql_read_files(files.opened(), table.table.current().schema), options,
                          clock, stop);
}

Result<PlanningCost> measure_discovery(const read::PlannedTable& table,
                                       const PlanningOptions& options, env::Clock& clock,
                                       const std::stop_token& stop) {
    ArrowDataset arrow(options.directory, options.limits);
    PlanningCost cost;
    EngineLedger ledger;
    const auto plan = [&]() -> Result<void> {
        ledger = {};
        TRY(arrow.discover(table, ledger));
        return {};
    };
    cost.samples = TRY(measure(options, clock, stop, plan));
    cost.listed_files = ledger.listed_files;
    const EngineFacts facts = TRY(arrow.gather_facts(table, stop));
    for (const FileFacts& file : facts.files) {
        cost.rows += file.rows;
        cost.files += file.rows > 0 ? 1 : 0;
    }
    return cost;
}

}  // namespace

std::string_view to_text(PlanningMethod method) {
    switch (method) {
        case PlanningMethod::duckdb_pattern: return "duckdb_pattern";
        case PlanningMethod::duckdb_list: return "duckdb_list";
        case PlanningMethod::arrow_discovery: return "arrow_discovery";
    }
    return "unknown";
}

Result<PlanningCost> measure_planning(PlanningMethod method, const read::PlannedTable& table,
                                      const PlanningOptions& options, env::Clock& clock,
                                      std::stop_token stop) {
    const auto measured = [&]() -> Result<PlanningCost> {
        switch (method) {
            case PlanningMethod::duckdb_pattern:
                return measure_pattern(table, options, clock, stop);
            case PlanningMethod::duckdb_list: return measure_list(table, options, clock, stop);
            case PlanningMethod::arrow_discovery: break;
        }
        return measure_discovery(table, options, clock, stop);
    };
    PlanningCost cost = TRY(measured());
    cost.method = method;
    return cost;
}

}  // namespace highwater::engine
