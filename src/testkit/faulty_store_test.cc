#include "testkit/faulty_store.h"

#include <gtest/gtest.h>

#include "object/memory_store.h"
#include "testkit/matchers.h"

namespace highwater::testkit {
namespace {

using When = Fault::When;
using Lasting = Fault::Lasting;

TEST(Fault, FailsOneCallBeforeItsEffect) {
    Fault fault(1, When::before_effect);
    int effects = 0;
    const auto call = [&]() -> Result<int> { return ++effects; };

    EXPECT_THAT(fault.around(call), IsOk());
    EXPECT_FALSE(fault.fired());
    EXPECT_THAT(fault.around(call), FailsWith(Code::unavailable));
    EXPECT_EQ(effects, 1);
    EXPECT_TRUE(fault.fired());
    EXPECT_THAT(fault.around(call), IsOk());
    EXPECT_TRUE(fault.fired());
}

TEST(Fault, FailsACallAfterItsEffectWithoutSayingSo) {
    int effects = 0;
    const auto call = [&]() -> Result<int> { return ++effects; };
    Fault change(0, When::after_effect);
    EXPECT_THAT(change.around(call), FailsWith(Code::outcome_unknown));
    EXPECT_EQ(effects, 1);

    Fault read(0, When::after_effect);
    EXPECT_THAT(read.around_read(call), FailsWith(Code::unavailable));
    EXPECT_EQ(effects, 2);
}

TEST(Fault, FailsEveryCallFromThereOn) {
    Fault fault(1, When::before_effect, Lasting::from_then_on);
    const auto call = []() -> Result<void> { return {}; };

    EXPECT_THAT(fault.around(call), IsOk());
    for (int i = 0; i < 3; ++i) EXPECT_THAT(fault.around_read(call), FailsWith(Code::unavailable));
}

TEST(FaultyStore, CountsEveryCallOfTheStoreItsUploadsAndItsReaders) {
    constexpr int calls = 8;
    for (int at_call = 0; at_call <= calls; ++at_call) {
        object::MemoryStore memory;
        Fault fault(at_call, When::before_effect);
        FaultyStore store(memory, fault);
        const object::Name name{"/r", "a"};
        const auto failed = [&]() -> std::string {
            const auto upload = store.create(name);
            if (!upload.ok()) return "create";
            if (!(*upload)->append("x").ok()) return "append";
            if (!(*upload)->seal().ok()) return "seal";
            if (!(*upload)->finish().ok()) return "finish";
            if (!store.head(name).ok()) return "head";
            const auto reader = store.open(name);
            if (!reader.ok()) return "open";
            if (!(*reader)->read_at(0, 1).ok()) return "read";
            if (!store.list_page("/r", "", "").ok()) return "list";
            if (!store.remove(name).ok()) return "remove";
            return "none";
        };
        const std::vector<std::string> expected{"create", "append", "seal", "finish", "head",
                                                "open",   "read",   "list", "remove"};
        EXPECT_EQ(failed(), expected.at(static_cast<std::size_t>(at_call)));
        EXPECT_TRUE(fault.fired());
    }
}

TEST(FaultyStore, TellsAnUnknownOutcomeWhereSomethingMayHaveChanged) {
    object::MemoryStore memory;
    const object::Name name{"/r", "a"};
    Fault finish(2, When::after_effect);  // After create and append.
    FaultyStore store(memory, finish);
    EXPECT_THAT(put_new(store, name, "x"), FailsWith(Code::outcome_unknown));
    EXPECT_TRUE((*memory.head(name)).has_value());

    Fault remove(0, When::after_effect);
    FaultyStore removing(memory, remove);
    EXPECT_THAT(removing.remove(name), FailsWith(Code::outcome_unknown));
    EXPECT_FALSE((*memory.head(name)).has_value());
}

TEST(FaultyStore, KeepsAnUploadThatFailedFailed) {
    object::MemoryStore memory;
    Fault fault(1, When::before_effect);
    FaultyStore store(memory, fault);
    const auto upload = store.create({"/r", "a"});
    ASSERT_THAT(upload, IsOk());

    EXPECT_THAT((*upload)->append("x"), FailsWith(Code::unavailable));
    EXPECT_THAT((*upload)->finish(), FailsWith(Code::unavailable));
    EXPECT_FALSE((*memory.head({"/r", "a"})).has_value());
}

}  // namespace
}  // namespace highwater::testkit
