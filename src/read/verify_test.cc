#include "read/verify.h"

#include <gmock/gmock.h>

#include "read/facts.h"
#include "testkit/faulty_store.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::read {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;

class VerifyTest : public ::testing::Test {
protected:
    VerifyTest() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1});
        Request request;
        request.tables = {{"metrics", std::nullopt}};
        request.range = {model::start_of({first}), model::start_of({first + 2})};
        const Listed listed = list(lake.catalog, lake.store, request, std::nullopt);
        plan = std::get<Planned>(plan_from_view(request, listed.listed)).plan;
    }

    PlannedFile& file(std::size_t at = 0) { return plan.tables[0].files.at(at); }
    Bytes bytes(std::size_t at = 0) { return *object::get(lake.store, file(at).name, 1 << 20); }

    testkit::Lake lake;
    catalog::TableId table;
    Plan plan;
};

TEST_F(VerifyTest, FilesAsRegisteredCostOneHeadEach) {
    object::MeteredStore metered(lake.store);
    const Check before = verify_before(metered, plan, lake.clock);
    EXPECT_THAT(before.refusals, IsEmpty());
    EXPECT_EQ(metered.ledger().heads, 6u);
    EXPECT_EQ(metered.ledger().bytes_read, 0u);
    EXPECT_THAT(verify_after(metered, plan, before, lake.clock).refusals, IsEmpty());
    EXPECT_EQ(metered.ledger().heads, 12u);
}

TEST_F(VerifyTest, AnAbsentFileIsMissing) {
    ASSERT_THAT(lake.store.remove(file(1).name), IsOk());
    ASSERT_THAT(lake.store.remove(file(5).name), IsOk());
    const Check check = verify_before(lake.store, plan, lake.clock);
    ASSERT_THAT(check.refusals, SizeIs(1));
    const auto& missing = std::get<MissingObjects>(check.refusals[0]);
    EXPECT_EQ(missing.count, 2u);
    EXPECT_THAT(missing.objects, ElementsAre(MissingObjects::Object{{first}, file(1).name},
                                             MissingObjects::Object{{first + 1}, file(5).name}));
}

TEST_F(VerifyTest, TheSameBytesUnderAnotherIdentityAreRight) {
    lake.store.replace(file().name, bytes());
    object::MeteredStore metered(lake.store);
    const Check check = verify_before(metered, plan, lake.clock);
    EXPECT_THAT(check.refusals, IsEmpty());
    EXPECT_EQ(metered.ledger().bytes_read, file().identity.size_bytes);
    EXPECT_EQ(check.observed.at(0).sha256, file().sha256);
}

TEST_F(VerifyTest, OtherBytesAreDrift) {
    Bytes other = bytes();
    other[0] = static_cast<char>(other[0] ^ 1);
    lake.store.replace(file().name, other);
    const Check check = verify_before(lake.store, plan, lake.clock);
    ASSERT_THAT(check.refusals, SizeIs(1));
    const auto& drift = std::get<InventoryDrift>(check.refusals[0]);
    EXPECT_EQ(drift.name, file().name);
    EXPECT_EQ(drift.expected.sha256, file().sha256);
    EXPECT_EQ(drift.observed.sha256, digest_of(other));
}

TEST_F(VerifyTest, AnotherSizeIsDriftWithoutReading) {
    lake.store.replace(file().name, bytes() + "x");
    object::MeteredStore metered(lake.store);
    const Check check = verify_before(metered, plan, lake.clock);
    ASSERT_THAT(check.refusals, SizeIs(1));
    EXPECT_EQ(metered.ledger().bytes_read, 0u);
    EXPECT_EQ(std::get<InventoryDrift>(check.refusals[0]).observed.identity->size_bytes,
              file().identity.size_bytes + 1);
}

TEST_F(VerifyTest, SomethingThatIsNoFileIsDrift) {
    lake.store.plant_other(file().name);
    const Check check = verify_before(lake.store, plan, lake.clock);
    ASSERT_THAT(check.refusals, SizeIs(1));
    EXPECT_TRUE(std::get<InventoryDrift>(check.refusals[0]).observed.is_other_kind);
}

TEST_F(VerifyTest, WithoutARegisteredDigestAnotherIdentityRefuses) {
    lake.store.replace(file().name, bytes());
    file().sha256.reset();
    const Check check = verify_before(lake.store, plan, lake.clock);
    ASSERT_THAT(check.refusals, SizeIs(1));
    EXPECT_TRUE(std::holds_alternative<InventoryDrift>(check.refusals[0]));
}

