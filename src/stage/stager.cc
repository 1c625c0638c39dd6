#include "stage/stager.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "base/try.h"
#include "stage/cleanup.h"
#include "stage/intake.h"
#include "stage/linker.h"
#include "stage/rejects.h"

namespace highwater::stage {

namespace {

std::string place_of(const object::Name& name) {
    return name.root + "/" + name.path;
}

/// What a writer of ours puts anywhere must not lie where a table's objects are looked for.
Result<void> verify_outside(const catalog::View& view, const std::string& place,
                            std::string_view what) {
    for (const catalog::Table& table : view.tables) {
        if (!place.starts_with(table.location + "/") && place != table.location) continue;
        return Error(Code::invalid_argument, "the " + std::string(what) + " would lie in table " +
                                                 table.name + " at " + table.location);
    }
    return {};
}

Result<void> verify_request(const StageRequest& request, const catalog::View& view) {
    TRY(catalog::verify_batch(request.batch));
    if (request.inputs.empty()) return Error(Code::invalid_argument, "no input");
    if (request.layout.rows_per_object == 0) {
        return Error(Code::invalid_argument, "an object needs at least one row");
    }
    if (request.memory < sort_memory_min) {
        return Error(Code::invalid_argument,
                     "less memory than " + std::to_string(sort_memory_min) + " bytes");
    }
    const char delimiter = request.options.delimiter;
    if (delimiter == '"' || delimiter == '\r' || delimiter == '\n') {
        return Error(Code::invalid_argument, "a delimiter that CSV uses otherwise");
    }
    TRY(verify_outside(view, request.scratch_root, "scratch space"));
    if (request.manifest) TRY(verify_outside(view, place_of(*request.manifest), "manifest"));
    if (request.rejects) TRY(verify_outside(view, place_of(*request.rejects), "rejects"));
    return {};
}

Result<catalog::Table> find_table(const catalog::View& view, const std::string& name) {
    for (const catalog::Table& table : view.tables) {
        if (table.name == name) return table;
    }
    return Error(Code::not_found, "no table '" + format_quoted(name) + "'");
}

std::vector<model::HourRange> ranges_of(const std::map<model::Hour, std::uint64_t>& hours) {
    std::vector<model::HourRange> ranges;
    for (const auto& [hour, rows] : hours) {
        if (!ranges.empty() && ranges.back().to == hour) {
            ranges.back().to = model::next(hour);
        } else {
            ranges.push_back({.from = hour, .to = model::next(hour)});
        }
    }
    return ranges;
}

std::optional<Refusal> find_bad_lines_refusal(const StageRequest& request, const Intake& intake) {
    const std::uint64_t count = intake.progress().bad_lines;
    if (count <= request.bad_lines_max) return std::nullopt;
    return Refusal{.kind = Refusal::Kind::bad_lines,
                   .why = std::to_string(count) + " bad lines, more than the " +
                          std::to_string(request.bad_lines_max) + " that may be left out",
                   .hours = {}};
}

/// One request on its way.
class Staging {
public:
    Staging(object::Store& store, object::Store& local, catalog::Catalog& catalog,
            catalog::Journal& journal, const StageRequest& request)
        : store_(store), local_(local), catalog_(catalog), journal_(journal), request_(request) {}

