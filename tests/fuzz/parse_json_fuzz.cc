#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/json.h"
#include "base/text.h"

// What is taken is written so that it is taken again, as the same document; what is refused is
// refused in words that a terminal may show.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace highwater;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const JsonLimits limits{.size_bytes_max = 1U << 16U, .depth_max = 32, .values_max = 10'000};
    const auto json = parse_json(text, limits);
    if (!json.ok()) {
        const std::string& message = json.error().message();
        ASSERT(format_quoted(message, message.size()) == message);
        return 0;
    }
    ASSERT(is_utf8(text));
    for (const int indent : {0, 2}) {
        const auto again = parse_json(format_json(*json, indent));
        ASSERT(again.ok());
        ASSERT(*again == *json);
    }
    return 0;
}
