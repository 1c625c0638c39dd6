#include "read/refusal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace highwater::read {

namespace {

std::string format_ref(const catalog::GenerationRef& ref) {
    if (const auto* token = std::get_if<catalog::Token>(&ref)) return catalog::format_token(*token);
    return "batch:" + format_quoted(std::get<catalog::BatchRef>(ref).batch);
}

std::string format_ranges(const std::vector<model::HourRange>& ranges) {
    std::string text;
    for (const model::HourRange& range : ranges) {
        if (!text.empty()) text += ", ";
        text += model::format_hour(range.from);
        if (range.count() == 1) continue;
        text += " to " + model::format_hour({range.to.since_epoch - 1});
    }
    return text;
}

std::string format_name(const object::Name& name) {
    return "'" + format_quoted(name.root) + "/" + format_quoted(name.path, 1'100) + "'";
}

std::string format_side(const InventoryDrift::Side& side) {
    if (side.is_other_kind) return "something that is not a regular file";
    if (side.sha256) return "sha256 " + format_digest(*side.sha256);
    if (!side.identity) return "no identity";
    return fmt::format("size {}, mtime {}, ctime {}, inode {}, version {}",
                       side.identity->size_bytes, side.identity->mtime_ns, side.identity->ctime_ns,
                       side.identity->inode, side.identity->version);
}

struct Name {
    std::string_view operator()(const Stale&) const { return "stale"; }
    std::string_view operator()(const CatalogBehind&) const { return "catalog_behind"; }
    std::string_view operator()(const LocationChanged&) const { return "location_changed"; }
    std::string_view operator()(const NoSingleGeneration&) const { return "no_single_generation"; }
    std::string_view operator()(const MissingHours&) const { return "missing_hours"; }
    std::string_view operator()(const MissingObjects&) const { return "missing_objects"; }
    std::string_view operator()(const GenerationExpired&) const { return "generation_expired"; }
    std::string_view operator()(const HourRetired&) const { return "hour_retired"; }
    std::string_view operator()(const LeaseLost&) const { return "lease_lost"; }
    std::string_view operator()(const InventoryDrift&) const { return "inventory_drift"; }
    std::string_view operator()(const IdentityChanged&) const { return "identity_changed"; }
    std::string_view operator()(const Unavailable&) const { return "unavailable"; }
};

struct Format {
    std::string operator()(const Stale& refusal) const {
        return fmt::format("have {}, need {}",
                           refusal.have ? catalog::format_token(*refusal.have) : "nothing",
                           refusal.need ? format_ref(*refusal.need) : "any generation");
    }

    std::string operator()(const CatalogBehind& refusal) const {
        return fmt::format("the catalog has {}, need {} ({})", catalog::format_token(refusal.have),
                           format_ref(refusal.need), to_text(refusal.reason));
    }

    std::string operator()(const LocationChanged& refusal) const {
        return fmt::format(
            "{} of table {} moved from '{}' (incarnation {}) to '{}' (incarnation {})",
            refusal.hour ? "hour " + model::format_hour(*refusal.hour) : "the location",
            refusal.table, format_quoted(refusal.old_root), refusal.old_incarnation,
            format_quoted(refusal.new_root), refusal.new_incarnation);
    }

    std::string operator()(const NoSingleGeneration& refusal) const {
        return fmt::format("some of it is known only from generation {} on, some only up to {}",
                           refusal.from, refusal.to);
    }

    std::string operator()(const MissingHours& refusal) const {
        if (refusal.hours.empty()) return "no hour of table " + refusal.table + " is published";
        return fmt::format("{} hours of table {} were never published: {}", refusal.count,
                           refusal.table, format_ranges(refusal.hours));
    }

    std::string operator()(const MissingObjects& refusal) const {
        std::string text = fmt::format("{} registered objects of table {} are not in the store",
                                       refusal.count, refusal.table);
        if (!refusal.objects.empty()) {
            text += ", the first of them " + format_name(refusal.objects.front().name);
        }
        if (!refusal.empty_prefixes.empty()) {
            text += fmt::format(
                "; there is nothing at all beneath the prefix of {} hours, the "
                "first of them {}: place or pattern do not match the registration",
                refusal.empty_prefixes.size(), model::format_hour(refusal.empty_prefixes.front()));
        }
        return text;
    }

    std::string operator()(const GenerationExpired& refusal) const {
        std::string text = catalog::format_token(refusal.need) + " is beyond the replay horizon";
        if (refusal.oldest) text += fmt::format("; the oldest generation is {}", *refusal.oldest);
        return text;
    }

    std::string operator()(const HourRetired& refusal) const {
        return fmt::format("{} hours of table {} were unpublished: {}", refusal.count,
                           refusal.table, format_ranges(refusal.hours));
    }

    std::string operator()(const LeaseLost& refusal) const {
        return "the lease on " + catalog::format_token(refusal.generation) +
               " ran out before the scan ended";
    }

    std::string operator()(const InventoryDrift& refusal) const {
        return fmt::format("{} is not what was registered: expected {}, observed {}",
                           format_name(refusal.name), format_side(refusal.expected),
                           format_side(refusal.observed));
    }

    std::string operator()(const IdentityChanged& refusal) const {
        return fmt::format("table {} was {} and is now {}", refusal.table,
                           format_uuid(refusal.old_id.value), format_uuid(refusal.new_id.value));
    }

    std::string operator()(const Unavailable& refusal) const {
        return fmt::format("the {}: {}", to_text(refusal.where), refusal.error.message());
    }
};

}  // namespace

std::string_view name_of(const Refusal& refusal) {
    return std::visit(Name(), refusal);
}

std::optional<model::Completeness> class_of(const Refusal& refusal) {
    // The classes follow the order of the contract.
    const std::size_t index = refusal.index();
    if (std::holds_alternative<Unavailable>(refusal)) return std::nullopt;
    if (index <= Refusal(NoSingleGeneration()).index()) return model::Completeness::stale;
    if (index <= Refusal(LeaseLost()).index()) return model::Completeness::missing;
    return model::Completeness::incompatible;
}

std::string format_refusal(const Refusal& refusal) {
    return std::string(name_of(refusal)) + ": " + std::visit(Format(), refusal);
}

void sort(std::vector<Refusal>& refusals) {
    std::ranges::stable_sort(refusals, {}, [](const Refusal& refusal) { return refusal.index(); });
}

std::string_view to_text(CatalogBehind::Reason reason) {
    switch (reason) {
        case CatalogBehind::Reason::above_head: return "above_head";
        case CatalogBehind::Reason::unknown_batch: return "unknown_batch";
        case CatalogBehind::Reason::other_epoch: return "other_epoch";
        case CatalogBehind::Reason::other_chain: return "other_chain";
        case CatalogBehind::Reason::below_cache: return "below_cache";
    }
    return "unknown";
}

std::string_view to_text(Unavailable::Where where) {
    switch (where) {
        case Unavailable::Where::catalog: return "catalog";
        case Unavailable::Where::store: return "store";
        case Unavailable::Where::refresh: return "refresh";
    }
    return "unknown";
}

}  // namespace highwater::read
