// Lines of the field's failures that a reader and its cache must not repeat. Each test is named
// after its line; the symptom was another product's, the promise is ours.

#include <gmock/gmock.h>

#include <set>

#include "cache/snapshot_editor.h"
#include "catalog/generation.h"
#include "read/explain.h"
#include "read/verify.h"
#include "reading.h"
#include "testkit/faulty_store.h"
#include "testkit/forwarding_catalog.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::field {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;
constexpr std::int64_t next_hour = first + 3;

class Field : public ::testing::Test {
protected:
    Field() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1, first + 2});
        EXPECT_THAT(cache.refresh({}), IsOk());
    }

    static read::Request hours(std::int64_t from, std::int64_t to,
                               read::OnStale on_stale = read::OnStale::refresh) {
        read::Request request;
        request.tables = {{"metrics", std::nullopt}};
        request.range = {model::start_of({from}), model::start_of({to})};
        request.on_stale = on_stale;
        return request;
    }

    static read::Request hour(std::int64_t hour, read::OnStale on_stale = read::OnStale::refresh) {
        return hours(hour, hour + 1, on_stale);
    }

    /// The files of the answer, by root and path.
    static std::set<object::Name> files(const Reading& reading) {
        std::set<object::Name> names;
        for (const auto& planned : reading.served()->plan.tables) {
            for (const auto& file : planned.files) names.insert(file.name);
        }
        return names;
    }

    std::set<object::Name> registered(std::int64_t hour) {
        std::set<object::Name> names;
        const catalog::Partition partition = lake.partition(table, hour);
        for (const auto& object : partition.objects) names.insert({partition.root, object.path});
        return names;
    }

    template <typename Refusal>
    static const Refusal& get(const Reading& reading, std::size_t at = 0) {
        return std::get<Refusal>(reading.refused()->refusals.at(at));
    }

    cache::RefreshRequest prefix(std::int64_t hour) const {
        return {.kind = cache::RefreshRequest::Kind::prefixes,
                .scopes = {{table, {{{hour}, {hour + 1}}}}},
                .reload = false};
    }

    testkit::Lake lake;
    catalog::TableId table;
    cache::MetadataCache cache{{lake.catalog, lake.store, lake.clock}, nullptr};
    Reader reader{lake.catalog, lake.store, lake.clock, cache};
};

TEST_F(Field, A1_ACachedSessionNeverAnswersBelowTheNeededGeneration) {
    const auto have = lake.head();
    const auto need = lake.publish(table, next_hour);

    read::Request request = hour(next_hour, read::OnStale::fail);
    request.min_generation = catalog::token_of(need);
    const Reading refused = reader.read(request);
    ASSERT_EQ(refused.refusal(), "stale");
    EXPECT_EQ(get<read::Stale>(refused).have, catalog::token_of(have));
    EXPECT_EQ(get<read::Stale>(refused).need, catalog::GenerationRef(catalog::token_of(need)));

    request.on_stale = read::OnStale::direct_listing;
    const Reading listed = reader.read(request);
    ASSERT_TRUE(listed.served());
    EXPECT_EQ(listed.served()->outcome.kind, read::Outcome::Kind::direct_listing);
    EXPECT_EQ(listed.served()->plan.generation, need);
    EXPECT_EQ(cache.snapshot()->seen(), have);  // The cache still names the generation before.

    request.on_stale = read::OnStale::refresh;
    const Reading refreshed = reader.read(request);
    ASSERT_TRUE(refreshed.served());
    EXPECT_EQ(refreshed.served()->outcome.kind, read::Outcome::Kind::refreshed);
    EXPECT_EQ(refreshed.served()->plan.generation, need);
    EXPECT_EQ(files(refreshed), registered(next_hour));
    EXPECT_EQ(files(refreshed), files(listed));
}

/// Says that nothing changed, whatever did.
class Deaf final : public testkit::ForwardingCatalog {
public:
    using ForwardingCatalog::ForwardingCatalog;

