#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/describe.h"
#include "cli/intake_options.h"
#include "cli/verbs.h"

namespace highwater::cli {

namespace {

struct StageOptions {
    embed::StageCommand command;
    std::string batch;
    std::string base;
    std::string rejects;
    std::string expires = "24h";
    std::vector<std::string> objects_of_hour;
};

Result<embed::StageCommand> command_of(const StageOptions& options) {
    embed::StageCommand command = options.command;
    if (!options.batch.empty()) command.batch = options.batch;
    if (!options.base.empty()) command.base_generation = options.base;
    if (!options.rejects.empty()) command.rejects_file = options.rejects;
    command.intent_lifetime = TRY(parse_duration(options.expires));
    return command;
}

/// What was staged for each hour, as the manifest says.
Json hours_of(const manifest::Manifest& manifest) {
    Json partitions = Json::array();
    for (const auto& partition : manifest.partitions) {
        Json paths = Json::array();
        std::uint64_t rows = 0;
        for (const auto& object : partition.objects) {
            paths.push_back(object.path);
            rows += object.record_count;
        }
        partitions.push_back(Json::object({{"hour", model::format_hour(partition.hour)},
                                           {"objects", std::uint64_t{partition.objects.size()}},
                                           {"rows", rows},
                                           {"paths", std::move(paths)}}));
    }
    return partitions;
}

Json bad_lines_of(const stage::Staged& staged) {
    Json lines = Json::array();
    for (const auto& bad : staged.first_bad_lines) {
        lines.push_back(
            Json::object({{"file", bad.file}, {"line", bad.number}, {"reason", bad.reason}}));
    }
    return lines;
}

Json gaps_of(const stage::Staged& staged) {
    Json gaps = Json::array();
    for (const auto& gap : staged.gaps) {
        gaps.push_back(Json::object(
            {{"from", model::format_hour(gap.from)}, {"to", model::format_hour(gap.to)}}));
    }
    return gaps;
}

std::string describe_lines(const stage::Staged& staged) {
    std::string text;
    for (const auto& bad : staged.first_bad_lines) {
        text += fmt::format("{}:{}: {}\n", format_quoted(bad.file, 4'096), bad.number, bad.reason);
    }
    if (staged.bad_lines > staged.first_bad_lines.size()) {
        text += fmt::format("and {} more\n", staged.bad_lines - staged.first_bad_lines.size());
    }
    return text;
}

Reply reply_of_refusal(const stage::Staged& staged, Json json) {
    Reply reply;
    reply.exit_code = ExitCode::bad_request;
    json.set("refusal", Json::object({{"code", stage::to_text(staged.refusal->kind)},
                                      {"message", staged.refusal->why}}));
    reply.json = std::move(json);
    reply.note = describe_lines(staged) + "nothing was staged: " + staged.refusal->why;
    return reply;
}

Result<Reply> run_stage(Session& session, const StageOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    const auto command = TRY(command_of(options));
    const auto table = TRY(archive.tables().get(command.table));
    const auto staged = TRY(archive.intake().stage(command, session.progress()));
    Json json = Json::object({{"table", command.table},
                              {"location", table.location},
                              {"rows_read", staged.rows_read},
                              {"rows", staged.rows_staged},
                              {"rows_identical", staged.rows_identical},
                              {"bad_lines", staged.bad_lines},
                              {"first_bad_lines", bad_lines_of(staged)},
                              {"gaps", gaps_of(staged)}});
    if (staged.refusal) return reply_of_refusal(staged, std::move(json));

    const auto& manifest = *staged.manifest;
    std::uint64_t objects = 0;
    for (const auto& partition : manifest.partitions) objects += partition.objects.size();
    Reply reply;
    json.set("manifest", command.manifest_file)
        .set("batch", manifest.batch_generation)
        .set("intent", format_uuid(staged.intent))
        .set("hours", std::uint64_t{manifest.partitions.size()})
        .set("objects", objects)
        .set("partitions", hours_of(manifest));
    reply.json = std::move(json);
    reply.text =
        fmt::format("staged {} rows of {} hours as {} objects, batch {}\n", staged.rows_staged,
                    manifest.partitions.size(), objects, format_quoted(manifest.batch_generation));
    for (const auto& gap : staged.gaps) {
        reply.text += fmt::format("no rows from {} to {}\n", model::format_hour(gap.from),
                                  model::format_hour(gap.to));
    }
    reply.note = describe_lines(staged) + "readers see nothing of it until: highwater publish " +
                 format_quoted(command.manifest_file, 4'096);
    return reply;
}

Result<Reply> run_abandon(Session& session, const std::string& table, const std::string& batch) {
    embed::Archive& archive = *TRY(session.archive());
    const auto abandoned = TRY(archive.intake().abandon(table, batch));
    Json removed = Json::array();
    for (const auto& path : abandoned.removed) removed.push_back(path);
    Json kept = Json::array();
    for (const auto& path : abandoned.kept) kept.push_back(path);
    Reply reply;
    reply.json = Json::object({{"intents", std::uint64_t{abandoned.intents.size()}},
                               {"removed", std::move(removed)},
                               {"kept", std::move(kept)}});
    reply.text = fmt::format("removed {} objects, kept {} that a generation registered\n",
                             abandoned.removed.size(), abandoned.kept.size());
    return reply;
}

Result<Reply> run_quarantine(Session& session, const std::string& table, const std::string& hour) {
    embed::Archive& archive = *TRY(session.archive());
    const auto quarantined = TRY(archive.intake().quarantine(table, TRY(model::parse_hour(hour))));
    Json moved = Json::array();
    Reply reply;
    for (const auto& object : quarantined.moved) {
        const std::string place = object.to.root + "/" + object.to.path;
        moved.push_back(Json::object({{"path", object.path}, {"to", place}}));
        reply.text += fmt::format("{} -> {}\n", format_quoted(object.path, 4'096),
                                  format_quoted(place, 4'096));
    }
    Json left = Json::array();
    for (const auto& path : quarantined.intended) left.push_back(path);
    for (const auto& path : quarantined.immovable) {
        left.push_back(path);
        reply.note += "left: " + format_quoted(path, 4'096) + " is no regular file\n";
    }
    reply.json = Json::object({{"moved", std::move(moved)}, {"left", std::move(left)}});
    reply.text += fmt::format("{} objects moved out of readers' view\n", quarantined.moved.size());
    return reply;
}

void add_abandon(CLI::App& stage, Session& session, Action& action) {
    auto table = std::make_shared<std::string>();
    auto batch = std::make_shared<std::string>();
    auto* abandon = stage.add_subcommand("abandon", "remove what was staged and never published");
    abandon->add_option("BATCH", *batch, "a batch generation, or an intent's id")->required();
    abandon->add_option("--table", *table)->required();
    abandon->footer("Example:\n  highwater stage abandon telemetry-47 --table cpu");
    abandon->callback([&session, &action, table, batch] {
        action = [&session, table, batch] { return run_abandon(session, *table, *batch); };
    });
}

}  // namespace

void add_stage_verbs(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<StageOptions>();
    auto* stage = app.add_subcommand("stage", "make hour objects and a manifest from rows");
    stage->require_subcommand(0, 1);
    stage->fallthrough();
    auto& command = options->command;
    stage->add_option("--table", command.table, "the table that the rows are for");
    add_intake_options(*stage, command.files);
    stage->add_option("--out", command.manifest_file, "where the manifest goes");
    stage->add_option("--batch", options->batch, "batch generation; made up when not given");
    stage->add_option("--base", options->base, "restate published hours as of this generation");
    stage->add_option("--rows-per-object", command.layout.rows_per_object, "at most")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    stage->add_option("--objects-per-hour", command.layout.objects_per_hour, "at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    stage->add_option("--bad-lines-max", command.bad_lines_max, "lines that may be left out")
        ->capture_default_str();
    stage->add_option("--rejects", options->rejects, "a CSV file for the lines left out");
    stage->add_flag("--drop-identical", command.drop_identical, "of equal rows, stage one");
    stage->add_option("--expires", options->expires, "after this, nobody waits for a publication")
        ->capture_default_str();
    stage->footer(
        "Rows are sorted, cut into hours (UTC) and written where no reader looks; then they are\n"
        "linked into place, still unpublished.\n"
        "Example:\n  highwater stage --table cpu --csv web-*.csv --label host={stem} --out "
        "cpu.json");
    add_abandon(*stage, session, action);
    stage->callback([&session, &action, options, stage] {
        if (!stage->get_subcommands().empty()) return;
        if (options->command.table.empty() || options->command.manifest_file.empty()) {
            throw CLI::RequiredError("stage: --table and --out");
        }
        action = [&session, options] { return run_stage(session, *options); };
    });

    auto table = std::make_shared<std::string>();
    auto hour = std::make_shared<std::string>();
    auto* quarantine =
        app.add_subcommand("quarantine", "move stray objects of an hour out of readers' view");
    quarantine->add_option("--table", *table)->required();
    quarantine->add_option("--hour", *hour, "2026-10-06T09")->required();
    quarantine->footer(
        "Nothing that a generation registered or a live intent names is moved.\n"
        "Example:\n  highwater quarantine --table cpu --hour 2026-10-06T09");
    quarantine->callback([&session, &action, table, hour] {
        action = [&session, table, hour] { return run_quarantine(session, *table, *hour); };
    });
}

void add_intake_options(CLI::App& verb, embed::IntakeFiles& files) {
    verb.add_option("--csv", files.csv, "CSV files, with a header line");
    verb.add_option("--parquet", files.parquet, "Parquet files");
    verb.add_option("--label", files.labels, "KEY=VALUE or KEY={stem}: a column for every row");
    verb.add_option("--leave-out", files.left_out, "columns of the files that are not wanted");
    verb.add_option("--names", files.names, "of the columns, for CSV without a header line");
    verb.add_option("--delimiter", files.delimiter, "one character, or \\t")->capture_default_str();
    verb.add_option("--zone", files.zone, "of times without one: UTC, +02:00")
        ->capture_default_str();
    verb.add_option("--times", files.times, "how times are written: text, s, ms, us, ns")
        ->capture_default_str();
    verb.add_flag("--truncate-times", files.truncate_times, "drop digits beyond the table's unit");
}

}  // namespace highwater::cli
