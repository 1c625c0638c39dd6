// Steps 8 and 9 through the gate, each both ways: what the objects themselves say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parquet/write.h"
#include "publish/gate.h"
#include "testkit/handmade_parquet.h"
#include "testkit/matchers.h"
#include "testkit/publish_world.h"

namespace highwater::publish {
namespace {

using manifest::Manifest;
using manifest::ObjectClaim;
using testing::HasSubstr;
using testing::SizeIs;
using testkit::HandmadeColumn;
using testkit::IsOk;
using testkit::PublishWorld;
using enum ProblemCode;
using enum catalog::DigestPolicy;

constexpr model::Hour nine = PublishWorld::nine;
const std::string root = "/lake/logs";

HandmadeColumn time_column(const std::vector<Time>& times) {
    HandmadeColumn column{
        .name = "time", .field_id = 1, .logical_type = testkit::timestamp_type(true, 2)};
    for (const Time time : times)
        column.values.emplace_back(testkit::plain_i64(to_ns(time) / 1000));
    return column;
}

HandmadeColumn value_column(std::size_t rows) {
    HandmadeColumn column{.name = "value",
                          .physical = testkit::parquet_physical::float64,
                          .repetition = 1,
                          .field_id = 2,
                          .logical_type = std::nullopt};
    for (std::size_t i = 0; i < rows; ++i) column.values.emplace_back(testkit::plain_double(1));
    return column;
}

class GateFilesTest : public ::testing::Test {
protected:
    GateFilesTest() { world_.add_table("logs"); }

    GateReport publish(const ObjectClaim& claim, const Options& options = {}) {
        Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock, resources_);
        const auto outcome = gate.publish(
            {{{PublishWorld::make_manifest("logs", "b1", nine, {claim})}}, {}, options});
        EXPECT_THAT(outcome, IsOk());
        return outcome->report();
    }

    /// Puts `bytes` in place of the one object of the hour, and says so.
    ObjectClaim put(const Bytes& bytes, std::uint64_t rows) {
        ObjectClaim claim;
        claim.path = PublishWorld::path_of(nine, "a");
        claim.size_bytes = bytes.size();
        claim.record_count = rows;
        world_.store.replace({root, claim.path}, bytes);
        return claim;
    }
    ObjectClaim put_columns(const std::vector<HandmadeColumn>& columns, std::uint64_t rows = 2) {
        return put(testkit::make_handmade_parquet({.columns = columns}), rows);
    }

    void expect_problem(const GateReport& report, ProblemCode code, const std::string& observed) {
        ASSERT_THAT(report.problems, SizeIs(1)) << format_report(report);
        EXPECT_EQ(report.code, code) << format_report(report);
        EXPECT_THAT(report.problems[0].observed, HasSubstr(observed));
    }
    void expect_accepted(const GateReport& report) {
        EXPECT_EQ(code_text(report), "accepted") << format_report(report);
    }

    const Time start_ = model::start_of(nine);
    PublishWorld world_;
    Resources resources_;
};

TEST_F(GateFilesTest, AFileThatWasCutIsFound) {
    const Bytes whole = PublishWorld::make_file(nine, 4);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const GateReport report = publish(put(whole.substr(0, size), 4));
        EXPECT_EQ(report.code, footer_invalid) << "cut at " << size;
    }
    expect_accepted(publish(put(whole, 4)));
}

TEST_F(GateFilesTest, AnEncryptedFileIsNotSupported) {
    Bytes bytes = PublishWorld::make_file(nine, 4);
    bytes.back() = 'E';
    expect_problem(publish(put(bytes, 4)), unsupported, "encrypted");
}

TEST_F(GateFilesTest, RowsAreAsManyAsDeclared) {
    const Bytes bytes = PublishWorld::make_file(nine, 4);
    expect_problem(publish(put(bytes, 5)), record_count_mismatch, "4 records");
    expect_problem(publish(put(bytes, 3)), record_count_mismatch, "4 records");
    expect_problem(publish(put(bytes, 5), {.digest_policy = never}), record_count_mismatch, "4");
    expect_accepted(publish(put(bytes, 4)));
}

