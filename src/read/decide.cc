#include "read/decide.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "base/try.h"

namespace highwater::read {

namespace {

using cache::Miss;
using catalog::Generation;
using catalog::Token;

std::string number_text(std::uint64_t number) {
    return std::to_string(number);
}

/// One decision: reads the facts from the outside in, and stops at the first step that is needed.
class Decider {
public:
    Decider(const Request& request, const Facts& facts) : request_(request), facts_(facts) {}

    Decision run() {
        decision_.step = choose();
        return std::move(decision_);
    }

private:
    Step choose() {
        const auto verified = verify_request(request_);
        if (!verified.ok()) return Fail{verified.error()};
        if (!facts_.probe && needs_probe()) return AskCatalog{};
        if (facts_.probe) {
            if (auto step = judge_probe()) return *std::move(step);
            if (auto step = settle_named()) return *std::move(step);
        }
        return request_.at_generation ? choose_exact() : choose_current();
    }

    // ---- The need ----

    std::optional<Duration> age() const {
        // A clock that went backwards tells no age.
        if (!facts_.snapshot || facts_.now < facts_.snapshot->as_of()) return std::nullopt;
        return facts_.now - facts_.snapshot->as_of();
    }

    bool needs_probe() {
        if (named_generation(request_)) return true;
        if (request_.any) {
            note("staleness_permitted", "whatever the cache has was asked for");
            return false;
        }
        if (!request_.max_staleness) return true;
        const auto known = age();
        if (!known || *known > *request_.max_staleness) return true;
        note("staleness_permitted",
             "the catalog was asked " + format_duration(*known) + " ago, which is new enough");
        return false;
    }

    std::optional<Step> judge_probe() {
        const Probe& probe = *facts_.probe;
        if (probe.failure) {
            note("probe_failed", probe.failure->message());
            return refuse({Unavailable{Unavailable::Where::catalog, *probe.failure}});
        }
        note("head_probed", "the catalog is at " + catalog::format_token(probe.head));
        const auto& seen = probe.seen_before;
        const bool is_behind =
            seen && seen->epoch == probe.head.epoch && seen->number > probe.head.number;
        if (!is_behind) return std::nullopt;
        note("catalog_behind", "the cache has seen " + catalog::format_token(*seen));
        return refuse({CatalogBehind{catalog::token_of(probe.head), catalog::token_of(*seen),
                                     CatalogBehind::Reason::below_cache}});
    }

    Step refuse_named(CatalogBehind::Reason reason) {
        return refuse({CatalogBehind{catalog::token_of(facts_.probe->head),
                                     *named_generation(request_), reason}});
    }

    /// The generation that the request names must be one of this catalog's.
    std::optional<Step> settle_named() {
        const auto& ref = named_generation(request_);
        if (!ref) return std::nullopt;
        const Probe& probe = *facts_.probe;
        const auto* token = std::get_if<Token>(&*ref);
        if (!probe.named) {
            if (token && token->epoch != probe.head.epoch) {
                return refuse_named(CatalogBehind::Reason::other_epoch);
            }
            if (token && token->number <= probe.head.number) {
                return refuse({GenerationExpired{*token, std::nullopt}});
            }
            if (auto step = wait()) return step;
            return refuse_named(token ? CatalogBehind::Reason::above_head
                                      : CatalogBehind::Reason::unknown_batch);
        }
        if (!token) return std::nullopt;
        if (probe.named->epoch != token->epoch) {
            return refuse_named(CatalogBehind::Reason::other_epoch);
        }
        if (catalog::token_of(*probe.named) != *token) {
            return refuse_named(CatalogBehind::Reason::other_chain);
        }
        return std::nullopt;
    }

    /// The number that the answer's generation must reach.
    std::uint64_t need() const {
        if (!facts_.probe) return 0;
        return facts_.probe->named ? facts_.probe->named->number : facts_.probe->head.number;
    }

    std::optional<catalog::GenerationRef> need_ref() const {
        // What would be served is new enough, but is it still there? The head would tell.
        if (has(Miss::location_unknown)) return catalog::token_of(facts_.probe->head);
        if (const auto& ref = named_generation(request_)) return ref;
        if (!facts_.probe) return std::nullopt;
        return catalog::token_of(facts_.probe->head);
    }

    // ---- The cache ----

