#include "engine/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/try.h"
#include "engine/duckdb_engine.h"
#include "engine/duckdb_sql.h"

namespace highwater::engine {

namespace {

/// The instants of the gap that lie in the plan's range.
model::TimeRange times_of(const Gap& gap, const model::TimeRange& range) {
    return {std::max(model::start_of(gap.hours.from), range.from),
            std::min(model::start_of(gap.hours.to), range.to)};
}

/// Joins neighbours; then, beyond `gaps_max`, those that are nearest to each other.
std::vector<Gap> find_gaps(const read::PlannedTable& table) {
    std::vector<model::Hour> hours = table.gaps;
    std::ranges::sort(hours);
    std::vector<Gap> gaps;
    for (const model::Hour hour : hours) {
        if (!gaps.empty() && gaps.back().hours.to == hour) {
            gaps.back().hours.to = model::next(hour);
        } else {
            gaps.push_back({table.table.name, {hour, model::next(hour)}});
        }
    }
    while (gaps.size() > gaps_max) {
        std::size_t nearest = 1;
        const auto distance = [&](std::size_t i) {
            return gaps[i].hours.from.since_epoch - gaps[i - 1].hours.to.since_epoch;
        };
        for (std::size_t i = 2; i < gaps.size(); ++i) {
            if (distance(i) < distance(nearest)) nearest = i;
        }
        gaps[nearest - 1].hours.to = gaps[nearest].hours.to;
        gaps.erase(gaps.begin() + static_cast<std::ptrdiff_t>(nearest));
    }
    return gaps;
}

std::string sql_hour(const std::string& time) {
    return fmt::format("date_trunc('hour', {})", time);
}

/// The rows of the planned files.
std::string sql_rows(const read::PlannedTable& table, const std::vector<std::string>& files) {
    const model::Schema& schema = table.table.current().schema;
    const std::string time = quote_identifier(schema.time_column);
    std::string columns;
    for (const model::Column& column : schema.columns) {
        columns += (files.empty() ? fmt::format("CAST(NULL AS {}) AS ", sql_type(column)) : "") +
                   quote_identifier(column.name) + ", ";
    }
    if (files.empty()) {
        return fmt::format("SELECT {} CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS hour WHERE false",
                           columns);
    }
    return fmt::format("SELECT {} {} AS hour FROM {} WHERE {} >= {} AND {} < {}", columns,
                       sql_hour(time), sql_read_files(files, schema), time,
                       sql_time(table.range.from), time, sql_time(table.range.to));
}

/// The names of all relations that a plan in JSON scans.
void collect_scans(const Json& node, std::vector<std::string>& tables) {
    if (const auto* array = node.find_array()) {
        for (const Json& element : *array) collect_scans(element, tables);
        return;
    }
    if (const Json* const info = node.find("extra_info")) {
        const Json* const table = info->find("Table");
        const std::string* const name = table == nullptr ? nullptr : table->find_string();
        if (name != nullptr) tables.push_back(*name);
    }
    if (const Json* const children = node.find("children")) collect_scans(*children, tables);
}

}  // namespace

std::string format_gap(const Gap& gap) {
    const model::Hour last{gap.hours.to.since_epoch - 1};
    if (gap.hours.from == last) {
        return fmt::format("table {}: the hour {} was never published", gap.table,
                           model::format_hour(last));
    }
    return fmt::format("table {}: the hours {} to {} were never published, or not all of them",
                       gap.table, model::format_hour(gap.hours.from), model::format_hour(last));
}

Result<std::string> Views::add_gap(Session& session, const read::PlannedTable& table,
                                   const Gap& gap) {
    const model::Schema& schema = table.table.current().schema;
    if (gaps_.empty()) TRY(session.run("CREATE SCHEMA gaps"));
    const std::string relation = fmt::format("gaps.gap_{}", gaps_.size());
    const std::string refusal = fmt::format("refuse_gap_{}", gaps_.size());
    const std::string time = quote_identifier(schema.time_column);
    const model::TimeRange times = times_of(gap, table.range);
    const model::Hour last{gap.hours.to.since_epoch - 1};
    // The last instant is a microsecond before the end, which is DuckDB's own step.
    TRY(session.run(
        fmt::format("CREATE TABLE {} AS SELECT {} AS instant, {} AS hour UNION ALL "
                    "SELECT {} - INTERVAL 1 MICROSECOND, {}",
                    relation, sql_time(times.from), sql_time(model::start_of(gap.hours.from)),
                    sql_time(times.to), sql_time(model::start_of(last)))));
    TRY(session.add_refusal(refusal, format_gap(gap)));
    gaps_.emplace("memory." + relation, gap);

    std::string columns;
    for (const model::Column& column : schema.columns) {
        columns += column.name == schema.time_column
                       ? fmt::format("instant AS {}, ", time)
                       : fmt::format("CAST({}() AS {}) AS {}, ", refusal, sql_type(column),
                                     quote_identifier(column.name));
    }
    return fmt::format("SELECT {} hour FROM {} WHERE {}() IS NOT NULL", columns, relation, refusal);
}

Result<void> Views::add(Session& session, const read::PlannedTable& table,
                        const std::vector<std::string>& files) {
    TRY(verify_duckdb_schema(table.table.current().schema));
    std::string sql = fmt::format("CREATE VIEW {} AS {}", quote_identifier(table.table.name),
                                  sql_rows(table, files));
    for (const Gap& gap : find_gaps(table)) {
        const model::TimeRange times = times_of(gap, table.range);
        if (times.is_empty()) continue;
        sql += " UNION ALL " + TRY(add_gap(session, table, gap));
    }
    return session.run(sql);
}

Result<void> Views::verify_avoids_gaps(Session& session, const std::string& sql) const {
    if (gaps_.empty()) return {};
    SessionCursor cursor = TRY(session.query("EXPLAIN (FORMAT JSON) " + sql));
    std::vector<std::string> scanned;
    while (const auto batch = TRY(cursor.next())) {
        for (std::size_t row = 0; row < batch->rows(); ++row) {
            const Json plan = TRY(parse_json(batch->columns.back().bytes_at(row)));
            collect_scans(plan, scanned);
        }
    }
    for (const std::string& table : scanned) {
        const auto gap = gaps_.find(table);
        if (gap == gaps_.end()) continue;
        return Error(Code::precondition_failed,
                     format_gap(gap->second) +
                         "; the query reaches into them, or its conditions on time do not exclude "
                         "them plainly enough");
    }
    return {};
}

}  // namespace highwater::engine
