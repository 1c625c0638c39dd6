#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cache/metadata_cache.h"
#include "env/clock.h"
#include "read/decide.h"

namespace highwater::field {

/// What a read came to, and what it did for it.
struct Reading {
    read::Decision decision;
    std::vector<std::string> steps;  // "ask", "refresh", "list", "compare", "wait"

    const read::Serve* served() const { return std::get_if<read::Serve>(&decision.step); }
    const read::Refuse* refused() const { return std::get_if<read::Refuse>(&decision.step); }
    /// The deciding refusal's name, or nothing.
    std::string refusal() const {
        return refused() ? std::string(read::name_of(refused()->refusals.front())) : "";
    }
};

/// Drives a read over real ports to its end: the loop that the facade has, without an engine.
class Reader {
public:
    Reader(catalog::Catalog& catalog, object::Store& store, env::Clock& clock,
           cache::MetadataCache& cache)
        : catalog_(catalog), store_(store), clock_(clock), cache_(cache) {}

    Reading read(const read::Request& request) {
        constexpr int steps_max = 1'000;
        read::Facts facts;
        Reading reading;
        for (int i = 0; i < steps_max; ++i) {
            facts.now = clock_.now();
            facts.snapshot = cache_.snapshot();
            reading.decision = read::decide(request, facts);
            read::count(reading.decision, cache_);
            if (!act(request, facts, reading)) break;
        }
        return reading;
    }

    /// Runs before each wait.
    std::function<void()> while_waiting = [] {};

private:
    bool act(const read::Request& request, read::Facts& facts, Reading& reading) {
        const read::Step& step = reading.decision.step;
        if (std::holds_alternative<read::AskCatalog>(step)) {
            reading.steps.push_back("ask");
            std::optional<catalog::Generation> seen;
            if (facts.snapshot) seen = facts.snapshot->seen();
            facts.probe = read::probe(catalog_, request, seen);
        } else if (const auto* refresh = std::get_if<read::Refresh>(&step)) {
            reading.steps.push_back("refresh");
            const auto report = cache_.refresh(refresh->request);
            facts.note_refresh(refresh->request,
                               report.ok() ? std::nullopt : std::optional(report.error()));
        } else if (const auto* list = std::get_if<read::ListPrefixes>(&step)) {
            reading.steps.push_back("list");
            facts.listed = read::list(catalog_, store_, request, list->at);
        } else if (std::holds_alternative<read::ComparePlaces>(step)) {
            reading.steps.push_back("compare");
            facts.compared = read::compare(catalog_, request, *facts.snapshot);
        } else if (const auto* wait = std::get_if<read::Wait>(&step)) {
            reading.steps.push_back("wait");
            while_waiting();
            clock_.wait(wait->duration, {});
            facts.note_wait(wait->duration);
        } else {
            return false;
        }
        return true;
    }

    catalog::Catalog& catalog_;
    object::Store& store_;
    env::Clock& clock_;
    cache::MetadataCache& cache_;
};

}  // namespace highwater::field
