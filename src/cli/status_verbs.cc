#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/describe.h"
#include "cli/verbs.h"
#include "embed/waiter.h"

namespace highwater::cli {

namespace {

Json generation_json(const catalog::Generation& generation) {
    return Json::object({{"token", catalog::format_token(generation)},
                         {"number", generation.number},
                         {"chain", format_digest(generation.chain)}});
}

Json cache_json(embed::Archive& archive) {
    const auto snapshot = archive.cache().snapshot();
    Json json;
    json.set("is_warm", snapshot != nullptr);
    if (const auto discarded = archive.cache().discarded()) {
        json.set("discarded", Json::object({{"reason", cache::to_text(discarded->reason)},
                                            {"message", discarded->what}}));
    }
    if (!snapshot) return json;
    Json layers = Json::array();
    for (const auto layer : {cache::Layer::registrations, cache::Layer::listings}) {
        layers.push_back(Json::object(
            {{"layer", cache::to_text(layer)}, {"completed", snapshot->completed(layer)}}));
    }
    json.set("seen", catalog::format_token(snapshot->seen()))
        .set("completed", snapshot->completed())
        .set("as_of", format_time(snapshot->as_of()))
        .set("hours", snapshot->published_count())
        .set("objects", snapshot->object_count())
        .set("layers", std::move(layers));
    return json;
}

/// Intents that no publication has taken up: objects that wait, or were forgotten.
Result<Json> intents_json(embed::Archive& archive, const std::vector<catalog::Table>& tables) {
    Json intents = Json::array();
    for (const auto& table : tables) {
        for (const auto& intent : TRY(archive.journal().load_intents(table.id))) {
            const auto record = TRY(archive.catalog().find(
                {.kind = catalog::Catalog::By::Kind::batch, .text = intent.batch, .number = 0}));
            if (record) continue;
            intents.push_back(Json::object({{"table", table.name},
                                            {"batch", intent.batch},
                                            {"intent", format_uuid(intent.id)},
                                            {"objects", std::uint64_t{intent.paths.size()}},
                                            {"expires", format_time(intent.expires)}}));
        }
    }
    return intents;
}

Result<Reply> run_status(Session& session) {
    embed::Archive& archive = *TRY(session.archive());
    const auto view = TRY(archive.catalog().load_view({}));
    Json tables = Json::array();
    for (const auto& table : view.tables) tables.push_back(table.name);
    const Json intents = TRY(intents_json(archive, view.tables));
    Reply reply;
    reply.json = Json::object({{"directory", archive.layout().directory},
                               {"head", generation_json(view.generation)},
                               {"cache", cache_json(archive)},
                               {"tables", std::move(tables)},
                               {"waiting", intents}});
    const auto snapshot = archive.cache().snapshot();
    reply.text = fmt::format("head   {}\n", catalog::format_token(view.generation));
    reply.text += snapshot ? fmt::format("cache  completed {}, as of {}, {} hours, {} objects\n",
                                         snapshot->completed(), format_time(snapshot->as_of()),
                                         snapshot->published_count(), snapshot->object_count())
                           : "cache  cold: the next read or 'highwater refresh' fills it\n";
    reply.text += fmt::format("tables {}\n", view.tables.size());
    for (const Json& intent : *intents.find_array()) {
        reply.text += fmt::format("staged, not published: table {}, batch {}, expires {}\n",
                                  *intent.find("table")->find_string(),
                                  format_quoted(*intent.find("batch")->find_string()),
                                  *intent.find("expires")->find_string());
    }
    return reply;
}

Result<Reply> run_log(Session& session, std::uint64_t limit, bool with_attempts) {
    embed::Archive& archive = *TRY(session.archive());
    const auto head = TRY(archive.catalog().head());
    const std::uint64_t after = head.number > limit ? head.number - limit : 0;
    Json records = Json::array();
    std::vector<std::vector<std::string>> rows{
        {"generation", "time", "operation", "hours", "batch"}};
    for (const auto& record : TRY(archive.catalog().load_log(after, limit))) {
        records.push_back(to_json(record));
        rows.push_back({catalog::format_token(record.generation), format_time(record.time),
                        std::string(catalog::to_text(record.operation)),
                        std::to_string(record.partitions.size()), format_quoted(record.batch)});
    }
    Reply reply;
    reply.json =
        Json::object({{"head", generation_json(head)}, {"generations", std::move(records)}});
    reply.text = format_columns(rows);
    if (!with_attempts) return reply;
    Json attempts = Json::array();
    std::vector<std::vector<std::string>> tried{{"attempt", "time", "verdict", "batch"}};
    for (const auto& attempt : TRY(archive.journal().load_attempts(std::nullopt, limit))) {
        Json json = Json::object({{"id", attempt.id},
                                  {"batch", attempt.batch},
                                  {"number", attempt.number},
                                  {"accepted", attempt.accepted},
                                  {"code", attempt.code},
                                  {"time", format_time(attempt.time)}});
        json.set("report", TRY(parse_json(attempt.report_json)));
        attempts.push_back(std::move(json));
        tried.push_back({std::to_string(attempt.number), format_time(attempt.time), attempt.code,
                         format_quoted(attempt.batch)});
    }
    reply.json.set("attempts", std::move(attempts));
    reply.text += "\n" + format_columns(tried);
    return reply;
}

struct WaitOptions {
    std::string table;
    std::string hour;
    std::string generation;
    std::string timeout = "60s";
};

Result<Reply> run_wait(Session& session, const WaitOptions& options) {
    if (options.hour.empty() == options.generation.empty()) {
        return Error(Code::invalid_argument, "wait for --table and --hour, or for --generation");
    }
    embed::WaitFor what;
    what.table = options.table;
    what.timeout = TRY(parse_duration(options.timeout));
    if (!options.hour.empty()) what.hour = TRY(model::parse_hour(options.hour));
    if (!options.generation.empty()) {
        what.generation = TRY(catalog::parse_generation_ref(options.generation));
    }
    embed::Archive& archive = *TRY(session.archive());
    const auto generation =
        TRY(embed::wait_for(archive.catalog(), archive.clock(), what, session.world().stop));
    Reply reply;
    reply.json = Json::object({{"generation", catalog::format_token(generation)}});
    reply.text = "there: generation " + catalog::format_token(generation) + "\n";
    return reply;
}

void add_wait(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<WaitOptions>();
    auto* wait =
        app.add_subcommand("wait", "wait until an hour is published, or a generation is there");
    wait->add_option("--table", options->table);
    wait->add_option("--hour", options->hour, "2026-10-06T09");
    wait->add_option("--generation", options->generation, "a token, or batch:TEXT");
    wait->add_option("--timeout", options->timeout, "250ms, 30s, 5m; then exit code 3")
        ->capture_default_str();
    wait->footer("Example:\n  highwater wait --table cpu --hour 2026-10-06T09 --timeout 10m");
    wait->callback([&session, &action, options] {
        action = [&session, options] { return run_wait(session, *options); };
    });
}

}  // namespace

void add_status_verbs(CLI::App& app, Session& session, Action& action) {
    auto* status = app.add_subcommand("status", "head, cache, tables, what waits for publication");
    status->footer("Example:\n  highwater status --json");
    status->callback([&] { action = [&session] { return run_status(session); }; });

    auto limit = std::make_shared<std::uint64_t>(20);
    auto with_attempts = std::make_shared<bool>(false);
    auto* log = app.add_subcommand("log", "the newest generations, and attempts at the gate");
    log->add_option("--limit", *limit)->check(CLI::Range(1, 100'000))->capture_default_str();
    log->add_flag("--attempts", *with_attempts, "every passage through the gate, with its report");
    log->footer("Example:\n  highwater log --attempts");
    log->callback([&session, &action, limit, with_attempts] {
        action = [&session, limit, with_attempts] {
            return run_log(session, *limit, *with_attempts);
        };
    });
    add_wait(app, session, action);
    add_explain(app, session, action);
}

}  // namespace highwater::cli
