#include "publish/report.h"

#include <algorithm>

namespace highwater::publish {

std::string_view to_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::undecided: return "undecided";
        case Verdict::accepted: return "accepted";
        case Verdict::rejected: return "rejected";
        case Verdict::repeated: return "repeated";
        case Verdict::conflict: return "conflict";
    }
    return "unknown";
}

std::string_view to_text(Check::Result result) {
    switch (result) {
        case Check::Result::passed: return "passed";
        case Check::Result::failed: return "failed";
        case Check::Result::skipped: return "skipped";
    }
    return "unknown";
}

std::string_view code_text(const GateReport& report) {
    return report.code ? to_text(*report.code) : to_text(report.verdict);
}

void add_findings(GateReport& report, const Findings& findings) {
    Check& check = report.check_of(findings.step());
    check.problem_count += findings.count();
    report.problem_count += findings.count();
    if (findings.is_empty()) {
        if (check.result == Check::Result::skipped) check.result = Check::Result::passed;
        return;
    }
    check.result = Check::Result::failed;
    report.verdict = Verdict::rejected;
    // A commit may find a problem of an early step after all steps passed.
    const auto after = std::ranges::upper_bound(
        report.problems, findings.step(), {}, [](const Problem& problem) { return problem.step; });
    report.problems.insert(after, findings.problems().begin(), findings.problems().end());
    if (report.problems.size() > problems_max) report.problems.resize(problems_max);
    report.code = report.problems.front().code;
}

}  // namespace highwater::publish
