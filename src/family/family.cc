#include "family/family.h"

#include <string>

namespace highwater::family {

std::string_view to_text(Family family) {
    switch (family) {
        case Family::moments: return "moments";
        case Family::counter: return "counter";
        case Family::exponential_histogram: return "exponential_histogram";
        case Family::distinct: return "distinct";
    }
    return "unknown";
}

std::optional<Family> parse_family(std::string_view name) {
    for (const Family family :
         {Family::moments, Family::counter, Family::exponential_histogram, Family::distinct}) {
        if (to_text(family) == name) return family;
    }
    return std::nullopt;
}

void put_header(WireWriter& to, Family family, std::uint8_t version) {
    to.put_u8(static_cast<std::uint8_t>(family));
    to.put_u8(version);
}

void take_header(WireReader& from, Family family, std::uint8_t version) {
    if (from.take_u8() != static_cast<std::uint8_t>(family)) from.fail();
    if (from.take_u8() != version) from.fail();
}

Error corrupt_state(Family family) {
    return {Code::corrupt, std::string(to_text(family)) + ": not the bytes of a state"};
}

Error different_parameters(Family family) {
    return {Code::invalid_argument,
            std::string(to_text(family)) + ": states of different parameters do not mix"};
}

}  // namespace highwater::family
