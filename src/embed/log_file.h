#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace highwater::embed {

constexpr std::uint64_t log_size_max = 64ULL << 20U;  // Then the file is set aside as "<path>.1".

/// The structured log: one JSON document a line, {"time", "event", ...}.
///
/// Thread-safety: several threads and processes may append at once; lines are never mixed.
class LogFile {
public:
    explicit LogFile(std::string path) : path_(std::move(path)) {}

    /// Appends one line. Requires: `fields` is an object.
    ///
    /// Errors: unavailable, exhausted (no space): the line may be missing or cut.
    Result<void> append(Time time, std::string_view event, const Json& fields);

private:
    std::string path_;
};

}  // namespace highwater::embed
