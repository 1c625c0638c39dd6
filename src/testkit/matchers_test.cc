#include "testkit/matchers.h"

#include <gtest/gtest.h>

namespace highwater::testkit {
namespace {

using ::testing::Not;

const Result<int> five = 5;
const Result<int> gone = Error(Code::not_found, "no object a");

TEST(IsOk, IsTrueOfValuesAlone) {
    EXPECT_THAT(five, IsOk());
    EXPECT_THAT(Result<void>(), IsOk());
    EXPECT_THAT(gone, Not(IsOk()));
}

TEST(FailsWith, IsTrueOfThatCodeAlone) {
    EXPECT_THAT(gone, FailsWith(Code::not_found));
    EXPECT_THAT(gone, Not(FailsWith(Code::corrupt)));
    EXPECT_THAT(five, Not(FailsWith(Code::not_found)));
}

TEST(Result, IsShownInWords) {
    EXPECT_EQ(::testing::PrintToString(five), "the value 5");
    EXPECT_EQ(::testing::PrintToString(Result<void>()), "ok");
    EXPECT_EQ(::testing::PrintToString(gone), "not_found: no object a");
}

}  // namespace
}  // namespace highwater::testkit
