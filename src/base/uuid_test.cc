#include "base/uuid.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

// Source: RFC 9562, appendix A.
constexpr std::string_view example = "919108f7-52d1-4320-9bac-f847db4148a8";

TEST(Uuid, IsReadAndWritten) {
    const auto uuid = parse_uuid(example);
    ASSERT_THAT(uuid, IsOk());
    EXPECT_EQ(uuid->bytes[0], 0x91);
    EXPECT_EQ(uuid->bytes[15], 0xA8);
    EXPECT_EQ(format_uuid(*uuid), example);
    EXPECT_EQ(format_uuid(Uuid{}), "00000000-0000-0000-0000-000000000000");
}

TEST(Uuid, RefusesOtherForms) {
    const std::string text(example);
    for (const std::string& other : {std::string(), text.substr(1), text + "0", "{" + text + "}",
                                     std::string("919108f752d143209bacf847db4148a8"),
                                     std::string("919108F7-52d1-4320-9bac-f847db4148a8"),
                                     std::string("919108f7-52d1-4320-9bacf-847db4148a8"),
                                     std::string("919108f7-52d1-4320-9bac-f847db4148ag"),
                                     std::string("919108f7_52d1_4320_9bac_f847db4148a8")}) {
        EXPECT_THAT(parse_uuid(other), FailsWith(Code::invalid_argument)) << other;
    }
}

RC_GTEST_PROP(UuidProperty, TextIsReadBack, ()) {
    Uuid uuid;
    for (auto& byte : uuid.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
    const auto parsed = parse_uuid(format_uuid(uuid));
    RC_ASSERT(parsed.ok());
    RC_ASSERT(*parsed == uuid);
}

}  // namespace
}  // namespace highwater