TEST_F(VerifyTest, AChangeDuringTheScanRefusesThoughTheBytesAreRight) {
    const Check before = verify_before(lake.store, plan, lake.clock);
    lake.store.replace(file().name, bytes());
    const Check after = verify_after(lake.store, plan, before, lake.clock);
    ASSERT_THAT(after.refusals, SizeIs(1));
    const auto& drift = std::get<InventoryDrift>(after.refusals[0]);
    EXPECT_EQ(drift.expected.identity, before.observed.at(0).entry->identity);
    EXPECT_NE(drift.observed.identity, drift.expected.identity);
}

TEST_F(VerifyTest, AFileThatVanishesDuringTheScanIsMissing) {
    const Check before = verify_before(lake.store, plan, lake.clock);
    ASSERT_THAT(lake.store.remove(file().name), IsOk());
    const Check after = verify_after(lake.store, plan, before, lake.clock);
    ASSERT_THAT(after.refusals, SizeIs(1));
    EXPECT_TRUE(std::holds_alternative<MissingObjects>(after.refusals[0]));
}

TEST_F(VerifyTest, AnAnswerThatTheStoreDoesNotGiveIsUnavailable) {
    // Six heads before, six after; a file with another identity is opened and read besides.
    lake.store.replace(file().name, bytes());
    for (int at_call = 0;; ++at_call) {
        ASSERT_LT(at_call, 40);
        testkit::Fault fault(at_call, testkit::Fault::When::before_effect);
        testkit::FaultyStore broken(lake.store, fault);
        Check check = verify_before(broken, plan, lake.clock);
        if (check.refusals.empty()) check = verify_after(broken, plan, check, lake.clock);
        if (!fault.fired()) break;
        ASSERT_THAT(check.refusals, SizeIs(1)) << at_call;
        EXPECT_TRUE(std::holds_alternative<Unavailable>(check.refusals[0]));
    }
}

/// Objects as a local store has them: with times.
struct FreshCase {
    const char* name;
    std::int64_t age_ns;  // Of the ctime, at the check.
    bool is_suspect;
};

TEST_F(VerifyTest, AChangeTooFreshToTellIsReadAgain) {
    constexpr std::int64_t limit = std::chrono::nanoseconds(fresh_ctime).count();
    for (const FreshCase& one :
         {FreshCase{"now", 0, true}, FreshCase{"just", limit - 1, true},
          FreshCase{"old", limit, false}, FreshCase{"future", -5'000'000'000, true}}) {
        const Time now = lake.clock.now();
        std::vector<Observation> observed = observe(lake.store, plan);
        file().identity.ctime_ns = to_ns(now) - one.age_ns;
        observed[0].entry->identity = file().identity;
        EXPECT_EQ(find_suspects(plan, observed, now).size(), one.is_suspect ? 1u : 0u) << one.name;
    }
}

TEST_F(VerifyTest, SoManyDriftsAreNamedAndNotMore) {
    PlannedTable& planned = plan.tables[0];
    planned.files.assign(listed_max, planned.files[0]);
    std::vector<Observation> observed(listed_max + 1);
    for (Observation& observation : observed) observation.entry = object::Entry{};
    EXPECT_THAT(judge(plan, observed), SizeIs(listed_max));
    planned.files.push_back(planned.files[0]);
    EXPECT_THAT(judge(plan, observed), SizeIs(listed_max));
    planned.files.resize(listed_max - 1);
    EXPECT_THAT(judge(plan, observed), SizeIs(listed_max - 1));
}

TEST_F(VerifyTest, DriftComesBeforeUnavailableAndAfterMissing) {
    std::vector<Observation> observed = observe(lake.store, plan);
    observed[0].failure = Error(Code::unavailable, "timed out");
    observed[1].entry->identity.size_bytes += 1;
    observed[2].entry.reset();
    const auto refusals = judge(plan, observed);
    ASSERT_THAT(refusals, SizeIs(3));
    EXPECT_EQ(name_of(refusals[0]), "missing_objects");
    EXPECT_EQ(name_of(refusals[1]), "inventory_drift");
    EXPECT_EQ(name_of(refusals[2]), "unavailable");
}

}  // namespace
}  // namespace highwater::read
