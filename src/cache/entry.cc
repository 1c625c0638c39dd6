#include "cache/entry.h"

namespace highwater::cache {

std::string_view to_text(Miss miss) {
    switch (miss) {
        case Miss::cold: return "cache_cold";
        case Miss::other_epoch: return "cache_other_epoch";
        case Miss::unknown_table: return "cache_unknown_table";
        case Miss::stale: return "cache_stale";
        case Miss::no_single_generation: return "cache_no_single_generation";
        case Miss::listing_stale: return "cache_listing_stale";
        case Miss::incomplete: return "cache_incomplete";
        case Miss::lacks_objects: return "cache_lacks_objects";
        case Miss::location_unknown: return "cache_location_unknown";
    }
    return "unknown";
}

std::string_view to_text(Layer layer) {
    switch (layer) {
        case Layer::registrations: return "registrations";
        case Layer::listings: return "listings";
    }
    return "unknown";
}

std::string_view to_text(Entry::State state) {
    switch (state) {
        case Entry::State::never_published: return "never_published";
        case Entry::State::published: return "published";
        case Entry::State::retired: return "retired";
    }
    return "unknown";
}

bool is_complete(const catalog::Partition& partition) {
    const bool has_reason = partition.declared_empty.has_value();
    const bool says_what_it_is = partition.retired ? partition.objects.empty() && !has_reason
                                                   : partition.objects.empty() == has_reason;
    return says_what_it_is && partition.inventory == catalog::inventory_of(partition);
}

}  // namespace highwater::cache
