#include "publish/examine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/matchers.h"
#include "testkit/publish_world.h"
#include "testkit/simulated_store.h"

namespace highwater::publish {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testkit::FailsWith;
using testkit::IsOk;
using testkit::Mishap;
using testkit::PublishWorld;
using testkit::SimulatedStore;

constexpr model::Hour nine = PublishWorld::nine;
const std::string root = "/lake/logs";

class ExamineTest : public ::testing::Test {
protected:
    ExamineTest() { schema_ = world_.add_table("logs").current().schema; }

    ObjectWork work(const std::string& file) {
        const object::Name name{root, PublishWorld::path_of(nine, file)};
        const auto entry = world_.store.head(name);
        EXPECT_THAT(entry, IsOk());
        return {.hour = 0,
                .match = 0,
                .name = name,
                .identity = (*entry)->identity,
                .schema = &schema_};
    }

    PublishWorld world_;
    model::Schema schema_;
};

TEST_F(ExamineTest, FindsTheSameWhateverTheThreads) {
    std::vector<ObjectWork> works;
    std::vector<Digest> digests;
    for (std::size_t i = 0; i < 40; ++i) {
        world_.put(root, nine, std::to_string(i), i + 1, static_cast<double>(i));
        works.push_back(work(std::to_string(i)));
        works.back().match = static_cast<std::uint32_t>(i);
        digests.push_back(digest_of(PublishWorld::make_file(nine, i + 1, static_cast<double>(i))));
    }
    for (const unsigned threads : {1U, 2U, 7U, 100U}) {
        const auto facts = examine_all(world_.store, works, {.threads = threads}, {});
        ASSERT_THAT(facts, IsOk());
        ASSERT_THAT(*facts, SizeIs(works.size()));
        for (std::size_t i = 0; i < works.size(); ++i) {
            EXPECT_EQ((*facts)[i].match, i);
            EXPECT_EQ((*facts)[i].sha256, digests[i]);
            EXPECT_EQ((*facts)[i].record_count, i + 1);
        }
    }
}

TEST_F(ExamineTest, NoObjectsAreNoWork) {
    const auto facts = examine_all(world_.store, {}, {}, {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_THAT(*facts, SizeIs(0));
}

/// A store in which some objects cannot be opened.
class PartlyDeafStore final : public object::Store {
public:
    explicit PartlyDeafStore(object::Store& inner) : inner_(inner) {}

    Result<std::unique_ptr<object::Upload>> create(const object::Name& name) override {
        return inner_.create(name);
    }
    Result<std::unique_ptr<object::Reader>> open(const object::Name& name) override {
        const auto dot = name.path.rfind('.');
        const int number = std::stoi(name.path.substr(name.path.find('/') + 1, dot));
        if (number >= 7) return Error(Code::unavailable, "no answer for " + std::to_string(number));
        return inner_.open(name);
    }
    Result<std::optional<object::Entry>> head(const object::Name& name) override {
        return inner_.head(name);
    }
    Result<object::Page> list_page(const std::string& at, const std::string& prefix,
                                   const std::string& token) override {
        return inner_.list_page(at, prefix, token);
    }
    Result<void> remove(const object::Name& name) override { return inner_.remove(name); }

private:
    object::Store& inner_;
};

TEST_F(ExamineTest, TellsTheFailureOfTheFirstObjectThatFailed) {
    std::vector<ObjectWork> works;
    for (int i = 0; i < 40; ++i) {
        world_.put(root, nine, std::to_string(i), 1);
        works.push_back(work(std::to_string(i)));
    }
    PartlyDeafStore store(world_.store);
    for (const unsigned threads : {1U, 2U, 8U}) {
        const auto facts = examine_all(store, works, {.threads = threads}, {});
        ASSERT_THAT(facts, FailsWith(Code::unavailable));
        EXPECT_EQ(facts.error().message(), "no answer for 7");
    }
}

TEST_F(ExamineTest, AStoreThatDoesNotAnswerIsNoFact) {
    world_.put(root, nine, "a", 4);
    const ObjectWork a = work("a");
    for (const auto call : {SimulatedStore::Call::open, SimulatedStore::Call::read}) {
        for (const std::uint64_t held_bytes_max : {std::uint64_t{0}, std::uint64_t{1} << 20U}) {
            SimulatedStore store(world_.store, world_.clock);
            store.schedule(call, Mishap::unavailable);
            EXPECT_THAT(examine(store, a, held_bytes_max, {}), FailsWith(Code::unavailable));
        }
    }
}

TEST_F(ExamineTest, AnObjectThatWentOrChangedIsAFact) {
    world_.put(root, nine, "a", 4);
    const ObjectWork a = work("a");
    world_.store.replace(a.name, PublishWorld::make_file(nine, 4));
    auto facts = examine(world_.store, a, 0, {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_TRUE(facts->is_changed);

    world_.store.plant_other(a.name);
    facts = examine(world_.store, a, 0, {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_TRUE(facts->is_changed);

    ObjectWork gone = a;
    gone.name.path = PublishWorld::path_of(nine, "gone");
    facts = examine(world_.store, gone, 0, {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_TRUE(facts->is_changed);
    EXPECT_EQ(*digest_object(world_.store, gone.name, gone.identity, {}), std::nullopt);
}

TEST_F(ExamineTest, StopsBetweenPieces) {
    world_.store.replace({root, PublishWorld::path_of(nine, "large")}, Bytes(3U << 20U, 'x'));
    const ObjectWork large = work("large");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THAT(examine(world_.store, large, 0, stop.get_token()), FailsWith(Code::cancelled));
    EXPECT_THAT(digest_object(world_.store, large.name, large.identity, stop.get_token()),
                FailsWith(Code::cancelled));
}

TEST_F(ExamineTest, TheDigestOfPiecesIsThatOfTheWhole) {
    Bytes bytes;
    for (std::size_t i = 0; i < (3U << 20U) + 1; ++i) bytes += static_cast<char>(i * i >> 3U);
    world_.store.replace({root, PublishWorld::path_of(nine, "large")}, bytes);
    const ObjectWork large = work("large");
    const auto digest = digest_object(world_.store, large.name, large.identity, {});
    ASSERT_THAT(digest, IsOk());
    EXPECT_EQ(*digest, digest_of(bytes));
}

TEST_F(ExamineTest, DecodesOnlyWhatItIsAskedTo) {
    world_.put(root, nine, "a", 4);
    ObjectWork a = work("a");
    a.is_digested = false;
    a.is_decoded = false;
    auto facts = examine(world_.store, a, 0, {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_FALSE(facts->sha256);
    // A stranger's statistics are not believed, so its rows are read all the same.
    EXPECT_EQ(facts->min_time, model::start_of(nine));
    EXPECT_TRUE(facts->row_fingerprint);

    a.is_digested = true;
    facts = examine(world_.store, a, 0, {});
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->sha256, digest_of(PublishWorld::make_file(nine, 4)));
}

}  // namespace
}  // namespace highwater::publish