    Result<catalog::Changes> load_changes(std::uint64_t since) override {
        auto changes = ForwardingCatalog::load_changes(since);
        if (!changes.ok()) return changes;
        return catalog::Changes{changes->from, changes->from, false, {}, {}};
    }
};

TEST_F(Field, A2_ARefreshThatDidNothingAdvancesNothing) {
    Deaf deaf(lake.catalog);
    cache::MetadataCache idle({deaf, lake.store, lake.clock}, nullptr);
    ASSERT_THAT(idle.refresh({}), IsOk());
    const auto before = idle.snapshot();
    const auto need = lake.publish(table, next_hour);

    const auto report = idle.refresh({});
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->completed, before->completed());
    EXPECT_EQ(idle.snapshot()->completed(), before->completed());

    Reader doubter(lake.catalog, lake.store, lake.clock, idle);
    const Reading reading = doubter.read(hour(next_hour));
    ASSERT_EQ(reading.refusal(), "stale");
    EXPECT_EQ(get<read::Stale>(reading).need, catalog::GenerationRef(catalog::token_of(need)));
}

TEST_F(Field, A4_ATokenIsHonouredInsideTheStalenessThatIsAllowed) {
    read::Request request = hours(first, next_hour + 1);
    request.range.to.reset();
    request.max_staleness = std::chrono::hours(1);
    const Reading cached = reader.read(request);
    ASSERT_TRUE(cached.served());
    EXPECT_EQ(cached.served()->outcome.kind, read::Outcome::Kind::cached);

    const auto own = lake.publish(table, next_hour);
    request.min_generation = catalog::token_of(own);
    const Reading reading = reader.read(request);
    ASSERT_TRUE(reading.served());
    EXPECT_GE(reading.served()->plan.generation.number, own.number);
    for (const auto& name : registered(next_hour)) EXPECT_THAT(files(reading), Contains(name));

    request.min_generation = catalog::BatchRef{testkit::Lake::batch_of(own)};
    EXPECT_TRUE(reader.read(request).served());
}

TEST_F(Field, A5_APublicationEndsEveryLayerOfItsHour) {
    const auto seen = lake.head();
    lake.correct(table, first);

    // Known to have changed, and not applied: no layer answers beyond the generation before.
    ASSERT_THAT(cache.refresh(prefix(first + 1)), IsOk());
    const auto snapshot = cache.snapshot();
    for (const auto layer : {cache::Layer::registrations, cache::Layer::listings}) {
        EXPECT_EQ(snapshot->completed(layer), seen.number) << to_text(layer);
    }
    EXPECT_EQ(snapshot->find_hour({table, {first}}).valid.to, seen.number);

    const auto report = cache.refresh(prefix(first));
    ASSERT_THAT(report, IsOk());
    ASSERT_EQ(report->layers.size(), 2u);
    for (const auto& layer : report->layers) {
        EXPECT_EQ(layer.before, seen.number) << to_text(layer.layer);
        EXPECT_EQ(layer.after, lake.head().number) << to_text(layer.layer);
        EXPECT_EQ(layer.applied, 1u) << to_text(layer.layer);
    }
}

TEST_F(Field, A7_TheSmallestLayerIsWhatCounts) {
    // A listing that began before the hour's last change: registrations are complete, listings not.
    const auto base = cache.snapshot();
    const std::uint64_t head = lake.correct(table, first).number;
    cache::SnapshotEditor editor(base);
    editor.put(lake.partition(table, first), cache::Listing{head - 1, {}});
    const auto snapshot = editor.finish(lake.head(), lake.clock.now());
    EXPECT_EQ(snapshot->completed(cache::Layer::registrations), head);
    EXPECT_EQ(snapshot->completed(cache::Layer::listings), head - 1);
    EXPECT_EQ(snapshot->completed(), head - 1);

    read::Facts facts;
    facts.snapshot = snapshot;
    facts.now = lake.clock.now();
    facts.probe = read::probe(lake.catalog, hour(first), snapshot->seen());
    const auto decision = read::decide(hour(first, read::OnStale::refresh), facts);
    EXPECT_THAT(decision.misses, Contains(cache::Miss::listing_stale));
    EXPECT_TRUE(std::holds_alternative<read::Refresh>(decision.step));
}

