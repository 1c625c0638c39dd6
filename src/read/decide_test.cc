#include "read/decide.h"

#include <gmock/gmock.h>

#include "read/explain.h"
#include "read/json.h"
#include "testkit/faulty_catalog.h"
#include "testkit/faulty_store.h"
#include "testkit/forwarding_catalog.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::read {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;

class DecideTest : public ::testing::Test {
protected:
    DecideTest() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1});
        request.tables = {{"metrics", std::nullopt}};
        request.range = {model::start_of({first}), model::start_of({first + 2})};
        refresh({});
        facts.now = lake.clock.now();
    }

    void refresh(const cache::RefreshRequest& wanted) {
        auto done = cache::refresh({lake.catalog, lake.store, lake.clock}, facts.snapshot, wanted);
        ASSERT_THAT(done, IsOk());
        facts.snapshot = done->snapshot;
    }

    void ask() { facts.probe = probe(lake.catalog, request, facts.snapshot->seen()); }

    template <typename T>
    T next() {
        const Decision decision = decide(request, facts);
        EXPECT_TRUE(std::holds_alternative<T>(decision.step)) << format_step(decision.step);
        return std::get<T>(decision.step);
    }

    std::string first_refusal() { return std::string(name_of(next<Refuse>().refusals.at(0))); }

    testkit::Lake lake;
    catalog::TableId table;
    Request request;
    Facts facts;
};

TEST_F(DecideTest, AsksTheCatalogOnceAndServesWhatIsFresh) {
    next<AskCatalog>();
    ask();
    EXPECT_EQ(facts.probe->round_trips, 1u);
    const Serve served = next<Serve>();
    EXPECT_EQ(served.outcome, (Outcome{Outcome::Kind::fresh, std::nullopt}));
    EXPECT_EQ(served.plan.generation, lake.head());
}

TEST_F(DecideTest, ATokenOfTheHeadCostsOneRoundTripAndAnOlderOneTwo) {
    request.min_generation = catalog::token_of(lake.head());
    ask();
    EXPECT_EQ(facts.probe->round_trips, 1u);
    EXPECT_EQ(facts.probe->named, lake.head());
    catalog::Token older = catalog::token_of(lake.head());
    older.number = 1;
    request.min_generation = older;
    ask();
    EXPECT_EQ(facts.probe->round_trips, 2u);
    EXPECT_EQ(facts.probe->named->number, 1u);
}

TEST_F(DecideTest, TheGenerationBeforeTheFirstIsAGenerationToo) {
    request.min_generation = catalog::Token{lake.head().epoch, 0, "00000000"};
    ask();
    next<Serve>();
}

TEST_F(DecideTest, StalenessThatIsAllowedNeedsNoQuestion) {
    request.max_staleness = std::chrono::minutes(5);
    facts.now += std::chrono::minutes(5);
    EXPECT_EQ(next<Serve>().outcome, (Outcome{Outcome::Kind::cached, std::chrono::minutes(5)}));
    facts.now += Duration(1);
    next<AskCatalog>();
    // A clock that went back tells no age, so that the catalog is asked.
    facts.now = facts.snapshot->as_of() - Duration(1);
    next<AskCatalog>();
}

TEST_F(DecideTest, AnyAsksNothing) {
    request.any = true;
    lake.correct(table, first);
    facts.now += std::chrono::hours(100);
    const Serve served = next<Serve>();
    EXPECT_EQ(served.outcome.age, std::chrono::hours(100));
    EXPECT_LT(served.plan.generation.number, lake.head().number);
}

TEST_F(DecideTest, AnyOfNothingIsRefreshedOrRefused) {
    request.any = true;
    facts.snapshot = nullptr;
    EXPECT_EQ(next<Refresh>().request.kind, cache::RefreshRequest::Kind::full);
    request.on_stale = OnStale::fail;
    const auto refusals = next<Refuse>().refusals;
    EXPECT_EQ(std::get<Stale>(refusals.at(0)), (Stale{std::nullopt, std::nullopt}));
}

TEST_F(DecideTest, ARefreshIsOfWhatTheQueryTouches) {
    lake.correct(table, first);
    ask();
    const cache::RefreshRequest wanted = next<Refresh>().request;
    EXPECT_EQ(wanted.kind, cache::RefreshRequest::Kind::prefixes);
    EXPECT_FALSE(wanted.reload);
    ASSERT_THAT(wanted.scopes, SizeIs(1));
    EXPECT_EQ(wanted.scopes[0].table, table);
    EXPECT_THAT(wanted.scopes[0].hours, ElementsAre(model::HourRange{{first}, {first + 2}}));
    request.range = {};
    EXPECT_THAT(next<Refresh>().request.scopes.at(0).hours, SizeIs(0));
}

TEST_F(DecideTest, AFailedRefreshIsUnavailable) {
    lake.correct(table, first);
    ask();
    facts.note_refresh(next<Refresh>().request, Error(Code::unavailable, "listing timed out"));
    const auto refusals = next<Refuse>().refusals;
    EXPECT_EQ(std::get<Unavailable>(refusals.at(0)).where, Unavailable::Where::refresh);
}

