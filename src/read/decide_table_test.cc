// Goal: whatever is asked of whatever cache, and whichever port fails, a read ends in a true answer
// or a typed refusal. Method: every combination of small domains is driven to its end; what is
// served is compared with what the catalog says of that generation.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cache/snapshot_editor.h"
#include "read/decide.h"
#include "testkit/faulty_catalog.h"
#include "testkit/faulty_store.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::read {
namespace {

using testkit::IsOk;

constexpr std::int64_t first = 500'000;

enum class Held { nothing, other_life, old, fresh, pending, incomplete, lacking, unlisted };
enum class HourIs { published, corrected, moved, new_one, empty, never_published, retired };
enum class Wish {
    head,
    token_of_cache,
    token_of_head,
    token_above,
    token_of_other_life,
    batch_of_head,
    batch_of_nobody,
    at_cache,
    at_head,
    young,
    too_old,
    any
};
enum class Failing { nothing, catalog, store };

struct Case {
    Held held = Held::nothing;
    HourIs hour_is = HourIs::published;
    Wish wish = Wish::head;
    OnStale on_stale = OnStale::refresh;
    Failing failing = Failing::nothing;
    bool allow_unpublished = false;
    bool two_hours = false;
};

/// One hour that changed, or did not, between what the cache saw and the head.
class World {
public:
    World(const Case& which) : case_(which), table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1});
        seen = lake.head();
        old_ = refreshed(nullptr, {});
        lake.clock.advance(std::chrono::minutes(1));
        change();
        // So that the head is always above what was seen.
        lake.publish(lake.create_table("other"), first);
        head = lake.head();
        snapshot = make_snapshot();
        lake.clock.advance(std::chrono::seconds(1));
    }

    std::int64_t hour() const {
        const bool is_new =
            case_.hour_is == HourIs::new_one || case_.hour_is == HourIs::never_published;
        return is_new ? first + 2 : first;
    }

    cache::Sources sources() { return {lake.catalog, lake.store, lake.clock}; }

    std::shared_ptr<const cache::Snapshot> refreshed(
        const std::shared_ptr<const cache::Snapshot>& base, const cache::RefreshRequest& request) {
        auto done = cache::refresh(sources(), base, request);
        EXPECT_THAT(done, IsOk());
        return done->snapshot;
    }

private:
    void change() {
        switch (case_.hour_is) {
            case HourIs::published: break;
            case HourIs::corrected: lake.correct(table, first); break;
            case HourIs::moved: lake.relocate_hour(table, first, "/lake/attic"); break;
            case HourIs::new_one: lake.publish(table, first + 2); break;
            case HourIs::empty: lake.declare_empty(table, first, "maintenance"); break;
            case HourIs::never_published: break;
            case HourIs::retired: lake.unpublish(table, first); break;
        }
    }

    std::shared_ptr<const cache::Snapshot> make_snapshot() {
        switch (case_.held) {
            case Held::nothing: return nullptr;
            case Held::other_life: return other_life();
            case Held::old: return old_;
            case Held::fresh: return refreshed(old_, {});
            case Held::pending: {
                cache::RefreshRequest elsewhere;
                elsewhere.kind = cache::RefreshRequest::Kind::prefixes;
                return refreshed(old_, elsewhere);
            }
            case Held::incomplete:
            case Held::lacking:
            case Held::unlisted: return damaged();
        }
        return nullptr;
    }

    std::shared_ptr<const cache::Snapshot> other_life() {
        const auto now = refreshed(nullptr, {});
        cache::SnapshotEditor editor(now);
        catalog::Generation seen_there = now->seen();
        ++seen_there.epoch.random;
        return editor.finish(seen_there, lake.clock.now());
    }

    /// As new as the head, and the hour's entry is not what it should be.
    std::shared_ptr<const cache::Snapshot> damaged() {
        const auto now = refreshed(nullptr, {});
        const auto partition = lake.find_partition(table, hour());
        if (!partition || partition->retired) return now;
        cache::SnapshotEditor editor(now);
        catalog::Partition other = *partition;
        cache::Listing listing{now->seen().number, {}};
        if (case_.held == Held::unlisted) listing.started = partition->changed - 1;
        if (case_.held == Held::incomplete) {
            if (other.objects.empty()) other.declared_empty = "another reason";
            if (!other.objects.empty()) other.objects.pop_back();
        }
        editor.put(other, listing);
        return editor.finish(now->seen(), now->as_of());
    }

    Case case_;

