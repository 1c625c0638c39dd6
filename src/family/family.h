#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "family/wire.h"

namespace highwater::family {

/// A kind of summary. The numbers begin every encoded state and are never reused.
enum class Family : std::uint8_t {
    moments = 1,
    counter = 2,
    exponential_histogram = 3,
    distinct = 4,
};

/// The stable name: "moments", "counter", "exponential_histogram", "distinct".
std::string_view to_text(Family family);

/// The inverse of `to_text`; nothing for any other text.
std::optional<Family> parse_family(std::string_view name);

/// What a family can do whatever its parameters, for those who decide what may be asked of it.
struct Capability {
    bool merges_in_any_order = false;  // Else only neighbours in time, which do not overlap.
    bool subtracts = false;
    bool needs_one_series = false;  // A state of several series together means nothing.
};
constexpr Capability capability_of(Family family) {
    switch (family) {
        case Family::moments:
        case Family::exponential_histogram:
            return {.merges_in_any_order = true, .subtracts = true, .needs_one_series = false};
        case Family::counter:
            return {.merges_in_any_order = false, .subtracts = false, .needs_one_series = true};
        case Family::distinct:
            return {.merges_in_any_order = true, .subtracts = false, .needs_one_series = false};
    }
    return {};
}

/// The family and the version that begin an encoded state.
void put_header(WireWriter& to, Family family, std::uint8_t version);
/// Fails the reader if another header comes.
void take_header(WireReader& from, Family family, std::uint8_t version);

/// What a decoder says of bytes that its `encode` did not write.
Error corrupt_state(Family family);
/// What a merge or subtraction says of states whose parameters differ.
Error different_parameters(Family family);

}  // namespace highwater::family
