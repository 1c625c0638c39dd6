#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/reply.h"
#include "cli/run.h"
#include "embed/archive.h"

namespace CLI {
class App;
}

namespace highwater::cli {

/// What every verb has at hand: the world it was given, the flags that hold for all verbs, and the
/// data directory, opened when a verb first needs it.
class Session {
public:
    explicit Session(World& world) : world_(world) {}

    /// The archive in `directory`. Errors: not_found, with the command that makes one.
    Result<embed::Archive*> archive();

    World& world() { return world_; }

    /// Shows progress of long work on `err`, when a terminal is there and nobody asked for quiet.
    embed::Progress progress();

    std::string directory;
    std::string cache_file;  // Empty: the data directory's own.
    bool is_json = false;
    bool is_quiet = false;

private:
    World& world_;
    std::unique_ptr<embed::Archive> archive_;
};

/// What a parsed verb will do; set by the verb's CLI11 callback, run once after parsing.
using Action = std::function<Result<Reply>()>;

/// Each adds its verbs to `app`; a verb that was named on the command line sets `action`.
void add_table_verbs(CLI::App& app, Session& session, Action& action);    // init, table
void add_stage_verbs(CLI::App& app, Session& session, Action& action);    // stage, quarantine
void add_publish_verbs(CLI::App& app, Session& session, Action& action);  // check, publish, refresh
void add_read_verbs(CLI::App& app, Session& session, Action& action);     // read, query, plan
void add_proof_verbs(CLI::App& app, Session& session, Action& action);    // prove, verify
void add_status_verbs(CLI::App& app, Session& session,
                      Action& action);  // status, log, explain, wait
void add_plan(CLI::App& app, Session& session, Action& action);
void add_explain(CLI::App& app, Session& session, Action& action);
void add_demo_verb(CLI::App& app, Session& session, Action& action);

}  // namespace highwater::cli
