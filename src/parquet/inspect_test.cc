#include "parquet/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "object/memory_store.h"
#include "parquet/decode.h"
#include "parquet/read.h"
#include "parquet/write.h"
#include "testkit/fault.h"
#include "testkit/faulty_store.h"
#include "testkit/handmade_parquet.h"
#include "testkit/matchers.h"

namespace highwater::parquet {
namespace {

using model::ColumnType;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testkit::FailsWith;
using testkit::HandmadeColumn;
using testkit::HandmadeFile;
using testkit::IsOk;
using testkit::make_handmade_parquet;
namespace physical = testkit::parquet_physical;

constexpr std::int64_t start_us = 1'759'741'200'000'000;  // 2025-10-06T09:00:00Z

/// A reader of bytes that are at hand.
class BytesReader final : public object::Reader {
public:
    explicit BytesReader(Bytes bytes)
        : bytes_(std::move(bytes)), identity_{.size_bytes = bytes_.size()} {}
    const object::Identity& identity() const override { return identity_; }
    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        return offset >= bytes_.size() ? Bytes() : bytes_.substr(offset, size);
    }

private:
    Bytes bytes_;
    object::Identity identity_;
};

model::Schema two_columns() {
    return {.columns = {{.id = 1, .name = "ts", .type = ColumnType::timestamp, .nullable = false},
                        {.id = 2, .name = "value", .type = ColumnType::float64}},
            .time_column = "ts",
            .unit = model::TimeUnit::microsecond};
}

HandmadeColumn time_column(std::int64_t count = 2) {
    HandmadeColumn column{.name = "ts", .logical_type = testkit::timestamp_type(true, 2)};
    for (std::int64_t i = 0; i < count; ++i) {
        column.values.emplace_back(testkit::plain_i64(start_us + i));
    }
    return column;
}

HandmadeColumn value_column() {
    return {.name = "value",
            .physical = physical::float64,
            .repetition = 1,
            .logical_type = std::nullopt,
            .values = {testkit::plain_double(0.5), std::nullopt}};
}

Result<FileFacts> inspect(const Bytes& bytes) {
    return inspect_file(BytesReader(bytes), "ts");
}

FileFacts facts_of(const HandmadeFile& file) {
    const auto facts = inspect(make_handmade_parquet(file));
    EXPECT_THAT(facts, IsOk());
    return *facts;
}

void expect_verdict(const Bytes& bytes, Verdict verdict, const std::string& reason) {
    const auto facts = inspect(bytes);
    ASSERT_THAT(facts, IsOk());
    EXPECT_EQ(facts->verdict, verdict);
    EXPECT_THAT(facts->reason, HasSubstr(reason));
}

/// A file of our own writer with every kind of page that it makes.
Bytes written_file(std::size_t rows = 40) {
    model::Schema schema = two_columns();
    schema.columns.push_back({.id = 3, .name = "host", .type = ColumnType::string});
    RowBatch batch = make_batch(schema);
    for (std::size_t row = 0; row < rows; ++row) {
        batch.columns[0].append_integer(start_us + static_cast<std::int64_t>(row));
        row % 7 ? batch.columns[1].append_floating(0.1 * static_cast<double>(row))
                : batch.columns[1].append_null();
        batch.columns[2].append_bytes(row % 2 ? "alpha" : "beta");
    }
    object::MemoryStore store;
    auto upload = store.create({"mem", "x"});
    ObjectWriter writer(**upload, schema, {.table_id = "t", .row_group_rows = 30});
    EXPECT_THAT(writer.append(batch, 0, batch.rows()), IsOk());
    EXPECT_THAT(writer.close(), IsOk());
    EXPECT_THAT((*upload)->finish(), IsOk());
    return *object::get(store, {"mem", "x"}, 1 << 20);
}

TEST(InspectFile, ReadsAFileOfAnotherWriter) {
    const FileFacts facts = facts_of({.columns = {time_column(), value_column()}});
    EXPECT_EQ(facts.verdict, Verdict::readable) << facts.reason;
    EXPECT_EQ(facts.record_count, 2U);
    EXPECT_EQ(facts.created_by, "handmade");
    EXPECT_FALSE(facts.is_ours);
    EXPECT_FALSE(facts.times.has_value());
    EXPECT_THAT(find_schema_differences(facts, two_columns()), IsEmpty());

    const Bytes bytes = make_handmade_parquet({.columns = {time_column(), value_column()}});
    const auto scanned = scan_file(BytesReader(bytes), two_columns());
    ASSERT_THAT(scanned, IsOk());
    EXPECT_EQ(scanned->verdict, Verdict::readable) << scanned->reason;
    EXPECT_EQ(scanned->record_count, 2U);
    EXPECT_EQ(scanned->min_time, time_from_ns(start_us * 1'000));
    EXPECT_EQ(scanned->max_time, time_from_ns((start_us + 1) * 1'000));
    model::RowFingerprint expected;
    expected.begin_row();
    expected.add_timestamp_ns(1, start_us * 1'000);
    expected.add_double(2, 0.5);
    expected.end_row();
    expected.begin_row();
    expected.add_timestamp_ns(1, (start_us + 1) * 1'000);
    expected.end_row();
    EXPECT_EQ(scanned->row_fingerprint, to_digest(expected.sum()));
}

TEST(InspectFile, RefusesWhatFramesNoFooter) {
    const Bytes good = written_file();
    expect_verdict("", Verdict::footer_invalid, "0 bytes");
    expect_verdict("PAR1", Verdict::footer_invalid, "4 bytes");
    expect_verdict(Bytes(100, 'x'), Verdict::footer_invalid, "does not end");
    expect_verdict("XXXX" + good.substr(4), Verdict::footer_invalid, "does not begin");
    expect_verdict(good.substr(0, good.size() - 1), Verdict::footer_invalid, "does not end");
    Bytes long_footer = good;
    long_footer[good.size() - 6] = '\x7F';  // 8 MB and more of footer.
    expect_verdict(long_footer, Verdict::footer_invalid, "more than the file has");
    Bytes encrypted = good;
    encrypted[good.size() - 1] = 'E';
    expect_verdict(encrypted, Verdict::unsupported, "encrypted");
}

TEST(InspectFile, RefusesClaimsThatContradictEachOther) {
    HandmadeFile file{.columns = {time_column(), value_column()}};
    file.claimed_rows_more = 1;
    expect_verdict(make_handmade_parquet(file), Verdict::footer_invalid, "claims 3 rows");
    file.claimed_rows_more = 0;
    file.columns[1].claimed_values_more = 1;
    expect_verdict(make_handmade_parquet(file), Verdict::footer_invalid,
                   "'value' claims 3 values in a row group of 2");
    file.columns[1].claimed_values_more = 0;
    file.columns[1].claimed_offset_more = 1'000'000;
    expect_verdict(make_handmade_parquet(file), Verdict::footer_invalid,
                   "'value' claims bytes outside the file");
}

TEST(InspectFile, LimitsTheRowsOfAFile) {
    HandmadeFile file{.columns = {time_column(2)}};
    file.claimed_rows_more = static_cast<std::int64_t>(file_rows_max) - 2;
    expect_verdict(make_handmade_parquet(file), Verdict::footer_invalid, "its row groups 2");
    ++file.claimed_rows_more;
    expect_verdict(make_handmade_parquet(file), Verdict::unsupported, "file_rows_max");
}

/// A file of which only the last bytes were written.
class SparseReader final : public object::Reader {
public:
    SparseReader(std::uint64_t size, Bytes end)
        : end_(std::move(end)), identity_{.size_bytes = size} {}
    const object::Identity& identity() const override { return identity_; }
    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        Bytes bytes(std::min(size, identity_.size_bytes - offset), '\0');
        const std::uint64_t end_offset = identity_.size_bytes - end_.size();
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            if (offset == 0 && i < 4) bytes[i] = "PAR1"[i];
            if (offset + i >= end_offset) bytes[i] = end_[offset + i - end_offset];
        }
        return bytes;
    }

private:
    Bytes end_;
    object::Identity identity_;
};

TEST(InspectFile, LimitsTheFooter) {
    const auto inspect_footer = [](std::uint64_t footer_size) {
        const SparseReader reader(
            footer_size + 100, testkit::plain_i32(static_cast<std::int32_t>(footer_size)) + "PAR1");
        return *inspect_file(reader, "ts");
    };
    EXPECT_EQ(inspect_footer(footer_size_max).verdict, Verdict::footer_invalid);
    const FileFacts beyond = inspect_footer(footer_size_max + 1);
    EXPECT_EQ(beyond.verdict, Verdict::unsupported);
    EXPECT_THAT(beyond.reason, HasSubstr("footer_size_max"));
}

TEST(VerifyPages, LimitsTheMemoryOfAPage) {
    const auto verify = [](std::int64_t page_size) {
        HandmadeColumn column = time_column(2);
        column.codec = 1;  // Snappy, which these bytes are not.
        column.claimed_page_size_more = page_size - 16;
        return *verify_pages(BytesReader(make_handmade_parquet({.columns = {column}})));
    };
    constexpr std::int64_t limit = std::int64_t{1} << 30;
    EXPECT_EQ(verify(limit / 2).verdict, Verdict::footer_invalid);
    const ScanFacts beyond = verify(limit + 1);
    EXPECT_EQ(beyond.verdict, Verdict::unsupported);
    EXPECT_THAT(beyond.reason, HasSubstr("more than 1073741824 bytes"));
}

TEST(InspectFile, LimitsColumns) {
    HandmadeFile file;
    for (std::size_t i = 0; i < model::columns_max; ++i) {
        file.columns.push_back(time_column(1));
        file.columns.back().name = "c" + std::to_string(i);
    }
    expect_verdict(make_handmade_parquet(file), Verdict::readable, "");
    file.columns.push_back(time_column(1));
    expect_verdict(make_handmade_parquet(file), Verdict::unsupported, "1001 columns");
}

TEST(InspectFile, NamesWhatItCannotRead) {
    const auto with = [](HandmadeColumn column) {
        return make_handmade_parquet({.columns = {time_column(), std::move(column)}});
    };
    HandmadeColumn column = value_column();
    column.repetition = 2;
    expect_verdict(with(column), Verdict::unsupported, "'value' is nested or repeated");
    column = value_column();
    column.logical_type = testkit::simple_type(40);
    expect_verdict(with(column), Verdict::unsupported, "'value' has an unknown logical type");
    column = value_column();
    column.encoding = 77;
    expect_verdict(with(column), Verdict::unsupported, "'value' has an unknown encoding");
    column = value_column();
    column.codec = 3;  // LZO
    expect_verdict(with(column), Verdict::unsupported, "'value' is compressed with an unknown");
    column = value_column();
    column.file_path = "elsewhere.parquet";
    expect_verdict(with(column), Verdict::unsupported, "'value' lies in another file");
}

TEST(InspectFile, TellsTypesThatNoTableHolds) {
    HandmadeColumn half{.name = "half",
                        .physical = physical::fixed,
                        .type_length = 2,
                        .logical_type = testkit::simple_type(15),
                        .values = {Bytes(2, '\0'), Bytes(2, '\0')}};
    const FileFacts facts = facts_of({.columns = {time_column(), half}});
    ASSERT_EQ(facts.verdict, Verdict::readable) << facts.reason;
    EXPECT_FALSE(facts.columns[1].type.has_value());
    EXPECT_THAT(facts.columns[1].type_text, HasSubstr("Float16"));
    model::Schema schema = two_columns();
    schema.columns[1].name = "half";
    EXPECT_THAT(find_schema_differences(facts, schema),
                ElementsAre(HasSubstr("'half' has type FIXED_LEN_BYTE_ARRAY Float16")));
    EXPECT_THAT(infer_schema(facts, "ts"), FailsWith(Code::unsupported));
}

TEST(InspectFile, TellsInt96AndLocalTimes) {
    HandmadeColumn old{.name = "ts",
                       .physical = physical::int96,
                       .logical_type = std::nullopt,
                       .values = {testkit::plain_int96(1, 2'440'588)}};
    const FileFacts int96 = facts_of({.columns = {old}});
    ASSERT_EQ(int96.verdict, Verdict::readable) << int96.reason;
    EXPECT_TRUE(int96.columns[0].is_int96);
    EXPECT_THAT(find_schema_differences(int96, two_columns()),
                ElementsAre(HasSubstr("'ts' is INT96")));
    EXPECT_THAT(infer_schema(int96, "ts"), FailsWith(Code::invalid_argument));

    HandmadeColumn local = time_column();
    local.logical_type = testkit::timestamp_type(false, 2);
    EXPECT_THAT(find_schema_differences(facts_of({.columns = {local}}), two_columns()),
                ElementsAre(HasSubstr("local timestamp")));
    HandmadeColumn nanoseconds = time_column();
    nanoseconds.logical_type = testkit::timestamp_type(true, 3);
    EXPECT_THAT(find_schema_differences(facts_of({.columns = {nanoseconds}}), two_columns()),
                ElementsAre(AllOf(HasSubstr("nanosecond"), HasSubstr("microsecond"))));
}

TEST(FindSchemaDifferences, MatchesByFieldIdOnlyWhenEveryColumnHasOne) {
    HandmadeColumn time = time_column();
    HandmadeColumn value = value_column();
    time.field_id = 1;
    value.field_id = 3;
    EXPECT_THAT(find_schema_differences(facts_of({.columns = {time, value}}), two_columns()),
                ElementsAre(HasSubstr("'value' is not in the schema")));
    value.field_id = 2;
    value.name = "renamed";
    EXPECT_THAT(find_schema_differences(facts_of({.columns = {time, value}}), two_columns()),
                ElementsAre(HasSubstr("field 2 is 'renamed' in the file")));
    value = value_column();
    EXPECT_THAT(find_schema_differences(facts_of({.columns = {time, value}}), two_columns()),
                IsEmpty());
}

TEST(FindSchemaDifferences, NamesEachDifference) {
    model::Schema schema = two_columns();
    schema.columns[1].nullable = false;
    schema.columns.push_back(
        {.id = 3, .name = "gone", .type = ColumnType::int64, .nullable = false});
    schema.columns.push_back({.id = 4, .name = "later", .type = ColumnType::int64});
    HandmadeColumn extra = value_column();
    extra.name = "extra";
    EXPECT_THAT(find_schema_differences(
                    facts_of({.columns = {time_column(), value_column(), extra}}), schema),
                ElementsAre(HasSubstr("'value' may hold nulls"), HasSubstr("'gone' is not in the"),
                            HasSubstr("'extra' is not in the schema")));
    schema = two_columns();
    schema.columns[1].type = ColumnType::float32;
    EXPECT_THAT(
        find_schema_differences(facts_of({.columns = {time_column(), value_column()}}), schema),
        ElementsAre(HasSubstr("'value' is float64 in the file, float32 in the schema")));
}

TEST(FindSchemaDifferences, LetsATimeColumnBeOptionalAndCountsItsNulls) {
    HandmadeColumn time = time_column();
    time.repetition = 1;
    time.values[1] = std::nullopt;
    const Bytes bytes = make_handmade_parquet({.columns = {time, value_column()}});
    EXPECT_THAT(find_schema_differences(*inspect(bytes), two_columns()), IsEmpty());
    const auto scanned = scan_file(BytesReader(bytes), two_columns());
    ASSERT_THAT(scanned, IsOk());
    EXPECT_EQ(scanned->verdict, Verdict::readable) << scanned->reason;
    EXPECT_EQ(scanned->null_times, 1U);
}

TEST(ScanFile, CastsWithoutChangingAValue) {
    model::Schema schema = two_columns();
    schema.columns[1] = {.id = 2, .name = "n", .type = ColumnType::int64};
    const auto scan = [&](HandmadeColumn column, model::Column to) {
        schema.columns[1] = to;
        const Bytes bytes = make_handmade_parquet({.columns = {time_column(1), std::move(column)}});
        const auto facts = inspect(bytes);
        EXPECT_THAT(find_schema_differences(*facts, schema), IsEmpty());
        auto scanned = scan_file(BytesReader(bytes), schema);
        EXPECT_THAT(scanned, IsOk());
        EXPECT_EQ(scanned->verdict, Verdict::readable) << scanned->reason;
        return scanned->row_fingerprint;
    };
    const auto expected = [](auto add) {
        model::RowFingerprint fingerprint;
        fingerprint.begin_row();
        fingerprint.add_timestamp_ns(1, start_us * 1'000);
        add(fingerprint);
        fingerprint.end_row();
        return to_digest(fingerprint.sum());
    };
    const HandmadeColumn narrow{.name = "n",
                                .physical = physical::int32,
                                .logical_type = testkit::integer_type(16, true),
                                .values = {testkit::plain_i32(-300)}};
    EXPECT_EQ(scan(narrow, {.id = 2, .name = "n", .type = ColumnType::int64}),
              expected([](auto& f) { f.add_int(2, -300); }));
    const HandmadeColumn unsigned32{.name = "n",
                                    .physical = physical::int32,
                                    .logical_type = testkit::integer_type(32, false),
                                    .values = {testkit::plain_i32(-1)}};
    EXPECT_EQ(scan(unsigned32, {.id = 2, .name = "n", .type = ColumnType::uint64}),
              expected([](auto& f) { f.add_uint(2, 4'294'967'295U); }));
    const HandmadeColumn decimal{.name = "n",
                                 .physical = physical::int32,
                                 .logical_type = testkit::decimal_type(5, 2),
                                 .decimal_precision = 5,
                                 .decimal_scale = 2,
                                 .values = {testkit::plain_i32(-12'345)}};
    Bytes unscaled(decimal_size_bytes, '\xFF');
    unscaled[0] = '\xC7';
    unscaled[1] = '\xCF';  // -12345
    EXPECT_EQ(scan(decimal, {.id = 2,
                             .name = "n",
                             .type = ColumnType::decimal,
                             .decimal_precision = 9,
                             .decimal_scale = 2}),
              expected([&](auto& f) { f.add_decimal(2, unscaled, 2); }));
}

TEST(ScanFile, RefusesValuesThatAreNoneOfTheirType) {
    const auto scan = [](HandmadeColumn column, ColumnType type) {
        model::Schema schema = two_columns();
        schema.columns[1] = {.id = 2, .name = "n", .type = type};
        if (type == ColumnType::decimal) schema.columns[1].decimal_precision = 3;
        const Bytes bytes = make_handmade_parquet({.columns = {time_column(1), std::move(column)}});
        auto scanned = scan_file(BytesReader(bytes), schema);
        EXPECT_THAT(scanned, IsOk());
        return *scanned;
    };
    ScanFacts facts = scan({.name = "n",
                            .physical = physical::int32,
                            .logical_type = testkit::integer_type(8, true),
                            .values = {testkit::plain_i32(128)}},
                           ColumnType::int8);
    EXPECT_EQ(facts.verdict, Verdict::footer_invalid);
    EXPECT_THAT(facts.reason, HasSubstr("column 'n': a value does not fit"));
    facts = scan({.name = "n",
                  .physical = physical::byte_array,
                  .logical_type = testkit::simple_type(1),
                  .values = {testkit::plain_text("\xC0\xAF")}},
                 ColumnType::string);
    EXPECT_EQ(facts.verdict, Verdict::footer_invalid);
    EXPECT_THAT(facts.reason, HasSubstr("not UTF-8"));
    facts = scan({.name = "n",
                  .physical = physical::int32,
                  .logical_type = testkit::decimal_type(3, 0),
                  .decimal_precision = 3,
                  .values = {testkit::plain_i32(1'000)}},
                 ColumnType::decimal);
    EXPECT_EQ(facts.verdict, Verdict::footer_invalid);
    EXPECT_THAT(facts.reason, HasSubstr("does not fit"));
    facts = scan({.name = "n",
                  .physical = physical::byte_array,
                  .logical_type = testkit::simple_type(1),
                  .values = {testkit::plain_i32(9) + "short"}},
                 ColumnType::string);
    EXPECT_EQ(facts.verdict, Verdict::footer_invalid);
}

TEST(ScanFile, RefusesPagesThatHoldOtherThanTheFooterClaims) {
    const auto scan = [](std::size_t values) {
        HandmadeColumn column = value_column();
        column.values.assign(values, testkit::plain_double(1));
        column.claimed_values_more = 2 - static_cast<std::int64_t>(values);
        return *scan_file(BytesReader(make_handmade_parquet({.columns = {time_column(2), column}})),
                          two_columns());
    };
    EXPECT_EQ(scan(2).verdict, Verdict::readable) << scan(2).reason;
    EXPECT_EQ(scan(1).verdict, Verdict::footer_invalid);
    EXPECT_THAT(scan(1).reason, HasSubstr("column 'value'"));
    EXPECT_EQ(scan(3).verdict, Verdict::footer_invalid);
    EXPECT_THAT(scan(3).reason, HasSubstr("column 'value': more values than rows"));
}

TEST(ScanFile, TellsTimesOutsideInt64Nanoseconds) {
    HandmadeColumn time = time_column(1);
    time.values[0] = testkit::plain_i64(std::numeric_limits<std::int64_t>::max());
    const Bytes bytes = make_handmade_parquet({.columns = {time}});
    const auto scanned = scan_file(BytesReader(bytes), two_columns());
    ASSERT_THAT(scanned, IsOk());
    EXPECT_TRUE(scanned->is_time_overflow);
    EXPECT_FALSE(scanned->min_time.has_value());
}

TEST(ScanFile, NamesTheColumnOfAPageThatFailsItsChecksum) {
    Bytes bytes = written_file();
    // The dictionary of `host` ends before the footer; its bytes are compressed, and changed here.
    const std::size_t at = bytes.find("highwater.table_id");
    ASSERT_NE(at, Bytes::npos);
    int noticed = 0;
    for (std::size_t i = 4; i < 200; ++i) {
        bytes[i] = static_cast<char>(bytes[i] ^ 1);
        const auto scanned = scan_file(BytesReader(bytes), *infer_schema(*inspect(bytes), "ts"));
        bytes[i] = static_cast<char>(bytes[i] ^ 1);
        ASSERT_THAT(scanned, IsOk());
        if (scanned->reason.find("checksum") == std::string::npos) continue;
        EXPECT_EQ(scanned->verdict, Verdict::footer_invalid);
        EXPECT_THAT(scanned->reason, HasSubstr("column '"));
        ++noticed;
    }
    EXPECT_GT(noticed, 50);
}

/// The facts of a hostile file, all the way: a typed verdict, or facts that a scan then proves.
void expect_harmless(const Bytes& bytes, const Digest& fingerprint) {
    const BytesReader reader(bytes);
    const auto facts = inspect_file(reader, "ts");
    ASSERT_THAT(facts, IsOk());
    if (facts->verdict != Verdict::readable) {
        EXPECT_FALSE(facts->reason.empty());
        return;
    }
    const auto schema = infer_schema(*facts, "ts");
    if (!schema.ok()) return;
    const auto scanned = scan_file(reader, *schema);
    ASSERT_THAT(scanned, IsOk());
    if (scanned->verdict != Verdict::readable) {
        EXPECT_FALSE(scanned->reason.empty());
        return;
    }
    EXPECT_EQ(scanned->record_count, facts->record_count);
    // What is read as the same table holds the same rows: no page was changed unnoticed.
    model::Schema original = two_columns();
    original.columns.push_back({.id = 3, .name = "host", .type = ColumnType::string});
    if (*schema != original) return;
    EXPECT_EQ(scanned->row_fingerprint, fingerprint);
}

Digest fingerprint_of(const Bytes& bytes) {
    return scan_file(BytesReader(bytes), *infer_schema(*inspect(bytes), "ts"))->row_fingerprint;
}

TEST(HostileFile, EveryFlippedByteGivesAVerdictOrTheSameRows) {
    const Bytes good = written_file();
    const Digest fingerprint = fingerprint_of(good);
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const int mask : {0x01, 0x80, 0xFF}) {
            SCOPED_TRACE(testing::Message() << "byte " << i << " mask " << mask);
            Bytes bytes = good;
            bytes[i] = static_cast<char>(bytes[i] ^ mask);
            expect_harmless(bytes, fingerprint);
        }
    }
}

TEST(HostileFile, EveryTruncationIsRefused) {
    const Bytes good = written_file();
    for (std::size_t size = 0; size < good.size(); ++size) {
        SCOPED_TRACE(testing::Message() << "size " << size);
        const auto facts = inspect(good.substr(0, size));
        ASSERT_THAT(facts, IsOk());
        EXPECT_EQ(facts->verdict, Verdict::footer_invalid);
        // And with the end still there: a hole before the footer.
        const Bytes holed = good.substr(0, size / 2) + good.substr(good.size() - size / 2);
        expect_harmless(holed, fingerprint_of(good));
    }
}

TEST(InspectFile, TellsTheStoresOwnFailure) {
    const Bytes good = written_file();
    for (int at_call = 0;; ++at_call) {
        object::MemoryStore inner;
        ASSERT_THAT(object::put_new(inner, {"mem", "x"}, good), IsOk());
        testkit::Fault fault(at_call, testkit::Fault::When::before_effect);
        testkit::FaultyStore store(inner, fault);
        const auto reader = store.open({"mem", "x"});
        if (!reader.ok()) continue;
        model::Schema schema = two_columns();
        schema.columns.push_back({.id = 3, .name = "host", .type = ColumnType::string});
        const auto facts = inspect_file(**reader, "ts");
        const auto scanned = scan_file(**reader, schema);
        if (!fault.fired()) {
            EXPECT_THAT(facts, IsOk());
            EXPECT_THAT(scanned, IsOk());
            return;
        }
        EXPECT_TRUE(!facts.ok() || !scanned.ok()) << "call " << at_call;
        EXPECT_TRUE(facts.ok() || facts.error().code() == Code::unavailable);
        EXPECT_TRUE(scanned.ok() || scanned.error().code() == Code::unavailable);
    }
}

TEST(ConvertTime, IsExactOrSaysNo) {
    using model::TimeUnit;
    const auto convert = [](std::int64_t value, TimeUnit from, TimeUnit to, bool truncate = false) {
        return convert_time(value, from, to, std::chrono::minutes(0), truncate);
    };
    EXPECT_EQ(*convert(7, TimeUnit::millisecond, TimeUnit::nanosecond), 7'000'000);
    EXPECT_EQ(*convert(-7'000, TimeUnit::nanosecond, TimeUnit::microsecond), -7);
    EXPECT_THAT(convert(-7'001, TimeUnit::nanosecond, TimeUnit::microsecond),
                FailsWith(Code::invalid_argument));
    EXPECT_EQ(*convert(-7'001, TimeUnit::nanosecond, TimeUnit::microsecond, true), -8);
    EXPECT_EQ(*convert(7'999, TimeUnit::nanosecond, TimeUnit::microsecond, true), 7);
    EXPECT_EQ(*convert(9'223'372'036'854, TimeUnit::millisecond, TimeUnit::nanosecond),
              9'223'372'036'854'000'000);
    EXPECT_THAT(convert(9'223'372'036'855, TimeUnit::millisecond, TimeUnit::nanosecond),
                FailsWith(Code::invalid_argument));
    EXPECT_EQ(*convert_time(0, TimeUnit::microsecond, TimeUnit::microsecond,
                            std::chrono::minutes(120), false),
              -7'200'000'000);
}

TEST(RowReader, ConvertsInt96AndLocalTimesWhenAskedTo) {
    HandmadeColumn old{.name = "ts",
                       .physical = physical::int96,
                       .logical_type = std::nullopt,
                       .values = {testkit::plain_int96(3'600'000'001'000, 2'440'589)}};
    const BytesReader reader(make_handmade_parquet({.columns = {old}}));
    const auto facts = inspect_file(reader, "ts");
    const auto schema = infer_schema(*facts, "ts", true);
    ASSERT_THAT(schema, IsOk());
    auto rows = RowReader::open(reader, *schema,
                                {.convert_times = true, .local_zone = std::chrono::minutes(60)});
    ASSERT_THAT(rows, IsOk());
    const auto batch = rows->next();
    ASSERT_THAT(batch, IsOk());
    // One day and one hour and one microsecond after the epoch, one hour east of UTC.
    EXPECT_EQ((*batch)->columns[0].integer_at(0), 86'400'000'001);
    EXPECT_FALSE(rows->next()->has_value());
}

}  // namespace
}  // namespace highwater::parquet