TEST_F(Field, A8_TheListingIsReplacedThoughTheRegistrationIsLost) {
    const auto listed = [&](const cache::Snapshot& snapshot) {
        const auto found = snapshot.find({table, {first}});
        return std::get<cache::Entry>(found).listing.value_or(cache::Listing()).entries.size();
    };
    lake.correct(table, first);
    // The registration is replaced by rubbish, the hour is as good as evicted; the listing's
    // generation is still there.
    cache::SnapshotEditor editor(cache.snapshot());
    cache::Slot slot{.hour = {first}, .packed = nullptr};
    slot.from = 2;
    slot.state = cache::Entry::State::published;
    slot.listing_started = lake.head().number;
    slot.packed = std::make_shared<const Bytes>("evicted");
    editor.put_slot(table, slot);
    const auto evicted = editor.finish(cache.snapshot()->seen(), lake.clock.now());
    cache::SnapshotEditor forgetful(cache.snapshot());
    forgetful.erase({table, {first}});
    const auto forgotten = forgetful.finish(cache.snapshot()->seen(), lake.clock.now());

    for (const auto& base : {evicted, forgotten}) {
        const auto refreshed =
            cache::refresh({lake.catalog, lake.store, lake.clock}, base, prefix(first));
        ASSERT_THAT(refreshed, IsOk());
        EXPECT_EQ(listed(*refreshed->snapshot), 4u);  // With the object that was replaced.
        EXPECT_EQ(refreshed->report.ledger.lists, 1u);
    }
}

TEST_F(Field, A9_ReplacedBytesUnderAKnownNameAreDrift) {
    const Reading reading = reader.read(hour(first));
    ASSERT_TRUE(reading.served());
    const auto name = *registered(first).begin();
    lake.store.replace(name, Bytes(lake.partition(table, first).objects[0].size_bytes, 'x'));

    const auto check = read::verify_before(lake.store, reading.served()->plan, lake.clock);

    ASSERT_EQ(check.refusals.size(), 1u);
    const auto& drift = std::get<read::InventoryDrift>(check.refusals[0]);
    EXPECT_EQ(drift.name, name);
    EXPECT_EQ(drift.expected.sha256, lake.partition(table, first).objects[0].sha256);
    EXPECT_NE(drift.observed.sha256, drift.expected.sha256);
}

TEST_F(Field, A10_AnEntryWithTooFewFilesIsAMissAndNeverServed) {
    catalog::Partition some = lake.partition(table, first);
    some.objects.pop_back();  // 2 of 3; the inventory digest is that of all.
    cache::SnapshotEditor editor(cache.snapshot());
    editor.put(some, cache::Listing{lake.head().number, {}});
    const auto short_snapshot = editor.finish(lake.head(), lake.clock.now());
    ASSERT_EQ(std::get<cache::Miss>(short_snapshot->find({table, {first}})),
              cache::Miss::incomplete);

    read::Facts facts;
    facts.now = lake.clock.now();
    facts.snapshot = short_snapshot;
    facts.probe = read::probe(lake.catalog, hour(first), short_snapshot->seen());
    const auto decision = read::decide(hour(first), facts);
    read::count(decision, cache);
    EXPECT_EQ(cache.counters().missed(cache::Miss::incomplete), 1u);
    const auto* step = std::get_if<read::Refresh>(&decision.step);
    ASSERT_TRUE(step);
    EXPECT_TRUE(step->request.reload);  // Nothing changed, and yet it is read again.

    const auto mended =
        cache::refresh({lake.catalog, lake.store, lake.clock}, short_snapshot, step->request);
    ASSERT_THAT(mended, IsOk());
    facts.note_refresh(step->request, std::nullopt);
    facts.snapshot = mended->snapshot;
    EXPECT_TRUE(std::holds_alternative<read::Serve>(read::decide(hour(first), facts).step));

    const auto refused = read::decide(hour(first, read::OnStale::fail), [&] {
        read::Facts same = facts;
        same.snapshot = short_snapshot;
        same.compared = read::compare(lake.catalog, hour(first), *short_snapshot);
        return same;
    }());
    EXPECT_TRUE(std::holds_alternative<read::Refuse>(refused.step));
}

