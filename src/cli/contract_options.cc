#include "cli/contract_options.h"

#include <CLI/CLI.hpp>

#include "base/try.h"

namespace highwater::cli {

namespace {

/// An end of the range: a time, an hour, or "published" for where the published hours end.
Result<std::optional<Time>> end_of(const std::string& text) {
    if (text.empty() || text == "published") return std::optional<Time>();
    const auto hour = model::parse_hour(text);
    if (hour.ok()) return std::optional(model::start_of(*hour));
    return std::optional(TRY(parse_time(text)));
}

Result<std::optional<catalog::GenerationRef>> reference_of(const std::string& text) {
    if (text.empty()) return std::optional<catalog::GenerationRef>();
    return std::optional(TRY(catalog::parse_generation_ref(text)));
}

}  // namespace

void add_contract_options(CLI::App& verb, ContractOptions& options) {
    verb.add_option("--from", options.from, "first instant: 2026-10-06T09, or RFC 3339");
    verb.add_option("--to", options.to, "first instant no more wanted, or: published");
    verb.add_flag("--all", options.all, "every published hour");
    verb.add_option("--min-generation", options.min_generation,
                    "a token or batch:TEXT: this one or newer");
    verb.add_option("--at-generation", options.at_generation, "exactly this one");
    verb.add_option("--max-staleness", options.max_staleness,
                    "the cache will do if it is no older: 30s, 5m");
    verb.add_flag("--any", options.any, "whatever the cache has; nothing is asked");
    verb.add_option("--on-stale", options.on_stale, "refresh, direct_listing or fail")
        ->check(CLI::IsMember({"refresh", "direct_listing", "fail"}))
        ->capture_default_str();
    verb.add_option("--wait", options.wait, "for a generation that is not there yet")
        ->capture_default_str();
    verb.add_flag("--allow-unpublished", options.allow_unpublished,
                  "answer without hours that are not published, and list them");
}

Result<read::Request> request_of(const ContractOptions& options,
                                 const std::vector<std::string>& tables) {
    const bool has_range = !options.from.empty() || !options.to.empty();
    if (options.all && has_range) {
        return Error(Code::invalid_argument, "--all and --from or --to exclude each other");
    }
    if (!options.all && (options.from.empty() || options.to.empty())) {
        return Error(Code::invalid_argument,
                     "which hours? give --from and --to, --to published, or --all");
    }
    read::Request request;
    for (const auto& table : tables) request.tables.push_back({.name = table, .id = {}});
    request.range = {TRY(end_of(options.from)), TRY(end_of(options.to))};
    request.min_generation = TRY(reference_of(options.min_generation));
    request.at_generation = TRY(reference_of(options.at_generation));
    if (!options.max_staleness.empty()) {
        request.max_staleness = TRY(parse_duration(options.max_staleness));
    }
    request.any = options.any;
    request.on_stale = *read::parse_on_stale(options.on_stale);
    request.wait_max = TRY(parse_duration(options.wait));
    request.allow_unpublished = options.allow_unpublished;
    TRY(read::verify_request(request));
    return request;
}

}  // namespace highwater::cli
