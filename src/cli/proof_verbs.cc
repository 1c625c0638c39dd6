#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "cli/answers.h"
#include "cli/contract_options.h"
#include "cli/describe.h"
#include "cli/verbs.h"
#include "demo/story.h"
#include "read/explain.h"
#include "read/json.h"

namespace highwater::cli {

namespace {

Reply reply_of(const engine::Proof& proof) {
    const bool is_proved = proof.verdict.is_proved();
    std::uint64_t files = 0;
    std::uint64_t rows = 0;
    DigestSum fingerprint;
    for (const auto& table : proof.facts.tables) files += table.expected.size();
    for (const auto& table : proof.verdict.tables) {
        rows += table.expected_rows;
        if (!table.totals.empty()) fingerprint += table.totals.front().row_fingerprint;
    }
    Json tables = Json::array();
    for (const auto& table : proof.facts.tables) tables.push_back(table.table);
    Reply reply;
    reply.exit_code = is_proved ? ExitCode::ok : ExitCode::refused;
    reply.json = Json::object({{"verdict", is_proved ? "the same files and rows" : "not proved"},
                               {"is_proved", is_proved},
                               {"generation", catalog::format_token(proof.facts.generation)},
                               {"tables", std::move(tables)},
                               {"files", files},
                               {"rows", rows},
                               {"row_fingerprint", format_digest(to_digest(fingerprint))},
                               {"proof", engine::to_json(proof)}});
    reply.text = engine::format_proof(proof);
    return reply;
}

void add_prove(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<ContractOptions>();
    auto* prove = app.add_subcommand("prove", "two engines read the same files, or which differ");
    prove->add_option("--table", options->tables)->required();
    add_contract_options(*prove, *options);
    prove->footer(
        "DuckDB reads the registered entries, Arrow Dataset derives partitions from the pattern;\n"
        "every column is decoded. The raw pattern is read, too, and judged.\n"
        "Example:\n  highwater prove --table cpu --from 2026-10-06T09 --to 2026-10-06T10");
    prove->callback([&session, &action, options] {
        action = [&session, options]() -> Result<Reply> {
            embed::Archive& archive = *TRY(session.archive());
            const auto request = TRY(request_of(*options, options->tables));
            const auto proved = TRY(archive.prover().prove(request));
            if (!proved.proof) return reply_of_refusals(proved.refusals, proved.why);
            return reply_of(*proved.proof);
        };
    });
}

Reply reply_of(const embed::Verification& verification) {
    Reply reply;
    reply.exit_code = verification.is_clean() ? ExitCode::ok : ExitCode::refused;
    reply.json = embed::to_json(verification);
    reply.text = fmt::format(
        "{}: generation {}, {} tables, {} hours, {} registered objects, {} listed, {} digested\n",
        verification.is_clean() ? "clean" : "NOT clean",
        catalog::format_token(verification.generation), verification.tables, verification.hours,
        verification.registered_objects, verification.listed_objects,
        verification.digested_objects);
    for (const auto& found : verification.discrepancies) {
        reply.text += fmt::format("  {} {} {}: expected {}, observed {}\n",
                                  embed::to_text(found.kind), found.table,
                                  format_quoted(found.path, 4'096), found.expected, found.observed);
    }
    if (!verification.is_clean()) {
        reply.note = fmt::format("{} faults", verification.fault_count);
    }
    return reply;
}

void add_verify(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<embed::VerifyOptions>();
    auto table = std::make_shared<std::string>();
    auto offline = std::make_shared<bool>(false);
    auto* verify = app.add_subcommand("verify", "compare everything in the store with the catalog");
    verify->add_option("--table", *table, "this table alone");
    verify->add_flag("--full", options->full, "digest every object, not only suspicious ones");
    verify->add_flag("--offline", *offline, "prove the newest records, without the catalog");
    verify->footer("Example:\n  highwater verify --full\n  highwater verify --offline");
    verify->callback([&session, &action, options, table, offline] {
        action = [&session, options, table, offline]() -> Result<Reply> {
            if (*offline) {
                return reply_of(
                    TRY(embed::verify_offline(session.directory, options->full,
                                              session.world().random, session.world().stop)));
            }
            embed::Archive& archive = *TRY(session.archive());
            if (!table->empty()) options->table = *table;
            return reply_of(TRY(archive.verify(*options, session.progress())));
        };
    });
}

}  // namespace

void add_proof_verbs(CLI::App& app, Session& session, Action& action) {
    add_prove(app, session, action);
    add_verify(app, session, action);
}

void add_explain(CLI::App& app, Session& session, Action& action) {
    auto options = std::make_shared<ContractOptions>();
    auto hour = std::make_shared<std::string>();
    auto* explain = app.add_subcommand("explain", "what would be answered about an hour, and why");
    explain->add_option("--table", options->tables)->required();
    explain->add_option("--hour", *hour, "2026-10-06T09")->required();
    explain->add_option("--min-generation", options->min_generation, "a token or batch:TEXT");
    explain->add_option("--on-stale", options->on_stale)
        ->check(CLI::IsMember({"refresh", "direct_listing", "fail"}))
        ->capture_default_str();
    explain->footer("Example:\n  highwater explain --table cpu --hour 2026-10-06T09");
    explain->callback([&session, &action, options, hour] {
        action = [&session, options, hour]() -> Result<Reply> {
            const model::Hour wanted = TRY(model::parse_hour(*hour));
            options->from = model::format_hour(wanted);
            options->to = model::format_hour(model::next(wanted));
            embed::Archive& archive = *TRY(session.archive());
            const auto request = TRY(request_of(*options, options->tables));
            const auto explanation = TRY(archive.reader().explain(request, wanted));
            Reply reply;
            reply.json = read::to_json(explanation);
            for (const auto& layer : explanation.layers) {
                reply.text += fmt::format("{:<14} {}\n", layer.layer, layer.text);
            }
            for (const auto& why : explanation.next.why) reply.note += "  " + why.text + "\n";
            return reply;
        };
    });
}

void add_demo_verb(CLI::App& app, Session& session, Action& action) {
    auto seed = std::make_shared<std::uint64_t>(demo::StoryOptions{}.seed);
    auto* demo = app.add_subcommand("demo", "show what Highwater does, in a minute");
    demo->add_option("--seed", *seed, "of the generated telemetry")->capture_default_str();
    demo->footer(
        "Works in --dir, which must be empty or hold an earlier demonstration.\n"
        "Example:\n  highwater --dir /tmp/highwater-demo demo");
    demo->callback([&session, &action, seed] {
        action = [&session, seed]() -> Result<Reply> {
            World& world = session.world();
            std::ostream& out = session.is_json ? world.terminal.err : world.terminal.out;
            TRY(demo::tell_story({.program = world.program,
                                  .directory = session.directory,
                                  .acceptance = world.acceptance,
                                  .seed = *seed},
                                 out));
            Reply reply;
            reply.json = Json::object({{"evidence", session.directory + "/evidence"}});
            return reply;
        };
    });
}

}  // namespace highwater::cli
