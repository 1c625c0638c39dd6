#include "cache/refresh_plan.h"

#include <gmock/gmock.h>

#include <rapidcheck.h>

#include <set>

namespace highwater::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const catalog::TableId table_id{Uuid{{1}}};
const catalog::TableId other_id{Uuid{{2}}};

model::HourRange range(std::int64_t from, std::int64_t to) {
    return {{from}, {to}};
}

TEST(HourSetTest, NeighboursBecomeOneRange) {
    HourSet set;
    set.add(catalog::PartitionKey{table_id, {3}});
    set.add(catalog::PartitionKey{table_id, {5}});
    set.add(catalog::PartitionKey{table_id, {4}});
    set.add(catalog::PartitionKey{table_id, {9}});
    ASSERT_EQ(set.scopes().size(), 1u);
    EXPECT_THAT(set.scopes()[0].hours, ElementsAre(range(3, 6), range(9, 10)));
}

TEST(HourSetTest, EveryHourIsAScopeWithoutRanges) {
    HourSet set;
    set.add(catalog::PartitionKey{table_id, {3}});
    set.add_all(table_id);
    ASSERT_EQ(set.scopes().size(), 1u);
    EXPECT_THAT(set.scopes()[0].hours, IsEmpty());
    EXPECT_TRUE(set.contains({table_id, model::hour_max}));
    EXPECT_TRUE(set.contains({table_id, model::hour_min}));
    EXPECT_FALSE(set.contains({other_id, {3}}));
}

TEST(HourSetTest, HoldsWhatWasAddedAndNothingElse) {
    EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& ranges) {
        HourSet set;
        std::set<std::int64_t> model;
        for (const auto& [from, size] : ranges) {
            set.add(table_id, range(from, from + size % 8));
            for (std::int64_t hour = from; hour < from + size % 8; ++hour) model.insert(hour);
        }
        for (std::int64_t hour = -1; hour < 270; ++hour) {
            RC_ASSERT(set.contains({table_id, {hour}}) == model.contains(hour));
        }
        std::int64_t end = -1;
        for (const catalog::Scope& scope : set.scopes()) {
            for (const model::HourRange& hours : scope.hours) {
                RC_ASSERT(hours.from.since_epoch > end);  // They do not touch.
                end = hours.to.since_epoch;
            }
        }
    }));
}

}  // namespace
}  // namespace highwater::cache