public:
    testkit::Lake lake;
    catalog::TableId table;
    catalog::Generation seen;
    catalog::Generation head;
    std::shared_ptr<const cache::Snapshot> snapshot;

private:
    std::shared_ptr<const cache::Snapshot> old_;
};

Request request_of(const Case& which, const World& world) {
    Request request;
    request.tables = {{"metrics", std::nullopt}};
    const std::int64_t from = which.two_hours ? first + 1 : world.hour();
    const auto [low, high] = std::minmax({from, world.hour()});
    request.range = {model::start_of({low}), model::end_of({high})};
    request.on_stale = which.on_stale;
    request.allow_unpublished = which.allow_unpublished;
    request.wait_max = std::chrono::milliseconds(50);
    const auto above = [&] {
        catalog::Token token = catalog::token_of(world.head);
        ++token.number;
        return token;
    };
    const auto foreign = [&] {
        catalog::Token token = catalog::token_of(world.head);
        ++token.epoch.random;
        return token;
    };
    switch (which.wish) {
        case Wish::head: break;
        case Wish::token_of_cache: request.min_generation = catalog::token_of(world.seen); break;
        case Wish::token_of_head: request.min_generation = catalog::token_of(world.head); break;
        case Wish::token_above: request.min_generation = above(); break;
        case Wish::token_of_other_life: request.min_generation = foreign(); break;
        case Wish::batch_of_head:
            request.min_generation = catalog::BatchRef{testkit::Lake::batch_of(world.head)};
            break;
        case Wish::batch_of_nobody: request.min_generation = catalog::BatchRef{"nobody's"}; break;
        case Wish::at_cache: request.at_generation = catalog::token_of(world.seen); break;
        case Wish::at_head: request.at_generation = catalog::token_of(world.head); break;
        case Wish::young: request.max_staleness = std::chrono::hours(1); break;
        case Wish::too_old: request.max_staleness = std::chrono::seconds(0); break;
        case Wish::any: request.any = true; break;
    }
    return request;
}

/// The generation below which nothing may be served.
std::uint64_t need_of(Wish wish, const World& world) {
    switch (wish) {
        case Wish::head:
        case Wish::token_of_head:
        case Wish::batch_of_head:
        case Wish::at_head: return world.head.number;
        case Wish::token_of_cache:
        case Wish::at_cache: return world.seen.number;
        case Wish::token_above:
        case Wish::token_of_other_life:
        case Wish::batch_of_nobody: return UINT64_MAX;
        case Wish::young:
        case Wish::too_old:
        case Wish::any: return 0;
    }
    return UINT64_MAX;
}

/// Drives the read to its end.
Decision drive(const Request& request, World& world, catalog::Catalog& catalog,
               object::Store& store) {
    constexpr int steps_max = 60;
    Facts facts;
    facts.snapshot = world.snapshot;
    for (int i = 0; i < steps_max; ++i) {
        facts.now = world.lake.clock.now();
        Decision decision = decide(request, facts);
        const Step& step = decision.step;
        if (std::holds_alternative<AskCatalog>(step)) {
            EXPECT_FALSE(facts.probe.has_value());
            facts.probe =
                probe(catalog, request,
                      facts.snapshot ? std::optional(facts.snapshot->seen()) : std::nullopt);
        } else if (const auto* refresh = std::get_if<Refresh>(&step)) {
            auto done = cache::refresh({catalog, store, world.lake.clock}, facts.snapshot,
                                       refresh->request);
            if (done.ok()) facts.snapshot = done->snapshot;
            facts.note_refresh(refresh->request,
                               done.ok() ? std::nullopt : std::optional(done.error()));
        } else if (const auto* wanted = std::get_if<ListPrefixes>(&step)) {
            EXPECT_FALSE(facts.listed.has_value());
            facts.listed = list(catalog, store, request, wanted->at);
        } else if (std::holds_alternative<ComparePlaces>(step)) {
            EXPECT_FALSE(facts.compared.has_value());
            facts.compared = compare(catalog, request, *facts.snapshot);
        } else if (const auto* wait = std::get_if<Wait>(&step)) {
            EXPECT_GT(wait->duration, Duration::zero());
            facts.note_wait(wait->duration);
            EXPECT_LE(facts.waited, request.wait_max);
        } else {
            return decision;
        }
    }
    ADD_FAILURE() << "the read does not end";
    return {Fail{Error(Code::cancelled, "the read does not end")}, {}, {}};
}

