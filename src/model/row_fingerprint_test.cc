#include "model/row_fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "testkit/generators.h"
#include "testkit/golden_bytes.h"
#include "testkit/matchers.h"

namespace highwater::model {
namespace {

using testkit::IsOk;

using Row = std::function<void(RowFingerprint&)>;

DigestSum sum_of(const std::vector<Row>& rows) {
    RowFingerprint fingerprint;
    for (const Row& row : rows) {
        fingerprint.begin_row();
        row(fingerprint);
        fingerprint.end_row();
    }
    return fingerprint.sum();
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t nine_ns = 1'791'277'200'000'000'000;  // 2026-10-06T09:00:00Z

/// -1234, as the 16 bytes that add_decimal takes.
Bytes unscaled_example() {
    Bytes bytes(16, '\xFF');
    bytes[0] = '\x2E';
    bytes[1] = '\xFB';
    return bytes;
}

/// Rows of every kind of cell, as docs/formats/row-fingerprint.md shows them.
std::map<std::string, Row> make_examples() {
    using To = RowFingerprint;
    constexpr std::uint64_t int_max = std::numeric_limits<std::int64_t>::max();
    return {{"empty", [](To&) {}},
            {"bool_true", [](To& to) { to.add_bool(1, true); }},
            {"bool_false", [](To& to) { to.add_bool(1, false); }},
            {"int", [](To& to) { to.add_int(1, 470); }},
            {"int_negative", [](To& to) { to.add_int(1, -1); }},
            {"uint_small", [](To& to) { to.add_uint(1, int_max); }},
            {"uint_large", [](To& to) { to.add_uint(1, int_max + 1); }},
            {"double", [](To& to) { to.add_double(1, 21.5); }},
            {"double_zero", [](To& to) { to.add_double(1, 0.0); }},
            {"double_negative_zero", [](To& to) { to.add_double(1, -0.0); }},
            {"double_nan", [](To& to) { to.add_double(1, nan); }},
            {"double_infinity",
             [](To& to) { to.add_double(1, std::numeric_limits<double>::infinity()); }},
            {"string", [](To& to) { to.add_string(1, "caf\xC3\xA9"); }},
            {"string_empty", [](To& to) { to.add_string(1, ""); }},
            {"binary", [](To& to) { to.add_binary(1, BytesView("\0\xFF", 2)); }},
            {"date", [](To& to) { to.add_date(1, 20'732); }},
            {"timestamp", [](To& to) { to.add_timestamp_ns(1, nine_ns); }},
            {"decimal", [](To& to) { to.add_decimal(1, unscaled_example(), 2); }},
            {"example", [](To& to) {
                 to.add_timestamp_ns(1, nine_ns);
                 to.add_string(2, "pump-7");
                 to.add_double(3, 21.5);
                 to.add_int(5, 470);
             }}};
}

TEST(RowFingerprint, EachRowIsTheDigestOfItsReleasedBytes) {
    const auto golden = testkit::read_golden_bytes(HIGHWATER_SOURCE_DIR
                                                   "/tests/golden/formats/row-fingerprint.hex");
    ASSERT_THAT(golden, IsOk());
    const auto examples = make_examples();
    EXPECT_EQ(golden->size(), examples.size() + 1);  // One is the sum of all.
    std::vector<Row> rows;
    for (const auto& [name, row] : examples) {
        ASSERT_TRUE(golden->contains(name)) << name;
        EXPECT_EQ(to_digest(sum_of({row})), digest_of(golden->at(name))) << name;
        rows.push_back(row);
    }
    const Digest sum = to_digest(sum_of(rows));
    EXPECT_EQ(Bytes(reinterpret_cast<const char*>(sum.bytes.data()), sum.bytes.size()),
              golden->at("sum"));
}

TEST(RowFingerprint, OfNoRowsIsZero) {
    const RowFingerprint fingerprint;
    EXPECT_EQ(fingerprint.sum(), DigestSum{});
    EXPECT_EQ(fingerprint.rows(), 0u);
}

TEST(RowFingerprint, CountsRowsThatHaveEnded) {
    RowFingerprint fingerprint;
    fingerprint.begin_row();
    fingerprint.end_row();
    fingerprint.begin_row();
    EXPECT_EQ(fingerprint.rows(), 1u);
    fingerprint.add_int(1, 5);
    fingerprint.end_row();
    EXPECT_EQ(fingerprint.rows(), 2u);
}

TEST(RowFingerprint, EqualValuesAreEqualWhateverTheirWidth) {
    EXPECT_EQ(sum_of({[](auto& to) { to.add_int(1, 5); }}),
              sum_of({[](auto& to) { to.add_uint(1, 5); }}));
    EXPECT_EQ(sum_of({[](auto& to) { to.add_double(1, 0.1F); }}),
              sum_of({[](auto& to) { to.add_double(1, double{0.1F}); }}));
    EXPECT_EQ(sum_of({[](auto& to) { to.add_double(1, nan); }}),
              sum_of({[](auto& to) { to.add_double(1, -std::nan("7")); }}));
}

TEST(RowFingerprint, TellsTypesColumnsAndValuesApart) {
    const std::vector<Row> different = {
        [](auto&) {},
        [](auto& to) { to.add_int(1, 1); },
        [](auto& to) { to.add_int(2, 1); },
        [](auto& to) { to.add_int(1, 2); },
        [](auto& to) { to.add_bool(1, true); },
        [](auto& to) { to.add_double(1, 1.0); },
        [](auto& to) { to.add_date(1, 1); },
        [](auto& to) { to.add_timestamp_ns(1, 1); },
        [](auto& to) { to.add_string(1, "1"); },
        [](auto& to) { to.add_binary(1, "1"); },
        [](auto& to) { to.add_string(1, ""); },
        [](auto& to) { to.add_decimal(1, Bytes(16, '\0'), 0); },
        [](auto& to) { to.add_decimal(1, Bytes(16, '\0'), 1); },
        [](auto& to) { to.add_double(1, 0.0); },
        [](auto& to) { to.add_double(1, -0.0); },
        [](auto& to) { to.add_int(1, -1); },
        [](auto& to) { to.add_uint(1, std::numeric_limits<std::uint64_t>::max()); }};
    for (std::size_t i = 0; i < different.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_NE(sum_of({different[i]}), sum_of({different[j]})) << i << " " << j;
        }
    }
}

TEST(RowFingerprint, NoticesASwapOfValuesBetweenRows) {
    const auto row = [](std::int64_t a, std::int64_t b) {
        return [=](RowFingerprint& to) {
            to.add_int(1, a);
            to.add_int(2, b);
        };
    };
    EXPECT_NE(sum_of({row(1, 10), row(2, 20)}), sum_of({row(1, 20), row(2, 10)}));
}

TEST(RowFingerprint, CountsEqualRowsEach) {
    const Row row = [](auto& to) { to.add_int(1, 1); };
    EXPECT_NE(sum_of({row}), sum_of({row, row}));
}

TEST(RowFingerprintDeathTest, RequiresItsOrderOfCalls) {
    RowFingerprint fingerprint;
    EXPECT_DEATH(fingerprint.add_int(1, 1), "row_.empty");
    EXPECT_DEATH(fingerprint.end_row(), "row_.empty");
    fingerprint.begin_row();
    EXPECT_DEATH(fingerprint.begin_row(), "row_.empty");
    EXPECT_DEATH(fingerprint.add_int(0, 1), "column_id");
    EXPECT_DEATH(fingerprint.add_decimal(1, Bytes(15, '\0'), 0), "decimal_size_bytes");
    fingerprint.add_int(2, 1);
    EXPECT_DEATH(fingerprint.add_int(2, 1), "column_id");
    EXPECT_DEATH(fingerprint.add_int(1, 1), "column_id");
}

std::vector<Row> any_rows() {
    std::vector<Row> rows;
    const auto count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i) {
        const auto number = *rc::gen::inRange<std::int64_t>(-2, 3);
        const auto text = *testkit::any_bytes(3);
        rows.emplace_back([=](RowFingerprint& to) {
            if (number != 0) to.add_int(1, number);
            to.add_string(2, text);
        });
    }
    return rows;
}

RC_GTEST_PROP(RowFingerprintProperty, DoesNotDependOnOrderOrOnFiles, ()) {
    auto rows = any_rows();
    const DigestSum whole = sum_of(rows);
    for (std::size_t i = rows.size(); i > 1; --i) {
        std::swap(rows[i - 1], rows[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    const auto cut = *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(rows) + 1);
    DigestSum parts = sum_of({rows.begin(), rows.begin() + cut});
    parts += sum_of({rows.begin() + cut, rows.end()});
    RC_ASSERT(parts == whole);
}

RC_GTEST_PROP(RowFingerprintProperty, OneChangedRowChangesIt, ()) {
    auto rows = any_rows();
    RC_PRE(!rows.empty());
    const DigestSum before = sum_of(rows);
    const auto at = *rc::gen::inRange<std::size_t>(0, rows.size());
    const Row changed = rows[at];
    rows[at] = [changed](RowFingerprint& to) {
        changed(to);
        to.add_bool(3, true);
    };
    RC_ASSERT(sum_of(rows) != before);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
    RC_ASSERT(sum_of(rows) != before);
}

}  // namespace
}  // namespace highwater::model
