#include "testkit/generators.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <set>

#include "base/text.h"
#include "model/object_path.h"

namespace highwater::testkit {
namespace {

TEST(Sample, IsTheSameForTheSameSeed) {
    env::SeededRandom first(7);
    env::SeededRandom again(7);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(sample(any_hour(), first), sample(any_hour(), again));
        EXPECT_EQ(sample(any_object_path(), first), sample(any_object_path(), again));
        EXPECT_EQ(sample(any_schema(), first), sample(any_schema(), again));
        EXPECT_EQ(sample(any_json(), first), sample(any_json(), again));
    }
}

TEST(Sample, ReachesBothEndsAndFarBetween) {
    env::SeededRandom random(7);
    std::set<model::Hour> hours;
    for (int i = 0; i < 500; ++i) hours.insert(sample(any_hour(), random));
    EXPECT_EQ(*hours.begin(), model::hour_min);
    EXPECT_EQ(*hours.rbegin(), model::hour_max);
    EXPECT_GT(hours.size(), 300u);
}

TEST(Sample, DocumentsAreOfEveryKind) {
    env::SeededRandom random(7);
    std::set<char> firsts;
    for (int i = 0; i < 300; ++i) firsts.insert(format_json(sample(any_json(), random)).front());
    for (const char first : {'n', 't', 'f', '-', '1', '"', '[', '{'}) {
        EXPECT_TRUE(firsts.contains(first)) << first;
    }
}

RC_GTEST_PROP(Generators, GiveWhatTheyPromise, ()) {
    const auto text = *any_text(5);
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(text.size() <= 4 * 5);
    RC_ASSERT((*any_bytes(5)).size() <= 5);
    RC_ASSERT(model::verify_object_path(*any_object_path()).ok());
    RC_ASSERT(model::verify_schema(*any_schema()).ok());
    const auto hour = *any_hour();
    RC_ASSERT(model::hour_min <= hour);
    RC_ASSERT(hour <= model::hour_max);
}

}  // namespace
}  // namespace highwater::testkit
