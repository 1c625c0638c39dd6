#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/reply.h"
#include "cli/verbs.h"
#include "embed/archive.h"
#include "embed/reader.h"
#include "engine/engine.h"

namespace highwater::cli {

/// Where rows go, and how much an answer may take.
struct OutputOptions {
    std::string format = "table";
    std::string file;
    std::uint64_t memory_mib = 1'024;
    std::uint64_t rows_max = 100'000'000;
    int threads = 2;
};

engine::EngineLimits limits_of(const OutputOptions& options);

/// Rows and provenance, or the refusal, as the verbs `read` and `query` answer. The outcome is
/// noted in the log and the metrics.
///
/// Errors: invalid_argument (parquet or arrow without a file), those of writing the rows.
Result<Reply> reply_of(Session& session, embed::Archive& archive, const embed::Answered& answered,
                       const OutputOptions& options);

/// The refusal alone: exit code 4, or 3 when the store or the catalog did not answer.
///
/// Requires: `refusals` is not empty.
Reply reply_of_refusals(const std::vector<read::Refusal>& refusals,
                        const std::vector<read::Why>& why);

}  // namespace highwater::cli