/// What is served is what the catalog has at that generation: every hour, every object, no others.
void expect_true(const Serve& served, const Request& request, World& world) {
    const Plan& plan = served.plan;
    ASSERT_EQ(plan.tables.size(), 1u);
    const PlannedTable& table = plan.tables[0];
    const model::HourRange range = hours_of(request.range);
    const auto view =
        world.lake.catalog.load_view({{{world.table, {range}}}, plan.generation.number, false});
    ASSERT_THAT(view, IsOk());
    EXPECT_EQ(view->generation, plan.generation);
    std::vector<PlannedFile> files;
    std::vector<model::Hour> hours;
    std::uint64_t rows = 0;
    for (const auto& partition : view->partitions) {
        if (partition->retired) continue;
        hours.push_back(partition->key.hour);
        rows += partition->record_count();
        for (const auto& object : partition->objects) {
            files.push_back({{partition->root, object.path},
                             partition->key.hour,
                             object.record_count,
                             object.schema_version,
                             object.identity,
                             object.sha256,
                             object.row_fingerprint});
        }
    }
    EXPECT_EQ(table.files, files);
    EXPECT_EQ(plan.rows_in_scope, rows);
    std::vector<model::Hour> planned;
    for (const PlannedHour& hour : table.hours) planned.push_back(hour.hour);
    EXPECT_EQ(planned, hours);
    // Never zero rows for an hour that is not declared empty, nor silence about one.
    EXPECT_FALSE(hours.empty());
    EXPECT_EQ(static_cast<std::int64_t>(hours.size() + table.gaps.size()), range.count());
    EXPECT_TRUE(request.allow_unpublished || table.gaps.empty());
    for (const PlannedHour& hour : table.hours) {
        EXPECT_TRUE(hour.record_count > 0 || hour.declared_empty.has_value());
    }
}

void expect_permitted(const Case& which, const Decision& decision, const Request& request,
                      World& world) {
    if (const auto* served = std::get_if<Serve>(&decision.step)) {
        EXPECT_GE(served->plan.generation.number, need_of(which.wish, world));
        if (request.at_generation) {
            EXPECT_EQ(served->plan.generation.number, need_of(which.wish, world));
        }
        const bool asks_nothing = which.wish == Wish::any || which.wish == Wish::young;
        EXPECT_TRUE(asks_nothing || served->outcome.kind != Outcome::Kind::cached);
        EXPECT_EQ(served->outcome.age.has_value(), served->outcome.kind == Outcome::Kind::cached);
        // Who asks for nothing is not told that the cache is of another life: its token says so.
        if (which.held == Held::other_life && served->outcome.age) return;
        return expect_true(*served, request, world);
    }
    ASSERT_TRUE(std::holds_alternative<Refuse>(decision.step));
    const auto& refusals = std::get<Refuse>(decision.step).refusals;
    ASSERT_FALSE(refusals.empty());
    EXPECT_TRUE(std::ranges::is_sorted(refusals, {}, [](const auto& one) { return one.index(); }));
    EXPECT_FALSE(decision.why.empty());
    const bool is_unavailable = std::holds_alternative<Unavailable>(refusals.front());
    EXPECT_FALSE(which.failing == Failing::nothing && is_unavailable);
}

