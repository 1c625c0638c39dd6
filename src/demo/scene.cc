#include "demo/scene.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/time.h"
#include "base/try.h"
#include "demo/facts.h"
#include "demo/write_file.h"

namespace highwater::demo {

namespace fs = std::filesystem;

namespace {

const std::string table = "telemetry";

/// Arguments that make one reader: a process with a metadata cache of its own.
std::vector<std::string> as_reader(const Scene& scene, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--cache", scene.directory() + "/reader.cache"});
    return arguments;
}

std::vector<std::string> stage_command(const Workload& workload,
                                       const std::vector<std::string>& files,
                                       const std::string& batch, const std::string& manifest) {
    std::vector<std::string> words{"stage",
                                   "--table",
                                   table,
                                   "--batch",
                                   batch,
                                   "--out",
                                   manifest,
                                   "--rows-per-object",
                                   std::to_string(workload.rows_per_object)};
    for (const auto& file : files) words.insert(words.end(), {"--csv", file});
    for (const auto& label : workload.labels) words.insert(words.end(), {"--label", label});
    return words;
}

std::vector<std::string> read_hour(model::Hour hour) {
    return {"query",
            "--sql",
            "select count(*) as row_count from " + table,
            "--from",
            model::format_hour(hour),
            "--to",
            model::format_hour(model::next(hour))};
}

std::uint64_t rows_before(const Workload& workload, model::Hour end) {
    std::uint64_t rows = 0;
    for (const auto& [hour, count] : workload.rows) rows += hour < end ? count : 0;
    return rows;
}

Error broken(const std::string& what) {
    return Error(Code::precondition_failed, "the story does not hold: " + what);
}

Result<void> expect_equal(std::string_view what, std::uint64_t answered, std::uint64_t counted) {
    if (answered == counted) return {};
    return broken(fmt::format("{}: answered {}, counted {}", what, answered, counted));
}

Result<void> publish_baseline(Scene& scene, const Workload& workload) {
    const std::string manifest = scene.directory() + "/baseline.manifest.json";
    TRY(scene.run("init", 0, {"init"}));
    std::vector<std::string> create{"table", "create", table, "--time-column",
                                    workload.time_column};
    for (const auto& file : workload.baseline) create.insert(create.end(), {"--csv", file});
    for (const auto& label : workload.labels) create.insert(create.end(), {"--label", label});
    TRY(scene.run("table", 0, create));
    const Json staged = TRY(scene.run(
        "stage-baseline", 0, stage_command(workload, workload.baseline, "telemetry-46", manifest)));
    const Json published = TRY(scene.run("publish-baseline", 0, {"publish", manifest}));
    const auto rows = TRY(number_at(staged, "rows"));
    TRY(expect_equal("rows staged", rows, rows_before(workload, workload.next)));
    scene.tell(fmt::format("{} hours are published", TRY(number_at(staged, "hours"))),
               fmt::format("{} objects, {} rows, together as generation {}",
                           format_count(TRY(number_at(staged, "objects"))), format_count(rows),
                           TRY(text_at(published, "generation"))));
    TRY(scene.run("reader-refresh", 0, as_reader(scene, {"refresh", "--full"})));
    return {};
}

/// A reader's answer about all that is published: what must not change by a rejection.
Result<Json> ask_everything(Scene& scene, std::string_view name) {
    return scene.run(name, 0,
                     as_reader(scene, {"query", "--sql",
                                       "select count(*) as row_count from " + table, "--all"}));
}

Result<std::string> essence_of(const Json& answer) {
    return fmt::format("{} rows at {}, inventory {}", TRY(number_at(answer, "rows.0.row_count")),
                       TRY(text_at(answer, "answer.generation")),
                       TRY(text_at(answer, "answer.inventory")).substr(0, 12));
}

/// Takes one object away, as an upload that is not finished; returns where it was and is.
struct HeldBack {
    fs::path place;
    fs::path held;