TEST_F(GateFilesTest, ColumnsAreThoseOfTheSchema) {
    const auto time = time_column({start_, start_});
    expect_problem(publish(put_columns({value_column(2)})), schema_mismatch, "time");

    HandmadeColumn more = value_column(2);
    more.name = "more";
    more.field_id = 3;
    expect_problem(publish(put_columns({time, value_column(2), more})), schema_mismatch, "more");

    HandmadeColumn local = time;
    local.logical_type = testkit::timestamp_type(false, 2);
    expect_problem(publish(put_columns({local, value_column(2)})), schema_mismatch, "UTC");

    HandmadeColumn millis = time;
    millis.logical_type = testkit::timestamp_type(true, 1);
    expect_problem(publish(put_columns({millis, value_column(2)})), schema_mismatch, "unit");

    HandmadeColumn old{.name = "time",
                       .physical = testkit::parquet_physical::int96,
                       .field_id = 1,
                       .logical_type = std::nullopt};
    old.values = {testkit::plain_int96(0, 2'461'320), testkit::plain_int96(0, 2'461'320)};
    expect_problem(publish(put_columns({old, value_column(2)})), schema_mismatch, "INT96");

    expect_accepted(publish(put_columns({time, value_column(2)})));
}

TEST_F(GateFilesTest, EveryTimeIsInsideTheHour) {
    const Time last = model::end_of(nine) - std::chrono::microseconds(1);
    const auto early = start_ - std::chrono::microseconds(1);
    const auto file = [&](Time first, Time second) {
        return put_columns({time_column({first, second}), value_column(2)});
    };
    for (const auto policy : {always, never}) {
        expect_problem(publish(file(early, last), {.digest_policy = policy}), time_out_of_bounds,
                       "min_time 2026-10-06T08:59:59.999999Z");
        expect_problem(publish(file(start_, model::end_of(nine)), {.digest_policy = policy}),
                       time_out_of_bounds, "max_time 2026-10-06T10:00:00Z");
    }
    expect_accepted(publish(file(start_, last)));
}

TEST_F(GateFilesTest, EveryRowHasATime) {
    HandmadeColumn time = time_column({start_, start_});
    time.repetition = 1;
    time.values[1] = std::nullopt;
    // A column that may hold nulls is not one that holds none; which step tells is the schema's.
    const GateReport report = publish(put_columns({time, value_column(2)}));
    EXPECT_TRUE(report.code == schema_mismatch || report.code == time_out_of_bounds)
        << format_report(report);
}

TEST_F(GateFilesTest, DeclaredTimesAreTheOnesFound) {
    ObjectClaim claim = put(PublishWorld::make_file(nine, 4), 4);
    claim.min_time = start_ + std::chrono::seconds(1);
    expect_problem(publish(claim), time_out_of_bounds, "2026-10-06T09:00:00Z");
    claim.min_time = start_;
    claim.max_time = start_;
    expect_problem(publish(claim), time_out_of_bounds, "2026-10-06T09:45:00Z");
    claim.max_time = start_ + std::chrono::minutes(45);
    expect_accepted(publish(claim));
}

TEST_F(GateFilesTest, DeclaredDigestsAreTheOnesFound) {
    const Bytes bytes = PublishWorld::make_file(nine, 4);
    ObjectClaim claim = put(bytes, 4);
    claim.sha256 = digest_of("another");
    expect_problem(publish(claim), digest_mismatch, format_digest(digest_of(bytes)));
    claim.sha256 = digest_of(bytes);
    claim.row_fingerprint = digest_of("other rows");
    GateReport report = publish(claim);
    ASSERT_EQ(report.code, fingerprint_mismatch);
    claim.row_fingerprint = *parse_digest(report.problems[0].observed);
    expect_accepted(publish(claim));
}

TEST_F(GateFilesTest, OneFlippedBitOfThePagesIsFound) {
    const Bytes bytes = PublishWorld::make_file(nine, 4);
    ObjectClaim claim = put(bytes, 4);
    claim.sha256 = digest_of(bytes);
    Bytes flipped = bytes;
    flipped[60] = static_cast<char>(flipped[60] ^ 1);
    world_.store.replace({root, claim.path}, flipped);
    EXPECT_EQ(publish(claim).check_of(Step::digest).result, Check::Result::failed);
}

TEST_F(GateFilesTest, WithoutDigestsTheAnswerSaysSo) {
    ObjectClaim claim = put(PublishWorld::make_file(nine, 4), 4);
    claim.sha256 = digest_of("nobody looked");
    const GateReport report = publish(claim, {.digest_policy = never});
    expect_accepted(report);
    EXPECT_EQ(report.check_of(Step::digest).result, Check::Result::skipped);
    const auto partition = world_.find_partition("logs", nine);
    EXPECT_EQ(partition->digest_policy, never);
    // What nobody verified is not registered, or it would stand for the name for ever.
    EXPECT_FALSE(partition->objects[0].sha256);
    EXPECT_TRUE(partition->objects[0].min_time);
}

