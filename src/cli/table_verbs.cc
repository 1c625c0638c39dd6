#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "catalog/table_json.h"
#include "cli/describe.h"
#include "cli/files.h"
#include "cli/intake_options.h"
#include "cli/verbs.h"

namespace highwater::cli {

namespace {

struct CreateOptions {
    std::string name;
    std::vector<std::string> columns;
    std::string time_column;
    std::string unit = "microsecond";
    embed::IntakeFiles like;
    std::string pattern;
    std::string fixed_date;
    std::string location;
};

Result<model::PathPattern> pattern_of(const CreateOptions& options) {
    if (options.pattern.empty()) return model::PathPattern::make_default();
    std::optional<std::string_view> fixed;
    if (!options.fixed_date.empty()) fixed = options.fixed_date;
    return model::PathPattern::parse(options.pattern, fixed);
}

Result<model::Schema> schema_of(Session& session, const CreateOptions& options) {
    model::Schema schema;
    schema.time_column = options.time_column;
    const auto unit = model::parse_time_unit(options.unit);
    if (!unit) {
        return Error(Code::invalid_argument,
                     "--unit is millisecond, microsecond or nanosecond, not " + options.unit);
    }
    schema.unit = *unit;
    if (!options.like.csv.empty() || !options.like.parquet.empty()) {
        if (!options.columns.empty()) {
            return Error(Code::invalid_argument,
                         "--column and --csv or --parquet exclude each other");
        }
        embed::Archive& archive = *TRY(session.archive());
        return archive.intake().infer_schema(options.like, options.time_column, *unit);
    }
    for (const auto& text : options.columns) {
        model::Column column = TRY(model::parse_column(text));
        column.id = static_cast<std::int32_t>(schema.columns.size() + 1);
        if (column.name == schema.time_column) column.nullable = false;
        schema.columns.push_back(std::move(column));
    }
    return schema;
}

Reply reply_of(const catalog::Table& table, const catalog::GenerationRecord& record) {
    Reply reply;
    reply.json = Json::object({{"table", catalog::to_json(table)},
                               {"generation", catalog::format_token(record.generation)}});
    reply.text = describe(table);
    reply.note = "generation " + catalog::format_token(record.generation);
    return reply;
}

Result<Reply> create_table(Session& session, const CreateOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    embed::TableDefinition definition;
    definition.name = options.name;
    definition.location = options.location.empty() ? archive.layout().objects + "/" + options.name
                                                   : TRY(absolute_path(options.location));
    definition.schema = TRY(schema_of(session, options));
    definition.pattern = TRY(pattern_of(options));
    const auto record = TRY(archive.tables().create(definition));
    return reply_of(TRY(archive.tables().get(options.name)), record);
}

Result<Reply> alter_table(Session& session, const std::string& name, const std::string& column) {
    embed::Archive& archive = *TRY(session.archive());
    const auto record = TRY(archive.tables().add_column(name, TRY(model::parse_column(column))));
    return reply_of(TRY(archive.tables().get(name)), record);
}

Result<Reply> show_table(Session& session, const std::string& name) {
    embed::Archive& archive = *TRY(session.archive());
    const auto table = TRY(archive.tables().get(name));
    const auto view = TRY(archive.catalog().load_view({.scopes = {{table.id, {}}}, .at = {}}));
    Json hours = Json::array();
    std::vector<std::vector<std::string>> rows{{"hour", "objects", "rows", "changed", "inventory"}};
    for (const auto& partition : view.partitions) {
        hours.push_back(to_json(*partition));
        rows.push_back(
            {model::format_hour(partition->key.hour),
             partition->retired ? "unpublished" : std::to_string(partition->objects.size()),
             std::to_string(partition->record_count()), std::to_string(partition->changed),
             format_digest_prefix(partition->inventory, 12)});
    }
    Reply reply;
    reply.json = Json::object({{"table", catalog::to_json(table)},
                               {"generation", catalog::format_token(view.generation)},
                               {"partitions", std::move(hours)}});
    reply.text = describe(table) + format_columns(rows);
    return reply;
}

Result<Reply> list_tables(Session& session) {
    embed::Archive& archive = *TRY(session.archive());
    Json tables = Json::array();
    std::vector<std::vector<std::string>> rows{{"table", "schema", "place"}};
    for (const auto& table : TRY(archive.tables().list())) {
        tables.push_back(catalog::to_json(table));
        rows.push_back({table.name, std::to_string(table.current().version), table.location});
    }
    Reply reply;
    reply.json = Json::object({{"tables", std::move(tables)}});
    reply.text =
        rows.size() == 1 ? "no tables: 'highwater table create --help'\n" : format_columns(rows);
    return reply;
}

Result<Reply> init(Session& session) {
    const auto generation = TRY(embed::Archive::init(session.directory, session.world().random));
    Reply reply;
    reply.json = Json::object({{"directory", session.directory},
                               {"epoch", catalog::format_epoch(generation.epoch)},
                               {"generation", catalog::format_token(generation)}});
    reply.text = "made " + format_quoted(session.directory, 4'096) + ", epoch " +
                 catalog::format_epoch(generation.epoch);
    return reply;
}

void add_create(CLI::App& table, Session& session, Action& action) {
    auto options = std::make_shared<CreateOptions>();
    auto* create = table.add_subcommand("create", "make a table");
    create->add_option("NAME", options->name, "letters, digits, underscores")->required();
    create->add_option("--column", options->columns, "NAME:TYPE, with ! when never null; in order");
    create->add_option("--time-column", options->time_column, "the timestamp column");
    create->add_option("--unit", options->unit, "of times: millisecond, microsecond, nanosecond")
        ->capture_default_str();
    add_intake_options(*create, options->like);
    create->add_option("--pattern", options->pattern, "of hours, 'hour={YYYY-MM-DD}T{HH}'");
    create->add_option("--fixed-date", options->fixed_date, "of a pattern without a date");
    create->add_option("--location", options->location, "a folder; default: in the data directory");
    create->footer(
        "Example:\n  highwater table create cpu --time-column ts --column ts:timestamp! \\\n"
        "      --column host:string --column load:float64\n"
        "  highwater table create cpu --csv cpu.csv --time-column timestamp   # columns as in the "
        "file");
    create->callback([&session, &action, options] {
        action = [&session, options] { return create_table(session, *options); };
    });
}

struct AdoptOptions {
    embed::AdoptCommand command;
    std::string time_column;
    std::string pattern;
    std::string batch;
};

std::string join(const std::vector<std::string>& texts) {
    std::string joined;
    for (const auto& text : texts) joined += (joined.empty() ? "" : "; ") + text;
    return joined;
}

Result<Reply> run_adopt(Session& session, const AdoptOptions& options) {
    embed::Archive& archive = *TRY(session.archive());
    embed::AdoptCommand command = options.command;
    if (!options.time_column.empty()) command.time_column = options.time_column;
    if (!options.pattern.empty()) command.pattern = options.pattern;
    if (!options.batch.empty()) command.batch = options.batch;
    const auto adopted = TRY(archive.intake().adopt(command, session.progress()));
    Reply reply = reply_of(TRY(archive.tables().get(command.name)), adopted.record);
    std::uint64_t objects = 0;
    for (const auto& hour : adopted.adoption.manifest.partitions) objects += hour.objects.size();
    const std::uint64_t hours = adopted.adoption.manifest.partitions.size();
    Json refused = Json::array();
    for (const auto& file : adopted.adoption.refused) {
        refused.push_back(Json::object(
            {{"path", file.path}, {"reason", join(file.reasons)}, {"advice", file.advice}}));
        reply.note += fmt::format("\nnot adoptable: {}: {}; {}", format_quoted(file.path, 4'096),
                                  join(file.reasons), file.advice);
    }
    reply.json.set("manifest", command.manifest_file)
        .set("hours", hours)
        .set("objects", objects)
        .set("not_adoptable", std::move(refused));
    reply.text += fmt::format(
        "{} hours with {} objects can be adopted; readers see them after: "
        "highwater publish {}\n",
        hours, objects, format_quoted(command.manifest_file, 4'096));
    return reply;
}

void add_adopt(CLI::App& table, Session& session, Action& action) {
    auto options = std::make_shared<AdoptOptions>();
    auto* adopt =
        table.add_subcommand("adopt", "register an existing Parquet lake, without copying");
    adopt->add_option("NAME", options->command.name)->required();
    adopt->add_option("--location", options->command.location, "the folder of the lake")
        ->required();
    adopt->add_option("--out", options->command.manifest_file, "where the manifest goes")
        ->required();
    adopt->add_option("--time-column", options->time_column, "else the only timestamp column");
    adopt->add_option("--pattern", options->pattern, "of hours; else guessed from the paths");
    adopt->add_option("--batch", options->batch, "batch generation of the manifest");
    adopt->footer(
        "Every file is decoded; what a table cannot hold is listed with the advice to stage it.\n"
        "Example:\n  highwater table adopt flights --location /lake/flights --out flights.json\n"
        "  highwater publish flights.json");
    adopt->callback([&session, &action, options] {
        action = [&session, options] { return run_adopt(session, *options); };
    });
}

}  // namespace

void add_table_verbs(CLI::App& app, Session& session, Action& action) {
    auto* made = app.add_subcommand("init", "make a data directory with an empty catalog");
    made->footer("Example:\n  highwater --dir telemetry init");
    made->callback([&] { action = [&session] { return init(session); }; });

    auto* table = app.add_subcommand("table", "create, adopt, alter, show, list tables");
    table->require_subcommand(1);
    table->fallthrough();
    add_create(*table, session, action);
    add_adopt(*table, session, action);

    auto name = std::make_shared<std::string>();
    auto column = std::make_shared<std::string>();
    auto* alter = table->add_subcommand("alter", "add a nullable column");
    alter->add_option("NAME", *name)->required();
    alter->add_option("--add-column", *column, "NAME:TYPE")->required();
    alter->footer("Example:\n  highwater table alter cpu --add-column zone:string");
    alter->callback([&session, &action, name, column] {
        action = [&session, name, column] { return alter_table(session, *name, *column); };
    });

    auto* show = table->add_subcommand("show", "one table, its columns and its hours");
    show->add_option("NAME", *name)->required();
    show->footer("Example:\n  highwater table show cpu");
    show->callback([&session, &action, name] {
        action = [&session, name] { return show_table(session, *name); };
    });

    auto* list = table->add_subcommand("list", "every table");
    list->footer("Example:\n  highwater table list --json");
    list->callback([&] { action = [&session] { return list_tables(session); }; });
}

}  // namespace highwater::cli
