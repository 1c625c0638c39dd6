#include "parquet/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace highwater::parquet {
namespace {

TEST(DecodeDecimal, KeepsSignAndRefusesWhatIsTooLong) {
    const auto at = [](const Bytes& bytes, std::int32_t precision) {
        const auto found = decode_decimal(bytes, precision);
        return found ? std::optional(Bytes(found->data(), found->size())) : std::nullopt;
    };
    Bytes expected(decimal_size_bytes, '\xFF');
    EXPECT_EQ(at("\xFF", 1), expected);             // -1
    EXPECT_EQ(at(Bytes(20, '\xFF'), 1), expected);  // -1 in 20 bytes
    EXPECT_EQ(at("", 1), std::nullopt);
    EXPECT_EQ(at("\x01" + Bytes(16, '\0'), 38), std::nullopt);  // 2^128
    EXPECT_EQ(at('\0' + Bytes(16, '\xFF'), 38), std::nullopt);  // 2^128 - 1 is not -1.
    EXPECT_NE(at("\x63", 2), std::nullopt);                     // 99
    EXPECT_EQ(at("\x64", 2), std::nullopt);                     // 100
    EXPECT_EQ(at("\x9C", 2), std::nullopt);                     // -100
}

}  // namespace
}  // namespace highwater::parquet
