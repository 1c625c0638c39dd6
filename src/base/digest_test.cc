#include "base/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

// Source: FIPS 180-4, example values.
constexpr std::string_view of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view of_nothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Digest, IsSha256) {
    EXPECT_EQ(format_digest(digest_of("abc")), of_abc);
    EXPECT_EQ(format_digest(digest_of("")), of_nothing);
}

TEST(Digest, OfPiecesIsThatOfTheWholeAndStartsAfresh) {
    Sha256 sha;
    sha.update("a");
    sha.update("");
    sha.update("bc");
    EXPECT_EQ(sha.finish(), digest_of("abc"));
    EXPECT_EQ(sha.finish(), digest_of(""));
    sha.update("abc");
    Sha256 moved = std::move(sha);
    EXPECT_EQ(moved.finish(), digest_of("abc"));
}

TEST(Digest, IsReadBackFromItsText) {
    const auto digest = parse_digest(of_abc);
    ASSERT_THAT(digest, IsOk());
    EXPECT_EQ(*digest, digest_of("abc"));
    EXPECT_EQ(format_digest_prefix(*digest, 8), "ba7816bf");
    EXPECT_EQ(format_digest_prefix(*digest, 0), "");
    EXPECT_EQ(format_digest_prefix(*digest, 64), of_abc);
}

TEST(Digest, RefusesOtherTexts) {
    const std::string text(of_abc);
    std::string upper = text;
    upper.front() = 'B';
    for (const std::string& other :
         {std::string(), text.substr(1), text.substr(2), text + "0", text + "00", upper,
          " " + text.substr(1), "0x" + text.substr(2)}) {
        EXPECT_THAT(parse_digest(other), FailsWith(Code::invalid_argument)) << other;
    }
}

TEST(Digest, ShowsRefusedTextWithoutControlCharacters) {
    EXPECT_THAT(parse_digest("\x1B[2J").error().message(), testing::EndsWith("not \\x1b[2J"));
}

TEST(DigestDeathTest, HasNoLongerPrefix) {
    EXPECT_DEATH(static_cast<void>(format_digest_prefix(Digest{}, 65)), "digits <= 64");
}

Digest all(std::uint8_t byte) {
    Digest digest;
    digest.bytes.fill(byte);
    return digest;
}

TEST(DigestSum, CarriesThroughAllLimbsAndWrapsAround) {
    Digest one;
    one.bytes[0] = 1;
    DigestSum sum;
    sum += all(0xFF);
    EXPECT_EQ(to_digest(sum), all(0xFF));
    sum += one;
    EXPECT_EQ(sum, DigestSum{});
    sum -= to_digest_sum(one);
    EXPECT_EQ(to_digest(sum), all(0xFF));
}

TEST(DigestSum, IsLittleEndian) {
    Digest digest;
    digest.bytes[1] = 1;
    digest.bytes[31] = 0x80;
    const DigestSum sum = to_digest_sum(digest);
    EXPECT_EQ(sum.limbs[0], 256u);
    EXPECT_EQ(sum.limbs[3], 0x80'00'00'00'00'00'00'00u);
    EXPECT_EQ(to_digest(sum), digest);
}

std::vector<Digest> any_digests() {
    std::vector<Digest> digests;
    const auto count = *rc::gen::inRange(0, 20);
    for (int i = 0; i < count; ++i) {
        // Many bits set, so that carries are common.
        Digest digest = all(0xFF);
        for (auto& byte : digest.bytes) {
            if (*rc::gen::inRange(0, 3) == 0) byte = *rc::gen::arbitrary<std::uint8_t>();
        }
        digests.push_back(digest);
    }
    return digests;
}

DigestSum sum_of(const std::vector<Digest>& digests) {
    DigestSum sum;
    for (const auto& digest : digests) sum += digest;
    return sum;
}

RC_GTEST_PROP(DigestSumProperty, DoesNotDependOnOrderOrGrouping, ()) {
    auto digests = any_digests();
    const DigestSum sum = sum_of(digests);
    const auto cut = digests.begin() + *rc::gen::inRange<std::ptrdiff_t>(
                                           0, static_cast<std::ptrdiff_t>(digests.size()) + 1);
    DigestSum grouped = sum_of({cut, digests.end()});
    grouped += sum_of({digests.begin(), cut});
    RC_ASSERT(grouped == sum);
    std::reverse(digests.begin(), digests.end());
    RC_ASSERT(sum_of(digests) == sum);
}

RC_GTEST_PROP(DigestSumProperty, SubtractionUndoesAddition, ()) {
    const DigestSum first = sum_of(any_digests());
    const DigestSum second = sum_of(any_digests());
    DigestSum sum = first;
    sum += second;
    sum -= second;
    RC_ASSERT(sum == first);
    sum -= second;
    sum += second;
    RC_ASSERT(sum == first);
}

RC_GTEST_PROP(DigestProperty, TextIsReadBack, ()) {
    const Digest digest = digest_of(*testkit::any_bytes(8));
    const auto parsed = parse_digest(format_digest(digest));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == digest);
}

}  // namespace
}  // namespace highwater