TEST_F(DecideTest, AFailedProbeIsUnavailable) {
    facts.probe = Probe();
    facts.probe->failure = Error(Code::unavailable, "no route");
    EXPECT_EQ(first_refusal(), "unavailable");
}

TEST_F(DecideTest, WaitsLongerEachTimeAndNotTooLong) {
    request.min_generation = catalog::BatchRef{"not yet"};
    request.wait_max = std::chrono::seconds(4);
    std::vector<Duration> waits;
    for (;;) {
        ask();
        const Decision decision = decide(request, facts);
        const auto* wait = std::get_if<Wait>(&decision.step);
        if (!wait) break;
        waits.push_back(wait->duration);
        facts.note_wait(wait->duration);
        next<AskCatalog>();  // After a wait everything is asked again.
    }
    using std::chrono::milliseconds;
    EXPECT_THAT(waits,
                ElementsAre(milliseconds(10), milliseconds(20), milliseconds(40), milliseconds(80),
                            milliseconds(160), milliseconds(320), milliseconds(640),
                            milliseconds(1000), milliseconds(1000), milliseconds(730)));
    EXPECT_EQ(facts.waited, request.wait_max);
    EXPECT_EQ(first_refusal(), "catalog_behind");
}

TEST_F(DecideTest, WhatAppearsDuringTheWaitIsServed) {
    request.min_generation =
        catalog::BatchRef{testkit::Lake::batch_of({{}, lake.head().number + 1, {}})};
    request.wait_max = std::chrono::seconds(4);
    ask();
    facts.note_wait(next<Wait>().duration);
    lake.correct(table, first);
    ask();
    refresh(next<Refresh>().request);
    facts.note_refresh({}, std::nullopt);
    EXPECT_EQ(next<Serve>().outcome.kind, Outcome::Kind::refreshed);
}

TEST_F(DecideTest, TwoHoursWithoutACommonGenerationAreNotServedTogether) {
    lake.correct(table, first);
    lake.correct(table, first + 1);
    cache::RefreshRequest one{cache::RefreshRequest::Kind::prefixes, {}, false};
    one.scopes = {{table, {{{first}, {first + 1}}}}};
    refresh(one);  // The first hour is known from the last-but-one on, the second up to it.
    lake.correct(table, first);
    refresh(one);
    request.any = true;
    request.on_stale = OnStale::fail;
    const auto refusals = next<Refuse>().refusals;
    EXPECT_EQ(name_of(refusals.at(0)), "no_single_generation");
    request.on_stale = OnStale::refresh;
    refresh(next<Refresh>().request);
    facts.note_refresh({}, std::nullopt);
    EXPECT_EQ(next<Serve>().plan.generation, lake.head());
}

TEST_F(DecideTest, AnUnknownTableFailsWhenTheCacheIsAsNewAsTheCatalog) {
    request.tables = {{"nothing", std::nullopt}};
    ask();
    EXPECT_EQ(next<Fail>().error.code(), Code::not_found);
    // It may be there by now.
    lake.create_table("nothing");
    ask();
    EXPECT_EQ(next<Refresh>().request.kind, cache::RefreshRequest::Kind::full);
}

TEST_F(DecideTest, AWrongRequestFails) {
    request.tables.clear();
    EXPECT_EQ(next<Fail>().error.code(), Code::invalid_argument);
}

TEST_F(DecideTest, AnOldGenerationComesFromTheCatalog) {
    const auto old = lake.head();
    lake.correct(table, first);
    refresh({});
    request.at_generation = catalog::token_of(old);
    ask();
    const auto wanted = next<ListPrefixes>();
    EXPECT_EQ(wanted.at, old);
    facts.listed = list(lake.catalog, lake.store, request, wanted.at);
    EXPECT_EQ(next<Serve>().plan.generation, old);
}

/// The states of older generations are gone; their records are not.
class Trimmed final : public testkit::ForwardingCatalog {
public:
    using ForwardingCatalog::ForwardingCatalog;

    Result<catalog::View> load_view(const catalog::ViewRequest& wanted) override {
        if (wanted.at) return Error(Code::not_found, "its history is gone");
        return ForwardingCatalog::load_view(wanted);
    }
};

TEST_F(DecideTest, AGenerationWhoseHistoryIsGoneIsExpired) {
    const auto old = lake.head();
    request.at_generation = catalog::token_of(old);
    lake.correct(table, first);
    refresh({});
    ask();
    Trimmed trimmed(lake.catalog);
    facts.listed = list(trimmed, lake.store, request, next<ListPrefixes>().at);
    EXPECT_EQ(first_refusal(), "generation_expired");
    EXPECT_EQ(std::get<GenerationExpired>(next<Refuse>().refusals[0]).need, catalog::token_of(old));
}

