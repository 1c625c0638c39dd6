// Step 10, the commit and races: what changes while the gate looks, and who wins.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "publish/gate.h"
#include "testkit/forwarding_catalog.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/simulated_store.h"

namespace highwater::publish {
namespace {

using catalog::CommitOutcome;
using manifest::Manifest;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::PublishWorld;
using enum ProblemCode;

constexpr model::Hour nine = PublishWorld::nine;
constexpr model::Hour ten = model::next(nine);
const std::string root = "/lake/logs";

/// A store in which something happens before a listing begins or an object is opened, and that may
/// show other identities: those of a file system, or ones that hide a change.
class EventfulStore final : public object::Store {
public:
    explicit EventfulStore(object::Store& inner) : inner_(inner) {}

    std::function<void(int)> before_listing;  // 0: the first one.
    std::function<void(int)> before_open;     // likewise
    std::function<void(object::Identity&)> disguise = [](object::Identity&) {};

    Result<std::unique_ptr<object::Upload>> create(const object::Name& name) override {
        return inner_.create(name);
    }
    Result<std::unique_ptr<object::Reader>> open(const object::Name& name) override {
        if (before_open) before_open(opened_++);
        auto reader = inner_.open(name);
        if (!reader.ok()) return reader;
        object::Identity identity = (*reader)->identity();
        disguise(identity);
        return std::unique_ptr<object::Reader>(
            std::make_unique<DisguisedReader>(*std::move(reader), identity));
    }
    Result<std::optional<object::Entry>> head(const object::Name& name) override {
        return inner_.head(name);
    }
    Result<object::Page> list_page(const std::string& at, const std::string& prefix,
                                   const std::string& token) override {
        if (token.empty() && before_listing) before_listing(listings_);
        if (token.empty()) ++listings_;
        auto page = inner_.list_page(at, prefix, token);
        if (!page.ok()) return page;
        for (object::Entry& entry : page->entries) disguise(entry.identity);
        return page;
    }
    Result<void> remove(const object::Name& name) override { return inner_.remove(name); }

private:
    class DisguisedReader final : public object::Reader {
    public:
        DisguisedReader(std::unique_ptr<object::Reader> inner, const object::Identity& identity)
            : inner_(std::move(inner)), identity_(identity) {}
        const object::Identity& identity() const override { return identity_; }
        Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
            return inner_->read_at(offset, size);
        }

    private:
        std::unique_ptr<object::Reader> inner_;
        object::Identity identity_;
    };

    object::Store& inner_;
    int listings_ = 0;
    int opened_ = 0;
};

class GateAuditTest : public ::testing::Test {
protected:
    GateAuditTest() { world_.add_table("logs"); }

    Outcome publish(const Manifest& manifest, const Options& options = {}) {
        return publish(world_.catalog, manifest, options);
    }
    Outcome publish(catalog::Catalog& catalog, const Manifest& manifest,
                    const Options& options = {}) {
        Gate gate(store_, catalog, world_.catalog, world_.clock, {.threads = 1});
        const auto outcome = gate.publish({{{manifest}}, {}, options});
        EXPECT_THAT(outcome, IsOk());
        return *outcome;
    }
    Manifest logs(const std::string& batch, model::Hour hour = nine) {
        return PublishWorld::make_manifest("logs", batch, hour, {world_.put(root, hour, batch, 4)});
    }
    void expect_stale(const Outcome& outcome, const std::string& observed) {
        const GateReport& report = outcome.report();
        ASSERT_THAT(report.problems, SizeIs(1)) << format_report(report);
        EXPECT_EQ(report.code, audit_stale);
        EXPECT_THAT(report.problems[0].observed, HasSubstr(observed));
    }
    void replace(const std::string& file, const Bytes& bytes) {
        world_.store.replace({root, PublishWorld::path_of(nine, file)}, bytes);
    }