TEST_F(GateFilesTest, LargeObjectsAreReadInPieces) {
    const ObjectClaim claim = put(PublishWorld::make_file(nine, 70'000), 70'000);
    ASSERT_GT(claim.size_bytes, 1U << 20U);
    resources_.held_bytes_max = claim.size_bytes - 1;
    expect_accepted(publish(claim));
    const auto in_pieces = world_.find_partition("logs", nine)->objects[0];
    EXPECT_EQ(in_pieces.sha256, digest_of(PublishWorld::make_file(nine, 70'000)));

    resources_.held_bytes_max = claim.size_bytes;
    Gate gate(world_.store, world_.catalog, world_.catalog, world_.clock, resources_);
    Manifest again = PublishWorld::make_manifest("logs", "b2", nine, {claim});
    again.base_generation = world_.base();
    const auto outcome = gate.publish({{{again}}, {}, {.rehash = true}});
    ASSERT_THAT(outcome, IsOk());
    EXPECT_EQ(outcome->report().ledger.gets, 1U);
    EXPECT_EQ(world_.find_partition("logs", nine)->objects[0], in_pieces);
}

/// Files of our own writer, whose statistics may be believed.
class OwnFilesTest : public GateFilesTest {
protected:
    ObjectClaim write(Time first) {
        const catalog::Table table = world_.table("logs");
        parquet::RowBatch batch = parquet::make_batch(table.current().schema);
        for (int i = 0; i < 100; ++i) {
            batch.columns[0].append_integer(to_ns(first) / 1000 + i);
            batch.columns[1].append_floating(i);
        }
        const object::Name name{"/made", "a.parquet"};
        auto upload = world_.store.create(name);
        EXPECT_THAT(upload, IsOk());
        parquet::ObjectWriter writer(**upload, table.current().schema, {.table_id = "t"});
        EXPECT_THAT(writer.append(batch, 0, batch.rows()), IsOk());
        EXPECT_THAT(writer.close(), IsOk());
        EXPECT_THAT((*upload)->finish(), IsOk());
        bytes_ = *object::get(world_.store, name, 1 << 20);
        EXPECT_THAT(world_.store.remove(name), IsOk());
        return put(bytes_, 100);
    }

    /// The same file, as if someone else had written it.
    ObjectClaim put_as_foreign() {
        Bytes foreign = bytes_;
        const auto at = foreign.find(parquet::created_by_prefix);
        EXPECT_NE(at, Bytes::npos);
        foreign.replace(at, 9, "elsewhere");
        return put(foreign, 100);
    }

    Bytes bytes_;
};

TEST_F(OwnFilesTest, TimesComeFromTheStatisticsOfOurOwnFilesAlone) {
    const ObjectClaim own = write(start_);
    GateReport report = publish(own, {.digest_policy = never});
    expect_accepted(report);
    const auto own_object = world_.find_partition("logs", nine)->objects[0];
    EXPECT_EQ(own_object.min_time, start_);
    EXPECT_EQ(own_object.max_time, start_ + std::chrono::microseconds(99));
    EXPECT_FALSE(own_object.row_fingerprint);

    PublishWorld other;
    other.add_table("logs");
    const ObjectClaim foreign = put_as_foreign();
    other.store.replace({root, foreign.path},
                        *object::get(world_.store, {root, foreign.path}, 1 << 20));
    Gate gate(other.store, other.catalog, other.catalog, other.clock);
    const auto outcome =
        gate.publish({{{PublishWorld::make_manifest("logs", "b1", nine, {foreign})}},
                      {},
                      {.digest_policy = never}});
    ASSERT_THAT(outcome, IsOk());
    expect_accepted(outcome->report());
    EXPECT_GT(outcome->report().ledger.bytes_read, report.ledger.bytes_read);
    const auto foreign_object = other.find_partition("logs", nine)->objects[0];
    EXPECT_EQ(foreign_object.min_time, own_object.min_time);
    EXPECT_EQ(foreign_object.max_time, own_object.max_time);
    EXPECT_TRUE(foreign_object.row_fingerprint);  // It was decoded anyway.
}

TEST_F(OwnFilesTest, OurStatisticsAreHeldToTheHourToo) {
    expect_problem(publish(write(start_ - std::chrono::microseconds(1)), {.digest_policy = never}),
                   time_out_of_bounds, "min_time");
}

TEST_F(OwnFilesTest, WithDigestsEveryPageIsDecodedWhoeverWroteIt) {
    write(start_);
    Bytes flipped = bytes_;
    flipped[40] = static_cast<char>(flipped[40] ^ 1);
    EXPECT_EQ(publish(put(flipped, 100)).code, footer_invalid);
    expect_accepted(publish(put(flipped, 100), {.digest_policy = never}));
}

}  // namespace
}  // namespace highwater::publish
