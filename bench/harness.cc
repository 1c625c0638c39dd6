#include "harness.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <utility>

namespace highwater::bench {
namespace {

// A benchmark that is wrong in itself ends at once, in every build.
void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "bench: %s\n", what);
    std::abort();
}

const char* word(Bar comparison) {
    switch (comparison) {
        case Bar::none: return "none";
        case Bar::at_most: return "at most";
        case Bar::at_least: return "at least";
    }
    return "none";
}

std::string format_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

}  // namespace

Samples::Samples(std::vector<double> seconds) : sorted_(std::move(seconds)) {
    require(!sorted_.empty(), "no sample was taken");
    std::ranges::sort(sorted_);
}

double Samples::percentile(double percent) const {
    require(percent > 0 && percent <= 100, "a percentile is above 0 and at most 100");
    const double rank = std::ceil(percent / 100 * static_cast<double>(sorted_.size()));
    return sorted_[static_cast<std::size_t>(rank) - 1];
}

double Samples::total() const {
    return std::accumulate(sorted_.begin(), sorted_.end(), 0.0);
}

void Report::add_at_most(std::string name, double measured, std::string unit, double bar) {
    add({std::move(name), measured, std::move(unit), Bar::at_most, bar});
}

void Report::add_at_least(std::string name, double measured, std::string unit, double bar) {
    add({std::move(name), measured, std::move(unit), Bar::at_least, bar});
}

void Report::add_fact(std::string name, double measured, std::string unit) {
    add({std::move(name), measured, std::move(unit), Bar::none, 0});
}

void Report::add(Row row) {
    require(std::isfinite(row.measured), "a figure is finite");
    require(row.comparison == Bar::none || row.bar > 0, "a bar is positive");
    rows_.push_back(std::move(row));
}

void Report::write(std::ostream& out) const {
    for (const Row& row : rows_) {
        out << row.name << '\t' << format_number(row.measured) << '\t' << row.unit << '\t'
            << word(row.comparison) << '\t' << format_number(row.bar) << '\n';
    }
}

}  // namespace highwater::bench
