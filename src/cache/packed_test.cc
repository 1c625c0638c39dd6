#include "cache/packed.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <limits>

namespace highwater::cache {
namespace {

TEST(PackedTest, ReadsWhatWasWritten) {
    PackedWriter writer;
    writer.add_byte(7);
    writer.add_text("hour=2026-10-06T09");
    writer.add_digest(digest_of("x"));
    writer.add_raw("raw");

    PackedReader reader(writer.bytes());
    EXPECT_EQ(reader.read_byte(), 7);
    EXPECT_EQ(reader.read_text(), "hour=2026-10-06T09");
    EXPECT_EQ(reader.read_digest(), digest_of("x"));
    EXPECT_EQ(reader.read_raw(3), "raw");
    EXPECT_TRUE(reader.is_done());
}

TEST(PackedTest, EveryIntegerComesBack) {
    EXPECT_TRUE(
        rc::check([](std::uint64_t unsigned_value, std::int64_t signed_value, std::uint64_t base) {
            PackedWriter writer;
            writer.add_unsigned(unsigned_value);
            writer.add_signed(signed_value);
            writer.add_distance(unsigned_value, base);
            PackedReader reader(writer.bytes());
            RC_ASSERT(reader.read_unsigned() == unsigned_value);
            RC_ASSERT(reader.read_signed() == signed_value);
            RC_ASSERT(reader.read_distance(base) == unsigned_value);
            RC_ASSERT(reader.is_done());
        }));
}

TEST(PackedTest, TheLargestAndSmallestIntegersComeBack) {
    PackedWriter writer;
    writer.add_unsigned(std::numeric_limits<std::uint64_t>::max());
    writer.add_signed(std::numeric_limits<std::int64_t>::min());
    writer.add_signed(std::numeric_limits<std::int64_t>::max());
    PackedReader reader(writer.bytes());
    EXPECT_EQ(reader.read_unsigned(), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(reader.read_signed(), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(reader.read_signed(), std::numeric_limits<std::int64_t>::max());
    EXPECT_TRUE(reader.is_done());
}

TEST(PackedTest, SmallIntegersTakeOneByte) {
    PackedWriter writer;
    writer.add_unsigned(127);
    writer.add_signed(-64);
    writer.add_signed(63);
    EXPECT_EQ(writer.bytes().size(), 3u);
}

TEST(PackedTest, AnIntegerHasOneSpelling) {
    for (const Bytes& bytes :
         {Bytes("\x80\x00", 2), Bytes("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"), Bytes("\x80")}) {
        PackedReader reader(bytes);
        EXPECT_EQ(reader.read_unsigned(), 0u);
        EXPECT_TRUE(reader.failed());
    }
}

TEST(PackedTest, AfterAFailureNothingIsRead) {
    PackedReader reader(
        BytesView("\x05"
                  "abc"));
    EXPECT_EQ(reader.read_text(), "");
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.read_byte(), 0);
    EXPECT_EQ(reader.read_digest(), Digest());
    EXPECT_FALSE(reader.is_done());
}

TEST(PackedTest, ACountIsNeverMoreThanCouldFollow) {
    PackedWriter writer;
    writer.add_unsigned(3);
    writer.add_raw("123456");
    EXPECT_EQ(PackedReader(writer.bytes()).read_count(2), 3u);
    PackedReader reader(writer.bytes());
    EXPECT_EQ(reader.read_count(3), 0u);
    EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace highwater::cache
