// Runs one benchmark program and prints its rows for tools/bench.

#include <iostream>

#include "harness.h"

int main() {
    highwater::bench::Report report;
    highwater::bench::run(report);
    report.write(std::cout);
    return std::cout.flush() ? 0 : 1;
}
