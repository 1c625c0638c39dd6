#include "base/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/assert.h"
#include "base/try.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

Result<std::unique_ptr<int>> make_number(int value) {
    if (value < 0) return Error(Code::not_found, "no number");
    return std::make_unique<int>(value);
}

Result<void> verify_positive(int value) {
    if (value <= 0) return Error(Code::invalid_argument, "not positive");
    return {};
}

Result<std::unique_ptr<int>> add(int a, int b) {
    TRY(verify_positive(a));
    const auto first = TRY(make_number(a));
    const auto second = TRY(make_number(b));
    return std::make_unique<int>(*first + *second);
}

TEST(Result, HoldsAValueThatOnlyMoves) {
    auto number = make_number(7);
    ASSERT_THAT(number, IsOk());
    EXPECT_TRUE(static_cast<bool>(number));
    EXPECT_EQ(**number, 7);
    const std::unique_ptr<int> taken = *std::move(number);
    EXPECT_EQ(*taken, 7);
}

TEST(Result, IsReadThroughConst) {
    const Result<std::string> text = std::string("abc");
    EXPECT_EQ(*text, "abc");
    EXPECT_EQ(text->size(), 3u);
}

TEST(Result, IsChangedInPlace) {
    Result<std::string> text = std::string("abc");
    text->push_back('d');
    *text += "e";
    EXPECT_EQ(*text, "abcde");
}

TEST(Result, HoldsTheReasonInstead) {
    const auto number = make_number(-1);
    EXPECT_THAT(number, FailsWith(Code::not_found));
    EXPECT_FALSE(static_cast<bool>(number));
    EXPECT_EQ(number.error(), Error(Code::not_found, "no number"));
}

TEST(Result, OfNothingIsOkByDefault) {
    EXPECT_THAT(Result<void>(), IsOk());
    EXPECT_THAT(verify_positive(0), FailsWith(Code::invalid_argument));
}

TEST(Result, NamesTheStepsOnTheWayOut) {
    const auto failed = make_number(-1).within("verify").within("publish");
    EXPECT_THAT(failed, FailsWith(Code::not_found));
    EXPECT_EQ(failed.error().message(), "publish: verify: no number");
    EXPECT_THAT(make_number(3).within("verify"), IsOk());
    EXPECT_EQ(verify_positive(0).within("count").error().message(), "count: not positive");
}

TEST(ResultDeathTest, ReadAsWhatItIsNotEndsTheProgram) {
    auto failed = make_number(-1);
    const auto number = make_number(1);
    EXPECT_DEATH(static_cast<void>(*failed), "value of a Result that holds an error");
    EXPECT_DEATH(static_cast<void>(failed->get()), "value of a Result that holds an error");
    EXPECT_DEATH(static_cast<void>(number.error()), "error\\(\\) of a Result that holds a value");
}

TEST(Try, GivesTheValueOrReturnsTheError) {
    const auto sum = add(2, 3);
    ASSERT_THAT(sum, IsOk());
    EXPECT_EQ(**sum, 5);
    EXPECT_THAT(add(0, 3), FailsWith(Code::invalid_argument));
    EXPECT_THAT(add(2, -3), FailsWith(Code::not_found));
}

TEST(Try, StandsInsideAnother) {
    const auto nested = [](int value) -> Result<int> {
        return *TRY(add(*TRY(make_number(value)),
                        TRY([&]() -> Result<int> { return *TRY(make_number(value)); }())));
    };
    ASSERT_THAT(nested(4), IsOk());
    EXPECT_EQ(*nested(4), 8);
    EXPECT_THAT(nested(-4), FailsWith(Code::not_found));
    EXPECT_THAT(nested(0), FailsWith(Code::invalid_argument));
}

TEST(Code, HasAStableName) {
    EXPECT_EQ(to_text(Code::invalid_argument), "invalid_argument");
    EXPECT_EQ(to_text(Code::not_found), "not_found");
    EXPECT_EQ(to_text(Code::already_exists), "already_exists");
    EXPECT_EQ(to_text(Code::conflict), "conflict");
    EXPECT_EQ(to_text(Code::precondition_failed), "precondition_failed");
    EXPECT_EQ(to_text(Code::unavailable), "unavailable");
    EXPECT_EQ(to_text(Code::outcome_unknown), "outcome_unknown");
    EXPECT_EQ(to_text(Code::exhausted), "exhausted");
    EXPECT_EQ(to_text(Code::corrupt), "corrupt");
    EXPECT_EQ(to_text(Code::cancelled), "cancelled");
    EXPECT_EQ(to_text(Code::denied), "denied");
    EXPECT_EQ(to_text(Code::unsupported), "unsupported");
}

TEST(AssertDeathTest, EndsTheProgramAndSaysWhere) {
    const int count = 3;
    ASSERT(count == 3);
    EXPECT_DEATH(ASSERT(count == 4), "result_test.cc:[0-9]+: must be true: count == 4");
}

}  // namespace
}  // namespace highwater
