#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "publish/report.h"

namespace highwater::publish {

namespace {

constexpr std::size_t shown_problems_max = 20;

std::string headline(const GateReport& report) {
    std::string line = fmt::format("{}: batch generation '{}'", to_text(report.verdict),
                                   format_quoted(report.batch));
    if (report.code) line += fmt::format(", {}", to_text(*report.code));
    if (report.attempt != 0) line += fmt::format(", attempt {}", report.attempt);
    if (report.winner) line += fmt::format(", '{}' won", format_quoted(*report.winner));
    if (report.generation) {
        line += fmt::format(", generation {}", catalog::format_token(*report.generation));
    }
    return line + "\n";
}

std::string check_line(const GateReport& report, Step step) {
    const Check& check = report.check_of(step);
    std::string line = fmt::format("  {:>2}  {:<10} {:<8}", static_cast<unsigned>(step),
                                   to_text(step), to_text(check.result));
    if (check.problem_count > 0) line += fmt::format(" {}", check.problem_count);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string problem_lines(const Problem& problem) {
    std::string where = format_quoted(problem.path);
    if (!problem.table.empty()) where = format_quoted(problem.table) + ": " + where;
    std::string lines = fmt::format("  {}  {}\n", to_text(problem.code), where);
    if (!problem.expected.empty()) {
        lines += fmt::format("      expected  {}\n", format_quoted(problem.expected));
    }
    if (!problem.observed.empty()) {
        lines += fmt::format("      observed  {}\n", format_quoted(problem.observed));
    }
    return lines;
}

std::string cost_lines(const GateReport& report) {
    const object::Ledger& ledger = report.ledger;
    std::string text = fmt::format(
        "cost: {} lists, {} heads, {} gets, {} bytes read, {} catalog round trips, {:.6f} USD\n",
        ledger.lists, ledger.heads, ledger.gets, ledger.bytes_read, ledger.catalog_round_trips,
        ledger.estimated_usd());
    if (report.durations.empty()) return text;
    text += "time:";
    for (const StageDuration& stage : report.durations) {
        text += fmt::format(" {} {:.3f} ms", stage.stage,
                            static_cast<double>(stage.duration.count()) / 1e6);
        text += &stage == &report.durations.back() ? "\n" : ",";
    }
    return text;
}

}  // namespace

std::string format_report(const GateReport& report) {
    std::string text = headline(report);
    for (const Step step : steps) text += check_line(report, step);
    const InventoryCounts& counts = report.inventory;
    text += fmt::format(
        "objects: {} expected, {} observed, {} missing, {} unexpected, {} known others, {} kept, "
        "{} read (digests: {})\n",
        counts.expected, counts.observed, counts.missing, counts.unexpected, counts.known_others,
        counts.kept, counts.read, catalog::to_text(report.options.digest_policy));
    const std::size_t shown = std::min(report.problems.size(), shown_problems_max);
    for (std::size_t i = 0; i < shown; ++i) text += problem_lines(report.problems[i]);
    if (report.problem_count > shown) {
        text += fmt::format("  and {} more\n", report.problem_count - shown);
    }
    return text + cost_lines(report);
}

}  // namespace highwater::publish
