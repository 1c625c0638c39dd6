// What every catalog::Journal promises, asked of every backend.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog_backends.h"
#include "testkit/commits.h"
#include "testkit/matchers.h"

namespace highwater::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testkit::IsOk;

Attempt attempt(const std::string& key, const std::string& report) {
    Attempt made;
    made.idempotency_key = key;
    made.batch = "batch of " + key;
    made.publication = digest_of(report);
    made.accepted = report == "{}";
    made.code = made.accepted ? "accepted" : "object_missing";
    made.report_json = report;
    made.time = time_from_ns(-5);
    return made;
}

Uuid uuid(std::uint8_t number) {
    return {.bytes = {number}};
}

Intent intent(std::uint8_t number, const std::vector<std::string>& paths) {
    Intent made;
    made.id = uuid(number);
    made.table = testkit::make_table("sensors", "/data/sensors").id;
    made.batch = "batch";
    made.root = "/data/sensors";
    made.paths = paths;
    made.created = time_from_ns(1);
    made.expires = time_from_ns(2);
    return made;
}

class JournalTest : public ::testing::TestWithParam<CatalogBackend> {
protected:
    Attempt add(const Attempt& given) {
        auto added = journal().add_attempt(given);
        EXPECT_THAT(added, IsOk());
        return added.ok() ? *std::move(added) : Attempt{};
    }

    std::vector<Attempt> attempts(const std::optional<std::string>& key, std::size_t limit) {
        auto loaded = journal().load_attempts(key, limit);
        EXPECT_THAT(loaded, IsOk());
        return loaded.ok() ? *std::move(loaded) : std::vector<Attempt>();
    }

    std::vector<Intent> intents(const TableId& table) {
        auto loaded = journal().load_intents(table);
        EXPECT_THAT(loaded, IsOk());
        return loaded.ok() ? *std::move(loaded) : std::vector<Intent>();
    }

    Journal& journal() { return world_->journal(); }

    std::unique_ptr<CatalogWorld> world_ = GetParam().make_world(7);
};

INSTANTIATE_TEST_SUITE_P(Backends, JournalTest, ::testing::ValuesIn(backends()),
                         [](const auto& test) { return test.param.name; });

TEST_P(JournalTest, AnAttemptIsNumberedWithinItsKey) {
    const std::string report(3'000'000, 'r');
    const Attempt first = add(attempt("a", report));
    const Attempt second = add(attempt("b", "{}"));
    const Attempt third = add(attempt("a", "{}"));
    EXPECT_EQ(first.number, 1U);
    EXPECT_EQ(second.number, 1U);
    EXPECT_EQ(third.number, 2U);
    EXPECT_LT(first.id, second.id);
    EXPECT_LT(second.id, third.id);
    Attempt expected = attempt("a", report);
    expected.id = first.id;
    expected.number = first.number;
    EXPECT_EQ(first, expected);
    world_->reopen();
    EXPECT_THAT(attempts({}, 10), ElementsAre(third, second, first));
}

TEST_P(JournalTest, TheNewestAttemptsComeFirst) {
    EXPECT_THAT(attempts({}, 10), IsEmpty());
    const Attempt first = add(attempt("a", "{}"));
    const Attempt second = add(attempt("a", "{}"));
    const Attempt third = add(attempt("b", "{}"));
    EXPECT_THAT(attempts({}, 2), ElementsAre(third, second));
    EXPECT_THAT(attempts("a", 10), ElementsAre(second, first));
    EXPECT_THAT(attempts("a", 1), ElementsAre(second));
    EXPECT_THAT(attempts("a", std::numeric_limits<std::size_t>::max()).size(), 2U);
    EXPECT_THAT(attempts("c", 10), IsEmpty());
    EXPECT_THAT(attempts({}, 0), IsEmpty());
}

TEST_P(JournalTest, IntentsOfATableComeInIdOrder) {
    const Intent second = intent(2, {"b/2", "a/1", "a/1"});
    const Intent first = intent(1, {});
    Intent other = intent(3, {"x"});
    other.table = testkit::make_table("others", "/data/others").id;
    for (const Intent& given : {second, first, other}) {
        ASSERT_THAT(journal().put_intent(given), IsOk());
    }
    world_->reopen();
    EXPECT_THAT(intents(first.table), ElementsAre(first, second));
    EXPECT_THAT(intents(other.table), ElementsAre(other));
    EXPECT_THAT(intents({uuid(9)}), IsEmpty());
}

TEST_P(JournalTest, AnIntentOfTheSameIdIsReplaced) {
    ASSERT_THAT(journal().put_intent(intent(1, {"a", "b", "c"})), IsOk());
    Intent longer = intent(1, {"b"});
    longer.expires = time_from_ns(50);
    ASSERT_THAT(journal().put_intent(longer), IsOk());
    EXPECT_THAT(intents(longer.table), ElementsAre(longer));
}

TEST_P(JournalTest, RemovingAnAbsentIntentSucceeds) {
    EXPECT_THAT(journal().remove_intent(uuid(1)), IsOk());
    ASSERT_THAT(journal().put_intent(intent(1, {"a"})), IsOk());
    ASSERT_THAT(journal().put_intent(intent(2, {"b"})), IsOk());
    EXPECT_THAT(journal().remove_intent(uuid(1)), IsOk());
    EXPECT_THAT(journal().remove_intent(uuid(1)), IsOk());
    EXPECT_THAT(intents(intent(1, {}).table), ElementsAre(intent(2, {"b"})));
}

TEST_P(JournalTest, NothingOfItIsInTheLineOfGenerations) {
    add(attempt("a", "{}"));
    ASSERT_THAT(journal().put_intent(intent(1, {"a"})), IsOk());
    EXPECT_EQ(world_->catalog().head()->number, 0U);
}

}  // namespace
}  // namespace highwater::catalog
