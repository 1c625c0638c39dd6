#include "embed/reader.h"

#include <variant>

#include "base/assert.h"
#include "base/try.h"
#include "read/verify.h"

namespace highwater::embed {

namespace {

constexpr int steps_max = 10'000;  // Far above what waits of an hour can take.

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::optional<catalog::Generation> seen_of(const cache::MetadataCache& cache) {
    const auto snapshot = cache.snapshot();
    if (!snapshot) return std::nullopt;
    return snapshot->seen();
}

}  // namespace

/// Does one step.
Result<void> Reader::take(const read::Step& step, const read::Request& request, read::Facts& facts,
                          Settled& settled) {
    return std::visit(
        Overloaded{
            [&](const read::AskCatalog&) -> Result<void> {
                facts.probe = read::probe(parts_.catalog, request, seen_of(parts_.cache));
                return {};
            },
            [&](const read::Refresh& refresh) -> Result<void> {
                const auto report = parts_.cache.refresh(refresh.request);
                facts.note_refresh(refresh.request, report.ok()
                                                        ? std::optional<Error>()
                                                        : std::optional<Error>(report.error()));
                return {};
            },
            [&](const read::ListPrefixes& list) -> Result<void> {
                facts.listed = read::list(parts_.catalog, parts_.store, request, list.at);
                return {};
            },
            [&](const read::ComparePlaces&) -> Result<void> {
                facts.compared = read::compare(parts_.catalog, request, *facts.snapshot);
                return {};
            },
            [&](const read::Wait& wait) -> Result<void> {
                if (!parts_.clock.wait(wait.duration, parts_.stop)) {
                    return Error(Code::cancelled, "the read was interrupted while it waited");
                }
                facts.note_wait(wait.duration);
                return {};
            },
            [&](const read::Serve& serve) -> Result<void> {
                settled.serve = serve;
                return {};
            },
            [&](const read::Refuse& refuse) -> Result<void> {
                settled.refusals = refuse.refusals;
                return {};
            },
            [&](const read::Fail& fail) -> Result<void> { return fail.error; },
        },
        step);
}

Result<Settled> Reader::settle(const read::Request& request) {
    // What another process refreshed counts here, too; a file that cannot be read does not.
    static_cast<void>(parts_.cache.take_in().ok());
    read::Facts facts;
    Settled settled;
    for (int steps = 0; steps < steps_max; ++steps) {
        if (parts_.stop.stop_requested()) return Error(Code::cancelled, "the read was interrupted");
        facts.now = parts_.clock.now();
        facts.snapshot = parts_.cache.snapshot();
        const read::Decision decision = read::decide(request, facts);
        read::count(decision, parts_.cache);
        settled.why = decision.why;
        TRY(take(decision.step, request, facts, settled));
        if (settled.serve || !settled.refusals.empty()) return settled;
    }
    return Error(Code::exhausted, "the request was not settled: the catalog changes all the time");
}

Result<Answered> Reader::answer(const read::Request& request, const Scan& scan) {
    const object::Ledger spent = parts_.ledger();
    Answered answered;
    const auto finish = [&]() -> Result<Answered> {
        answered.ledger = parts_.ledger().since(spent);
        if (answered.provenance) answered.provenance->ledger = answered.ledger;
        return std::move(answered);
    };
    Settled settled = TRY(settle(request));
    answered.why = settled.why;
    answered.refusals = std::move(settled.refusals);
    if (!settled.serve) return finish();

    const read::Plan& plan = settled.serve->plan;
    const read::Check before = read::verify_before(parts_.store, plan, parts_.clock);
    answered.refusals = before.refusals;
    if (!answered.refusals.empty()) return finish();

    auto rows = scan(plan);
    if (!rows.ok() && rows.error().code() == Code::cancelled) return rows.error();
    const read::Check after = read::verify_after(parts_.store, plan, before, parts_.clock);
    answered.refusals = after.refusals;
    // A file that went or changed during the scan explains whatever the engine made of it.
    if (!answered.refusals.empty()) return finish();
    if (!rows.ok()) return rows.error();
    answered.rows = *std::move(rows);
    answered.provenance =
        read::make_provenance(plan, settled.serve->outcome, settled.serve->extras, settled.why, {});
    answered.plan = plan;
    return finish();
}

Result<read::Explanation> Reader::explain(const read::Request& request, model::Hour hour) {
    static_cast<void>(parts_.cache.take_in().ok());
    read::Facts facts;
    facts.now = parts_.clock.now();
    facts.snapshot = parts_.cache.snapshot();
    facts.probe = read::probe(parts_.catalog, request, seen_of(parts_.cache));
    if (facts.snapshot) facts.compared = read::compare(parts_.catalog, request, *facts.snapshot);
    return read::explain(request, hour, facts);
}

}  // namespace highwater::embed
