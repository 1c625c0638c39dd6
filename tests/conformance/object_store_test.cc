// What every object::Store promises, asked of every backend. A new backend adds one world at the
// bottom; a new promise adds one TEST_P. No test here knows which backend it runs on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "env/random.h"
#include "env/simulated_clock.h"
#include "model/object_path.h"
#include "object/ledger.h"
#include "object/local_store.h"
#include "object/memory_store.h"
#include "object/store.h"
#include "testkit/matchers.h"
#include "testkit/simulated_store.h"
#include "testkit/temporary_directory.h"

namespace highwater::object {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using testkit::FailsWith;
using testkit::IsOk;

constexpr std::size_t page_size = 3;  // Small, so that every listing has several pages.

/// An empty store and two roots in it, neither of which exists yet.
class World {
public:
    virtual ~World() = default;
    virtual Store& store() = 0;

    std::string root = "/objects";
    std::string other_root = "/others";
};

struct Backend {
    std::string name;
    std::function<std::unique_ptr<World>()> make_world;

    friend std::ostream& operator<<(std::ostream& out, const Backend& b) { return out << b.name; }
};

class ObjectStoreTest : public ::testing::TestWithParam<Backend> {
protected:
    Name name(const std::string& path) const { return {world_->root, path}; }

    void put(const std::string& path, BytesView bytes = "x") {
        ASSERT_THAT(put_new(store, name(path), bytes), IsOk()) << path;
    }

    std::vector<std::string> list(const std::string& prefix) {
        const auto entries = list_all(store, world_->root, prefix);
        EXPECT_THAT(entries, IsOk());
        std::vector<std::string> paths;
        if (entries.ok()) {
            for (const Entry& entry : *entries) paths.push_back(entry.path);
        }
        return paths;
    }

    bool is_there(const std::string& path) {
        const auto entry = store.head(name(path));
        EXPECT_THAT(entry, IsOk());
        return entry.ok() && entry->has_value();
    }

    Bytes bytes_of(const std::string& path) {
        auto bytes = get(store, name(path), 100'000'000);
        EXPECT_THAT(bytes, IsOk());
        return bytes.ok() ? *std::move(bytes) : "no bytes";
    }

