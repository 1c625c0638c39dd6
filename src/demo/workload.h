#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/hour.h"

namespace highwater::demo {

/// One CSV file that a stage command reads, with the labels of its series.
struct SourceFile {
    std::string path;
    std::vector<std::string> labels;  // "host=web-01"
};

/// The telemetry of one story: 47 hours that are published first, and the next one.
struct Workload {
    std::string name;         // "generated", "recorded"
    std::string description;  // One sentence: what it is and where it came from.
    model::Hour first;        // The first of the 47.
    model::Hour next;         // The hour that is published with trouble.
    std::vector<SourceFile> baseline;
    std::vector<SourceFile> next_hour;
    std::map<model::Hour, std::uint64_t> rows;  // Counted from the CSV text, for all 48 hours.
    std::uint64_t rows_per_object = 0;          // So that one hour needs many objects, others few.
};

constexpr int baseline_hours = 47;

/// Writes generated telemetry into `folder`: one hour has 23 files' worth of rows, the others three.
/// The same seed gives the same bytes.
///
/// Errors: unavailable, exhausted (no space).
Result<Workload> generate_workload(const std::string& folder, std::uint64_t seed);

/// Cuts 48 hours out of recorded series (`timestamp,value` CSV files in `acceptance`/telemetry): the
/// span in which most files have rows in every hour, and those files. Rows are copied as they are.
///
/// Errors: not_found (no such folder, or no file covers 48 hours), unavailable, exhausted.
Result<Workload> cut_recorded_workload(const std::string& acceptance, const std::string& folder);

}  // namespace highwater::demo
