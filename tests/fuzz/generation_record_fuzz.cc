#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "stage/records.h"

// One record has one text: what is taken is written as it was read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace highwater;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto record = stage::parse_record(text);
    if (!record.ok()) {
        ASSERT(record.error().code() == Code::corrupt);
        return 0;
    }
    ASSERT(stage::format_record(*record) == text);
    return 0;
}
