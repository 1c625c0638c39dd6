#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace highwater::embed {

/// The metrics text file: gauges as of the last command, counters over the life of the directory.
///
/// Thread-safety: several processes may add at once; the file is replaced whole, under a lock.
/// Source: Prometheus text exposition format 0.0.4.
class MetricsFile {
public:
    explicit MetricsFile(std::string path) : path_(std::move(path)) {}

    /// What one command adds: `gauges` replace, `counters` add. Keys are whole series:
    /// `highwater_refusals_total{type="stale"}`.
    struct Change {
        std::map<std::string, double> gauges;
        std::map<std::string, std::uint64_t> counters;
    };

    /// A file that cannot be read as such is begun anew.
    ///
    /// Errors: unavailable, exhausted (no space); the old file is untouched.
    Result<void> add(const Change& change);

    /// The values of the file, by series. An absent file has none.
    Result<std::map<std::string, double>> load() const;

private:
    std::string path_;
};

}  // namespace highwater::embed