    std::unique_ptr<World> world_ = GetParam().make_world();
    Store& store = world_->store();
};

TEST_P(ObjectStoreTest, GivesBackWhatWasPut) {
    const auto put = put_new(store, name("a/b"), "bytes");
    ASSERT_THAT(put, IsOk());
    EXPECT_EQ(put->size_bytes, 5U);

    EXPECT_EQ(bytes_of("a/b"), "bytes");
}

TEST_P(ObjectStoreTest, KeepsAnEmptyObject) {
    put("empty", "");

    EXPECT_EQ(bytes_of("empty"), "");
    EXPECT_THAT(list(""), ElementsAre("empty"));
}

TEST_P(ObjectStoreTest, JoinsWhatWasAppended) {
    std::string all;
    const auto upload = store.create(name("large"));
    ASSERT_THAT(upload, IsOk());
    for (int piece = 0; piece < 20; ++piece) {
        const std::string bytes(200'000, static_cast<char>('a' + piece));
        ASSERT_THAT((*upload)->append(bytes), IsOk());
        all += bytes;
    }
    ASSERT_THAT((*upload)->finish(), IsOk());

    EXPECT_TRUE(bytes_of("large") == all);
}

TEST_P(ObjectStoreTest, ReadsAnyRangeAndStopsAtTheEnd) {
    put("a", "0123456789");
    const auto reader = store.open(name("a"));
    ASSERT_THAT(reader, IsOk());

    EXPECT_EQ(*(*reader)->read_at(0, 3), "012");
    EXPECT_EQ(*(*reader)->read_at(7, 3), "789");
    EXPECT_EQ(*(*reader)->read_at(7, 4), "789");
    EXPECT_EQ(*(*reader)->read_at(9, ~std::uint64_t{0}), "9");
    EXPECT_EQ(*(*reader)->read_at(10, 1), "");
    EXPECT_EQ(*(*reader)->read_at(~std::uint64_t{0}, 1), "");
    EXPECT_EQ(*(*reader)->read_at(3, 0), "");
}

TEST_P(ObjectStoreTest, TellsAbsenceAsAnAnswerInHeadAndAsAnErrorInOpen) {
    put("there");
    for (const auto* absent : {"absent", "no/such/folder", "there/beneath"}) {
        const auto entry = store.head(name(absent));
        ASSERT_THAT(entry, IsOk()) << absent;
        EXPECT_EQ(*entry, std::nullopt) << absent;
        EXPECT_THAT(store.open(name(absent)), FailsWith(Code::not_found)) << absent;
    }
    EXPECT_THAT(store.open({world_->other_root, "there"}), FailsWith(Code::not_found));
}

TEST_P(ObjectStoreTest, TellsTheSameIdentityEverywhere) {
    const auto finished = put_new(store, name("a/b"), "bytes");
    ASSERT_THAT(finished, IsOk());

    const Entry expected{"a/b", *finished, Entry::Kind::object};
    EXPECT_EQ(**store.head(name("a/b")), expected);
    EXPECT_THAT(*list_all(store, world_->root, ""), ElementsAre(expected));
    EXPECT_EQ((*store.open(name("a/b")))->identity(), *finished);
}

TEST_P(ObjectStoreTest, TellsAnotherIdentityForAnotherObject) {
    const auto old = put_new(store, name("a"), "old");
    ASSERT_THAT(old, IsOk());
    ASSERT_THAT(store.remove(name("a")), IsOk());

    const auto renewed = put_new(store, name("a"), "new");

    ASSERT_THAT(renewed, IsOk());
    EXPECT_NE(*renewed, *old);
}

TEST_P(ObjectStoreTest, RefusesATakenNameAndKeepsTheOldObject) {
    put("a", "old");

    EXPECT_THAT(put_new(store, name("a"), "new"), FailsWith(Code::already_exists));

    EXPECT_EQ(bytes_of("a"), "old");
}

TEST_P(ObjectStoreTest, ShowsAnUploadOnlyWhenItIsFinished) {
    const auto upload = store.create(name("a/b"));
    ASSERT_THAT(upload, IsOk());
    ASSERT_THAT((*upload)->append("bytes"), IsOk());
    EXPECT_FALSE(is_there("a/b"));
    ASSERT_THAT((*upload)->seal(), IsOk());
    ASSERT_THAT((*upload)->seal(), IsOk());
    EXPECT_FALSE(is_there("a/b"));
    EXPECT_THAT(list(""), IsEmpty());

    ASSERT_THAT((*upload)->finish(), IsOk());

    EXPECT_EQ(bytes_of("a/b"), "bytes");
    EXPECT_THAT(list(""), ElementsAre("a/b"));
}

TEST_P(ObjectStoreTest, LeavesNothingOfADroppedUpload) {
    {
        const auto appended = store.create(name("a/appended"));
        const auto sealed = store.create(name("a/sealed"));
        ASSERT_THAT(appended, IsOk());
        ASSERT_THAT(sealed, IsOk());
        ASSERT_THAT((*appended)->append("bytes"), IsOk());
        ASSERT_THAT((*sealed)->append("bytes"), IsOk());
        ASSERT_THAT((*sealed)->seal(), IsOk());
    }
    EXPECT_THAT(list(""), IsEmpty());
    put("a/sealed", "others");
    EXPECT_EQ(bytes_of("a/sealed"), "others");
}

TEST_P(ObjectStoreTest, KeepsAnUploadThatFailedFailed) {
    put("a", "old");
    const auto upload = store.create(name("a"));
    ASSERT_THAT(upload, IsOk());
    ASSERT_THAT((*upload)->finish(), FailsWith(Code::already_exists));
    ASSERT_THAT(store.remove(name("a")), IsOk());

    EXPECT_THAT((*upload)->finish(), FailsWith(Code::already_exists));

    EXPECT_FALSE(is_there("a"));
}

TEST_P(ObjectStoreTest, ListsInTheOrderOfWholePaths) {
    std::vector<std::string> paths{"a.b", "a/b", "a-b",   "a0",      "a!/z",     "a/b.c", "a/a/z",
                                   "A",   "b",   "a/b-c", "a/c/d/e", "\xC3\xA9", "a b",   "a/a.z"};
    for (const auto& path : paths) put(path);

    std::ranges::sort(paths);
    EXPECT_THAT(list(""), ElementsAreArray(paths));
}

TEST_P(ObjectStoreTest, ListsEveryEntryOnceOverManyPages) {
    std::vector<std::string> paths;
    paths.reserve(40);
    for (int i = 0; i < 40; ++i) {
        paths.push_back("d" + std::to_string(i % 7) + "/e" + std::to_string(i % 3) + "/" +
                        std::to_string(i));
    }
    for (const auto& path : paths) put(path);

    std::ranges::sort(paths);
    EXPECT_THAT(list(""), ElementsAreArray(paths));

    std::erase_if(paths, [](const auto& path) { return !path.starts_with("d3/"); });
    EXPECT_THAT(list("d3"), ElementsAreArray(paths));
}

TEST_P(ObjectStoreTest, EndsAListingThatFillsItsLastPage) {
    for (std::size_t count = 1; count <= 2 * page_size + 1; ++count) {
        put(std::string(count, 'a'));
        EXPECT_EQ(list("").size(), count);
        const auto first = store.list_page(world_->root, "", "");
        ASSERT_THAT(first, IsOk());
        EXPECT_LE(first->entries.size(), page_size);
        EXPECT_TRUE(count <= page_size || first->next_token.has_value());
    }
}

TEST_P(ObjectStoreTest, TakesAPrefixAsWholeSegments) {
    for (const auto* path : {"a/b/c", "a/b/d/e", "a/bc", "a/b.c", "a/b-", "ab"}) put(path);

    EXPECT_THAT(list("a/b"), ElementsAre("a/b/c", "a/b/d/e"));
    EXPECT_THAT(list("a"), ElementsAre("a/b-", "a/b.c", "a/b/c", "a/b/d/e", "a/bc"));
    EXPECT_THAT(list("a/b/d"), ElementsAre("a/b/d/e"));
}

TEST_P(ObjectStoreTest, HasNothingBeneathAnAbsentPrefixOrRoot) {
    EXPECT_THAT(list(""), IsEmpty());
    put("a/b");

    EXPECT_THAT(list("b"), IsEmpty());
    EXPECT_THAT(list("a/b"), IsEmpty());  // An object.
    EXPECT_THAT(list("a/b/c"), IsEmpty());
    EXPECT_THAT(*list_all(store, world_->other_root, ""), IsEmpty());
}

TEST_P(ObjectStoreTest, KeepsRootsApart) {
    ASSERT_THAT(put_new(store, {world_->root, "a"}, "here"), IsOk());
    ASSERT_THAT(put_new(store, {world_->other_root, "a"}, "there"), IsOk());
    ASSERT_THAT(store.remove({world_->root, "a"}), IsOk());

    EXPECT_THAT(list(""), IsEmpty());
    EXPECT_EQ(*get(store, {world_->other_root, "a"}, 100), "there");
}

TEST_P(ObjectStoreTest, RemovesOnceAndForgivesTheSecondTime) {
    put("a/b");
    put("a/c");

    EXPECT_THAT(store.remove(name("a/b")), IsOk());
    EXPECT_THAT(store.remove(name("a/b")), IsOk());
    EXPECT_THAT(store.remove(name("no/such/folder")), IsOk());
    EXPECT_THAT(store.remove({world_->other_root, "a"}), IsOk());

    EXPECT_THAT(store.open(name("a/b")), FailsWith(Code::not_found));
    EXPECT_THAT(list(""), ElementsAre("a/c"));
}

TEST_P(ObjectStoreTest, ReadsWhatWasOpenedEvenAfterItWasRemovedAndReplaced) {
    put("a", "old bytes");
    const auto reader = store.open(name("a"));
    ASSERT_THAT(reader, IsOk());

    ASSERT_THAT(store.remove(name("a")), IsOk());
    put("a", "new bytes");

    EXPECT_EQ(*(*reader)->read_at(0, 100), "old bytes");
    EXPECT_EQ(bytes_of("a"), "new bytes");
}

TEST_P(ObjectStoreTest, TakesANameAsAnObjectOrAsAFolder) {
    put("a/b/c");

    EXPECT_THAT(put_new(store, name("a/b"), "x"), FailsWith(Code::already_exists));
    EXPECT_THAT(put_new(store, name("a/b/c/d"), "x"), FailsWith(Code::denied));
    EXPECT_THAT(put_new(store, name("a/b/c/d/e"), "x"), FailsWith(Code::denied));

    EXPECT_THAT(list(""), ElementsAre("a/b/c"));
}

TEST_P(ObjectStoreTest, TreatsAFolderByItselfAsNothing) {
    put("a/b/c");

    EXPECT_FALSE(is_there("a/b"));
    EXPECT_THAT(store.open(name("a/b")), FailsWith(Code::not_found));
    EXPECT_THAT(store.remove(name("a/b")), IsOk());
    EXPECT_EQ(bytes_of("a/b/c"), "x");

    ASSERT_THAT(store.remove(name("a/b/c")), IsOk());
    EXPECT_THAT(list(""), IsEmpty());
    put("a/b/d");
    EXPECT_THAT(list("a"), ElementsAre("a/b/d"));
}

TEST_P(ObjectStoreTest, RefusesEverySpellingThatIsNoPath) {
    const std::string nul("a\0b", 3);
    for (const std::string& path :
         {std::string(".."), std::string("."), std::string("/a"), std::string("a/"),
          std::string("a//b"), std::string("a/../b"), std::string("a/./b"), std::string("a\\b"),
          std::string("a\nb"), std::string("\xFF"), std::string(".highwater/staged/a"), nul,
          std::string(model::object_path_size_max + 1, 'a')}) {
        SCOPED_TRACE(path);
        EXPECT_THAT(store.create(name(path)), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.open(name(path)), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.head(name(path)), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.remove(name(path)), FailsWith(Code::invalid_argument));
        EXPECT_THAT(store.list_page(world_->root, path, ""), FailsWith(Code::invalid_argument));
    }
    EXPECT_THAT(store.create(name("")), FailsWith(Code::invalid_argument));
    EXPECT_THAT(list(""), IsEmpty());
}

TEST_P(ObjectStoreTest, TakesAPathOfTheGreatestLength) {
    std::string path;
    while (path.size() + 64 < model::object_path_size_max) path += std::string(63, 'a') + "/";
    path += std::string(model::object_path_size_max - path.size(), 'b');
    ASSERT_EQ(path.size(), model::object_path_size_max);

    put(path, "deep");

    EXPECT_EQ(bytes_of(path), "deep");
    EXPECT_THAT(list(""), ElementsAre(path));
    EXPECT_THAT(store.remove(name(path)), IsOk());
}

TEST_P(ObjectStoreTest, RefusesARootThatIsEmpty) {
    EXPECT_THAT(store.create({"", "a"}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(store.open({"", "a"}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(store.head({"", "a"}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(store.remove({"", "a"}), FailsWith(Code::invalid_argument));
    EXPECT_THAT(store.list_page("", "", ""), FailsWith(Code::invalid_argument));
}

TEST_P(ObjectStoreTest, LetsExactlyOneOfEightRacersWin) {
    constexpr int racers = 8;
    for (int round = 0; round < 10; ++round) {
        const Name contested = name("race/" + std::to_string(round) + "/object");
        std::atomic<int> ready = 0;
        std::atomic<int> winner = -1;
        std::atomic<int> wins = 0;
        std::atomic<int> refusals = 0;
        std::vector<std::jthread> threads;
        threads.reserve(racers);
        for (int racer = 0; racer < racers; ++racer) {
            threads.emplace_back([&, racer] {
                auto upload = store.create(contested);
                if (!upload.ok()) return;
                if (!(*upload)->append("racer " + std::to_string(racer)).ok()) return;
                ++ready;
                while (ready < racers) std::this_thread::yield();
                const auto finished = (*upload)->finish();
                if (finished.ok()) {
                    ++wins;
                    winner = racer;
                } else if (finished.error().code() == Code::already_exists) {
                    ++refusals;
                }
            });
        }
        threads.clear();  // Joins.
        ASSERT_EQ(wins, 1);
        ASSERT_EQ(refusals, racers - 1);
        ASSERT_EQ(*get(store, contested, 100), "racer " + std::to_string(winner));
    }
}

TEST_P(ObjectStoreTest, ListsWhatWasThereWhileOthersWriteAndRemove) {
    std::vector<std::string> lasting;
    lasting.reserve(10);
    for (int i = 0; i < 10; ++i) lasting.push_back("d/" + std::to_string(i) + "/lasting");
    for (const auto& path : lasting) put(path);

    std::atomic<bool> done = false;
    std::jthread writer([&] {
        for (int i = 0; i < 60; ++i) {
            const Name passing =
                name("d/" + std::to_string(i % 10) + "/passing" + std::to_string(i));
            EXPECT_THAT(put_new(store, passing, "x"), IsOk());
            if (i % 2 == 1) continue;
            EXPECT_THAT(store.remove(passing), IsOk());
        }
        done = true;
    });
    do {
        const auto paths = list("d");
        EXPECT_TRUE(std::ranges::is_sorted(paths, std::less_equal<>()));
        EXPECT_TRUE(std::ranges::includes(paths, lasting));
    } while (!done);
    writer.join();
    EXPECT_EQ(list("d").size(), lasting.size() + 30);
}

class MemoryWorld final : public World {
public:
    Store& store() override { return memory_; }

private:
    MemoryStore memory_{page_size};
};

class LocalWorld final : public World {
public:
    LocalWorld() {
        root = directory_.path() + "/objects";
        other_root = directory_.path() + "/others";
    }
    Store& store() override { return local_; }

private:
    testkit::TemporaryDirectory directory_;
    SystemFileSystem files_;
    env::SeededRandom random_{1};
    LocalStore local_{files_, random_, {.page_size = page_size}};
};

class MeteredWorld final : public World {
public:
    Store& store() override { return metered_; }

private:
    MemoryStore memory_{page_size};
    MeteredStore metered_{memory_};
};

/// Fair weather: only smaller pages.
class SimulatedWorld final : public World {
public:
    Store& store() override { return simulated_; }

private:
    MemoryStore memory_{page_size};
    env::SimulatedClock clock_{Time()};
    testkit::SimulatedStore simulated_{
        memory_, clock_, {.page_size = 2, .latency_max = std::chrono::milliseconds(5)}};
};

template <typename T>
Backend backend(std::string name) {
    return {std::move(name), [] { return std::make_unique<T>(); }};
}

INSTANTIATE_TEST_SUITE_P(Backends, ObjectStoreTest,
                         ::testing::Values(backend<MemoryWorld>("memory"),
                                           backend<LocalWorld>("local"),
                                           backend<MeteredWorld>("metered"),
                                           backend<SimulatedWorld>("simulated")),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace highwater::object
