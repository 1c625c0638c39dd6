#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "engine/proof.h"

namespace highwater::engine {

namespace {

// ---- writing -----------------------------------------------------------------------------------

Json to_json(const object::Name& name) {
    return Json::object({{"root", name.root}, {"path", name.path}});
}

Json to_json(const std::vector<object::Name>& names) {
    Json list = Json::array();
    for (const object::Name& name : names) list.push_back(to_json(name));
    return list;
}

Json to_json(const Error& error) {
    return Json::object({{"code", to_text(error.code())}, {"message", error.message()}});
}

Json to_json(const std::optional<Digest>& digest) {
    return digest ? Json(format_digest(*digest)) : Json();
}

Json to_json(const std::vector<FileFacts>& files) {
    Json list = Json::array();
    for (const FileFacts& file : files) {
        Json entry = to_json(file.name);
        entry.set("rows", file.rows);
        if (file.footer_rows) entry.set("footer_rows", *file.footer_rows);
        entry.set("row_fingerprint", format_digest(file.row_fingerprint));
        if (file.failure) entry.set("failure", to_json(*file.failure));
        list.push_back(std::move(entry));
    }
    return list;
}

Json to_json(const EngineFacts& facts) {
    Json json = Json::object({{"engine", facts.engine}});
    if (facts.discovered) json.set("discovered", to_json(*facts.discovered));
    json.set("files", to_json(facts.files));
    json.set("ledger", Json::object({{"listed_files", facts.ledger.listed_files},
                                     {"opened_files", facts.ledger.opened_files},
                                     {"reads", facts.ledger.reads},
                                     {"bytes_read", facts.ledger.bytes_read}}));
    return json;
}

Json to_json(const RawFacts& raw) {
    Json patterns = Json::array();
    for (const std::string& pattern : raw.patterns) patterns.push_back(pattern);
    Json json = Json::object({{"patterns", std::move(patterns)}, {"files", to_json(raw.files)}});
    if (raw.failure) json.set("failure", to_json(*raw.failure));
    return json;
}

Json to_json(const TableFacts& facts) {
    Json hours = Json::array();
    for (const model::Hour hour : facts.hours) hours.push_back(model::format_hour(hour));
    Json expected = Json::array();
    for (const ExpectedFile& file : facts.expected) {
        Json entry = to_json(file.name);
        entry.set("hour", model::format_hour(file.hour));
        entry.set("rows", file.rows);
        entry.set("row_fingerprint", to_json(file.row_fingerprint));
        expected.push_back(std::move(entry));
    }
    Json engines = Json::array();
    for (const EngineFacts& engine : facts.engines) engines.push_back(to_json(engine));
    Json failures = Json::array();
    for (const EngineFailure& failure : facts.failures) {
        Json entry = to_json(failure.error);
        entry.set("engine", failure.engine);
        failures.push_back(std::move(entry));
    }
    Json json = Json::object({{"table", facts.table},
                              {"hours", std::move(hours)},
                              {"expected", std::move(expected)},
                              {"known_others", to_json(facts.known_others)},
                              {"engines", std::move(engines)},
                              {"failures", std::move(failures)}});
    if (facts.raw) json.set("raw_pattern", to_json(*facts.raw));
    return json;
}

Json to_json(const ProofProblem& problem) {
    Json json = Json::object(
        {{"code", to_text(problem.kind)}, {"table", problem.table}, {"engine", problem.engine}});
    if (problem.name) json.set("file", to_json(*problem.name));
    json.set("expected", problem.expected);
    json.set("observed", problem.observed);
    return json;
}

Json to_json(const TableVerdict& verdict, const std::string& table) {
    Json totals = Json::array();
    for (const EngineTotal& total : verdict.totals) {
        totals.push_back(Json::object({{"engine", total.engine},
                                       {"rows", total.rows},
                                       {"row_fingerprint", format_digest(total.row_fingerprint)}}));
    }
    Json json = Json::object({{"table", table},
                              {"expected_rows", verdict.expected_rows},
                              {"totals", std::move(totals)}});
    if (verdict.raw) {
        json.set("raw_pattern", Json::object({{"is_right", verdict.raw->is_right},
                                              {"rows", verdict.raw->rows},
                                              {"extra", to_json(verdict.raw->extra)},
                                              {"missing", to_json(verdict.raw->missing)},
                                              {"why", verdict.raw->why}}));
    }
    return json;
}

}  // namespace

Json to_json(const Proof& proof) {
    Json tables = Json::array();
    for (const TableFacts& facts : proof.facts.tables) tables.push_back(to_json(facts));
    Json problems = Json::array();
    for (const ProofProblem& problem : proof.verdict.problems) {
        problems.push_back(to_json(problem));
    }
    Json sums = Json::array();
    for (std::size_t i = 0; i < proof.verdict.tables.size(); ++i) {
        sums.push_back(to_json(proof.verdict.tables[i], proof.facts.tables[i].table));
    }
    const catalog::Generation& generation = proof.facts.generation;
    return Json::object(
        {{"facts",
          Json::object({{"generation",
                         Json::object({{"epoch_ordinal", std::uint64_t{generation.epoch.ordinal}},
                                       {"epoch_random", generation.epoch.random},
                                       {"number", generation.number},
                                       {"chain", format_digest(generation.chain)}})},
                        {"tables", std::move(tables)}})},
         {"verdict", Json::object({{"is_proved", proof.verdict.is_proved()},
                                   {"problems", std::move(problems)},
                                   {"tables", std::move(sums)}})}});
}

// ---- for people ---------------------------------------------------------------------------------

namespace {

std::string format_engine(const EngineFacts& facts, const TableFacts& table) {
    std::string text =
        fmt::format("    {}: {} files opened, {} bytes in {} reads", facts.engine,
                    facts.ledger.opened_files, facts.ledger.bytes_read, facts.ledger.reads);
    if (!facts.discovered) return text + "\n";
    const auto others = std::ranges::count_if(*facts.discovered, [&](const object::Name& name) {
        return std::ranges::binary_search(table.known_others, name);
    });
    return text + fmt::format("; discovered {} files, {} of them of other generations\n",
                              facts.discovered->size(), others);
}

std::string format_table(const TableFacts& facts, const TableVerdict& verdict) {
    std::string text =
        fmt::format("  table {}: {} hours, {} files, {} rows\n", facts.table, facts.hours.size(),
                    facts.expected.size(), verdict.expected_rows);
    for (const EngineFacts& engine : facts.engines) text += format_engine(engine, facts);
    for (const EngineTotal& total : verdict.totals) {
        text += fmt::format("    {}: {} rows, fingerprint {}\n", total.engine, total.rows,
                            format_digest_prefix(total.row_fingerprint, 16));
    }
    if (verdict.raw) text += "    " + format_quoted(verdict.raw->why) + "\n";
    return text;
}

}  // namespace

std::string format_proof(const Proof& proof) {
    std::string text =
        proof.verdict.is_proved()
            ? fmt::format("proved at generation {}: both engines see the same files and rows\n",
                          catalog::format_token(proof.facts.generation))
            : fmt::format("not proved at generation {}: {} problems\n",
                          catalog::format_token(proof.facts.generation),
                          proof.verdict.problems.size());
    for (std::size_t i = 0; i < proof.facts.tables.size(); ++i) {
        text += format_table(proof.facts.tables[i], proof.verdict.tables[i]);
    }
    for (const ProofProblem& problem : proof.verdict.problems) {
        const std::string where = problem.name ? problem.name->path : "table " + problem.table;
        text += fmt::format("  {}: {}: {}, expected {}, found {}\n", to_text(problem.kind),
                            problem.engine, format_quoted(where), format_quoted(problem.expected),
                            format_quoted(problem.observed));
    }
    return text;
}

}  // namespace highwater::engine
