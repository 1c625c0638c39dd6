#include "base/canonical.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <limits>

#include "testkit/generators.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater {
namespace {

using testkit::IsOk;

/// Every kind of value, as docs/formats/canonical.md shows it.
std::map<std::string, Bytes> write_examples() {
    const auto writer = [] { return CanonicalWriter("highwater.example", 1); };
    std::map<std::string, Bytes> examples;
    examples["empty"] = writer().bytes();
    examples["text"] = writer().add_text("hour").bytes();
    examples["text_empty"] = writer().add_text("").bytes();
    examples["text_utf8"] = writer().add_text("caf\xC3\xA9").bytes();
    examples["unsigned"] = writer().add_unsigned(258).bytes();
    examples["unsigned_max"] =
        writer().add_unsigned(std::numeric_limits<std::uint64_t>::max()).bytes();
    examples["signed"] = writer().add_signed(-2).bytes();
    examples["signed_min"] = writer().add_signed(std::numeric_limits<std::int64_t>::min()).bytes();
    examples["bool"] = writer().add_bool(true).add_bool(false).bytes();
    examples["digest"] = writer().add_digest(digest_of("abc")).bytes();
    examples["absent"] = writer().add_absent().bytes();
    examples["list"] = writer().add_list_size(2).add_text("a").add_unsigned(1).bytes();
    examples["list_empty"] = writer().add_list_size(0).bytes();
    examples["all"] = writer()
                          .add_text("a")
                          .add_unsigned(1)
                          .add_signed(-1)
                          .add_bool(true)
                          .add_digest(Digest{})
                          .add_absent()
                          .add_list_size(0)
                          .bytes();
    const Bytes all = examples["all"];
    const Digest digest = digest_of(all);
    examples["all_digest"] = Bytes(reinterpret_cast<const char*>(digest.bytes.data()), 32);
    return examples;
}

TEST(Canonical, BytesAreThoseOfTheReleasedFormat) {
    const auto golden =
        testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR "/tests/golden/formats/canonical.hex");
    ASSERT_THAT(golden, IsOk());
    EXPECT_EQ(*golden, write_examples());
}

TEST(Canonical, DigestIsThatOfTheBytes) {
    CanonicalWriter writer("highwater.example", 1);
    writer.add_text("a");
    EXPECT_EQ(writer.digest(), digest_of(writer.bytes()));
}

TEST(Canonical, DomainAndVersionTellBytesApart) {
    const CanonicalWriter writer("highwater.example", 1);
    EXPECT_NE(writer.bytes(), CanonicalWriter("highwater.example", 2).bytes());
    EXPECT_NE(writer.bytes(), CanonicalWriter("highwater.manifest", 1).bytes());
}

/// One value, as a text that tells it from every other and as the call that writes it.
struct Step {
    std::string shown;
    std::function<void(CanonicalWriter&)> write;
};

Step any_step() {
    const auto number = *rc::gen::inRange<std::uint64_t>(0, 3);
    const auto text = *testkit::any_bytes(2);
    switch (*rc::gen::inRange(0, 6)) {
        case 0: return {"t" + text + "|", [=](auto& to) { to.add_text(text); }};
        case 1: return {"u" + std::to_string(number), [=](auto& to) { to.add_unsigned(number); }};
        case 2:
            return {"i" + std::to_string(number),
                    [=](auto& to) { to.add_signed(static_cast<std::int64_t>(number)); }};
        case 3: return {number > 0 ? "b1" : "b0", [=](auto& to) { to.add_bool(number > 0); }};
        case 4: return {"n", [](auto& to) { to.add_absent(); }};
        default: return {"l" + std::to_string(number), [=](auto& to) { to.add_list_size(number); }};
    }
}

RC_GTEST_PROP(CanonicalProperty, DifferentCallsGiveDifferentBytes, ()) {
    const auto write = [] {
        CanonicalWriter writer("d", 1);
        std::string shown;
        const auto count = *rc::gen::inRange(0, 3);
        for (int i = 0; i < count; ++i) {
            const Step step = any_step();
            step.write(writer);
            shown += std::to_string(step.shown.size()) + ":" + step.shown;
        }
        return std::pair(shown, writer.bytes());
    };
    const auto [shown, bytes] = write();
    const auto [other_shown, other_bytes] = write();
    RC_ASSERT((shown == other_shown) == (bytes == other_bytes));
}

}  // namespace
}  // namespace highwater