    bool is_of_this_life() const {
        if (!facts_.probe) return true;
        const Generation& seen = facts_.snapshot->seen();
        const Generation& head = facts_.probe->head;
        if (seen.epoch != head.epoch) return false;
        return seen.number != head.number || seen.chain == head.chain;
    }

    /// What the cache can serve: a step, or nothing and `lacks_` says why.
    std::optional<Step> serve_cached(std::optional<std::uint64_t> exact) {
        if (!facts_.snapshot) return lack(Miss::cold);
        if (!is_of_this_life()) return lack(Miss::other_epoch);
        const cache::Snapshot& snapshot = *facts_.snapshot;
        const Coverage coverage = cover(request_, snapshot);
        have_ = coverage.valid.to;
        if (!coverage.is_clear()) return judge_unclear(coverage, exact.has_value());
        if (coverage.valid.is_empty()) {
            no_single_ = NoSingleGeneration{coverage.valid.from, coverage.valid.to};
            return lack(Miss::no_single_generation);
        }
        const std::uint64_t number = exact.value_or(coverage.valid.to);
        if (!coverage.valid.contains(number) || number < need()) return lack(Miss::stale);
        if (!exact && is_location_unknown()) return lack(Miss::location_unknown);
        const auto generation = exact ? facts_.probe->named : snapshot.find_generation(number);
        if (!generation) return lack(Miss::stale);
        have_ = number;
        return serve(plan(request_, snapshot, *generation), exact.has_value());
    }

    /// A refusal from the cache stands only when nothing newer may say otherwise.
    bool is_final(bool is_exact) const {
        if (is_exact || request_.on_stale == OnStale::fail) return true;
        if (std::ranges::any_of(facts_.refreshes, [](const auto& done) { return !done.reload; })) {
            return true;
        }
        const std::uint64_t seen = facts_.snapshot->seen().number;
        return facts_.probe && have_ == seen && facts_.probe->head.number <= seen;
    }

    /// Names and identities are those of what was seen, so they count only when that is new enough,
    /// and never for a generation of the past.
    std::optional<Step> judge_unclear(const Coverage& coverage, bool is_exact) {
        for (const CacheMiss& miss : coverage.misses) lack(miss);
        const bool is_new_enough = facts_.snapshot->seen().number >= need();
        if (is_exact || !is_new_enough) {
            lack(coverage.unknown.empty() ? Miss::stale : Miss::unknown_table);
            return std::nullopt;
        }
        if (!coverage.unknown.empty()) return unknown_table(coverage.unknown.front());
        if (!coverage.refusals.empty()) return refuse(coverage.refusals);
        return std::nullopt;
    }

    /// A need below the head is met at a place that the catalog may have left since.
    bool is_location_unknown() const {
        if (!facts_.probe || !request_.min_generation) return false;
        if (facts_.probe->head.number <= facts_.snapshot->seen().number) return false;
        return !facts_.compared || facts_.compared->failure || !moved().empty();
    }

    std::vector<Refusal> moved() const {
        return find_moved(request_, *facts_.snapshot, facts_.compared->view);
    }

    Outcome cached_outcome() const {
        if (facts_.has_refreshed) return {Outcome::Kind::refreshed, std::nullopt};
        if (facts_.probe) return {Outcome::Kind::fresh, std::nullopt};
        return {Outcome::Kind::cached, age().value_or(Duration::zero())};
    }

    /// A plan is served; what it lacks of the cache may be mended, what it lacks of the store not.
    std::optional<Step> serve(PlanOutcome planned, bool is_exact) {
        if (auto* made = std::get_if<Planned>(&planned)) return serve(*made, cached_outcome());
        auto& failed = std::get<NotPlanned>(planned);
        plan_refusals_ = std::move(failed.refusals);
        for (const CacheMiss& miss : failed.misses) lack(miss);
        if (!failed.misses.empty()) return std::nullopt;
        if (is_final(is_exact)) return refuse(std::move(plan_refusals_));
        return lack(Miss::stale);
    }

    Serve serve(Planned& made, const Outcome& outcome) {
        for (Why& why : made.why) decision_.why.push_back(std::move(why));
        return {std::move(made.plan), outcome, made.extras};
    }

    std::nullopt_t lack(const CacheMiss& lacked) {
        lacks_.push_back(lacked);
        if (std::ranges::find(decision_.misses, lacked.miss) == decision_.misses.end()) {
            decision_.misses.push_back(lacked.miss);
            note(std::string(cache::to_text(lacked.miss)), describe(lacked));
        }
        return std::nullopt;
    }
    std::nullopt_t lack(Miss miss) { return lack({miss, std::nullopt}); }