TEST_F(Field, A11_ATargetedRefreshTouchesOneHour) {
    const catalog::TableId wide = lake.create_table("wide");
    for (std::int64_t i = 0; i < 48; ++i) lake.publish(wide, first + i);
    ASSERT_THAT(cache.refresh({}), IsOk());
    const auto before = cache.snapshot();
    lake.correct(wide, first + 7);

    const auto report = cache.refresh({.kind = cache::RefreshRequest::Kind::prefixes,
                                       .scopes = {{wide, {{{first + 7}, {first + 8}}}}},
                                       .reload = false});

    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->ledger.lists, 1u);
    EXPECT_LE(report->ledger.catalog_round_trips, 3u);
    for (std::int64_t i = 0; i < 48; ++i) {
        const auto held = cache.snapshot()->find_hour({wide, {first + i}});
        const auto old = before->find_hour({wide, {first + i}});
        EXPECT_EQ(held.valid.to, lake.head().number);
        EXPECT_EQ(held.valid.from, i == 7 ? lake.head().number : old.valid.from);
    }
}

TEST_F(Field, A13_AnotherTableOfTheSameNameIsAnotherTable) {
    lake.drop_table(table);
    const catalog::TableId heir = lake.create_table("metrics");
    lake.publish(heir, first);

    read::Request request = hour(first);
    request.tables = {{"metrics", table}};  // A session remembers what it read before.
    for (const auto on_stale : {read::OnStale::refresh, read::OnStale::direct_listing}) {
        request.on_stale = on_stale;
        const Reading reading = reader.read(request);
        ASSERT_EQ(reading.refusal(), "identity_changed");
        EXPECT_EQ(get<read::IdentityChanged>(reading).old_id, table);
        EXPECT_EQ(get<read::IdentityChanged>(reading).new_id, heir);
    }

    // Whoever asks by name gets the table that has it now, and is told which one that is.
    const Reading named = reader.read(hour(first));
    ASSERT_TRUE(named.served());
    EXPECT_EQ(named.served()->plan.tables.at(0).table.id, heir);
}

/// A catalog restored by copying an old file back: the same life, an earlier head.
class Restored final : public testkit::ForwardingCatalog {
public:
    Restored(catalog::Catalog& inner, catalog::Generation head)
        : ForwardingCatalog(inner), head_(head) {}

    Result<catalog::Generation> head() override { return head_; }

private:
    catalog::Generation head_;
};

TEST_F(Field, A18_ACatalogOlderThanTheTokenIsBehind) {
    const auto old = lake.head();
    const auto token = lake.publish(table, next_hour);
    Restored restored(lake.catalog, old);
    Reader unlucky(restored, lake.store, lake.clock, cache);
    read::Request request = hour(first);
    request.min_generation = catalog::token_of(token);
    request.wait_max = std::chrono::seconds(3);
    const Duration before = lake.clock.steady();

    const Reading reading = unlucky.read(request);

    ASSERT_EQ(reading.refusal(), "catalog_behind");
    EXPECT_EQ(get<read::CatalogBehind>(reading).have, catalog::token_of(old));
    EXPECT_EQ(get<read::CatalogBehind>(reading).need,
              catalog::GenerationRef(catalog::token_of(token)));
    EXPECT_EQ(lake.clock.steady() - before, request.wait_max);

    // Without a token the cache knows: it has seen more of this life than the catalog has now.
    ASSERT_THAT(cache.refresh({}), IsOk());
    const Reading without = unlucky.read(hour(first));
    ASSERT_EQ(without.refusal(), "catalog_behind");
    EXPECT_EQ(get<read::CatalogBehind>(without).reason, read::CatalogBehind::Reason::below_cache);
}

