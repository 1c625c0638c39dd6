#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/hour.h"

namespace highwater::demo {

/// The telemetry of one story: 47 hours that are published first, and the next one.
struct Workload {
    std::string name;                    // "generated", "recorded", "small"
    std::string description;             // One sentence: what it is and where it came from.
    model::Hour first;                   // The first of the 47.
    model::Hour next;                    // The hour that is published with trouble.
    std::vector<std::string> baseline;   // CSV files
    std::vector<std::string> next_hour;  // likewise
    std::vector<std::string> labels;     // "series={stem}": columns made of the files' names.
    std::string time_column;
    std::map<model::Hour, std::uint64_t> rows;  // Counted from the CSV text, for all 48 hours.
    std::uint64_t rows_per_object = 0;          // So that one hour needs many objects, others few.
};

constexpr int baseline_hours = 47;

/// Writes generated telemetry into `folder`: one hour has 23 files' worth of rows, the others
/// three. The same seed gives the same bytes.
///
/// Errors: unavailable, exhausted (no space).
Result<Workload> generate_workload(const std::string& folder, std::uint64_t seed);

/// A small set of several irregular series in several files, with gaps and repeated times, in the
/// place of recorded ones. The same seed gives the same bytes.
///
/// Errors: unavailable, exhausted (no space).
Result<Workload> generate_small_workload(const std::string& folder, std::uint64_t seed);

/// Cuts 48 hours out of recorded series (`timestamp,value` CSV files in `acceptance`/telemetry):
/// the span in which most files have rows in every hour, and those files. Rows are copied as they
/// are.
///
/// Errors: not_found (no such folder, or no file covers 48 hours), unavailable, exhausted.
Result<Workload> cut_recorded_workload(const std::string& acceptance, const std::string& folder);

}  // namespace highwater::demo
