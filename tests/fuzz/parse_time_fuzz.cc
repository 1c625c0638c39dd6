#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/time.h"
#include "base/uuid.h"
#include "model/hour.h"
#include "model/schema.h"

// The small texts of the command line: what is taken is written so that it is taken again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace highwater;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto time = parse_time(text); time.ok()) {
        ASSERT(*parse_time(format_time(*time)) == *time);
        ASSERT(*parse_local_time(text, std::chrono::minutes(0)) == *time);
    }
    if (const auto duration = parse_duration(text); duration.ok()) {
        ASSERT(*parse_duration(format_duration(*duration)) == *duration);
    }
    if (const auto hour = model::parse_hour(text); hour.ok()) {
        ASSERT(*model::parse_hour(model::format_hour(*hour)) == *hour);
        ASSERT(model::hour_of(model::start_of(*hour)) == *hour);
    }
    if (const auto uuid = parse_uuid(text); uuid.ok()) ASSERT(format_uuid(*uuid) == text);
    if (const auto column = model::parse_column(text); column.ok()) {
        ASSERT(*model::parse_column(model::format_column(*column)) == *column);
    }
    return 0;
}
