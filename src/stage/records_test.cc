#include "stage/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "object/memory_store.h"
#include "testkit/fault.h"
#include "testkit/faulty_store.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::stage {
namespace {

using testing::HasSubstr;
using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour nine = testkit::PublishWorld::nine;

catalog::GenerationRecord record_of(std::uint64_t number, std::uint32_t ordinal = 1,
                                    const std::string& batch = "telemetry-47") {
    catalog::GenerationRecord record;
    record.generation.epoch = {.ordinal = ordinal, .random = 0x00C0FFEE00C0FFEE};
    record.generation.number = number;
    record.parent_chain = digest_of("parent");
    record.operation = catalog::Operation::publish;
    record.batch = batch;
    record.idempotency_key = batch;
    record.publication = digest_of("publication of " + batch);
    record.locations = digest_of("locations");
    record.generation.chain =
        catalog::next_chain(record.parent_chain, record.publication, record.locations);
    record.manifests = {digest_of("manifest a"), digest_of("manifest b")};
    record.time = model::start_of(nine) + std::chrono::milliseconds(250);
    catalog::TableId table;
    for (std::size_t i = 0; i < 16; ++i) table.value.bytes[i] = static_cast<std::uint8_t>(i);
    record.partitions = {{.table = table, .hour = nine},
                         {.table = table, .hour = model::next(nine)}};
    record.tables = {table};
    return record;
}

manifest::Manifest manifest_of(std::vector<std::string> files) {
    manifest::Manifest manifest = testkit::PublishWorld::make_manifest("t", "b", nine, {});
    for (const std::string& file : files) {
        manifest.partitions[0].objects.push_back(testkit::PublishWorld::claim(nine, file, 2));
    }
    return manifest;
}

TEST(GenerationRecord, HasTheBytesOfItsFormatPage) {
    std::ifstream file(HIGHWATER_SOURCE_DIR "/tests/golden/formats/generation-record.json",
                       std::ios::binary);
    std::stringstream golden;
    golden << file.rdbuf();
    ASSERT_TRUE(file.is_open());
    EXPECT_EQ(format_record(record_of(48)), golden.str());
    const auto record = parse_record(golden.str());
    ASSERT_THAT(record, IsOk());
    EXPECT_EQ(*record, record_of(48));
}

TEST(GenerationRecord, NoticesEveryChangedByte) {
    const std::string text = format_record(record_of(48));
    for (std::size_t i = 0; i < text.size(); ++i) {
        for (const int mask : {0x01, 0x20, 0x80}) {
            std::string changed = text;
            changed[i] = static_cast<char>(changed[i] ^ mask);
            EXPECT_THAT(parse_record(changed), FailsWith(Code::corrupt)) << i;
        }
        EXPECT_THAT(parse_record(text.substr(0, i)), FailsWith(Code::corrupt)) << i;
    }
    EXPECT_THAT(parse_record(text + " "), FailsWith(Code::corrupt));
}

TEST(GenerationRecord, BelongsToItsParent) {
    catalog::GenerationRecord record = record_of(48);
    record.parent_chain = digest_of("another parent");
    const auto parsed = parse_record(format_record(record));
    ASSERT_THAT(parsed, FailsWith(Code::corrupt));
    EXPECT_THAT(parsed.error().message(), HasSubstr("chain"));
}

TEST(Records, KeepTheSameOnceAndRefuseOther) {
    object::MemoryStore store;
    Records records(store, "/records");
    EXPECT_THAT(records.put_record(record_of(7)), IsOk());
    EXPECT_THAT(records.put_record(record_of(7)), IsOk());
    EXPECT_EQ(**records.find_record(record_of(7).generation), record_of(7));
    EXPECT_EQ(*records.find_record(record_of(8).generation), std::nullopt);

    catalog::GenerationRecord other = record_of(7);
    other.time += std::chrono::seconds(1);  // The same generation, told differently.
    EXPECT_THAT(records.put_record(other), FailsWith(Code::corrupt));
}

TEST(Records, FindTheNewestOfAnEpochAndOfAll) {
    object::MemoryStore store;
    Records records(store, "/records");
    EXPECT_EQ(*records.find_newest(), std::nullopt);
    for (const std::uint64_t number : {9, 10, 2}) {
        ASSERT_THAT(records.put_record(record_of(number)), IsOk());
    }
    ASSERT_THAT(records.put_record(record_of(3, 2)), IsOk());
    EXPECT_EQ(**records.find_newest(record_of(1).generation.epoch), record_of(10));
    EXPECT_EQ(**records.find_newest(), record_of(3, 2));
    EXPECT_EQ(*records.find_newest({.ordinal = 3, .random = 1}), std::nullopt);

    // A copied catalog went on by itself: two generations 10.
    ASSERT_THAT(records.put_record(record_of(10, 1, "other")), IsOk());
    const auto forked = records.find_newest(record_of(1).generation.epoch);
    ASSERT_THAT(forked, FailsWith(Code::corrupt));
    EXPECT_THAT(forked.error().message(), HasSubstr("forked"));
    EXPECT_EQ(**records.find_newest(), record_of(3, 2));
}

TEST(Records, LookPastNamesThatAreNoRecords) {
    object::MemoryStore store;
    Records records(store, "/records");
    ASSERT_THAT(records.put_record(record_of(7)), IsOk());
    for (const char* path : {"generations/readme.txt", "generations/9.x/note.json",
                             "generations/x.1/00000000000000000009-abcdefgh.json"}) {
        ASSERT_THAT(object::put_new(store, {"/records", path}, "?"), IsOk());
    }
    EXPECT_EQ(**records.find_newest(), record_of(7));
}

TEST(Records, RefuseARecordUnderAnotherName) {
    object::MemoryStore store;
    Records records(store, "/records");
    const std::string path = record_path(record_of(9).generation);
    ASSERT_THAT(object::put_new(store, {"/records", path}, format_record(record_of(8))), IsOk());
    EXPECT_THAT(records.find_newest(), FailsWith(Code::corrupt));
    EXPECT_THAT(records.find_record(record_of(9).generation), FailsWith(Code::corrupt));
}

TEST(Records, KeepManifestsUnderTheirDigestHoweverTheyWereWritten) {
    object::MemoryStore store;
    Records records(store, "/records");
    const auto manifest = manifest_of({"b", "a"});
    const Digest digest = manifest::digest_of(manifest);
    EXPECT_THAT(records.put_manifest(manifest), IsOk());
    EXPECT_THAT(records.put_manifest(manifest_of({"a", "b"})), IsOk());
    const auto loaded = records.load_manifest(digest);
    ASSERT_THAT(loaded, IsOk());
    EXPECT_EQ(*loaded, manifest_of({"a", "b"}));
    EXPECT_THAT(records.load_manifest(digest_of("none")), FailsWith(Code::not_found));

    const auto other = manifest_of({"c"});
    ASSERT_THAT(object::put_new(store, {"/records", manifest_path(manifest::digest_of(other))},
                                manifest::format_manifest(manifest)),
                IsOk());
    EXPECT_THAT(records.load_manifest(manifest::digest_of(other)), FailsWith(Code::corrupt));
    EXPECT_THAT(records.put_manifest(other), FailsWith(Code::corrupt));
}

TEST(Records, TellTheTruthWhateverFails) {
    using Fault = testkit::Fault;
    for (const auto when : {Fault::When::before_effect, Fault::When::after_effect}) {
        for (int at_call = 0;; ++at_call) {
            object::MemoryStore inner;
            Fault fault(at_call, when);
            testkit::FaultyStore store(inner, fault);
            const auto put = Records(store, "/records").put_record(record_of(7));
            Records records(inner, "/records");
            const auto found = records.find_record(record_of(7).generation);
            ASSERT_THAT(found, IsOk());
            if (!fault.fired()) {
                EXPECT_THAT(put, IsOk());
                EXPECT_TRUE(found->has_value());
                break;
            }
            ASSERT_FALSE(put.ok());
            if (put.error().code() == Code::unavailable) {
                EXPECT_FALSE(found->has_value()) << at_call;
            } else {
                EXPECT_EQ(put.error().code(), Code::outcome_unknown);
            }
            // Doing it again settles it either way.
            EXPECT_THAT(records.put_record(record_of(7)), IsOk());
        }
    }
}

}  // namespace
}  // namespace highwater::stage
