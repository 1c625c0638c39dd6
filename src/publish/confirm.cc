#include "publish/confirm.h"

#include <algorithm>

namespace highwater::publish {

namespace {

using Reason = Unconfirmed::Reason;

std::string describe(const HourState& state) {
    return std::to_string(state.object_count) + " objects of generation " +
           std::to_string(state.changed) + ", inventory " + format_digest(state.inventory);
}

std::string describe(const std::optional<HourState>& state) {
    return state ? describe(*state) : "nothing";
}

class Confirmer {
public:
    explicit Confirmer(const ConfirmFacts& facts) : facts_(facts) {}

    Confirmation run() {
        for (const ConfirmFacts::Layer& layer : facts_.layers) look_at(layer);
        for (const ConfirmFacts::Hour& hour : facts_.hours) look_at(hour);
        return std::move(confirmation_);
    }

private:
    void add(Reason reason, std::string where, std::string expected, std::string observed) {
        confirmation_.reasons.push_back(
            {reason, std::move(where), std::move(expected), std::move(observed)});
    }

    void look_at(const ConfirmFacts::Layer& layer) {
        const std::string allotted = catalog::format_token(facts_.allotted);
        const std::string completed = catalog::format_token(layer.completed);
        if (layer.completed.epoch != facts_.allotted.epoch) {
            add(Reason::other_epoch, layer.name, allotted, completed);
        } else if (layer.completed.number < facts_.allotted.number) {
            add(Reason::layer_behind, layer.name, allotted, completed);
        }
    }

    void look_at(const ConfirmFacts::Hour& hour) {
        const std::string where = model::format_hour(hour.key.hour);
        if (!hour.registered || hour.registered->changed < hour.accepted.changed) {
            add(Reason::registration_lost, where, describe(hour.accepted),
                describe(hour.registered));
            return;
        }
        if (hour.registered->changed > hour.accepted.changed) {
            confirmation_.superseded.push_back(hour.key);
        } else if (*hour.registered != hour.accepted) {
            add(Reason::registration_differs, where, describe(hour.accepted),
                describe(hour.registered));
        }
        if (!hour.cached) {
            add(Reason::not_cached, where, describe(hour.registered), "nothing");
        } else if (*hour.cached != *hour.registered) {
            add(Reason::cache_differs, where, describe(hour.registered), describe(hour.cached));
        }
        for (const std::string& path : hour.missing) {
            add(Reason::object_missing, path, "a registered object", "absent");
        }
    }

    const ConfirmFacts& facts_;
    Confirmation confirmation_;
};

}  // namespace

HourState state_of(const catalog::Partition& partition) {
    return {partition.changed, partition.objects.size(), partition.inventory};
}

std::string_view to_text(Unconfirmed::Reason reason) {
    switch (reason) {
        case Reason::layer_behind: return "layer_behind";
        case Reason::other_epoch: return "other_epoch";
        case Reason::registration_lost: return "registration_lost";
        case Reason::registration_differs: return "registration_differs";
        case Reason::not_cached: return "not_cached";
        case Reason::cache_differs: return "cache_differs";
        case Reason::object_missing: return "object_missing";
    }
    return "unknown";
}

Confirmation confirm(const ConfirmFacts& facts) {
    return Confirmer(facts).run();
}

}  // namespace highwater::publish
