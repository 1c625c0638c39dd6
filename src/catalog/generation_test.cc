#include "catalog/generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include "testkit/generators.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::catalog {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

const Generation generation{{1, 0x00c0ffee00c0ffeeU}, 47, digest_of("chain")};

TEST(Generation, IsWrittenAsEpochNumberAndChain) {
    EXPECT_EQ(format_epoch(generation.epoch), "1.00c0ffee00c0ffee");
    EXPECT_EQ(format_token(generation),
              "1.00c0ffee00c0ffee-47-" + format_digest_prefix(generation.chain, 8));
}

TEST(Generation, WhatIsWrittenIsRead) {
    const bool holds = rc::check("tokens", [] {
        Token token;
        token.epoch = {*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint64_t>()};
        token.number = *rc::gen::arbitrary<std::uint64_t>();
        token.chain_prefix = format_digest_prefix(digest_of(*testkit::any_bytes(3)), 8);
        const auto parsed = parse_generation_ref(format_token(token));
        RC_ASSERT(parsed.ok());
        RC_ASSERT(std::get<Token>(*parsed) == token);
    });
    EXPECT_TRUE(holds);
}

TEST(Generation, ABatchStandsInForAToken) {
    const auto parsed = parse_generation_ref("batch:telemetry-47");
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, GenerationRef(BatchRef{"telemetry-47"}));
    EXPECT_EQ(std::get<BatchRef>(*parse_generation_ref("batch:batch:1-2")).batch, "batch:1-2");
    EXPECT_THAT(parse_generation_ref("batch:"), FailsWith(Code::invalid_argument));
}

TEST(Generation, NothingElseIsAToken) {
    for (const std::string text : {"",
                                   "-",
                                   "--",
                                   ".--",
                                   "1",
                                   "47",
                                   "1.00c0ffee00c0ffee",
                                   "1.00c0ffee00c0ffee-47",
                                   "1.00c0ffee00c0ffee-47-0123abc",
                                   "1.00c0ffee00c0ffee-47-0123abcde",
                                   "1.00c0ffee00c0ffee-47-0123ABCD",
                                   "1.00c0ffee00c0ffee-47-0123abcg",
                                   "1.00c0ffee00c0ffe-47-0123abcd",
                                   "1.00C0FFEE00C0FFEE-47-0123abcd",
                                   "01.00c0ffee00c0ffee-47-0123abcd",
                                   "1.00c0ffee00c0ffee-047-0123abcd",
                                   "1.00c0ffee00c0ffee-+47-0123abcd",
                                   "1.00c0ffee00c0ffee--47-0123abcd",
                                   "4294967296.00c0ffee00c0ffee-47-0123abcd",
                                   "1.00c0ffee00c0ffee-18446744073709551616-0123abcd",
                                   "1.00c0ffee00c0ffee- 47-0123abcd",
                                   "1.00c0ffee00c0ffee-47-0123abcd ",
                                   "-1.00c0ffee00c0ffee-47-0123abcd",
                                   "1-00c0ffee00c0ffee.47-0123abcd",
                                   "Batch:x"}) {
        EXPECT_THAT(parse_generation_ref(text), FailsWith(Code::invalid_argument)) << text;
    }
    EXPECT_THAT(parse_generation_ref("4294967295.ffffffffffffffff-18446744073709551615-00000000"),
                IsOk());
}

TEST(Generation, NoTextIsReadInTwoWays) {
    const bool holds = rc::check("any text", [] {
        std::string text = format_token(generation);
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        text[at] = *rc::gen::arbitrary<char>();
        const auto parsed = parse_generation_ref(text);
        if (parsed) RC_ASSERT(format_token(std::get<Token>(*parsed)) == text);
    });
    EXPECT_TRUE(holds);
}

TEST(Generation, TheChainBindsParentPublicationAndLocations) {
    const Digest a = digest_of("parent");
    const Digest b = digest_of("publication");
    const Digest c = digest_of("locations");
    EXPECT_NE(next_chain(a, b, c), next_chain(b, a, c));
    EXPECT_NE(next_chain(a, b, c), next_chain(a, c, b));
    EXPECT_NE(next_chain(a, b, c), next_chain(a, b, b));
    const auto golden =
        testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/inventory.hex");
    ASSERT_THAT(golden, IsOk());
    EXPECT_EQ(next_chain(a, b, c), digest_of(golden->at("chain")));
}

TEST(Batch, IsAtMost256BytesOfText) {
    EXPECT_THAT(verify_batch("x"), IsOk());
    EXPECT_THAT(verify_batch("telemetry 47/\xC3\xA9\xE2\x82\xAC"), IsOk());
    EXPECT_THAT(verify_batch(std::string(batch_size_max, 'x')), IsOk());
    EXPECT_THAT(verify_batch(std::string(batch_size_max + 1, 'x')),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(verify_batch(""), FailsWith(Code::invalid_argument));
}

TEST(Batch, HasNoControlCharacters) {
    for (const std::string& text :
         {std::string("a\0b", 3), std::string("a\n"), std::string("\x1F"), std::string("\x7F"),
          std::string("\xC2\x80"), std::string("\xC2\x9F"), std::string("\xFF"),
          std::string("a\xC2")}) {
        EXPECT_THAT(verify_batch(text), FailsWith(Code::invalid_argument));
    }
    for (const std::string text : {" ", "~", "\xC2\xA0", "\xC3\x80"}) {
        EXPECT_THAT(verify_batch(text), IsOk());
    }
}

}  // namespace
}  // namespace highwater::catalog