    PublishWorld world_;
    EventfulStore store_{world_.store};
};

TEST_F(GateAuditTest, AnObjectThatGoesAfterTheAuditIsNoticed) {
    const Manifest manifest = logs("b1");
    const auto before = world_.visible();
    store_.before_listing = [&](int listing) {
        if (listing != 1) return;
        EXPECT_THAT(world_.store.remove({root, PublishWorld::path_of(nine, "b1")}), IsOk());
    };
    expect_stale(publish(manifest), "absent");
    EXPECT_EQ(world_.visible(), before);
}

TEST_F(GateAuditTest, AnObjectThatIsReplacedAfterTheAuditIsNoticed) {
    const Manifest manifest = logs("b1");
    store_.before_listing = [&](int listing) {
        if (listing == 1) replace("b1", PublishWorld::make_file(nine, 4, 100));
    };
    expect_stale(publish(manifest), "another identity");
}

TEST_F(GateAuditTest, AnObjectThatIsReplacedBeforeItIsReadIsNoticed) {
    const Manifest manifest = logs("b1");
    store_.before_open = [&](int) { replace("b1", PublishWorld::make_file(nine, 4)); };
    expect_stale(publish(manifest), "while it was read");

    store_.before_open = [&](int) {
        EXPECT_THAT(world_.store.remove({root, PublishWorld::path_of(nine, "b1")}), IsOk());
    };
    expect_stale(publish(manifest), "while it was read");
}

TEST_F(GateAuditTest, ASecondListingThatFailsIsAFailedGate) {
    testkit::SimulatedStore store(world_.store, world_.clock);
    store.schedule(testkit::SimulatedStore::Call::list, testkit::Mishap::denied, 1);
    Gate gate(store, world_.catalog, world_.catalog, world_.clock);
    const auto outcome = gate.publish({{{logs("b1")}}, {}, {}});
    ASSERT_THAT(outcome, IsOk());
    EXPECT_EQ(outcome->report().code, listing_failed);
    EXPECT_EQ(outcome->report().check_of(Step::inventory).result, Check::Result::passed);
    EXPECT_EQ(outcome->report().check_of(Step::audit).result, Check::Result::failed);
}

TEST_F(GateAuditTest, AnObjectThatBecomesALinkIsNoticed) {
    const Manifest manifest = logs("b1");
    store_.before_listing = [&](int listing) {
        if (listing == 1) world_.store.plant_other({root, PublishWorld::path_of(nine, "b1")});
    };
    expect_stale(publish(manifest), "not a regular file");
}

TEST_F(GateAuditTest, WhatChangedNearTheAuditIsDigestedAgain) {
    const Manifest manifest = logs("b1");
    const std::int64_t now = to_ns(world_.clock.now());
    constexpr std::int64_t margin = 2'000'000'000;
    const auto count_gets = [&](std::int64_t ctime_ns) {
        store_.disguise = [&](object::Identity& identity) { identity.ctime_ns = ctime_ns; };
        Gate gate(store_, world_.catalog, world_.catalog, world_.clock);
        const auto report = gate.check({{{manifest}}, {}, {}});
        EXPECT_THAT(report, IsOk());
        EXPECT_EQ(report->verdict, Verdict::accepted);
        return report->ledger.gets;
    };
    EXPECT_EQ(count_gets(now - margin - 1), 1U);
    EXPECT_EQ(count_gets(now - margin), 2U);
    EXPECT_EQ(count_gets(now + margin), 2U);
    EXPECT_EQ(count_gets(0), 1U);  // A store that knows no such time.
}

TEST_F(GateAuditTest, AChangeThatTheIdentityHidesIsFoundByTheSecondDigest) {
    const Manifest manifest = logs("b1");
    store_.disguise = [&](object::Identity& identity) {
        identity.version = 0;
        identity.ctime_ns = to_ns(world_.clock.now());
    };
    store_.before_open = [&](int opened) {
        if (opened == 1) replace("b1", PublishWorld::make_file(nine, 4, 100));
    };
    expect_stale(publish(manifest), "other bytes");
}

TEST_F(GateAuditTest, OfTwoPublishersOfOneHourOneWins) {
    const Manifest mine = logs("mine");
    const Manifest theirs = logs("theirs");
    // The other one passes while this one is between audit and commit. Each sees the other's object
    // as a stray unless it is announced.
    for (const std::string file : {"mine", "theirs"}) {
        catalog::Intent intent{.id = env::make_uuid(world_.random),
                               .table = world_.table("logs").id,
                               .batch = file,
                               .root = root,
                               .paths = {PublishWorld::path_of(nine, file)},
                               .created = world_.clock.now(),
                               .expires = world_.clock.now() + std::chrono::hours(1)};
        ASSERT_THAT(world_.catalog.put_intent(intent), IsOk());
    }
    store_.before_listing = [&](int listing) {
        if (listing != 1) return;
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        const auto other = gate.publish({{{theirs}}, {}, {}});
        ASSERT_THAT(other, IsOk());
        ASSERT_TRUE(std::holds_alternative<Registered>(other->value));
    };
    const Outcome outcome = publish(mine);
    ASSERT_TRUE(std::holds_alternative<Conflict>(outcome.value));
    EXPECT_EQ(std::get<Conflict>(outcome.value).winner.batch, "theirs");
    EXPECT_EQ(outcome.report().verdict, Verdict::conflict);
    EXPECT_EQ(outcome.report().winner, "theirs");
    EXPECT_EQ(outcome.report().generation, world_.visible().head);
    const auto attempts = world_.catalog.load_attempts("mine", 1);
    ASSERT_THAT(attempts, IsOk());
    EXPECT_EQ(attempts->front().code, "conflict");
    EXPECT_FALSE(attempts->front().accepted);
}

TEST_F(GateAuditTest, PublishersOfOtherHoursDoNotMind) {
    const Manifest mine = logs("mine");
    const Manifest theirs = logs("theirs", ten);
    store_.before_listing = [&](int listing) {
        if (listing != 1) return;
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        ASSERT_THAT(gate.publish({{{theirs}}, {}, {}}), IsOk());
    };
    EXPECT_TRUE(std::holds_alternative<Registered>(publish(mine).value));
    EXPECT_TRUE(world_.find_partition("logs", ten));
}

TEST_F(GateAuditTest, ManyPublishersAtOnceEndWithOneWinnerAnHour) {
    constexpr int publishers = 4;
    constexpr int hours = 6;
    std::vector<std::vector<Manifest>> work(publishers);
    for (int hour = 0; hour < hours; ++hour) {
        const model::Hour at{nine.since_epoch + hour};
        const auto claim = world_.put(root, at, "a", 4);
        for (int i = 0; i < publishers; ++i) {
            work[static_cast<std::size_t>(i)].push_back(PublishWorld::make_manifest(
                "logs", "h" + std::to_string(hour) + "p" + std::to_string(i), at, {claim}));
        }
    }
    std::atomic<int> registered = 0;
    std::atomic<int> beaten = 0;
    {
        std::vector<std::jthread> threads;
        for (const auto& manifests : work) {
            threads.emplace_back([&] {
                Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
                for (const Manifest& manifest : manifests) {
                    const auto outcome = gate.publish({{{manifest}}, {}, {}});
                    ASSERT_THAT(outcome, IsOk());
                    if (std::holds_alternative<Registered>(outcome->value)) {
                        ++registered;
                    } else {
                        // Beaten in the race, or too late to begin with.
                        ++beaten;
                        EXPECT_TRUE(outcome->report().verdict == Verdict::conflict ||
                                    outcome->report().code == not_next_generation);
                    }
                }
            });
        }
    }
    EXPECT_EQ(registered, hours);
    EXPECT_EQ(beaten, hours * (publishers - 1));
    EXPECT_THAT(world_.visible().partitions, SizeIs(hours));
}

/// A catalog that moves on by itself just before a commit.
class MovingCatalog final : public testkit::ForwardingCatalog {
public:
    using ForwardingCatalog::ForwardingCatalog;
    std::function<void()> before_commit;
    std::function<Result<CommitOutcome>(Result<CommitOutcome>)> after_commit;