/// With everything allowed and nothing failing, what is published is answered.
bool must_be_served(const Case& which) {
    if (which.failing != Failing::nothing || which.on_stale == OnStale::fail) return false;
    const bool has_no_generation = which.wish == Wish::token_above ||
                                   which.wish == Wish::token_of_other_life ||
                                   which.wish == Wish::batch_of_nobody;
    if (has_no_generation || which.wish == Wish::at_cache) return false;
    return which.hour_is != HourIs::never_published && which.hour_is != HourIs::retired;
}

void run(const Case& which) {
    SCOPED_TRACE(::testing::Message()
                 << "held " << int(which.held) << " hour " << int(which.hour_is) << " wish "
                 << int(which.wish) << " on_stale " << int(which.on_stale) << " failing "
                 << int(which.failing) << " allow " << which.allow_unpublished << " two "
                 << which.two_hours);
    World world(which);
    const Request request = request_of(which, world);
    constexpr int calls_max = 40;
    for (int at_call = 0; at_call < calls_max; ++at_call) {
        // Without a failure the fault lies beyond every call.
        const bool fails = which.failing != Failing::nothing;
        testkit::Fault fault(fails ? at_call : 1'000'000, testkit::Fault::When::before_effect,
                             testkit::Fault::Lasting::from_then_on);
        testkit::FaultyCatalog broken_catalog(world.lake.catalog, fault);
        testkit::FaultyStore broken_store(world.lake.store, fault);
        const bool is_catalog = which.failing == Failing::catalog;
        const bool is_store = which.failing == Failing::store;
        const Decision decision =
            drive(request, world,
                  is_catalog ? broken_catalog : static_cast<catalog::Catalog&>(world.lake.catalog),
                  is_store ? broken_store : static_cast<object::Store&>(world.lake.store));
        expect_permitted(which, decision, request, world);
        EXPECT_TRUE(!must_be_served(which) || std::holds_alternative<Serve>(decision.step));
        if (!fault.fired()) return;
    }
    ADD_FAILURE() << "the walk does not end";
}

constexpr std::array helds = {Held::nothing, Held::other_life, Held::old,     Held::fresh,
                              Held::pending, Held::incomplete, Held::lacking, Held::unlisted};
constexpr std::array hours_are = {HourIs::published, HourIs::corrected, HourIs::moved,
                                  HourIs::new_one,   HourIs::empty,     HourIs::never_published,
                                  HourIs::retired};
constexpr std::array wishes = {Wish::head,
                               Wish::token_of_cache,
                               Wish::token_of_head,
                               Wish::token_above,
                               Wish::token_of_other_life,
                               Wish::batch_of_head,
                               Wish::batch_of_nobody,
                               Wish::at_cache,
                               Wish::at_head,
                               Wish::young,
                               Wish::too_old,
                               Wish::any};

class DecideTableTest : public ::testing::TestWithParam<Wish> {};

TEST_P(DecideTableTest, EveryReadEndsInATrueAnswerOrATypedRefusal) {
    for (const Held held : helds) {
        for (const HourIs hour_is : hours_are) {
            for (const OnStale on_stale :
                 {OnStale::refresh, OnStale::direct_listing, OnStale::fail}) {
                for (const bool allow : {false, true}) {
                    for (const bool two : {false, true}) {
                        run({held, hour_is, GetParam(), on_stale, Failing::nothing, allow, two});
                        if (HasFatalFailure() || HasNonfatalFailure()) return;
                    }
                }
            }
        }
    }
}

TEST_P(DecideTableTest, WhicheverCallFailsNothingUntrueIsServed) {
    for (const Held held : helds) {
        for (const HourIs hour_is : {HourIs::published, HourIs::corrected, HourIs::new_one}) {
            for (const OnStale on_stale :
                 {OnStale::refresh, OnStale::direct_listing, OnStale::fail}) {
                for (const Failing failing : {Failing::catalog, Failing::store}) {
                    run({held, hour_is, GetParam(), on_stale, failing, false, true});
                    if (HasFatalFailure() || HasNonfatalFailure()) return;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Wishes, DecideTableTest, ::testing::ValuesIn(wishes),
                         [](const auto& wish) { return std::to_string(int(wish.param)); });

}  // namespace
}  // namespace highwater::read
