#include "env/random.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace highwater::env {
namespace {

TEST(SeededRandom, GivesTheNumbersOfSplitmix64) {
    // Source: the reference implementation of splitmix64, seed 0.
    SeededRandom random(0);
    EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFu);
    EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4u);
    EXPECT_EQ(random.next(), 0x06C45D188009454Fu);
}

TEST(SeededRandom, RepeatsItselfForTheSameSeedAlone) {
    SeededRandom first(47);
    SeededRandom same(47);
    SeededRandom other(48);
    for (int i = 0; i < 10; ++i) {
        const auto number = first.next();
        EXPECT_EQ(same.next(), number);
        EXPECT_NE(other.next(), number);
    }
}

TEST(SeededRandom, GivesEachNumberToOneThread) {
    SeededRandom random(1);
    std::set<std::uint64_t> expected;
    for (SeededRandom again(1); expected.size() < 4000;) expected.insert(again.next());
    std::vector<std::vector<std::uint64_t>> taken(4);
    {
        std::vector<std::jthread> threads;
        for (auto& numbers : taken) {
            threads.emplace_back([&] {
                for (int i = 0; i < 1000; ++i) numbers.push_back(random.next());
            });
        }
    }
    std::set<std::uint64_t> all;
    for (const auto& numbers : taken) all.insert(numbers.begin(), numbers.end());
    EXPECT_EQ(all, expected);
}

TEST(SystemRandom, DoesNotRepeatItself) {
    SystemRandom random;
    std::set<std::uint64_t> numbers;
    for (int i = 0; i < 1000; ++i) numbers.insert(random.next());
    EXPECT_EQ(numbers.size(), 1000u);
}

TEST(MakeUuid, IsOfVersionFourAndTheVariantOfTheRfc) {
    SeededRandom random(0);
    EXPECT_EQ(format_uuid(make_uuid(random)), "afcd1d7b-39a8-40e2-b465-b9a16a9e786e");
    for (int i = 0; i < 100; ++i) {
        const std::string text = format_uuid(make_uuid(random));
        EXPECT_EQ(text[14], '4') << text;
        EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace highwater::env