    Result<void> put_back() const {
        std::error_code reason;
        fs::rename(held, place, reason);
        if (reason) return Error(Code::unavailable, held.string() + ": " + reason.message());
        return {};
    }
};

Result<HeldBack> hold_back(const Scene& scene, const Json& staged) {
    const fs::path root = TRY(text_at(staged, "location"));
    HeldBack object{root / TRY(text_at(staged, "partitions.0.paths.0")),
                    fs::path(scene.directory()) / "held-back.parquet"};
    std::error_code reason;
    fs::rename(object.place, object.held, reason);
    if (reason) return Error(Code::unavailable, object.place.string() + ": " + reason.message());
    return object;
}

/// Publishes the next hour: rejected while an object is missing, then accepted. Returns its token.
Result<std::string> publish_next_hour(Scene& scene, const Workload& workload) {
    const std::string manifest = scene.directory() + "/next.manifest.json";
    const Json staged = TRY(scene.run(
        "stage-next", 0, stage_command(workload, workload.next_hour, "telemetry-47", manifest)));
    const HeldBack object = TRY(hold_back(scene, staged));
    const std::string before = TRY(essence_of(TRY(ask_everything(scene, "reader-before"))));
    const Json rejected = TRY(scene.run("gate-rejected", 5, {"publish", manifest}));
    const std::string during = TRY(essence_of(TRY(ask_everything(scene, "reader-during"))));
    if (before != during)
        return broken("the rejection changed an answer: " + before + "; " + during);
    scene.tell(
        "hour " + model::format_hour(workload.next) + " arrives with one object missing",
        fmt::format("the gate rejects it: {} {}", TRY(text_at(rejected, "report.problems.0.code")),
                    TRY(text_at(rejected, "report.problems.0.path"))));
    scene.add("readers still get " + during);
    const Json refused = TRY(scene.run("reader-unpublished", 4, read_hour(workload.next)));
    scene.add("who asks for that hour is refused: " + TRY(text_at(refused, "refusal.refused")) +
              ", not zero rows");

    TRY(object.put_back());
    const Json accepted = TRY(scene.run("gate-accepted", 0, {"publish", manifest}));
    const std::string token = TRY(text_at(accepted, "generation"));
    scene.tell("the object arrives, the same manifest is published again",
               fmt::format("attempt {} is accepted as generation {}, served after {:.0f} ms",
                           TRY(number_at(accepted, "report.attempt")), token,
                           TRY(real_at(accepted, "total_ms"))));
    return token;
}

Result<void> ask_stale_reader(Scene& scene, const Workload& workload, const std::string& token) {
    const Json status = TRY(scene.run("reader-cache", 0, as_reader(scene, {"status"})));
    scene.tell("a reader whose cache was not refreshed needs that generation",
               fmt::format("its cache completed generation {}, the catalog is at {}",
                           TRY(number_at(status, "cache.completed")),
                           TRY(number_at(status, "head.number"))));
    const auto ask = [&](std::string_view name, int exit_code, const char* on_stale) {
        auto words = read_hour(workload.next);
        words.insert(words.end(), {"--min-generation", token, "--on-stale", on_stale});
        return scene.run(name, exit_code, as_reader(scene, std::move(words)));
    };
    const Json failed = TRY(ask("reader-fail", 4, "fail"));
    const Json stale = TRY(find_fact(failed, "refusal.refusals.0"));
    scene.add(fmt::format("told to fail:     refused, {}: has {}, needs {}",
                          TRY(text_at(stale, "refusal")), TRY(text_at(stale, "have")),
                          TRY(text_at(stale, "need"))));
    for (const auto& [name, on_stale, words] :
         {std::tuple("reader-list", "direct_listing", "permitted to list:"),
          std::tuple("reader-refresh-answer", "refresh", "told to refresh:  ")}) {
        const Json answer = TRY(ask(name, 0, on_stale));
        const auto rows = TRY(number_at(answer, "rows.0.row_count"));
        TRY(expect_equal("rows of the next hour", rows, workload.rows.at(workload.next)));
        const Json provenance = TRY(find_fact(answer, "answer"));
        scene.add(fmt::format("{} {}, {} rows at {}", words,
                              TRY(text_at(provenance, "outcome.kind")), format_count(rows),
                              TRY(text_at(provenance, "generation"))));
    }
    return {};
}

Result<void> prove_same_files(Scene& scene, const Workload& workload) {
    const Json proof = TRY(scene.run("proof", 0, {"prove", "--table", table, "--all"}));
    const auto rows = TRY(number_at(proof, "rows"));
    TRY(expect_equal("rows proved", rows, rows_before(workload, model::next(workload.next))));
    scene.tell(
        "a second engine reads the same hours",
        fmt::format("DuckDB from registered entries, Arrow from the path pattern: {}, {} files, "
                    "{} rows, fingerprint {}",
                    TRY(text_at(proof, "verdict")), format_count(TRY(number_at(proof, "files"))),
                    format_count(rows), TRY(text_at(proof, "row_fingerprint")).substr(0, 12)));
    return {};
}

Result<void> lose_an_object(Scene& scene, const Workload& workload) {
    const Json plan =
        TRY(scene.run("plan-next", 0,
                      {"plan", "--table", table, "--from", model::format_hour(workload.next),
                       "--to", model::format_hour(model::next(workload.next)), "--files"}));
    const HeldBack object{TRY(text_at(plan, "files.0.name")),
                          fs::path(scene.directory()) / "held-back.parquet"};
    std::error_code reason;
    fs::rename(object.place, object.held, reason);
    if (reason) return Error(Code::unavailable, object.place.string() + ": " + reason.message());
    const Json refused = TRY(scene.run("object-lost", 4, read_hour(workload.next)));
    TRY(object.put_back());
    scene.tell("an object of a published hour vanishes for a moment",
               fmt::format("readers are refused: {}", TRY(text_at(refused, "refusal.text"))));
    return {};
}

Result<void> measure_planning(Scene& scene, const Workload& workload) {
    const Json measured =
        TRY(scene.run("planning", 0,
                      {"plan", "--table", table, "--from", model::format_hour(workload.next),
                       "--to", model::format_hour(model::next(workload.next)), "--measure", "50"}));
    scene.tell("what it costs to find the files of that hour",
               fmt::format("{:<28}{:>12}{:>12}{:>10}{:>10}", "method", "p50 us", "p95 us",
                           "requests", "listed"));
    const Json methods = TRY(find_fact(measured, "methods"));
    if (methods.find_array() == nullptr) return broken("the planning answer has no methods");
    for (const Json& method : *methods.find_array()) {
        scene.add(fmt::format("{:<28}{:>12.1f}{:>12.1f}{:>10}{:>10}",
                              TRY(text_at(method, "method")), TRY(real_at(method, "p50_us")),
                              TRY(real_at(method, "p95_us")), TRY(number_at(method, "requests")),
                              TRY(number_at(method, "listed_objects"))));
    }
    return {};
}

}  // namespace

Result<Json> Scene::run(std::string_view name, int exit_code, std::vector<std::string> arguments) {
    const Command command = TRY(shell_.expect(exit_code, std::move(arguments)));
    const Json kept = Json::object({{"command", command.line()},
                                    {"exit_code", std::int64_t{command.exit_code}},
                                    {"answer", command.answer}});
    TRY(write_file(fmt::format("{}/{:02}-{}.json", evidence_, ++kept_, name),
                   format_json(kept, 2)));
    return command.answer;
}

void Scene::tell(std::string_view what, std::string_view fact) {
    out_ << fmt::format("\n{:3}. {}\n     {}\n", ++step_, what, fact) << std::flush;
}

void Scene::add(std::string_view fact) {
    out_ << fmt::format("     {}\n", fact) << std::flush;
}

Result<void> play(Scene& scene, const Workload& workload) {
    TRY(publish_baseline(scene, workload));
    const std::string token = TRY(publish_next_hour(scene, workload));
    TRY(ask_stale_reader(scene, workload, token));
    TRY(prove_same_files(scene, workload));
    TRY(lose_an_object(scene, workload));
    TRY(measure_planning(scene, workload));
    return {};
}

}  // namespace highwater::demo
