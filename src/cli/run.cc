#include "cli/run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "cli/files.h"
#include "cli/verbs.h"

namespace highwater::cli {

namespace {

constexpr const char* version = "highwater 0.1.0";

constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 failed, 2 bad request, 3 try again, 4 refused, 5 rejected by the gate,\n"
    "            6 registered but not yet served, 7 conflict.\n"
    "'highwater VERB --help' shows an example for each verb.";

/// Shows one line that is overwritten as work goes on, and wiped at the end.
class ProgressLine {
public:
    explicit ProgressLine(std::ostream& err) : err_(err) {}
    ~ProgressLine() {
        if (width_ > 0) err_ << "\r" << std::string(width_, ' ') << "\r" << std::flush;
    }

    void show(const embed::ProgressReport& report) {
        std::string line = fmt::format("{} {}", report.step, report.done);
        if (report.total > 0) line += fmt::format(" of {}", report.total);
        const std::size_t blanks = width_ > line.size() ? width_ - line.size() : 0;
        err_ << "\r" << line << std::string(blanks, ' ') << std::flush;
        width_ = line.size();
    }

private:
    std::ostream& err_;
    std::size_t width_ = 0;
};

Json error_json(const Error& error) {
    return Json::object(
        {{"error", Json::object({{"code", to_text(error.code())}, {"message", error.message()}})}});
}

void tell(const Reply& reply, const Session& session, const Terminal& terminal) {
    if (session.is_json) {
        terminal.out << format_json(reply.json, 2) << "\n";
        return;
    }
    terminal.out << reply.text;
    if (!reply.text.empty() && !reply.text.ends_with('\n')) terminal.out << "\n";
    if (reply.note.empty() || (session.is_quiet && reply.exit_code == ExitCode::ok)) return;
    terminal.out.flush();
    terminal.err << reply.note << (reply.note.ends_with('\n') ? "" : "\n");
}

int fail(const Error& error, const Session& session, const Terminal& terminal) {
    terminal.err << "highwater: " << error.message() << "\n";
    if (session.is_json) terminal.out << format_json(error_json(error), 2) << "\n";
    return static_cast<int>(exit_code_of(error.code()));
}

void add_global_options(CLI::App& app, Session& session) {
    app.set_version_flag("--version", version);
    app.add_option("--dir", session.directory,
                   "the data directory (default: $HIGHWATER_DIR, else highwater-data)");
    app.add_option("--cache", session.cache_file,
                   "another metadata cache than the data directory's own");
    app.add_flag("--json", session.is_json, "answer with one JSON document");
    app.add_flag("--quiet", session.is_quiet, "no progress and no notes");
    app.footer(exit_codes);
    app.require_subcommand(1);
    app.fallthrough();
}

/// Prints help or version (exit code 0), or what is wrong with the command line (2).
int answer_parse_stop(const CLI::App& app, const CLI::ParseError& stop, const Session& session,
                      const Terminal& terminal) {
    const bool is_help = stop.get_exit_code() == 0;
    if (is_help) {
        app.exit(stop, terminal.out, terminal.err);
        return 0;
    }
    const auto unknown = app.remaining();
    // CLI11 misses a verb before it looks at what stands in its place.
    const bool is_unknown_verb = app.get_subcommands().empty() && !unknown.empty();
    if (is_unknown_verb) {
        return fail(Error(Code::invalid_argument,
                          fmt::format("there is no verb {} (see 'highwater --help')",
                                      format_quoted(unknown.front()))),
                    session, terminal);
    }
    return fail(Error(Code::invalid_argument,
                      fmt::format("{} (see 'highwater --help')", format_quoted(stop.what()))),
                session, terminal);
}

}  // namespace

Result<embed::Archive*> Session::archive() {
    if (!archive_) {
        // The folder of a cache file is synchronized, too, so a bare name needs one.
        if (!cache_file.empty()) cache_file = TRY(absolute_path(cache_file));
        archive_ = TRY(embed::Archive::open({.directory = directory,
                                             .cache_file = cache_file,
                                             .clock = world_.clock,
                                             .random = world_.random,
                                             .stop = world_.stop,
                                             .on_step = world_.on_step}));
    }
    return archive_.get();
}

embed::Progress Session::progress() {
    if (is_quiet || is_json || !world_.terminal.err_is_terminal) return nullptr;
    auto line = std::make_shared<ProgressLine>(world_.terminal.err);
    return [line](const embed::ProgressReport& report) { line->show(report); };
}

int run(std::span<const std::string> arguments, World& world) {
    Session session(world);
    session.directory = world.default_directory;
    CLI::App app(
        "A telemetry store whose every answer is complete for a named generation,\n"
        "or a typed refusal that says why.",
        "highwater");
    Action action;
    add_global_options(app, session);
    add_table_verbs(app, session, action);
    add_stage_verbs(app, session, action);
    add_publish_verbs(app, session, action);
    add_read_verbs(app, session, action);
    add_proof_verbs(app, session, action);
    add_status_verbs(app, session, action);
    add_demo_verb(app, session, action);

    std::vector<std::string> words(arguments.rbegin(), arguments.rend());
    // --json must hold for errors of the command line, too, which end parsing early.
    session.is_json = std::ranges::find(arguments, "--json") != arguments.end();
    try {
        app.parse(words);
    } catch (const CLI::ParseError& stop) {
        return answer_parse_stop(app, stop, session, world.terminal);
    }
    auto reply = action();
    if (!reply.ok()) return fail(reply.error(), session, world.terminal);
    tell(*reply, session, world.terminal);
    return static_cast<int>(reply->exit_code);
}

}  // namespace highwater::cli
