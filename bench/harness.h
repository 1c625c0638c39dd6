#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace highwater::bench {

/// How long each of many equal calls took.
class Samples {
public:
    /// Requires: at least one sample.
    explicit Samples(std::vector<double> seconds);

    std::size_t count() const { return sorted_.size(); }

    /// The smallest sample that at least `percent` percent of all samples do not exceed, in seconds
    /// (nearest rank, so always a time that was measured). Requires: 0 < percent <= 100.
    double percentile(double percent) const;

    double median() const { return percentile(50); }
    double total() const;

private:
    std::vector<double> sorted_;
};

/// How often `measure` calls.
struct Repeats {
    std::size_t warmups = 2;
    std::size_t measured = 20;
};

/// Times `call`, one sample a call; warm-up calls are not counted. Requires: measured > 0.
template <typename Call>
Samples measure(Repeats repeats, Call call) {
    using Clock = std::chrono::steady_clock;
    for (std::size_t i = 0; i < repeats.warmups; ++i) call();
    std::vector<double> seconds;
    seconds.reserve(repeats.measured);
    for (std::size_t i = 0; i < repeats.measured; ++i) {
        const auto start = Clock::now();
        call();
        seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return Samples(std::move(seconds));
}

/// Tells the optimizer that `value` is used, so that what made it is not thrown away.
template <typename T>
void keep(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

enum class Bar { none, at_most, at_least };

/// One figure, and what it is held against. `bar` means nothing for Bar::none.
struct Row {
    std::string name;  // "plan/47_hours/p95": what, of what, which statistic
    double measured = 0;
    std::string unit;
    Bar comparison = Bar::none;
    double bar = 0;
};

/// What one program measured, in the order in which it did.
class Report {
public:
    /// A figure that must not exceed `bar`.
    void add_at_most(std::string name, double measured, std::string unit, double bar);

    /// A figure that must reach `bar`.
    void add_at_least(std::string name, double measured, std::string unit, double bar);

    /// A figure that helps to read the others.
    void add_fact(std::string name, double measured, std::string unit);

    const std::vector<Row>& rows() const { return rows_; }

    /// One line a row: name, measured, unit, comparison ("none", "at most", "at least") and bar,
    /// separated by tabs. tools/bench reads it.
    void write(std::ostream& out) const;

private:
    void add(Row row);

    std::vector<Row> rows_;
};

/// What a benchmark program defines; the harness calls it once.
///
/// Bars that compare two things measure both in this run, in turns, and report the ratio: the
/// machine's mood cancels out.
void run(Report& report);

}  // namespace highwater::bench
