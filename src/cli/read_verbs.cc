#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "base/try.h"
#include "cli/answers.h"
#include "cli/contract_options.h"
#include "cli/describe.h"
#include "cli/verbs.h"
#include "engine/arrow_engine.h"
#include "engine/duckdb_engine.h"
#include "engine/query.h"
#include "read/json.h"

namespace highwater::cli {

namespace {

/// The tables of the catalog whose names stand in `sql` as whole words.
std::vector<std::string> find_named_tables(const std::vector<catalog::Table>& tables,
                                           const std::string& sql) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    std::vector<std::string> words;
    for (std::size_t at = 0; at < sql.size();) {
        const std::size_t start = at;
        while (at < sql.size() && is_word(sql[at])) ++at;
        if (at > start) words.push_back(sql.substr(start, at - start));
        if (at == start) ++at;
    }
    std::vector<std::string> named;
    for (const auto& table : tables) {
        if (std::ranges::find(words, table.name) != words.end()) named.push_back(table.name);
    }
    return named;
}

struct QueryOptions {
    ContractOptions contract;
    OutputOptions output;
    std::string sql;
    std::string memory = "1024";
    std::string timeout = "5m";
};

Result<Reply> run_sql(Session& session, const QueryOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    std::vector<std::string> tables = options.contract.tables;
    if (tables.empty()) tables = find_named_tables(TRY(archive.tables().list()), options.sql);
    if (tables.empty()) {
        return Error(Code::invalid_argument,
                     "the SQL names no table of the catalog ('highwater table list')");
    }
    const auto request = TRY(request_of(options.contract, tables));
    engine::QueryOptions query;
    query.directory = archive.layout().spill;
    query.timeout = TRY(parse_duration(options.timeout));
    query.limits = limits_of(options.output);
    const auto answered = TRY(archive.reader().answer(request, [&](const read::Plan& plan) {
        return engine::run_query(plan, options.sql, query, archive.clock(), session.world().stop);
    }));
    return reply_of(session, archive, answered, options.output);
}

struct ReadOptions {
    ContractOptions contract;
    OutputOptions output;
    std::string engine = "duckdb";
    std::vector<std::string> columns;
};

Result<Reply> run_read(Session& session, const ReadOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto request = TRY(request_of(options.contract, options.contract.tables));
    const auto limits = limits_of(options.output);
    engine::Scan scan;
    scan.columns = options.columns;
    const auto answered = TRY(archive.reader().answer(
        request, [&](const read::Plan& plan) -> Result<engine::ResultTable> {
            const std::string& directory = archive.layout().spill;
            if (options.engine == "arrow") {
                return engine::ArrowDataset(directory, limits)
                    .select_rows(plan.tables.front(), scan, session.world().stop);
            }
            return engine::DuckDb(archive.clock(), directory, limits)
                .select_rows(plan.tables.front(), scan, session.world().stop);
        }));
    return reply_of(session, archive, answered, options.output);
}

void add_output_options(CLI::App& verb, OutputOptions& options) {
    verb.add_option("--format", options.format, "table, csv, json, parquet, arrow")
        ->check(CLI::IsMember({"table", "csv", "json", "parquet", "arrow"}))
        ->capture_default_str();
    verb.add_option("--out", options.file, "a new file for the rows; needed for parquet and arrow");
    verb.add_option("--memory-mib", options.memory_mib, "what the engine may use")
        ->check(CLI::Range(64, 1'000'000))
        ->capture_default_str();
    verb.add_option("--rows-max", options.rows_max, "a larger answer is refused")
        ->capture_default_str();
    verb.add_option("--threads", options.threads)->check(CLI::Range(1, 256))->capture_default_str();
}

void add_query(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<QueryOptions>();
    auto* query = app.add_subcommand("query", "one SELECT over complete hours");
    query->add_option("--sql", options->sql, "one SELECT, DuckDB's dialect")->required();
    query->add_option("--table", options->contract.tables, "else the tables that the SQL names");
    query->add_option("--timeout", options->timeout)->capture_default_str();
    add_contract_options(*query, options->contract);
    add_output_options(*query, options->output);
    query->footer(
        "Each table is a view of its planned files, with the column \"hour\" beside its own. The\n"
        "statement can reach nothing else. Rows go to standard output, where they came from to\n"
        "standard error (or both into --json).\n"
        "Example:\n  highwater query --sql \"select hour, avg(load) from cpu group by hour\" \\\n"
        "      --from 2026-10-06T00 --to 2026-10-07T00");
    query->callback([&session, &action, options] {
        action = [&session, options] { return run_sql(session, *options); };
    });
}

void add_read(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<ReadOptions>();
    auto* read = app.add_subcommand("read", "the rows of complete hours");
    read->add_option("--table", options->contract.tables)->required()->expected(1);
    read->add_option("--column", options->columns, "these alone, in this order");
    read->add_option("--engine", options->engine, "duckdb or arrow")
        ->check(CLI::IsMember({"duckdb", "arrow"}))
        ->capture_default_str();
    add_contract_options(*read, options->contract);
    add_output_options(*read, options->output);
    read->footer(
        "Example:\n  highwater read --table cpu --from 2026-10-06T09 --to 2026-10-06T10 --format "
        "csv\n"
        "  highwater read --table cpu --all --min-generation batch:telemetry-47 --on-stale fail");
    read->callback([&session, &action, options] {
        action = [&session, options] { return run_read(session, *options); };
    });
}

}  // namespace

void add_read_verbs(CLI::App& app, Session& session, Action& action) {
    add_read(app, session, action);
    add_query(app, session, action);
    add_plan(app, session, action);
}

}  // namespace highwater::cli
