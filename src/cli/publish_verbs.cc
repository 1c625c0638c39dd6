#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>

#include "base/text.h"
#include "base/try.h"
#include "cli/describe.h"
#include "cli/files.h"
#include "cli/verbs.h"
#include "publish/report.h"

namespace highwater::cli {

namespace {

struct PublishOptions {
    std::vector<std::string> manifests;
    std::string digests = "always";
    bool rehash = false;
};

Result<publish::Submission> load_submission(const PublishOptions& options) {
    publish::Options gate;
    gate.rehash = options.rehash;
    gate.digest_policy =
        options.digests == "never" ? catalog::DigestPolicy::never : catalog::DigestPolicy::always;
    std::vector<manifest::Parsed> parsed;
    for (const auto& file : options.manifests) {
        const std::string text = TRY(read_file(file, manifest::Limits{}.size_bytes_max));
        parsed.push_back(manifest::parse_manifest(text));
    }
    return publish::make_submission(std::move(parsed), gate);
}

publish::Watch watch_of(Session& session) {
    const auto progress = session.progress();
    const auto on_step = session.world().on_step;
    publish::Watch watch;
    watch.stop = session.world().stop;
    watch.progress = [progress, on_step](const publish::Progress& at) {
        if (on_step) on_step("gate." + std::string(at.step));
        if (progress) progress({at.step, at.done, at.total});
    };
    return watch;
}

Json confirmation_json(const publish::Confirmation& confirmation) {
    Json reasons = Json::array();
    for (const auto& reason : confirmation.reasons) {
        reasons.push_back(Json::object({{"reason", publish::to_text(reason.reason)},
                                        {"where", reason.where},
                                        {"expected", reason.expected},
                                        {"observed", reason.observed}}));
    }
    return Json::object({{"is_confirmed", confirmation.is_confirmed()},
                         {"reasons", std::move(reasons)},
                         {"superseded_hours", std::uint64_t{confirmation.superseded.size()}}});
}

double to_ms(Duration duration) {
    return static_cast<double>(duration.count()) / 1e6;
}

Json published_json(const embed::Published& published, const object::Ledger& ledger) {
    Json steps = Json(Json::Object{});
    for (const auto& step : published.durations) {
        if (steps.find(step.stage) == nullptr) {
            steps.set(std::string(step.stage), to_ms(step.duration));
        }
    }
    Json warnings = Json::array();
    for (const auto& warning : published.warnings) warnings.push_back(warning);
    Json json = Json::object({{"outcome", embed::to_text(published.outcome)},
                              {"batch", published.report.batch},
                              {"report", publish::to_json(published.report)},
                              {"steps_ms", std::move(steps)},
                              {"total_ms", to_ms(published.total)},
                              {"ledger", to_json(ledger)},
                              {"warnings", std::move(warnings)}});
    if (published.record) {
        json.set("generation", catalog::format_token(published.record->generation));
        json.set("record", to_json(*published.record));
    }
    if (published.confirmation)
        json.set("confirmation", confirmation_json(*published.confirmation));
    if (published.refresh) json.set("refresh", to_json(*published.refresh));
    if (published.failure) {
        json.set("failure", Json::object({{"code", to_text(published.failure->code())},
                                          {"message", published.failure->message()}}));
    }
    return json;
}

ExitCode exit_code_of(embed::PublishOutcome outcome) {
    switch (outcome) {
        case embed::PublishOutcome::rejected: return ExitCode::rejected;
        case embed::PublishOutcome::conflict: return ExitCode::conflict;
        case embed::PublishOutcome::served: return ExitCode::ok;
        case embed::PublishOutcome::registered_not_served: return ExitCode::registered_not_served;
    }
    return ExitCode::failed;
}

std::string headline_of(const embed::Published& published) {
    switch (published.outcome) {
        case embed::PublishOutcome::rejected:
            return "rejected: nothing became visible; mend it and publish the same manifest again";
        case embed::PublishOutcome::conflict:
            return fmt::format("conflict: batch {} came first, as generation {}",
                               format_quoted(published.record->batch),
                               catalog::format_token(published.record->generation));
        case embed::PublishOutcome::served:
            return fmt::format("served: generation {}",
                               catalog::format_token(published.record->generation));
        case embed::PublishOutcome::registered_not_served:
            return fmt::format(
                "registered as generation {}, not yet served: {}; 'highwater "
                "refresh', or the same publish again, finishes it",
                catalog::format_token(published.record->generation),
                published.failure ? published.failure->message() : "unconfirmed");
    }
    return "";
}

std::string note_outcome(embed::Archive& archive, const embed::Published& published) {
    const std::string outcome(embed::to_text(published.outcome));
    embed::MetricsFile::Change change;
    change.counters["highwater_publications_total{outcome=\"" + outcome + "\"}"] = 1;
    if (published.record) {
        change.gauges["highwater_head_generation"] =
            static_cast<double>(published.record->generation.number);
    }
    if (published.refresh) add_refresh(change, *published.refresh);
    return archive.note("publish",
                        Json::object({{"outcome", outcome},
                                      {"batch", published.report.batch},
                                      {"code", publish::code_text(published.report)},
                                      {"total_ms", to_ms(published.total)}}),
                        change);
}

Result<Reply> run_publish(Session& session, const PublishOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto submission = TRY(load_submission(options));
    embed::Published published = TRY(archive.publisher().publish(submission, watch_of(session)));
    const std::string not_noted = note_outcome(archive, published);
    if (!not_noted.empty()) published.warnings.push_back("not noted: " + not_noted);
    Reply reply;
    reply.exit_code = exit_code_of(published.outcome);
    reply.json = published_json(published, archive.ledger());
    reply.text = publish::format_report(published.report);
    reply.note = headline_of(published);
    for (const auto& warning : published.warnings) reply.note += "\nwarning: " + warning;
    return reply;
}

Result<Reply> run_check(Session& session, const PublishOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto submission = TRY(load_submission(options));
    const auto report = TRY(archive.publisher().check(submission, watch_of(session)));
    Reply reply;
    const bool is_accepted = report.verdict != publish::Verdict::rejected;
    reply.exit_code = is_accepted ? ExitCode::ok : ExitCode::rejected;
    reply.json = Json::object({{"report", publish::to_json(report)}});
    reply.text = publish::format_report(report);
    reply.note = is_accepted ? "would be accepted; nothing changed" : "would be rejected";
    return reply;
}

Result<Reply> run_check_file(Session& session, const std::string& file, const std::string& table,
                             const std::string& hour) {
    embed::Archive& archive = *TRY(session.archive());
    std::optional<std::string> wanted;
    if (!hour.empty()) wanted = hour;
    const auto check = TRY(archive.intake().check_file(file, table, wanted));
    const bool is_accepted = check.verdict == stage::FileVerdict::accepted;
    Json reasons = Json::array();
    Reply reply;
    reply.exit_code = is_accepted ? ExitCode::ok : ExitCode::rejected;
    reply.text = fmt::format("{}: {}\n", format_quoted(file, 4'096), stage::to_text(check.verdict));
    for (const auto& reason : check.reasons) {
        reasons.push_back(reason);
        reply.text += "  " + reason + "\n";
    }
    reply.note = check.advice;
    reply.json = Json::object({{"file", file},
                               {"verdict", stage::to_text(check.verdict)},
                               {"reasons", std::move(reasons)},
                               {"advice", check.advice},
                               {"record_count", check.facts.record_count},
                               {"created_by", check.facts.created_by}});
    if (check.scan) {
        reply.json.set("row_fingerprint", format_digest(check.scan->row_fingerprint));
        if (check.scan->min_time) reply.json.set("min_time", format_time(*check.scan->min_time));
        if (check.scan->max_time) reply.json.set("max_time", format_time(*check.scan->max_time));
    }
    return reply;
}

struct RefreshOptions {
    bool full = false;
    bool reload = false;
    std::string table;
    std::vector<std::string> hours;
};

Result<cache::RefreshRequest> request_of(embed::Archive& archive, const RefreshOptions& options) {
    cache::RefreshRequest request;
    request.reload = options.reload;
    if (options.table.empty()) {
        if (options.hours.empty()) return request;
        return Error(Code::invalid_argument, "--hour needs --table");
    }
    if (options.full) return Error(Code::invalid_argument, "--full and --table exclude each other");
    request.kind = cache::RefreshRequest::Kind::prefixes;
    catalog::Scope scope{TRY(archive.tables().get(options.table)).id, {}};
    for (const auto& text : options.hours) {
        const model::Hour hour = TRY(model::parse_hour(text));
        scope.hours.push_back({hour, model::next(hour)});
    }
    request.scopes = {scope};
    return request;
}

Result<Reply> run_refresh(Session& session, const RefreshOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto report = TRY(archive.cache().refresh(TRY(request_of(archive, options))));
    embed::MetricsFile::Change change;
    add_refresh(change, report);
    Reply reply;
    reply.json = to_json(report);
    reply.text = describe(report);
    const std::string not_noted = archive.note("refresh", reply.json, change);
    if (!not_noted.empty()) reply.note = "warning: not noted: " + not_noted;
    if (report.not_stored) {
        reply.note += "warning: the cache file was not written: " + report.not_stored->message();
    }
    return reply;
}

void add_gate_options(CLI::App& verb, PublishOptions& options) {
    verb.add_option("--digests", options.digests, "always, or never: footers alone are read")
        ->check(CLI::IsMember({"always", "never"}))
        ->capture_default_str();
    verb.add_flag("--rehash", options.rehash, "read kept objects again, too");
}

}  // namespace

void add_publish_verbs(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<PublishOptions>();
    auto* publish = app.add_subcommand("publish", "check, and make visible as one generation");
    publish->add_option("MANIFEST", options->manifests, "one for each table, one batch generation")
        ->required();
    add_gate_options(*publish, *options);
    publish->footer(
        "The same manifest may be published again: after a rejection it is judged anew, after a\n"
        "commit the first outcome is returned.\nExample:\n  highwater publish cpu.manifest.json");
    publish->callback([&session, &action, options] {
        action = [&session, options] { return run_publish(session, *options); };
    });

    auto file_table = std::make_shared<std::string>();
    auto file_hour = std::make_shared<std::string>();
    auto* check = app.add_subcommand("check", "say what the gate would say, and change nothing");
    check->add_option("FILE", options->manifests, "manifests, or with --table one Parquet file")
        ->required();
    check->add_option("--table", *file_table, "judge one Parquet file against this table");
    check->add_option("--hour", *file_hour, "with --table: the hour that its times must lie in");
    add_gate_options(*check, *options);
    check->footer(
        "Example:\n  highwater check cpu.manifest.json\n"
        "  highwater check upload.parquet --table cpu --hour 2026-10-06T09");
    check->callback([&session, &action, options, file_table, file_hour] {
        action = [&session, options, file_table, file_hour]() -> Result<Reply> {
            if (file_table->empty()) return run_check(session, *options);
            if (options->manifests.size() != 1) {
                return Error(Code::invalid_argument, "--table judges exactly one file");
            }
            return run_check_file(session, options->manifests.front(), *file_table, *file_hour);
        };
    });

    auto refresh_options = std::make_shared<RefreshOptions>();
    auto* refresh = app.add_subcommand("refresh", "bring the metadata cache up to the catalog");
    refresh->add_flag("--full", refresh_options->full, "everything that changed (the default)");
    refresh->add_option("--table", refresh_options->table, "of this table alone");
    refresh->add_option("--hour", refresh_options->hours, "and of these hours alone");
    refresh->add_flag("--reload", refresh_options->reload, "load it again even if nothing changed");
    refresh->footer(
        "Example:\n  highwater refresh\n  highwater refresh --table cpu --hour 2026-10-06T09");
    refresh->callback([&session, &action, refresh_options] {
        action = [&session, refresh_options] { return run_refresh(session, *refresh_options); };
    });
}

}  // namespace highwater::cli
