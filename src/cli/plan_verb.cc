#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/answers.h"
#include "cli/contract_options.h"
#include "cli/describe.h"
#include "cli/verbs.h"
#include "read/json.h"

namespace highwater::cli {

namespace {

struct PlanOptions {
    ContractOptions contract;
    bool files = false;
    std::size_t measure = 0;
};

Json files_json(const read::Plan& plan) {
    Json files = Json::array();
    for (const auto& table : plan.tables) {
        for (const auto& file : table.files) {
            files.push_back(Json::object(
                {{"table", table.table.name},
                 {"hour", model::format_hour(file.hour)},
                 {"name", file.name.root + "/" + file.name.path},
                 {"size_bytes", file.identity.size_bytes},
                 {"record_count", file.record_count},
                 {"sha256", file.sha256 ? Json(format_digest(*file.sha256)) : Json()}}));
        }
    }
    return files;
}

std::string files_text(const read::Plan& plan) {
    std::string text;
    for (const auto& table : plan.tables) {
        for (const auto& file : table.files) text += file.name.root + "/" + file.name.path + "\n";
    }
    return text;
}

std::string describe(const read::Plan& plan) {
    std::vector<std::vector<std::string>> rows{{"table", "hour", "files", "rows", "inventory"}};
    for (const auto& table : plan.tables) {
        for (const auto& hour : table.hours) {
            const auto files = std::ranges::count(table.files, hour.hour, &read::PlannedFile::hour);
            rows.push_back(
                {table.table.name, model::format_hour(hour.hour), std::to_string(files),
                 hour.declared_empty ? "declared empty" : std::to_string(hour.record_count),
                 format_digest_prefix(hour.inventory, 12)});
        }
    }
    return format_columns(rows);
}

Result<Reply> run_plan(Session& session, const PlanOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto request = TRY(request_of(options.contract, options.contract.tables));
    const auto settled = TRY(archive.reader().settle(request));
    if (!settled.serve) return reply_of_refusals(settled.refusals, settled.why);
    const read::Plan& plan = settled.serve->plan;
    std::uint64_t files = 0;
    for (const auto& table : plan.tables) files += table.files.size();
    Reply reply;
    reply.json = Json::object({{"outcome", read::to_text(settled.serve->outcome.kind)},
                               {"generation", catalog::format_token(plan.generation)},
                               {"inventory", format_digest(plan.inventory)},
                               {"rows_in_scope", plan.rows_in_scope},
                               {"file_count", files},
                               {"why", read::to_json(settled.why)}});
    if (options.files) {
        reply.json.set("files", files_json(plan));
        reply.text = files_text(plan);
    } else {
        reply.json.set("plan", read::to_json(plan));
        reply.text = describe(plan);
    }
    reply.note = fmt::format("{} at generation {}: {} files, {} rows in scope",
                             read::to_text(settled.serve->outcome.kind),
                             catalog::format_token(plan.generation), files, plan.rows_in_scope);
    return reply;
}

double us(const Json& cost, std::string_view name) {
    return cost.find(name)->as_double();
}

Result<Reply> run_measure(Session& session, const PlanOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto request = TRY(request_of(options.contract, options.contract.tables));
    Json methods = Json::array();
    std::vector<std::vector<std::string>> rows{
        {"method", "p50 us", "p95 us", "requests", "listed", "files"}};
    for (const auto& cost :
         TRY(embed::measure_planning(archive.planning(), request, options.measure))) {
        Json json = embed::to_json(cost);
        rows.push_back({cost.method, fmt::format("{:.1f}", us(json, "p50_us")),
                        fmt::format("{:.1f}", us(json, "p95_us")), std::to_string(cost.requests),
                        std::to_string(cost.listed_objects), std::to_string(cost.files)});
        methods.push_back(std::move(json));
    }
    Reply reply;
    reply.json =
        Json::object({{"runs", std::uint64_t{options.measure}}, {"methods", std::move(methods)}});
    reply.text = format_columns(rows);
    return reply;
}

}  // namespace

void add_plan(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<PlanOptions>();
    auto* plan = app.add_subcommand("plan", "the files that a read would open, and no more");
    plan->add_option("--table", options->contract.tables)->required();
    plan->add_flag("--files", options->files, "one path a line, for other tools");
    plan->add_option("--measure", options->measure, "time every method of finding them, N times")
        ->check(CLI::Range(1, 10'000));
    add_contract_options(*plan, options->contract);
    plan->footer(
        "Example:\n  highwater plan --table cpu --from 2026-10-06T09 --to 2026-10-06T10 --files");
    plan->callback([&session, &action, options] {
        action = [&session, options] {
            return options->measure > 0 ? run_measure(session, *options)
                                        : run_plan(session, *options);
        };
    });
}

}  // namespace highwater::cli