    Result<Staged> run() {
        const auto view = TRY(catalog_.load_view({}));
        table_ = TRY(find_table(view, request_.table));
        TRY(verify_request(request_, view));
        if (request_.manifest && TRY(local_.head(*request_.manifest))) {
            return Error(Code::already_exists,
                         "the manifest '" + request_.manifest->path + "' is there already");
        }
        const model::Schema& schema = table_->current().schema;
        Sorter sorter(schema, local_, request_.scratch_root,
                      {.memory = request_.memory,
                       .drop_identical = request_.drop_identical,
                       .stop = request_.stop});
        auto rejects = TRY(RejectFile::open(local_, request_.rejects));
        TRY(read(sorter, rejects));
        if (!staged_.refusal) TRY(refuse_published());
        TRY(staged_.refusal ? tell_bad_lines(rejects) : write(sorter, rejects));
        return std::move(staged_);
    }

private:
    /// Everything into the sorter; nothing becomes visible but runs.
    Result<void> read(Sorter& sorter, RejectFile& rejects) {
        Intake intake(request_, table_->current().schema, local_, sorter, rejects);
        TRY(intake.run());
        rows_of_hour_ = intake.rows_of_hour();
        progress_ = intake.progress();
        staged_.intent = request_.id;
        staged_.rows_read = progress_.rows_read;
        staged_.bad_lines = progress_.bad_lines;
        staged_.first_bad_lines = intake.take_first_bad_lines();
        staged_.gaps = find_gaps(rows_of_hour_);
        staged_.refusal = find_bad_lines_refusal(request_, intake);
        if (!staged_.refusal && rows_of_hour_.empty()) {
            staged_.refusal = Refusal{
                .kind = Refusal::Kind::no_rows, .why = "the inputs have no rows", .hours = {}};
        }
        if (!staged_.refusal) TRY(sorter.finish());
        staged_.runs_spilled = sorter.runs_spilled();
        return {};
    }

    Result<void> refuse_published() {
        if (request_.base_generation) return {};
        const auto view = TRY(catalog_.load_view(
            {.scopes = {{.table = table_->id, .hours = ranges_of(rows_of_hour_)}},
             .at = std::nullopt}));
        Refusal refusal{.kind = Refusal::Kind::hours_published, .why = "", .hours = {}};
        for (const auto& partition : view.partitions) {
            if (!partition->retired) refusal.hours.push_back(partition->key.hour);
        }
        if (refusal.hours.empty()) return {};
        refusal.why = "hour " + model::format_hour(refusal.hours.front()) +
                      (refusal.hours.size() == 1
                           ? std::string()
                           : " and " + std::to_string(refusal.hours.size() - 1) + " more") +
                      " already published; a correction names the generation that it is based on";
        staged_.refusal = std::move(refusal);
        return {};
    }

    /// Objects, intent, links, manifest; all of it, or all of it taken back.
    Result<void> write(Sorter& sorter, RejectFile& rejects) {
        const auto plan = TRY(plan_objects(rows_of_hour_, table_->pattern, request_.layout,
                                           request_.batch, request_.id));
        intent_ = {.id = request_.id,
                   .table = table_->id,
                   .batch = request_.batch,
                   .root = table_->location,
                   .paths = {},
                   .created = request_.now,
                   .expires = request_.now + request_.intent_lifetime};
        for (const PlannedObject& object : plan) intent_.paths.push_back(object.path);
        TRY(verify_unused());
        Linker linker(store_, *table_, plan, [this]() -> Result<void> {
            is_intended_ = true;
            return journal_.put_intent(intent_);
        });
        auto written = write_objects(sorter, linker);
        if (written.ok()) written = write_reports(rejects);
        if (written.ok()) return {};
        return is_intended_ ? take_back(written.error(), linker.linked()) : written.error();
    }

    /// The names hold the request's id, so this only fails when it was used before.
    Result<void> verify_unused() {
        for (const catalog::Intent& known : TRY(journal_.load_intents(table_->id))) {
            if (known.id != intent_.id) continue;
            return Error(Code::already_exists,
                         "the intent " + format_uuid(intent_.id) + " is there already");
        }
        const auto known = TRY(catalog_.find_names(table_->id, intent_.paths));
        if (known.empty()) return {};
        return Error(Code::conflict, "the name '" + known.front().path + "' was used before");
    }

