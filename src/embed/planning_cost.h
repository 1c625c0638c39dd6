#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace highwater::embed {

/// What it took to find the files of one request by one method, again and again.
struct PlanningCost {
    std::string method;
    std::vector<Duration> samples;     // One a run, from the freshness probe to the file list.
    std::uint64_t requests = 0;        // Of one run: catalog round trips, lists, heads, gets.
    std::uint64_t listed_objects = 0;  // likewise
    std::uint64_t bytes_read = 0;      // likewise
    std::uint64_t files = 0;           // How many files the list has.
};

/// The smallest sample that `percent` percent of all do not exceed (nearest rank).
///
/// Requires: samples, 0 < percent <= 100.
Duration percentile(std::vector<Duration> samples, double percent);

Json to_json(const PlanningCost& cost);

}  // namespace highwater::embed