TEST_F(Field, A18_ATokenOfAnotherPastIsRefused) {
    read::Request request = hour(first);
    catalog::Token token = catalog::token_of(lake.head());
    token.chain_prefix = "00000000";
    request.min_generation = token;
    ASSERT_EQ(reader.read(request).refusal(), "catalog_behind");
    token.number = 2;
    request.min_generation = token;
    const Reading forked = reader.read(request);
    ASSERT_EQ(forked.refusal(), "catalog_behind");
    EXPECT_EQ(get<read::CatalogBehind>(forked).reason, read::CatalogBehind::Reason::other_chain);
    token = catalog::token_of(lake.head());
    ++token.epoch.ordinal;
    request.min_generation = token;
    const Reading foreign = reader.read(request);
    ASSERT_EQ(foreign.refusal(), "catalog_behind");
    EXPECT_EQ(get<read::CatalogBehind>(foreign).reason, read::CatalogBehind::Reason::other_epoch);
}

TEST_F(Field, A19_StalenessIsSeenAtTheQueryWhetherOrNotARefresherLives) {
    const auto last = cache.health().last_completed_generation;
    lake.clock.advance(std::chrono::hours(10));
    lake.publish(table, next_hour);

    EXPECT_EQ(cache.health().last_completed_generation, last);  // Nobody refreshed.
    const Reading reading = reader.read(hour(next_hour));
    ASSERT_TRUE(reading.served());
    EXPECT_EQ(reading.served()->plan.generation, lake.head());
    EXPECT_EQ(cache.health().last_completed_generation, lake.head());

    // A refresher that only starts completes nothing.
    testkit::Fault fault(0, testkit::Fault::When::before_effect,
                         testkit::Fault::Lasting::from_then_on);
    testkit::FaultyStore broken(lake.store, fault);
    cache::MetadataCache dying({lake.catalog, broken, lake.clock}, nullptr);
    EXPECT_FALSE(dying.refresh({}).ok());
    EXPECT_TRUE(dying.health().last_started.has_value());
    EXPECT_FALSE(dying.health().last_completed.has_value());
}

TEST_F(Field, A24_AnEmptyPrefixOfAPublishedHourIsMissingNotEmpty) {
    for (const auto& name : registered(first)) ASSERT_THAT(lake.store.remove(name), IsOk());
    cache::RefreshRequest again = prefix(first);
    again.reload = true;
    ASSERT_THAT(cache.refresh(again), IsOk());

    for (const auto on_stale : {read::OnStale::refresh, read::OnStale::fail}) {
        const Reading reading = reader.read(hour(first, on_stale));
        ASSERT_EQ(reading.refusal(), "missing_objects");
        EXPECT_EQ(get<read::MissingObjects>(reading).count, 3u);
    }
    // It is looked for once more before it is refused, and served when it is back.
    EXPECT_THAT(reader.read(hour(first)).steps, ElementsAre("ask", "refresh"));
}

TEST_F(Field, A25_TheSameByDirectListing) {
    const auto gone = *registered(first).begin();
    ASSERT_THAT(lake.store.remove(gone), IsOk());
    lake.publish(table, next_hour);  // So that the cache is stale.

    const Reading reading = reader.read(hour(first, read::OnStale::direct_listing));

    ASSERT_EQ(reading.refusal(), "missing_objects");
    const auto& missing = get<read::MissingObjects>(reading);
    ASSERT_EQ(missing.count, 1u);
    EXPECT_EQ(missing.objects[0].name, gone);
}