    Result<void> write_objects(Sorter& sorter, Linker& linker) {
        while (true) {
            const auto batch = TRY(sorter.next());
            if (!batch) break;
            TRY(linker.add(*batch));
            staged_.rows_staged += batch->rows();
            tell(linker);
        }
        auto claims = TRY(linker.finish());
        tell(linker);
        staged_.rows_identical = sorter.rows_dropped();
        manifest::Manifest manifest{.table = table_->name,
                                    .batch_generation = request_.batch,
                                    .idempotency_key = std::nullopt,
                                    .base_generation = request_.base_generation,
                                    .schema_version = table_->current().version,
                                    .partitions = {}};
        for (auto& [hour, objects] : claims) {
            manifest.partitions.push_back({.hour = hour,
                                           .location = std::nullopt,
                                           .objects = std::move(objects),
                                           .declared_empty = std::nullopt});
        }
        staged_.manifest = std::move(manifest);
        return {};
    }

    Result<void> write_reports(RejectFile& rejects) {
        TRY(tell_bad_lines(rejects));
        if (!request_.manifest) return {};
        is_manifest_sent_ = true;
        auto put = object::put_new(local_, *request_.manifest,
                                   manifest::format_manifest(*staged_.manifest));
        if (put.ok()) return {};
        is_manifest_sent_ = put.error().code() != Code::already_exists;
        return put.error();
    }

    Result<void> tell_bad_lines(RejectFile& rejects) {
        const auto told = rejects.finish();
        if (told.ok() || told.error().code() != Code::outcome_unknown) return told;
        TRY(local_.remove(*request_.rejects));
        return Error(Code::unavailable, told.error().message());
    }

    void tell(const Linker& linker) {
        progress_.objects_written = linker.objects_written();
        progress_.hours_written = linker.hours_written();
        if (request_.on_progress) request_.on_progress(progress_);
    }

    /// Makes it as if nothing had been linked.
    Result<void> take_back(const Error& failure, const std::vector<std::string>& linked) {
        const auto taken_back = take_back_outputs(linked);
        if (!taken_back.ok()) {
            return Error(Code::outcome_unknown, failure.message() + "; taking back failed too (" +
                                                    taken_back.error().message() +
                                                    "): abandon intent " + format_uuid(intent_.id) +
                                                    " of batch '" + intent_.batch + "'");
        }
        // It was looked at: nothing is there, so the same request may be sent again.
        if (failure.code() != Code::outcome_unknown) return failure;
        return Error(Code::unavailable, failure.message());
    }

    Result<void> take_back_outputs(const std::vector<std::string>& linked) {
        if (request_.rejects && staged_.bad_lines > 0) TRY(local_.remove(*request_.rejects));
        // Until the manifest went out nobody but us knew these names.
        if (!is_manifest_sent_) {
            for (const std::string& path : linked) TRY(store_.remove({intent_.root, path}));
            return journal_.remove_intent(intent_.id);
        }
        TRY(local_.remove(*request_.manifest));
        TRY(Cleaner(store_, catalog_, journal_).abandon(intent_.table, intent_.id));
        return {};
    }

    object::Store& store_;
    object::Store& local_;
    catalog::Catalog& catalog_;
    catalog::Journal& journal_;
    const StageRequest& request_;
    std::optional<catalog::Table> table_;
    std::map<model::Hour, std::uint64_t> rows_of_hour_;
    Progress progress_;
    catalog::Intent intent_;
    bool is_intended_ = false;
    bool is_manifest_sent_ = false;  // Somebody may have read it.
    Staged staged_;
};

}  // namespace

std::string_view to_text(Refusal::Kind kind) {
    switch (kind) {
        case Refusal::Kind::bad_lines: return "bad_lines";
        case Refusal::Kind::hours_published: return "hours_published";
        case Refusal::Kind::no_rows: return "no_rows";
    }
    return "unknown";
}

Stager::Stager(object::Store& store, object::Store& local, catalog::Catalog& catalog,
               catalog::Journal& journal)
    : store_(store), local_(local), catalog_(catalog), journal_(journal) {}

Result<Staged> Stager::stage(const StageRequest& request) {
    return Staging(store_, local_, catalog_, journal_, request).run().within("stage");
}

}  // namespace highwater::stage