    Result<CommitOutcome> commit(const catalog::Commit& commit) override {
        if (before_commit) before_commit();
        auto outcome = ForwardingCatalog::commit(commit);
        return after_commit ? after_commit(std::move(outcome)) : outcome;
    }
};

TEST_F(GateAuditTest, ATableThatMovesBeforeTheCommitIsNoticed) {
    MovingCatalog catalog(world_.catalog);
    catalog.before_commit = [&] {
        catalog::Table table = world_.table("logs");
        table.location = "/cold/logs";
        ++table.incarnation;
        world_.commit(catalog::Operation::relocate, {table}, {});
    };
    const Outcome outcome = publish(catalog, logs("b1"));
    ASSERT_TRUE(std::holds_alternative<Rejected>(outcome.value));
    EXPECT_EQ(outcome.report().code, location_changed);
    EXPECT_EQ(outcome.report().check_of(Step::location).result, Check::Result::failed);
    EXPECT_EQ(outcome.report().verdict, Verdict::rejected);
    EXPECT_THAT(world_.visible().partitions, SizeIs(0));
}

TEST_F(GateAuditTest, ASchemaThatGrowsBeforeTheCommitIsNoticed) {
    MovingCatalog catalog(world_.catalog);
    catalog.before_commit = [&] { world_.add_column("logs", "host"); };
    EXPECT_EQ(publish(catalog, logs("b1")).report().code, schema_mismatch);
}

TEST_F(GateAuditTest, AnotherLifeOfTheCatalogIsNoticed) {
    env::SeededRandom random(2);
    catalog::MemoryCatalog restored(random);
    // The audit reads one catalog, the commit meets another.
    class Switch final : public testkit::ForwardingCatalog {
    public:
        Switch(catalog::Catalog& before, catalog::Catalog& after)
            : ForwardingCatalog(before), after_(after) {}
        Result<catalog::View> load_view(const catalog::ViewRequest& request) override {
            return is_after_ ? after_.load_view(request) : ForwardingCatalog::load_view(request);
        }
        Result<CommitOutcome> commit(const catalog::Commit& commit) override {
            is_after_ = true;
            return after_.commit(commit);
        }

    private:
        catalog::Catalog& after_;
        bool is_after_ = false;
    };
    Switch between(world_.catalog, restored);
    const Outcome outcome = publish(between, logs("b1"));
    EXPECT_EQ(outcome.report().code, epoch_mismatch);
    EXPECT_EQ(restored.head()->number, 0U);
}

TEST_F(GateAuditTest, AnUnknownCommitIsLookedUpAndFound) {
    MovingCatalog catalog(world_.catalog);
    catalog.after_commit = [](const auto&) -> Result<CommitOutcome> {
        return Error(Code::outcome_unknown, "the line went dead");
    };
    const Manifest manifest = logs("b1");
    const Outcome outcome = publish(catalog, manifest);
    ASSERT_TRUE(std::holds_alternative<Registered>(outcome.value));
    EXPECT_EQ(std::get<Registered>(outcome.value).record.generation, world_.visible().head);
    EXPECT_EQ(code_text(outcome.report()), "accepted");
    EXPECT_TRUE(std::holds_alternative<Repeated>(publish(manifest).value));
}

TEST_F(GateAuditTest, ACommitThatCannotBeFoundStaysUnknown) {
    class Silent final : public testkit::ForwardingCatalog {
    public:
        using ForwardingCatalog::ForwardingCatalog;
        Result<CommitOutcome> commit(const catalog::Commit&) override {
            return Error(Code::outcome_unknown, "the line went dead");
        }
    };
    Silent catalog(world_.catalog);
    const Manifest manifest = logs("b1");
    Gate gate(store_, catalog, world_.catalog, world_.clock);
    const auto before = world_.visible();
    EXPECT_THAT(gate.publish({{{manifest}}, {}, {}}), FailsWith(Code::outcome_unknown));
    EXPECT_EQ(world_.visible(), before);
    // Nothing was deleted, so the same publication can still succeed.
    EXPECT_TRUE(std::holds_alternative<Registered>(publish(manifest).value));
}

TEST_F(GateAuditTest, AKeyThatIsTakenMeanwhileIsTold) {
    MovingCatalog catalog(world_.catalog);
    const Manifest other = logs("b1", ten);
    catalog.before_commit = [&] {
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        ASSERT_THAT(gate.publish({{{other}}, {}, {}}), IsOk());
    };
    const Outcome outcome = publish(catalog, logs("b1"));
    EXPECT_EQ(outcome.report().code, batch_generation_reused);
    EXPECT_EQ(outcome.report().check_of(Step::key).result, Check::Result::failed);
}

TEST_F(GateAuditTest, TheSamePublicationCommittedMeanwhileIsARepetition) {
    MovingCatalog catalog(world_.catalog);
    const Manifest manifest = logs("b1");
    catalog.before_commit = [&] {
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock);
        ASSERT_THAT(gate.publish({{{manifest}}, {}, {}}), IsOk());
    };
    const Outcome outcome = publish(catalog, manifest);
    ASSERT_TRUE(std::holds_alternative<Repeated>(outcome.value));
    EXPECT_EQ(std::get<Repeated>(outcome.value).record.generation, world_.visible().head);
}

}  // namespace
}  // namespace highwater::publish