TEST_F(Field, A26_APatternThatMatchesNothingIsReportedAsAMismatch) {
    for (const auto& name : registered(first)) {
        ASSERT_THAT(lake.store.remove(name), IsOk());
        ASSERT_THAT(object::put_new(lake.store, {name.root, "elsewhere/" + name.path}, "x"),
                    IsOk());
    }
    lake.publish(table, next_hour);

    const Reading reading = reader.read(hour(first, read::OnStale::direct_listing));

    ASSERT_EQ(reading.refusal(), "missing_objects");
    EXPECT_THAT(get<read::MissingObjects>(reading).empty_prefixes, ElementsAre(model::Hour{first}));
    EXPECT_THAT(read::format_refusal(reading.refused()->refusals[0]),
                HasSubstr("do not match the registration"));
}

TEST_F(Field, A34_ARefreshThatDiesMidwayLeavesTheGenerationBeforeWhole) {
    lake.publish(table, {first, first + 1, first + 2, next_hour});
    for (int at_call = 0;; ++at_call) {
        testkit::Fault fault(at_call, testkit::Fault::When::before_effect);
        testkit::FaultyStore broken(lake.store, fault);
        const auto before = cache.snapshot();
        const auto refreshed = cache::refresh({lake.catalog, broken, lake.clock}, before, {});
        if (!fault.fired()) break;
        ASSERT_LT(at_call, 100);
        ASSERT_FALSE(refreshed.ok());
        read::Request request = hours(first, next_hour);
        request.any = true;
        const Reading reading = reader.read(request);
        ASSERT_TRUE(reading.served());
        EXPECT_EQ(reading.served()->plan.generation, before->seen());
        EXPECT_EQ(files(reading).size(), 9u);
    }
}

TEST_F(Field, A44_EachAnswerDuringCorrectionsIsOneGenerationExactly) {
    read::Request request = hours(first, next_hour);
    for (int i = 0; i < 200; ++i) {
        lake.correct(table, first + i % 3);
        lake.publish(table, {first, first + 2}, 1 + i % 4);
        request.on_stale = i % 2 == 0 ? read::OnStale::refresh : read::OnStale::direct_listing;
        request.any = i % 5 == 0;
        const Reading reading = reader.read(request);
        ASSERT_TRUE(reading.served());
        const read::Plan& plan = reading.served()->plan;
        const auto view = lake.catalog.load_view({{{table, {}}}, plan.generation.number, false});
        ASSERT_THAT(view, IsOk());
        EXPECT_EQ(view->generation, plan.generation);
        std::set<object::Name> truth;
        for (const auto& partition : view->partitions) {
            for (const auto& object : partition->objects)
                truth.insert({partition->root, object.path});
        }
        ASSERT_EQ(files(reading), truth) << i;
        EXPECT_EQ(plan.inventory, catalog::inventory_of(view->partitions));
    }
}

TEST_F(Field, A45_ARawListingNeverBecomesRows) {
    const auto replaced = *registered(first).begin();
    lake.correct(table, first);  // The old object stays in the store until its horizon closes.
    lake.store.replace({"/lake/metrics", replaced.path + ".copy"}, "a duplicate");

    const Reading reading = reader.read(hour(first, read::OnStale::direct_listing));

    ASSERT_TRUE(reading.served());
    EXPECT_EQ(reading.served()->outcome.kind, read::Outcome::Kind::direct_listing);
    EXPECT_EQ(files(reading), registered(first));
    EXPECT_EQ(reading.served()->extras, 2u);
    EXPECT_EQ(reading.served()->plan.rows_in_scope, 30u);
}

