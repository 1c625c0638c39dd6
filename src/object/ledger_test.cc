#include "object/ledger.h"

#include <gtest/gtest.h>

#include "object/memory_store.h"
#include "testkit/fault.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"

namespace highwater::object {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

TEST(Ledger, EstimatesWhatRequestsCost) {
    const Ledger ledger{.lists = 100'000,
                        .heads = 400'000,
                        .gets = 600'000,
                        .puts = 300'000,
                        .removes = 7,
                        .listed_objects = 7,
                        .bytes_read = 7,
                        .bytes_written = 7,
                        .catalog_round_trips = 7};
    EXPECT_DOUBLE_EQ(ledger.estimated_usd(), 2.4);
    EXPECT_DOUBLE_EQ(ledger.estimated_usd({.put_or_list = 1.0, .get_or_head = 0.0}), 400'000);
    EXPECT_DOUBLE_EQ(ledger.estimated_usd({.put_or_list = 0.0, .get_or_head = 1.0}), 1'000'000);
}

TEST(Ledger, AddsAndSubtractsEveryCount) {
    const Ledger one{.lists = 1,
                     .heads = 2,
                     .gets = 3,
                     .puts = 4,
                     .removes = 5,
                     .listed_objects = 6,
                     .bytes_read = 7,
                     .bytes_written = 8,
                     .catalog_round_trips = 9};
    Ledger sum = one;
    sum += one;
    const Ledger twice{.lists = 2,
                       .heads = 4,
                       .gets = 6,
                       .puts = 8,
                       .removes = 10,
                       .listed_objects = 12,
                       .bytes_read = 14,
                       .bytes_written = 16,
                       .catalog_round_trips = 18};
    EXPECT_EQ(sum, twice);
    EXPECT_EQ(sum.since(one), one);
    EXPECT_EQ(one.since(one), Ledger());
}

TEST(MeteredStore, CountsEachRequestByItsKind) {
    MemoryStore memory(2);
    MeteredStore store(memory);
    for (const auto* path : {"a", "b", "c"}) {
        ASSERT_THAT(put_new(store, {"/r", path}, "12345"), IsOk());
    }
    EXPECT_EQ(store.ledger(), (Ledger{.puts = 3, .bytes_written = 15}));

    auto before = store.ledger();
    ASSERT_THAT(list_all(store, "/r", ""), IsOk());
    EXPECT_EQ(store.ledger().since(before), (Ledger{.lists = 2, .listed_objects = 3}));

    before = store.ledger();
    ASSERT_THAT(store.head({"/r", "a"}), IsOk());
    EXPECT_EQ(store.ledger().since(before), (Ledger{.heads = 1}));

    before = store.ledger();
    const auto reader = store.open({"/r", "a"});
    ASSERT_THAT(reader, IsOk());
    ASSERT_THAT((*reader)->read_at(0, 2), IsOk());
    ASSERT_THAT((*reader)->read_at(4, 2), IsOk());
    EXPECT_EQ(store.ledger().since(before), (Ledger{.heads = 1, .gets = 2, .bytes_read = 3}));

    before = store.ledger();
    ASSERT_THAT(store.remove({"/r", "a"}), IsOk());
    store.add_catalog_round_trips(2);
    EXPECT_EQ(store.ledger().since(before), (Ledger{.removes = 1, .catalog_round_trips = 2}));
}

TEST(MeteredStore, CountsRequestsThatFailAndNothingThatDidNotPass) {
    MemoryStore memory;
    ASSERT_THAT(put_new(memory, {"/r", "a"}, "12345"), IsOk());
    testkit::Fault fault(2, testkit::Fault::When::before_effect,
                         testkit::Fault::Lasting::from_then_on);
    testkit::FaultyStore faulty(memory, fault);
    MeteredStore store(faulty);
    const auto reader = store.open({"/r", "a"});
    ASSERT_THAT(reader, IsOk());
    const auto upload = store.create({"/r", "b"});
    ASSERT_THAT(upload, IsOk());

    EXPECT_THAT((*reader)->read_at(0, 5), FailsWith(Code::unavailable));
    EXPECT_THAT((*upload)->append("12345"), FailsWith(Code::unavailable));
    EXPECT_THAT((*upload)->finish(), FailsWith(Code::unavailable));
    EXPECT_THAT(store.list_page("/r", "", ""), FailsWith(Code::unavailable));
    EXPECT_THAT(store.head({"/r", "a"}), FailsWith(Code::unavailable));
    EXPECT_THAT(store.open({"/r", "a"}), FailsWith(Code::unavailable));
    EXPECT_THAT(store.remove({"/r", "a"}), FailsWith(Code::unavailable));

    EXPECT_EQ(store.ledger(), (Ledger{.lists = 1, .heads = 3, .gets = 1, .puts = 1, .removes = 1}));
}

TEST(MeteredStore, CountsForReadersThatOutliveIt) {
    MemoryStore memory;
    ASSERT_THAT(put_new(memory, {"/r", "a"}, "12345"), IsOk());
    std::unique_ptr<Reader> reader;
    {
        MeteredStore store(memory);
        reader = *store.open({"/r", "a"});
    }
    EXPECT_EQ(*reader->read_at(0, 5), "12345");
}

}  // namespace
}  // namespace highwater::object