TEST_F(DecideTest, AListingThatFailsIsUnavailableAndNeverEmpty) {
    request.on_stale = OnStale::direct_listing;
    lake.correct(table, first);
    for (int at_call = 0;; ++at_call) {
        testkit::Fault fault(at_call, testkit::Fault::When::before_effect);
        testkit::FaultyStore store(lake.store, fault);
        testkit::FaultyCatalog catalog(lake.catalog, fault);
        ask();
        facts.listed = list(catalog, store, request, std::nullopt);
        if (!fault.fired()) break;
        EXPECT_EQ(first_refusal(), "unavailable");
    }
    EXPECT_EQ(next<Serve>().outcome.kind, Outcome::Kind::direct_listing);
}

TEST_F(DecideTest, CountsHitsAndMisses) {
    cache::MetadataCache cache({lake.catalog, lake.store, lake.clock}, nullptr);
    ask();
    count(decide(request, facts), cache);
    EXPECT_EQ(cache.counters().hits, 1u);
    lake.correct(table, first);
    ask();
    count(decide(request, facts), cache);
    EXPECT_EQ(cache.counters().missed(cache::Miss::stale), 1u);
    EXPECT_EQ(cache.counters().hits, 1u);
}

TEST_F(DecideTest, SaysWhyTheCacheWasNotUsed) {
    lake.correct(table, first);
    ask();
    const Decision decision = decide(request, facts);
    EXPECT_THAT(decision.why, Contains(Field(&Why::code, "head_probed")));
    EXPECT_THAT(decision.why, Contains(Field(&Why::code, "cache_stale")));
    EXPECT_THAT(decision.misses, ElementsAre(cache::Miss::stale));
}

TEST_F(DecideTest, ExplainsAnHourLayerByLayer) {
    lake.correct(table, first);
    refresh({});
    ask();
    const Explanation explanation = explain(request, {first}, facts);
    std::vector<std::string> layers;
    for (const auto& layer : explanation.layers) layers.push_back(layer.layer);
    EXPECT_THAT(layers, ElementsAre("catalog", "cache", "registrations", "listings", "answer"));
    EXPECT_EQ(*explanation.layers[2].values.find("state")->find_string(), "published");
    EXPECT_EQ(explanation.layers[3].values.find("extras")->as_uint64(), 1u);
    EXPECT_THAT(explanation.layers[4].text, HasSubstr("serve 3 files with 30 rows"));

    const Explanation gap = explain(request, {first + 9}, facts);
    EXPECT_THAT(gap.layers.back().text, HasSubstr("missing_hours"));
    EXPECT_THAT(format_json(to_json(gap)), HasSubstr("never_published"));

    const Explanation nothing = explain(request, {first}, Facts());
    EXPECT_EQ(nothing.layers[0].text, "not asked");
    EXPECT_EQ(nothing.layers[1].text, "is empty");
    EXPECT_EQ(nothing.layers.back().text, "ask the catalog for its head");
}

TEST_F(DecideTest, EveryStepHasAWordAndJson) {
    const std::vector<std::pair<Step, std::string>> steps = {
        {AskCatalog{}, "ask_catalog"},
        {Refresh{}, "refresh"},
        {ListPrefixes{}, "list_prefixes"},
        {ListPrefixes{lake.head()}, "list_prefixes"},
        {ComparePlaces{}, "compare_places"},
        {Wait{std::chrono::seconds(1)}, "wait"},
        {Serve{}, "serve"},
        {Refuse{{Stale{}}}, "refuse"},
        {Fail{Error(Code::not_found, "no table")}, "fail"}};
    for (const auto& [step, name] : steps) {
        EXPECT_EQ(*to_json(step).find("step")->find_string(), name);
        EXPECT_FALSE(format_step(step).empty());
    }
}

TEST_F(DecideTest, RequestsAndPlansAreJson) {
    request.min_generation = catalog::BatchRef{"telemetry-47"};
    request.max_staleness = std::chrono::seconds(1);
    EXPECT_EQ(format_json(to_json(request)),
              R"({"tables":[{"name":"metrics","id":null}],"from":"2027-01-15T08:00:00Z",)"
              R"("to":"2027-01-15T10:00:00Z","min_generation":"batch:telemetry-47",)"
              R"("at_generation":null,"max_staleness_ns":1000000000,"any":false,)"
              R"("on_stale":"refresh","wait_max_ns":0,"allow_unpublished":false})");
    request.min_generation.reset();
    ask();
    const Serve served = next<Serve>();
    const Json plan = to_json(served.plan);
    EXPECT_EQ(plan.find("rows_in_scope")->as_uint64(), 60u);
    const Json& planned = plan.find("tables")->find_array()->at(0);
    EXPECT_EQ(planned.find("files")->find_array()->size(), 6u);
    EXPECT_EQ(planned.find("hours")->find_array()->size(), 2u);
    const auto provenance = make_provenance(served.plan, served.outcome, 0, {}, {});
    const Json said = to_json(provenance);
    EXPECT_EQ(*said.find("outcome")->find("kind")->find_string(), "fresh");
    EXPECT_EQ(*said.find("digest_policy")->find_string(), "always");
    EXPECT_EQ(said.find("files")->as_uint64(), 6u);
}

}  // namespace
}  // namespace highwater::read