    std::string describe(const CacheMiss& lacked) const {
        if (lacked.key) return "of hour " + model::format_hour(lacked.key->hour);
        if (!facts_.snapshot) return "nothing was refreshed yet";
        return "it has seen " + catalog::format_token(facts_.snapshot->seen()) +
               ", what is touched is valid up to " + number_text(have_) + ", the need is " +
               number_text(need());
    }

    // ---- What is done about it ----

    Step choose_current() {
        if (auto step = serve_cached(std::nullopt)) return *std::move(step);
        switch (request_.on_stale) {
            case OnStale::refresh: return refresh();
            case OnStale::direct_listing: return list(std::nullopt);
            case OnStale::fail: return fail();
        }
        return fail();
    }

    Step choose_exact() {
        ASSERT(facts_.probe && facts_.probe->named);
        if (auto step = serve_cached(facts_.probe->named->number)) return *std::move(step);
        if (request_.on_stale == OnStale::fail) return fail();
        // An older generation is not in any refresh: the catalog has it.
        return list(facts_.probe->named);
    }

    Step refresh() {
        if (!facts_.refreshes.empty() && facts_.refreshes.back().failure) {
            const Error& error = *facts_.refreshes.back().failure;
            note("refresh_failed", error.message());
            return refuse({Unavailable{Unavailable::Where::refresh, error}});
        }
        cache::RefreshRequest wanted = refresh_request();
        const auto is_done = [&](const Refreshing& done) { return done.reload == wanted.reload; };
        if (std::ranges::none_of(facts_.refreshes, is_done)) return Refresh{std::move(wanted)};
        note("refresh_insufficient", "a refresh did not bring what is needed");
        if (is_behind()) {
            if (auto step = wait()) return *std::move(step);
        }
        return fail();
    }

    bool has(Miss miss) const {
        return std::ranges::find(decision_.misses, miss) != decision_.misses.end();
    }

    bool is_behind() const {
        return has(Miss::stale) || has(Miss::no_single_generation) || has(Miss::unknown_table) ||
               has(Miss::location_unknown);
    }

    /// What is known to be wrong of single hours is read again; else whatever changed in the scope.
    cache::RefreshRequest refresh_request() const {
        cache::RefreshRequest wanted{cache::RefreshRequest::Kind::prefixes, {}, false};
        for (const CacheMiss& lacked : lacks_) {
            const bool is_wrong = lacked.key && (lacked.miss == Miss::incomplete ||
                                                 lacked.miss == Miss::lacks_objects);
            if (!is_wrong) continue;
            wanted.reload = true;
            const model::HourRange hours{lacked.key->hour, model::next(lacked.key->hour)};
            wanted.scopes.push_back({lacked.key->table, {hours}});
        }
        if (wanted.reload) return wanted;
        if (!facts_.snapshot || has(Miss::cold) || has(Miss::unknown_table)) return {};
        std::vector<const catalog::Table*> tables;
        for (const auto& [id, part] : facts_.snapshot->parts().tables) {
            tables.push_back(part->table.get());
        }
        const Resolution resolution = resolve(request_, tables);
        // A table that is not known by its name yet is found among all that changed.
        if (!resolution.unknown.empty() || !resolution.refusals.empty()) return {};
        const bool is_open = !request_.range.from && !request_.range.to;
        for (const auto* table : resolution.tables) {
            catalog::Scope scope{table->id, {}};
            if (!is_open) scope.hours.push_back(hours_of(request_.range));
            wanted.scopes.push_back(std::move(scope));
        }
        return wanted;
    }

    Step list(const std::optional<Generation>& at) {
        if (!facts_.listed) return ListPrefixes{at};
        const Listed& listed = *facts_.listed;
        if (listed.refusal) return refuse({*listed.refusal});
        const catalog::View& view = listed.listed.view;
        if (facts_.probe && !at && view.generation.epoch != facts_.probe->head.epoch) {
            const Error error(Code::unavailable, "it began another life during the read");
            return refuse({Unavailable{Unavailable::Where::catalog, error}});
        }
        if (at ? view.generation != *at : view.generation.number < need()) {
            if (auto step = wait()) return *std::move(step);
            return refuse({Stale{catalog::token_of(view.generation), need_ref()}});
        }
        if (!listed.unknown.empty()) return unknown_table(listed.unknown.front());
        if (!listed.identity_changes.empty()) return refuse(listed.identity_changes);
        auto planned = plan_from_view(request_, listed.listed);
        if (auto* made = std::get_if<Planned>(&planned)) {
            return serve(*made, {Outcome::Kind::direct_listing, std::nullopt});
        }
        return refuse_listed(std::get<NotPlanned>(planned));
    }