TEST_F(Field, A52_AfterATableMovedNothingIsReadFromTheOldPlace) {
    const auto old_names = registered(first);
    const auto need = lake.relocate_table(table, "/lake/moved");

    const Reading refreshed = reader.read(hour(first));
    ASSERT_TRUE(refreshed.served());
    for (const auto& name : files(refreshed)) EXPECT_EQ(name.root, "/lake/moved");

    // With a cache at the old place and no permission to refresh.
    testkit::Lake other;
    const catalog::TableId moving = other.create_table("metrics");
    other.publish(moving, first);
    cache::MetadataCache old({other.catalog, other.store, other.clock}, nullptr);
    ASSERT_THAT(old.refresh({}), IsOk());
    const auto have = other.head();
    other.relocate_table(moving, "/lake/moved");
    Reader stuck(other.catalog, other.store, other.clock, old);
    read::Request request = hour(first, read::OnStale::fail);
    const Reading stale = stuck.read(request);
    ASSERT_EQ(stale.refusal(), "stale");  // The need is the head, which the cache has not.
    const auto& also = get<read::LocationChanged>(stale, 1);
    EXPECT_EQ(also.old_root, "/lake/metrics");
    EXPECT_EQ(also.new_root, "/lake/moved");

    // An old token is met by the cache, and its place is not the catalog's.
    request.min_generation = catalog::token_of(have);
    const Reading moved = stuck.read(request);
    ASSERT_EQ(moved.refusal(), "location_changed");
    EXPECT_EQ(get<read::LocationChanged>(moved).old_root, "/lake/metrics");
    EXPECT_EQ(get<read::LocationChanged>(moved).new_root, "/lake/moved");
    EXPECT_LT(get<read::LocationChanged>(moved).old_incarnation,
              get<read::LocationChanged>(moved).new_incarnation);
    EXPECT_EQ(need.number, lake.head().number);
}

TEST_F(Field, A53_TheSameForOneHourAndItsOldAndNewPlace) {
    const auto have = lake.head();
    lake.relocate_hour(table, first, "/lake/attic");
    read::Request request = hour(first, read::OnStale::fail);
    request.min_generation = catalog::token_of(have);

    const Reading moved = reader.read(request);

    ASSERT_EQ(moved.refusal(), "location_changed");
    const auto& refusal = get<read::LocationChanged>(moved);
    EXPECT_EQ(refusal.hour, model::Hour{first});
    EXPECT_EQ(refusal.old_root, "/lake/metrics");
    EXPECT_EQ(refusal.new_root, "/lake/attic");
    EXPECT_THAT(read::format_refusal(refusal), HasSubstr("/lake/metrics"));
    EXPECT_THAT(read::format_refusal(refusal), HasSubstr("/lake/attic"));

    // Another hour of the table is where it was.
    read::Request other = hour(first + 1, read::OnStale::fail);
    other.min_generation = request.min_generation;
    EXPECT_TRUE(reader.read(other).served());
    request.on_stale = read::OnStale::refresh;
    EXPECT_EQ(files(reader.read(request)).begin()->root, "/lake/attic");
}

TEST_F(Field, A64_EveryAnswerSaysWhatItIs) {
    const Reading reading = reader.read(hours(first, next_hour));
    ASSERT_TRUE(reading.served());
    object::Ledger ledger;
    ledger.catalog_round_trips = 1;

    const auto provenance =
        read::make_provenance(reading.served()->plan, reading.served()->outcome,
                              reading.served()->extras, reading.decision.why, ledger);

    EXPECT_EQ(provenance.outcome.kind, read::Outcome::Kind::fresh);
    EXPECT_EQ(provenance.generation, lake.head());
    ASSERT_EQ(provenance.tables.size(), 1u);
    EXPECT_EQ(provenance.tables[0].id, table);
    EXPECT_THAT(provenance.tables[0].covered, ElementsAre(model::HourRange{{first}, {next_hour}}));
    EXPECT_EQ(provenance.rows_in_scope, 90u);
    EXPECT_EQ(provenance.files, 9u);
    EXPECT_NE(provenance.inventory, Digest());
    EXPECT_EQ(provenance.ledger.catalog_round_trips, 1u);
    EXPECT_FALSE(provenance.why.empty());
}

}  // namespace
}  // namespace highwater::field
