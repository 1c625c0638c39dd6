#include "testkit/simulated_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "object/memory_store.h"
#include "testkit/matchers.h"

namespace highwater::testkit {
namespace {

using object::Name;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Call = SimulatedStore::Call;

class SimulatedStoreTest : public ::testing::Test {
protected:
    SimulatedStoreTest() {
        for (const auto* path : {"a", "b", "c", "d", "e"}) {
            EXPECT_THAT(put_new(memory, {"/r", path}, "x"), IsOk());
        }
    }

    object::MemoryStore memory;
    env::SimulatedClock clock{Time()};
    SimulatedStore store{memory, clock, {.page_size = 2}};
};

TEST_F(SimulatedStoreTest, LetsTheScheduledCallsFailAndNoOther) {
    store.schedule(Call::head, Mishap::denied, 1, 2);
    store.schedule(Call::head, Mishap::unavailable);

    EXPECT_THAT(store.head({"/r", "a"}), IsOk());
    EXPECT_THAT(store.open({"/r", "a"}), IsOk());
    EXPECT_THAT(store.head({"/r", "a"}), FailsWith(Code::denied));
    EXPECT_THAT(store.head({"/r", "a"}), FailsWith(Code::denied));
    EXPECT_THAT(store.head({"/r", "a"}), FailsWith(Code::unavailable));
    EXPECT_THAT(store.head({"/r", "a"}), IsOk());
}

TEST_F(SimulatedStoreTest, LosesTheRequestOrTheReply) {
    const auto start = clock.steady();
    store.schedule(Call::remove, Mishap::timeout_before_effect);
    store.schedule(Call::remove, Mishap::timeout_after_effect);
    EXPECT_THAT(store.remove({"/r", "a"}), FailsWith(Code::outcome_unknown));
    EXPECT_TRUE((*memory.head({"/r", "a"})).has_value());
    EXPECT_THAT(store.remove({"/r", "a"}), FailsWith(Code::outcome_unknown));
    EXPECT_FALSE((*memory.head({"/r", "a"})).has_value());
    EXPECT_EQ(clock.steady() - start, 2 * Weather().timeout);

    store.schedule(Call::finish, Mishap::timeout_before_effect);
    EXPECT_THAT(put_new(store, {"/r", "new"}, "x"), FailsWith(Code::outcome_unknown));
    EXPECT_FALSE((*memory.head({"/r", "new"})).has_value());
    store.schedule(Call::finish, Mishap::timeout_after_effect);
    EXPECT_THAT(put_new(store, {"/r", "new"}, "x"), FailsWith(Code::outcome_unknown));
    EXPECT_TRUE((*memory.head({"/r", "new"})).has_value());
}

TEST_F(SimulatedStoreTest, TellsEachCallOnlyWhatItMayHear) {
    const auto reader = store.open({"/r", "a"});
    ASSERT_THAT(reader, IsOk());
    store.schedule(Call::read, Mishap::denied);
    EXPECT_THAT((*reader)->read_at(0, 1), FailsWith(Code::unavailable));
    store.schedule(Call::read, Mishap::timeout_after_effect);
    EXPECT_THAT((*reader)->read_at(0, 1), FailsWith(Code::unavailable));
    store.schedule(Call::append, Mishap::denied);
    EXPECT_THAT(put_new(store, {"/r", "new"}, "x"), FailsWith(Code::unavailable));
    store.schedule(Call::create, Mishap::timeout_before_effect);
    EXPECT_THAT(put_new(store, {"/r", "new"}, "x"), FailsWith(Code::unavailable));
    store.schedule(Call::list, Mishap::timeout_after_effect);
    EXPECT_THAT(store.list_page("/r", "", ""), FailsWith(Code::unavailable));
}

TEST_F(SimulatedStoreTest, KeepsAnUploadThatFailedFailed) {
    const auto upload = store.create({"/r", "new"});
    ASSERT_THAT(upload, IsOk());
    store.schedule(Call::seal, Mishap::unavailable);
    EXPECT_THAT((*upload)->seal(), FailsWith(Code::unavailable));
    EXPECT_THAT((*upload)->append("x"), FailsWith(Code::unavailable));
    EXPECT_THAT((*upload)->finish(), FailsWith(Code::unavailable));
    EXPECT_FALSE((*memory.head({"/r", "new"})).has_value());
}

TEST_F(SimulatedStoreTest, SplitsPagesAndMayLeaveOneEmpty) {
    store.schedule(Call::list, Mishap::empty_page, 1);
    std::vector<std::size_t> sizes;
    std::string token;
    for (;;) {
        const auto page = store.list_page("/r", "", token);
        ASSERT_THAT(page, IsOk());
        sizes.push_back(page->entries.size());
        if (!page->next_token) break;
        token = *page->next_token;
    }
    EXPECT_THAT(sizes, ElementsAre(2U, 0U, 2U, 1U));
}

TEST_F(SimulatedStoreTest, CutsRepeatsAndTurnsBackListings) {
    store.schedule(Call::list, Mishap::truncated);
    EXPECT_THAT(store.list_page("/r", "", ""), FailsWith(Code::unavailable));

    const auto first = store.list_page("/r", "", "");
    ASSERT_THAT(first, IsOk());
    store.schedule(Call::list, Mishap::repeated_token);
    const auto repeating = store.list_page("/r", "", *first->next_token);
    ASSERT_THAT(repeating, IsOk());
    EXPECT_EQ(repeating->entries[0].path, "c");
    EXPECT_EQ(repeating->next_token, first->next_token);

    store.schedule(Call::list, Mishap::backwards);
    const auto backwards = store.list_page("/r", "", *first->next_token);
    ASSERT_THAT(backwards, IsOk());
    EXPECT_EQ(backwards->entries, first->entries);

    EXPECT_THAT(store.list_page("/r", "", "no token"), FailsWith(Code::invalid_argument));
}

TEST_F(SimulatedStoreTest, MayHaveSmallerPagesThanTheInnerStoreAndTheOtherWayRound) {
    for (const std::size_t inner_size : {1U, 2U, 3U, 5U, 100U}) {
        object::MemoryStore inner(inner_size);
        for (const auto* path : {"a", "b", "c", "d", "e"}) {
            ASSERT_THAT(put_new(inner, {"/r", path}, "x"), IsOk());
        }
        for (const std::size_t size : {0U, 1U, 2U, 3U, 5U, 100U}) {
            SimulatedStore paged(inner, clock, {.page_size = size});
            const auto listed = list_all(paged, "/r", "");
            ASSERT_THAT(listed, IsOk());
            EXPECT_THAT(*listed, SizeIs(5));
        }
    }
}

/// What 400 calls in stormy weather gave, as text.
std::string run_storm(std::uint64_t seed) {
    object::MemoryStore memory;
    env::SimulatedClock clock{Time()};
    SimulatedStore store(memory, clock,
                         {.seed = seed,
                          .page_size = 1,
                          .latency_min = std::chrono::milliseconds(1),
                          .latency_max = std::chrono::milliseconds(9),
                          .denied_per_mille = 50,
                          .unavailable_per_mille = 50,
                          .timeout_per_mille = 100,
                          .truncated_per_mille = 50,
                          .empty_page_per_mille = 50,
                          .repeated_token_per_mille = 50,
                          .backwards_per_mille = 50});
    std::string story;
    for (int i = 0; i < 100; ++i) {
        const Name name{"/r", std::to_string(i % 10)};
        const auto put = put_new(store, name, "x");
        const auto listed = list_all(store, "/r", "");
        const auto removed = i % 3 == 0 ? store.remove(name) : Result<void>();
        for (const auto* error :
             {put.ok() ? nullptr : &put.error(), listed.ok() ? nullptr : &listed.error(),
              removed.ok() ? nullptr : &removed.error()}) {
            story += error ? error->message() + ";" : ".";
        }
    }
    return story + std::to_string(clock.steady().count());
}

TEST(SimulatedStoreStorm, TellsTheSameStoryForTheSameSeedAndAnotherForAnother) {
    EXPECT_EQ(run_storm(7), run_storm(7));
    EXPECT_NE(run_storm(7), run_storm(8));
    for (const auto* word :
         {"403", "500", "timed out", "ended early", "token repeats", "does not come after"}) {
        EXPECT_THAT(run_storm(7), ::testing::HasSubstr(word));
    }
}

}  // namespace
}  // namespace highwater::testkit
