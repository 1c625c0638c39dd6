#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "engine/proof.h"

namespace highwater::engine {

namespace {

using Kind = ProofProblemKind;

constexpr std::array kinds = {
    std::pair{Kind::engine_failed, std::string_view("engine_failed")},
    std::pair{Kind::file_unreadable, std::string_view("file_unreadable")},
    std::pair{Kind::file_not_seen, std::string_view("file_not_seen")},
    std::pair{Kind::file_not_discovered, std::string_view("file_not_discovered")},
    std::pair{Kind::file_unexpected, std::string_view("file_unexpected")},
    std::pair{Kind::file_not_planned, std::string_view("file_not_planned")},
    std::pair{Kind::row_count_differs, std::string_view("row_count_differs")},
    std::pair{Kind::fingerprint_differs, std::string_view("fingerprint_differs")},
    std::pair{Kind::engines_differ, std::string_view("engines_differ")},
};

using Expected = std::map<object::Name, const ExpectedFile*>;

Expected index_expected(const TableFacts& facts) {
    Expected expected;
    for (const ExpectedFile& file : facts.expected) expected.emplace(file.name, &file);
    return expected;
}

std::string show_rows(std::uint64_t rows) {
    return fmt::format("{} rows", rows);
}

/// Judges one table and writes down what is wrong.
class TableJudge {
public:
    TableJudge(const TableFacts& facts, std::vector<ProofProblem>& problems)
        : facts_(facts), expected_(index_expected(facts)), problems_(problems) {}

    void run() {
        for (const EngineFailure& failure : facts_.failures) {
            problems_.push_back({Kind::engine_failed,
                                 facts_.table,
                                 failure.engine,
                                 {},
                                 "facts",
                                 failure.error.message()});
        }
        if (facts_.engines.size() + facts_.failures.size() < 2) {
            problems_.push_back({Kind::engine_failed,
                                 facts_.table,
                                 {},
                                 {},
                                 "two engines",
                                 std::to_string(facts_.engines.size())});
        }
        for (const EngineFacts& engine : facts_.engines) {
            if (engine.discovered) compare_discovery(engine);
            compare_files(engine);
        }
        compare_engines();
    }

private:
    void add(Kind kind, const EngineFacts& engine, const object::Name& name, std::string expected,
             std::string observed) {
        problems_.push_back(
            {kind, facts_.table, engine.engine, name, std::move(expected), std::move(observed)});
    }

    /// What was discovered, unfiltered, is the manifest and known others.
    void compare_discovery(const EngineFacts& engine) {
        const std::set<object::Name> discovered(engine.discovered->begin(),
                                                engine.discovered->end());
        for (const auto& [name, file] : expected_) {
            if (discovered.contains(name)) continue;
            add(Kind::file_not_discovered, engine, name, "a file of the manifest", "no file");
        }
        for (const object::Name& name : discovered) {
            if (expected_.contains(name)) continue;
            if (std::ranges::binary_search(facts_.known_others, name)) continue;
            add(Kind::file_unexpected, engine, name, "a file of the manifest, or a known other",
                "a file that nobody registered");
        }
    }

    /// Every file of the manifest with its rows, and no other.
    void compare_files(const EngineFacts& engine) {
        std::set<object::Name> seen;
        for (const FileFacts& file : engine.files) {
            seen.insert(file.name);
            const auto expected = expected_.find(file.name);
            if (expected == expected_.end()) {
                add(Kind::file_not_planned, engine, file.name, "no rows", show_rows(file.rows));
            } else {
                compare_file(engine, *expected->second, file);
            }
        }
        for (const auto& [name, file] : expected_) {
            if (seen.contains(name)) continue;
            add(Kind::file_not_seen, engine, name, show_rows(file->rows), "no such file");
        }
    }

