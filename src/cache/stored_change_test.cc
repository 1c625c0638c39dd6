#include "cache/stored_change.h"

#include <gtest/gtest.h>

#include "cache/refresh.h"
#include "testkit/lake.h"
#include "testkit/matchers.h"

namespace highwater::cache {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr std::int64_t first = 500'000;

RefreshRequest prefix(const catalog::TableId& table, std::int64_t hour) {
    return {.kind = RefreshRequest::Kind::prefixes,
            .scopes = {{table, {{{hour}, {hour + 1}}}}},
            .reload = false};
}

class StoredChangeTest : public ::testing::Test {
protected:
    StoredChangeTest() : table(lake.create_table("metrics")) {
        lake.publish(table, {first, first + 1, first + 2});
        base = refresh(nullptr, {});
    }

    std::shared_ptr<const Snapshot> refresh(const std::shared_ptr<const Snapshot>& from,
                                            const RefreshRequest& request) {
        auto refreshed = cache::refresh({lake.catalog, lake.store, lake.clock}, from, request);
        EXPECT_THAT(refreshed, IsOk());
        return refreshed->snapshot;
    }

    testkit::Lake lake;
    catalog::TableId table;
    std::shared_ptr<const Snapshot> base;
};

TEST_F(StoredChangeTest, OneChangedHourIsFewBytes) {
    lake.correct(table, first);
    const auto next = refresh(base, {});
    EXPECT_LT(encode_change(base.get(), *next).size(), encode_change(nullptr, *next).size() / 2);
}

TEST_F(StoredChangeTest, AChangeIsForItsBaseAlone) {
    lake.correct(table, first);
    const auto next = refresh(base, {});
    const Bytes change = encode_change(base.get(), *next);
    EXPECT_THAT(decode_change(base, change), IsOk());
    EXPECT_THAT(decode_change(nullptr, change), FailsWith(Code::conflict));
    EXPECT_THAT(decode_change(next, change), FailsWith(Code::conflict));
    EXPECT_THAT(decode_change(base, encode_change(nullptr, *next)), FailsWith(Code::conflict));
}

TEST_F(StoredChangeTest, CutShortOrLongerItIsCorrupt) {
    const Bytes bytes = encode_change(nullptr, *base);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(decode_change(nullptr, BytesView(bytes).substr(0, size)).ok()) << size;
    }
    EXPECT_THAT(decode_change(nullptr, bytes + '\0'), FailsWith(Code::corrupt));
}

TEST_F(StoredChangeTest, FlippedBytesNeverEndTheProgram) {
    const Bytes bytes = encode_change(nullptr, *base);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        Bytes flipped = bytes;
        flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
        const auto decoded = decode_change(nullptr, flipped);
        if (!decoded.ok()) continue;
        for (const HeldTable& held : (*decoded)->tables()) {
            for (std::int64_t hour = first; hour < first + 3; ++hour) {
                static_cast<void>((*decoded)->find({held.table->id, {hour}}));
            }
        }
    }
}

TEST_F(StoredChangeTest, TheOneThatHasSeenMoreIsTheNewest) {
    lake.correct(table, first);
    const auto next = refresh(base, {});
    EXPECT_EQ(newest(base, next), next);
    EXPECT_EQ(newest(next, base), next);
    EXPECT_EQ(newest(nullptr, base), base);
    EXPECT_EQ(newest(base, nullptr), base);
    EXPECT_EQ(newest(base, base), base);
    EXPECT_EQ(newest(nullptr, nullptr), nullptr);
}

TEST_F(StoredChangeTest, OfTwoLivesOursIsTheNewest) {
    env::SeededRandom random(5);
    catalog::MemoryCatalog other(random);
    const auto refreshed = cache::refresh({other, lake.store, lake.clock}, nullptr, {});
    ASSERT_THAT(refreshed, IsOk());
    EXPECT_EQ(newest(base, refreshed->snapshot), refreshed->snapshot);
    EXPECT_EQ(newest(refreshed->snapshot, base), base);
}

TEST_F(StoredChangeTest, OfTwoThatSawTheSameTheBestOfBothIsKept) {
    lake.correct(table, first);
    lake.correct(table, first + 1);
    const auto one = refresh(base, prefix(table, first));
    const auto two = refresh(base, prefix(table, first + 1));
    ASSERT_LT(one->completed(), lake.head().number);

    const auto both = newest(one, two);

    EXPECT_EQ(both->completed(), lake.head().number);
    EXPECT_EQ(both->find_hour({table, {first}}), one->find_hour({table, {first}}));
    EXPECT_EQ(both->find_hour({table, {first + 1}}), two->find_hour({table, {first + 1}}));
    EXPECT_EQ(newest(two, one)->completed(), lake.head().number);
    EXPECT_EQ(newest(one, both), both);  // Nothing better: nothing new.
}

TEST_F(StoredChangeTest, ADroppedTableIsStoredWithoutItsHours) {
    lake.drop_table(table);
    const auto next = refresh(base, {});
    const auto decoded = decode_change(base, encode_change(base.get(), *next));
    ASSERT_THAT(decoded, IsOk());
    EXPECT_TRUE((*decoded)->find_table(table)->table->dropped);
    EXPECT_EQ((*decoded)->published_count(), 0u);
}

TEST_F(StoredChangeTest, ASuccessorHasEveryTable) {
    lake.correct(table, first);
    const auto next = refresh(base, {});
    EXPECT_TRUE(is_successor(*base, *next));
    EXPECT_FALSE(is_successor(*next, *base));
    testkit::Lake other;
    other.create_table("elsewhere");
    other.create_table("another");
    const auto foreign = cache::refresh({other.catalog, other.store, other.clock}, nullptr, {});
    ASSERT_THAT(foreign, IsOk());
    EXPECT_FALSE(is_successor(*foreign->snapshot, *next));
}

}  // namespace
}  // namespace highwater::cache
