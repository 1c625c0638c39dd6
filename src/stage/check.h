#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/hour.h"
#include "model/schema.h"
#include "object/store.h"
#include "parquet/inspect.h"

namespace highwater::stage {

enum class FileVerdict : std::uint8_t {
    accepted,
    footer_invalid,
    unsupported,
    schema_mismatch,
    time_out_of_bounds,
};

std::string_view to_text(FileVerdict verdict);

/// What the gate would say of one file by itself, and what there is to know about it.
struct FileCheck {
    FileVerdict verdict = FileVerdict::accepted;
    std::vector<std::string> reasons;  // Sentences; none when accepted.
    std::string advice;                // What helps; may be empty.
    parquet::FileFacts facts;
    std::optional<parquet::ScanFacts> scan;  // Once every row was decoded as the schema says.
};

/// Decodes the whole file and judges it: first its bytes, then its columns, then its times, which
/// lie in `hour`, or in one hour whichever that is.
///
/// Errors: unavailable.
/// Cost: that of parquet::scan_file.
Result<FileCheck> check_file(const object::Reader& reader, const model::Schema& schema,
                             std::optional<model::Hour> hour);

}  // namespace highwater::stage
