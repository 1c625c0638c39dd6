#include "manifest/places.h"

namespace highwater::manifest {

std::string format_place(const Place& place) {
    std::string text;
    const auto add = [&](std::string_view member) {
        if (!text.empty() && !member.empty()) text += '.';
        text += member;
    };
    if (place.partition) add("partitions[" + std::to_string(*place.partition) + "]");
    if (place.object) add("objects[" + std::to_string(*place.object) + "]");
    add(place.field);
    return text;
}

void FaultList::add(const Place& place, std::string what) {
    if (!is_full()) faults_.push_back({format_place(place), std::move(what), false});
}

void FaultList::add_limit(const Place& place, std::string what) {
    if (!is_full()) faults_.push_back({format_place(place), std::move(what), true});
}

}  // namespace highwater::manifest
