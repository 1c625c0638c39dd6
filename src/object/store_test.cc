#include "object/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "env/simulated_clock.h"
#include "object/memory_store.h"
#include "testkit/matchers.h"
#include "testkit/simulated_store.h"
#include "testkit/tampered_store.h"

namespace highwater::object {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::Mishap;
using testkit::SimulatedStore;
using Call = SimulatedStore::Call;

class StoreTest : public ::testing::Test {
protected:
    StoreTest() {
        for (char letter = 'a'; letter <= 'j'; ++letter) {
            const auto put = put_new(memory, {"/r", "d/" + std::string(1, letter)}, "12345");
            EXPECT_THAT(put, IsOk());
        }
    }

    MemoryStore memory;
    env::SimulatedClock clock{Time()};
    SimulatedStore store{memory, clock, {.page_size = 2}};
};

TEST_F(StoreTest, GetTakesAnObjectOfTheGreatestSizeAndNoLarger) {
    EXPECT_EQ(*get(store, {"/r", "d/a"}, 5), "12345");
    EXPECT_THAT(get(store, {"/r", "d/a"}, 4), FailsWith(Code::exhausted));
}

TEST_F(StoreTest, ListAllTakesAsManyEntriesAsItMayAndNoMore) {
    EXPECT_THAT(*list_all(store, "/r", "d", {.entries_max = 10}), SizeIs(10));
    EXPECT_THAT(list_all(store, "/r", "d", {.entries_max = 9}), FailsWith(Code::exhausted));
}

TEST_F(StoreTest, ListAllTakesAsManyPagesAsItMayAndNoMore) {
    EXPECT_THAT(*list_all(store, "/r", "d", {.pages_max = 5}), SizeIs(10));
    EXPECT_THAT(list_all(store, "/r", "d", {.pages_max = 4}), FailsWith(Code::unavailable));
}

TEST_F(StoreTest, ListAllDoesNotBelieveATokenThatRepeats) {
    for (int page = 0; page < 4; ++page) {
        store.schedule(Call::list, Mishap::repeated_token, page);
        const auto listed = list_all(store, "/r", "d");
        EXPECT_THAT(listed, FailsWith(Code::unavailable));
        EXPECT_THAT(listed.error().message(), HasSubstr("token repeats"));
    }
}

TEST_F(StoreTest, ListAllDoesNotBelieveAPageThatGoesBackwards) {
    for (int page = 1; page < 5; ++page) {
        store.schedule(Call::list, Mishap::backwards, page);
        const auto listed = list_all(store, "/r", "d");
        EXPECT_THAT(listed, FailsWith(Code::unavailable));
        EXPECT_THAT(listed.error().message(), HasSubstr("does not come after"));
    }
}

/// A store that answers with whatever page it was given.
class DictatedStore final : public Store {
public:
    explicit DictatedStore(std::vector<std::string> paths) : paths_(std::move(paths)) {}

    Result<std::unique_ptr<Upload>> create(const Name&) override { return refusal(); }
    Result<std::unique_ptr<Reader>> open(const Name&) override { return refusal(); }
    Result<std::optional<Entry>> head(const Name&) override { return refusal(); }
    Result<Page> list_page(const std::string&, const std::string&, const std::string&) override {
        Page page;
        for (const auto& path : paths_) page.entries.push_back({path, {}, Entry::Kind::object});
        return page;
    }
    Result<void> remove(const Name&) override { return refusal(); }

private:
    static Error refusal() { return {Code::unsupported, "this store only lists"}; }

    std::vector<std::string> paths_;
};

TEST(ListAll, DoesNotBelieveAnEntryOutsideThePrefix) {
    for (const auto* path : {"a/b", "a/bc", "a/b/", "b/a/b/c", ""}) {
        DictatedStore store({path});
        EXPECT_THAT(list_all(store, "/r", "a/b"), FailsWith(Code::unavailable)) << path;
    }
    DictatedStore store({"a/b/c"});
    EXPECT_THAT(list_all(store, "/r", "a/b"), IsOk());
    EXPECT_THAT(list_all(store, "/r", ""), IsOk());
}

TEST(ListAll, DoesNotBelieveAnEntryTwiceInOnePage) {
    DictatedStore store({"a", "a"});
    EXPECT_THAT(list_all(store, "/r", ""), FailsWith(Code::unavailable));
}

TEST(MemoryStore, FillsPagesOfTheSizeThatItWasGiven) {
    MemoryStore store(2);
    for (const auto* path : {"a", "b", "c"}) {
        ASSERT_THAT(put_new(store, {"/r", path}, "x"), IsOk());
    }
    const auto first = store.list_page("/r", "", "");
    ASSERT_THAT(first, IsOk());
    EXPECT_THAT(first->entries, SizeIs(2));
    ASSERT_TRUE(first->next_token.has_value());
    const auto last = store.list_page("/r", "", *first->next_token);
    EXPECT_THAT(last->entries, SizeIs(1));
    EXPECT_EQ(last->next_token, std::nullopt);
}

TEST(MemoryStore, ShowsWhatAnotherHandDidByTheIdentity) {
    testkit::TamperedStore store;
    const Name name{"/r", "a"};
    const auto put = put_new(store, name, "old");
    const auto reader = *store.open(name);
    store.replace(name, "new");

    EXPECT_NE((*store.head(name))->identity, *put);
    EXPECT_EQ(*get(store, name, 3), "new");
    EXPECT_EQ(*reader->read_at(0, 3), "old");
}

TEST(MemoryStore, OpensAndRemovesNothingThatIsNoObject) {
    testkit::TamperedStore store;
    const Name name{"/r", "pipe"};
    store.plant_other(name);

    EXPECT_THAT(store.open(name), FailsWith(Code::denied));
    EXPECT_THAT(store.remove(name), FailsWith(Code::denied));
    EXPECT_THAT(put_new(store, name, "x"), FailsWith(Code::already_exists));
    EXPECT_EQ((*store.head(name))->kind, Entry::Kind::other);
    EXPECT_EQ((*list_all(store, "/r", ""))[0].kind, Entry::Kind::other);
}

}  // namespace
}  // namespace highwater::object
