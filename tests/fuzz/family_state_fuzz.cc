#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "family/sliding_quantiles.h"
#include "family/state.h"

// What is taken has one spelling, keeps its promises when it is read, and merges with itself or is
// refused without a change.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace highwater;
    using namespace highwater::family;
    const BytesView bytes(reinterpret_cast<const char*>(data), size);
    if (const auto parameters = decode_parameters(bytes); parameters.ok()) {
        ASSERT(encode_parameters(*parameters) == bytes);
    }
    const auto state = decode_state(bytes);
    SlidingQuantiles window({}, {0.5});
    const bool is_pane = window.push(bytes).ok();
    if (!state.ok()) {
        ASSERT(state.error().code() == Code::corrupt);
        ASSERT(!is_pane);
        return 0;
    }
    ASSERT(encode(*state) == bytes);
    for (int question = 0; question <= static_cast<int>(Question::distinct); ++question) {
        const Reading reading{.question = static_cast<Question>(question),
                              .q = 0.75,
                              .range = {.start = Time::min(), .end = Time::max()}};
        const auto readout = read(*state, reading);
        ASSERT(readout.ok() || readout.error().code() == Code::unsupported);
    }
    State twice = *state;
    if (!merge(twice, *state).ok()) ASSERT(encode(twice) == bytes);
    const auto again = decode_state(encode(twice));
    ASSERT(again.ok());
    State rest = twice;
    if (!subtract(rest, *state).ok()) {
        ASSERT(encode(rest) == encode(twice));
    } else {
        ASSERT(decode_state(encode(rest)).ok());
    }
    return 0;
}