    void compare_file(const EngineFacts& engine, const ExpectedFile& expected,
                      const FileFacts& file) {
        if (file.failure) {
            return add(Kind::file_unreadable, engine, file.name, show_rows(expected.rows),
                       file.failure->message());
        }
        if (!file.footer_rows || (file.rows == 0 && expected.rows > 0)) {
            return add(Kind::file_not_seen, engine, file.name, show_rows(expected.rows),
                       file.footer_rows ? "no row" : "not opened");
        }
        if (file.rows != expected.rows || *file.footer_rows != expected.rows) {
            return add(
                Kind::row_count_differs, engine, file.name, show_rows(expected.rows),
                fmt::format("{}, {} by the footer", show_rows(file.rows), *file.footer_rows));
        }
        if (expected.row_fingerprint && file.row_fingerprint != *expected.row_fingerprint) {
            add(Kind::fingerprint_differs, engine, file.name,
                format_digest(*expected.row_fingerprint), format_digest(file.row_fingerprint));
        }
    }

    /// What is not registered can still be compared: with what the first engine saw.
    void compare_engines() {
        if (facts_.engines.empty()) return;
        std::map<object::Name, const FileFacts*> first;
        for (const FileFacts& file : facts_.engines.front().files) first.emplace(file.name, &file);
        for (std::size_t i = 1; i < facts_.engines.size(); ++i) {
            const EngineFacts& engine = facts_.engines[i];
            for (const FileFacts& file : engine.files) {
                const auto other = first.find(file.name);
                const auto expected = expected_.find(file.name);
                if (other == first.end() || other->second->failure || file.failure) continue;
                if (expected != expected_.end() && expected->second->row_fingerprint) continue;
                if (other->second->row_fingerprint == file.row_fingerprint) continue;
                add(Kind::engines_differ, engine, file.name,
                    format_digest(other->second->row_fingerprint),
                    format_digest(file.row_fingerprint));
            }
        }
    }

    const TableFacts& facts_;
    Expected expected_;
    std::vector<ProofProblem>& problems_;
};

EngineTotal sum_up(const EngineFacts& engine) {
    EngineTotal total;
    total.engine = engine.engine;
    DigestSum sum;
    for (const FileFacts& file : engine.files) {
        total.rows += file.rows;
        sum += to_digest_sum(file.row_fingerprint);
    }
    total.row_fingerprint = to_digest(sum);
    return total;
}

std::string describe_raw(const RawVerdict& verdict, std::size_t changed) {
    if (verdict.is_right) return "the pattern would have given the same rows";
    std::string why = "the pattern would have been wrong:";
    if (!verdict.extra.empty()) {
        why += fmt::format(" it reads {} files that are not of this generation,",
                           verdict.extra.size());
    }
    if (!verdict.missing.empty()) {
        why += fmt::format(" it misses {} files,", verdict.missing.size());
    }
    if (changed > 0) why += fmt::format(" {} files have other rows,", changed);
    why.pop_back();
    return why;
}

RawVerdict judge_raw(const TableFacts& facts) {
    const Expected expected = index_expected(facts);
    RawVerdict verdict;
    std::size_t changed = 0;
    std::set<object::Name> found;
    for (const FileFacts& file : facts.raw->files) {
        found.insert(file.name);
        verdict.rows += file.rows;
        const auto planned = expected.find(file.name);
        if (planned == expected.end()) {
            verdict.extra.push_back(file.name);
        } else if (file.rows != planned->second->rows ||
                   (planned->second->row_fingerprint &&
                    file.row_fingerprint != *planned->second->row_fingerprint)) {
            ++changed;
        }
    }
    for (const auto& [name, file] : expected) {
        if (!found.contains(name)) verdict.missing.push_back(name);
    }
    if (facts.raw->failure) {
        verdict.why = "the pattern would have failed: " + facts.raw->failure->message();
        return verdict;
    }
    verdict.is_right = verdict.extra.empty() && verdict.missing.empty() && changed == 0;
    verdict.why = describe_raw(verdict, changed);
    return verdict;
}

}  // namespace

std::string_view to_text(ProofProblemKind kind) {
    return std::ranges::find(kinds, kind, [](const auto& entry) { return entry.first; })->second;
}

ProofVerdict judge(const ProofFacts& facts) {
    ProofVerdict verdict;
    for (const TableFacts& table : facts.tables) {
        TableJudge(table, verdict.problems).run();
        TableVerdict& sums = verdict.tables.emplace_back();
        for (const ExpectedFile& file : table.expected) sums.expected_rows += file.rows;
        for (const EngineFacts& engine : table.engines) sums.totals.push_back(sum_up(engine));
        if (table.raw) sums.raw = judge_raw(table);
    }
    return verdict;
}

}  // namespace highwater::engine
