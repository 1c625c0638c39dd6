#include "cli/answers.h"

#include <fmt/format.h>

#include <sstream>

#include "base/try.h"
#include "cli/describe.h"
#include "embed/text_file.h"
#include "engine/export.h"
#include "engine/format.h"
#include "read/json.h"

namespace highwater::cli {

namespace {

constexpr std::uint64_t json_rows_max = 10'000'000;  // A JSON document is made in memory.

std::string describe(const read::Provenance& provenance) {
    std::string text = fmt::format(
        "{} at generation {}: {} files, {} rows in scope, digests {}\n",
        read::to_text(provenance.outcome.kind), catalog::format_token(provenance.generation),
        provenance.files, provenance.rows_in_scope, catalog::to_text(provenance.digest_policy));
    for (const auto& table : provenance.tables) {
        for (const auto& gap : table.gaps) {
            text += fmt::format("left out, not published: {} {} to {}\n", table.name,
                                model::format_hour(gap.from), model::format_hour(gap.to));
        }
        for (const auto& empty : table.declared_empty) {
            text += fmt::format("declared empty: {} {} to {}\n", table.name,
                                model::format_hour(empty.from), model::format_hour(empty.to));
        }
    }
    for (const auto& why : provenance.why) text += "  " + why.text + "\n";
    return text;
}

Result<Json> rows_json(const engine::ResultTable& rows) {
    if (rows.row_count() > json_rows_max) {
        return Error(Code::exhausted,
                     "too many rows for one JSON document: use --format and --out");
    }
    std::ostringstream text;
    TRY(engine::write_text(rows, engine::TextFormat::json, text));
    return parse_json(text.str());
}

/// Writes the rows where the options say; the text for standard output when that is the place.
Result<std::string> write_rows(const engine::ResultTable& rows, const OutputOptions& options) {
    if (const auto format = engine::parse_file_format(options.format)) {
        if (options.file.empty()) {
            return Error(Code::invalid_argument,
                         "--format " + options.format + " needs --out FILE");
        }
        TRY(engine::write_file(rows, *format, options.file));
        return std::string();
    }
    std::ostringstream text;
    TRY(engine::write_text(rows, *engine::parse_text_format(options.format), text));
    if (options.file.empty()) return text.str();
    TRY(embed::write_new_file(options.file, text.str()));
    return std::string();
}

void note(embed::Archive& archive, const embed::Answered& answered, Reply& reply) {
    embed::MetricsFile::Change change;
    Json fields(Json::Object{});
    if (!answered.refusals.empty()) {
        const std::string name(read::name_of(answered.refusals.front()));
        change.counters["highwater_refusals_total{type=\"" + name + "\"}"] = 1;
        fields.set("refused", name).set("text", read::format_refusal(answered.refusals.front()));
    } else {
        const std::string kind(read::to_text(answered.provenance->outcome.kind));
        change.counters["highwater_answers_total{outcome=\"" + kind + "\"}"] = 1;
        fields.set("outcome", kind);
        fields.set("generation", catalog::format_token(answered.provenance->generation));
        fields.set("rows_in_scope", answered.provenance->rows_in_scope);
    }
    fields.set("ledger", to_json(answered.ledger));
    const auto counters = archive.cache().counters();
    change.counters["highwater_cache_hits_total"] = counters.hits;
    for (std::size_t i = 0; i < cache::miss_count; ++i) {
        if (counters.misses.at(i) == 0) continue;
        const std::string type(cache::to_text(static_cast<cache::Miss>(i)));
        change.counters["highwater_cache_misses_total{type=\"" + type + "\"}"] =
            counters.misses.at(i);
    }
    const std::string not_noted = archive.note("read", fields, change);
    if (!not_noted.empty()) reply.note += "warning: not noted: " + not_noted + "\n";
}

}  // namespace

engine::EngineLimits limits_of(const OutputOptions& options) {
    engine::EngineLimits limits;
    limits.memory_bytes = options.memory_mib << 20U;
    limits.threads = options.threads;
    limits.result.rows_max = options.rows_max;
    return limits;
}

Reply reply_of_refusals(const std::vector<read::Refusal>& refusals,
                        const std::vector<read::Why>& why) {
    Reply reply;
    const bool is_error = std::holds_alternative<read::Unavailable>(refusals.front());
    reply.exit_code = is_error ? ExitCode::try_again : ExitCode::refused;
    reply.json = Json::object({{"refusal", read::to_json(refusals)}, {"why", read::to_json(why)}});
    for (const auto& refusal : refusals) {
        reply.note += "refused: " + read::format_refusal(refusal) + "\n";
    }
    for (const auto& reason : why) reply.note += "  " + reason.text + "\n";
    return reply;
}

Result<Reply> reply_of(Session& session, embed::Archive& archive, const embed::Answered& answered,
                       const OutputOptions& options) {
    Reply reply;
    if (!answered.refusals.empty()) {
        reply = reply_of_refusals(answered.refusals, answered.why);
        reply.json.set("ledger", to_json(answered.ledger));
        note(archive, answered, reply);
        return reply;
    }
    reply.json = Json::object({{"answer", read::to_json(*answered.provenance)},
                               {"row_count", answered.rows->row_count()}});
    const bool is_inline = session.is_json && options.file.empty();
    if (is_inline) {
        reply.json.set("rows", TRY(rows_json(*answered.rows)));
    } else {
        reply.text = TRY(write_rows(*answered.rows, options));
    }
    if (!options.file.empty()) reply.json.set("file", options.file);
    reply.note = describe(*answered.provenance);
    note(archive, answered, reply);
    return reply;
}

}  // namespace highwater::cli