    Step refuse_listed(NotPlanned failed) {
        for (const CacheMiss& miss : failed.misses) {
            if (miss.miss == Miss::incomplete) failed.refusals.push_back(contradiction(miss));
        }
        return refuse(std::move(failed.refusals));
    }

    static Refusal contradiction(const CacheMiss& miss) {
        const std::string hour = miss.key ? model::format_hour(miss.key->hour) : "";
        return Unavailable{
            Unavailable::Where::catalog,
            {Code::corrupt, "hour " + hour + ": the registration disagrees with its own digest"}};
    }

    /// The refusal of a read that may not, or can not, do more about its cache.
    Step fail() {
        const bool may_compare = request_.on_stale == OnStale::fail && facts_.snapshot &&
                                 facts_.probe && is_of_this_life() && !request_.at_generation;
        if (may_compare && !facts_.compared) return ComparePlaces{};
        std::vector<Refusal> refusals = std::move(plan_refusals_);
        if (may_compare && facts_.compared->failure) {
            refusals.push_back(Unavailable{Unavailable::Where::catalog, *facts_.compared->failure});
        } else if (may_compare) {
            for (Refusal& refusal : moved()) refusals.push_back(std::move(refusal));
        }
        if (no_single_) refusals.push_back(*no_single_);
        for (const CacheMiss& lacked : lacks_) {
            const bool was_reloaded = std::ranges::any_of(facts_.refreshes, &Refreshing::reload);
            if (lacked.miss == Miss::incomplete && was_reloaded) {
                refusals.push_back(contradiction(lacked));
            }
        }
        if (is_stale(refusals)) refusals.push_back(Stale{have_token(), need_ref()});
        return refuse(std::move(refusals));
    }

    /// Misses that no other refusal speaks of.
    bool is_stale(const std::vector<Refusal>& refusals) const {
        if (refusals.empty()) return true;
        return has(Miss::cold) || has(Miss::other_epoch) || has(Miss::unknown_table) ||
               has(Miss::stale) || has(Miss::listing_stale);
    }

    std::optional<Token> have_token() const {
        if (!facts_.snapshot || !is_of_this_life()) return std::nullopt;
        if (has(Miss::incomplete) || has(Miss::listing_stale)) return std::nullopt;
        const auto generation = facts_.snapshot->find_generation(have_);
        if (!generation) return std::nullopt;
        return catalog::token_of(*generation);
    }

    std::optional<Step> wait() {
        if (facts_.waited >= request_.wait_max) return std::nullopt;
        constexpr std::uint32_t doublings_max = 10;
        const auto factor = std::int64_t{1} << std::min(facts_.waits, doublings_max);
        const Duration wished = std::min(wait_first * factor, wait_between_max);
        return Wait{std::min(wished, request_.wait_max - facts_.waited)};
    }

    Step unknown_table(const std::string& name) const {
        return Fail{Error(Code::not_found, "no table '" + name + "'")};
    }

    static Step refuse(std::vector<Refusal> refusals) {
        ASSERT(!refusals.empty());
        sort(refusals);
        return Refuse{std::move(refusals)};
    }

    void note(std::string code, std::string text) {
        decision_.why.push_back({std::move(code), std::move(text)});
    }

    const Request& request_;
    const Facts& facts_;
    Decision decision_;
    std::vector<CacheMiss> lacks_;
    std::vector<Refusal> plan_refusals_;
    std::optional<NoSingleGeneration> no_single_;
    std::uint64_t have_ = 0;
};

}  // namespace

Decision decide(const Request& request, const Facts& facts) {
    return Decider(request, facts).run();
}

void count(const Decision& decision, cache::MetadataCache& cache) {
    for (const Miss miss : decision.misses) cache.count_miss(miss);
    const auto* served = std::get_if<Serve>(&decision.step);
    if (!served) return;
    const bool is_hit = served->outcome.kind == Outcome::Kind::fresh ||
                        served->outcome.kind == Outcome::Kind::cached;
    if (is_hit) cache.count_hit();
}

}  // namespace highwater::read
