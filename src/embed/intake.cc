#include "embed/intake.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "base/try.h"
#include "embed/text_file.h"

namespace highwater::embed {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t rejects_size_max = std::uint64_t{4} << 30U;

/// The object name of a file that the user named: its folder, links resolved, and its own name.
Result<object::Name> name_of(const std::string& file) {
    std::error_code reason;
    const fs::path path = fs::canonical(file, reason);
    if (reason) {
        return Error(Code::not_found, format_quoted(file, 4'096) + ": " + reason.message());
    }
    return object::Name{path.parent_path().string(), path.filename().string()};
}

Result<std::vector<stage::Input>> inputs_of(const IntakeFiles& files) {
    std::vector<stage::Input> inputs;
    const auto add = [&inputs](const std::string& file, stage::Input::Kind kind) -> Result<void> {
        inputs.push_back({.file = TRY(name_of(file)), .kind = kind, .shown = file});
        return {};
    };
    for (const auto& file : files.csv) TRY(add(file, stage::Input::Kind::csv));
    for (const auto& file : files.parquet) TRY(add(file, stage::Input::Kind::parquet));
    if (inputs.empty()) return Error(Code::invalid_argument, "no input: give --csv or --parquet");
    return inputs;
}

Result<stage::InputOptions> options_of(const IntakeFiles& files) {
    stage::InputOptions options;
    const std::string delimiter = files.delimiter == "\\t" ? "\t" : files.delimiter;
    if (delimiter.size() != 1 ||
        std::string_view("\"\r\n").find(delimiter.front()) != std::string_view::npos) {
        return Error(Code::invalid_argument, "a delimiter is one character, no quote or line end");
    }
    options.delimiter = delimiter.front();
    options.names = files.names;
    options.left_out = files.left_out;
    for (const auto& text : files.labels) options.labels.push_back(TRY(stage::parse_label(text)));
    options.times.kind = TRY(stage::parse_time_kind(files.times));
    options.times.zone = TRY(stage::parse_zone(files.zone));
    options.times.truncate = files.truncate_times;
    return options;
}

/// Copies the rejects, when there are any, to where the user wants them.
Result<void> hand_out(object::Store& store, const object::Name& from, const std::string& to) {
    if (!TRY(store.head(from))) return {};
    return write_new_file(to, TRY(object::get(store, from, rejects_size_max)));
}

/// Removes a private folder when the work in it ends, however it ends.
class ScratchFolder {
public:
    explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

Result<model::Schema> Intake::infer_schema(const IntakeFiles& files, const std::string& time_column,
                                           model::TimeUnit unit) {
    return stage::infer_schema(parts_.store, TRY(inputs_of(files)), TRY(options_of(files)),
                               time_column, unit);
}

Result<stage::Staged> Intake::stage(const StageCommand& command, const Progress& progress) {
    const Uuid id = env::make_uuid(parts_.random);
    const Time now = parts_.clock.now();
    const ScratchFolder scratch(parts_.spill + "/" + format_uuid(id));
    stage::StageRequest request;
    request.table = command.table;
    request.batch = command.batch.value_or(fmt::format("{}-{}", command.table, format_uuid(id)));
    request.inputs = TRY(inputs_of(command.files));
    request.options = TRY(options_of(command.files));
    request.layout = command.layout;
    request.bad_lines_max = command.bad_lines_max;
    request.drop_identical = command.drop_identical;
    if (command.base_generation) {
        request.base_generation = TRY(catalog::parse_generation_ref(*command.base_generation));
    }
    TRY(verify_new_file(command.manifest_file));
    if (command.rejects_file) {
        TRY(verify_new_file(*command.rejects_file));
        request.rejects = object::Name{scratch.path(), "rejects.csv"};
    }
    request.scratch_root = scratch.path();
    request.memory = command.memory_bytes.value_or(stage::sort_memory_default);
    request.id = id;
    request.now = now;
    request.intent_lifetime = command.intent_lifetime;
    request.stop = parts_.stop;
    if (progress) {
        request.on_progress = [&progress](const stage::Progress& at) {
            const bool is_reading = at.objects_written == 0;
            progress({is_reading ? "rows read" : "objects written",
                      is_reading ? at.rows_read : at.objects_written, 0});
        };
    }
    stage::Stager stager(parts_.store, parts_.store, parts_.catalog, parts_.journal);
    auto staged = stager.stage(request);
    if (request.rejects) TRY(hand_out(parts_.store, *request.rejects, *command.rejects_file));
    if (!staged.ok() || !staged->manifest) return staged;
    const auto written =
        write_new_file(command.manifest_file, manifest::format_manifest(*staged->manifest));
    if (written.ok()) return staged;
    // Without its manifest nobody would ever name what was linked.
    TRY(abandon(command.table, format_uuid(staged->intent)).within("after the manifest failed"));
    return written.error();
}

Result<Adopted> Intake::adopt(const AdoptCommand& command, const Progress& progress) {
    std::error_code reason;
    const fs::path location = fs::canonical(command.location, reason);
    if (reason) {
        return Error(Code::not_found,
                     format_quoted(command.location, 4'096) + ": " + reason.message());
    }
    TRY(verify_new_file(command.manifest_file));
    stage::AdoptRequest request;
    request.root = location.string();
    request.table = command.name;
    request.batch = command.batch.value_or("adopt:" + command.name);
    request.time_column = command.time_column;
    if (command.pattern) request.pattern = TRY(model::PathPattern::parse(*command.pattern));
    if (progress) {
        request.on_progress = [&progress](std::size_t done, std::size_t total) {
            progress({"files checked", done, total});
        };
    }
    request.stop = parts_.stop;
    Adopted adopted;
    adopted.adoption = TRY(stage::plan_adoption(parts_.store, request));
    const std::string text = manifest::format_manifest(adopted.adoption.manifest);
    TRY(write_new_file(command.manifest_file, text));
    Tables tables(parts_.catalog, parts_.clock, parts_.random,
                  RecordKeeper(parts_.store, parts_.catalog, parts_.records));
    adopted.record = TRY(tables.adopt({.name = command.name,
                                       .location = request.root,
                                       .schema = adopted.adoption.schema,
                                       .pattern = adopted.adoption.pattern}));
    return adopted;
}

Result<stage::FileCheck> Intake::check_file(const std::string& file, const std::string& table,
                                            const std::optional<std::string>& hour) {
    const auto view = TRY(parts_.catalog.load_view({}));
    const auto found = TRY(find_table(view.tables, table));
    std::optional<model::Hour> wanted;
    if (hour) wanted = TRY(model::parse_hour(*hour));
    const auto reader = TRY(parts_.store.open(TRY(name_of(file))));
    return stage::check_file(*reader, found.current().schema, wanted);
}

Result<stage::Abandoned> Intake::abandon(const std::string& table,
                                         const std::string& batch_or_intent) {
    const auto view = TRY(parts_.catalog.load_view({}));
    const auto found = TRY(find_table(view.tables, table));
    stage::Cleaner cleaner(parts_.store, parts_.catalog, parts_.journal);
    const auto intent = parse_uuid(batch_or_intent);
    if (intent.ok()) return cleaner.abandon(found.id, *intent);
    return cleaner.abandon_batch(found.id, batch_or_intent);
}

Result<stage::Quarantined> Intake::quarantine(const std::string& table, model::Hour hour) {
    const auto view = TRY(parts_.catalog.load_view({}));
    const auto found = TRY(find_table(view.tables, table));
    stage::Cleaner cleaner(parts_.store, parts_.catalog, parts_.journal);
    return cleaner.quarantine(found, hour, parts_.clock.now());
}

}  // namespace highwater::embed
