#include "stage/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "object/memory_store.h"
#include "testkit/generators.h"
#include "testkit/matchers.h"

namespace highwater::stage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testkit::FailsWith;
using testkit::IsOk;

/// All records of a text, or the first error.
Result<std::vector<CsvRecord>> read_all(const Bytes& text, char delimiter = ',',
                                        std::size_t record_size_max = csv_record_size_max) {
    object::MemoryStore store;
    EXPECT_THAT(object::put_new(store, {"mem", "x"}, text), IsOk());
    const auto reader = store.open({"mem", "x"});
    CsvReader csv(**reader, delimiter, record_size_max);
    std::vector<CsvRecord> records;
    while (true) {
        auto record = csv.next();
        if (!record.ok()) return record.error();
        if (!*record) return records;
        records.push_back(**std::move(record));
    }
}

std::vector<std::vector<Bytes>> fields_of(const Bytes& text, char delimiter = ',') {
    const auto records = read_all(text, delimiter);
    EXPECT_THAT(records, IsOk());
    std::vector<std::vector<Bytes>> fields;
    for (const CsvRecord& record : *records) {
        EXPECT_EQ(record.bad, std::nullopt);
        fields.push_back(record.fields);
    }
    return fields;
}

TEST(CsvReader, TakesBothLineEndsAndNoneAtTheEnd) {
    const auto expected = ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "d"));
    EXPECT_THAT(fields_of("a,b\nc,d\n"), expected);
    EXPECT_THAT(fields_of("a,b\r\nc,d\r\n"), expected);
    EXPECT_THAT(fields_of("a,b\nc,d"), expected);
    EXPECT_THAT(fields_of("\xEF\xBB\xBF"
                          "a,b\r\nc,d\r"),
                expected);
}

TEST(CsvReader, SkipsLinesWithoutACharacterAndKeepsCounting) {
    const auto records = read_all("\n\na\n\r\n\nb\n");
    ASSERT_THAT(records, IsOk());
    ASSERT_EQ(records->size(), 2U);
    EXPECT_EQ((*records)[0].line, 3U);
    EXPECT_EQ((*records)[1].line, 6U);
    EXPECT_THAT(fields_of(""), ElementsAre());
    EXPECT_THAT(fields_of("\n"), ElementsAre());
}

TEST(CsvReader, ReadsQuotedFields) {
    EXPECT_THAT(fields_of("\"a,b\",\"c\"\"d\"\n"), ElementsAre(ElementsAre("a,b", "c\"d")));
    EXPECT_THAT(fields_of("\"two\nlines\",x\ny,z\n"),
                ElementsAre(ElementsAre("two\nlines", "x"), ElementsAre("y", "z")));
    EXPECT_THAT(fields_of("\"two\r\nlines\"\r\n"), ElementsAre(ElementsAre("two\r\nlines")));
    const auto records = read_all(",\"\"\n");
    ASSERT_THAT(records, IsOk());
    EXPECT_THAT(records->front().fields, ElementsAre("", ""));
    EXPECT_THAT(records->front().is_quoted, ElementsAre(false, true));
}

TEST(CsvReader, TakesAnotherDelimiter) {
    EXPECT_THAT(fields_of("a;b,c\n", ';'), ElementsAre(ElementsAre("a", "b,c")));
    EXPECT_THAT(fields_of("a\tb\n", '\t'), ElementsAre(ElementsAre("a", "b")));
}

TEST(CsvReader, TellsBadRecordsByTheirLineAndReadsOn) {
    const auto records = read_all("a,b\nc\"d,e\n\"f\"g,h\n\"two\nlines\",\ri,j\nk,l\n");
    ASSERT_THAT(records, IsOk());
    ASSERT_EQ(records->size(), 5U);
    EXPECT_THAT((*records)[1].bad, Optional(HasSubstr("quote inside")));
    EXPECT_EQ((*records)[1].line, 2U);
    EXPECT_EQ((*records)[1].raw, "c\"d,e");
    EXPECT_THAT((*records)[2].bad, Optional(HasSubstr("after a closing quote")));
    EXPECT_EQ((*records)[2].line, 3U);
    EXPECT_THAT((*records)[3].bad, Optional(HasSubstr("carriage return")));
    EXPECT_EQ((*records)[3].line, 4U);
    EXPECT_EQ((*records)[4].bad, std::nullopt);
    EXPECT_EQ((*records)[4].line, 6U);
}

TEST(CsvReader, EndsAtAQuoteThatIsNeverClosed) {
    const auto records = read_all("a\n\"b\nc\nd\n");
    ASSERT_THAT(records, FailsWith(Code::invalid_argument));
    EXPECT_THAT(records.error().message(), HasSubstr("line 2: a quote is never closed"));
}

TEST(CsvReader, LimitsARecord) {
    EXPECT_THAT(read_all("aaaa\nb\n", ',', 4), IsOk());
    const auto plain = read_all("aaaaa\nb\n", ',', 4);
    ASSERT_THAT(plain, IsOk());
    ASSERT_EQ(plain->size(), 2U);
    EXPECT_THAT(plain->front().bad, Optional(HasSubstr("more than 4 bytes")));
    EXPECT_THAT(plain->back().fields, ElementsAre("b"));
    EXPECT_THAT(read_all("\"aaa\n\nb\"\n", ',', 4), FailsWith(Code::invalid_argument));
}

TEST(CsvReader, LimitsFields) {
    const auto at = read_all(Bytes(csv_fields_max - 1, ',') + "\nb\n");
    ASSERT_THAT(at, IsOk());
    EXPECT_EQ(at->front().bad, std::nullopt);
    EXPECT_EQ(at->front().fields.size(), csv_fields_max);
    const auto beyond = read_all(Bytes(csv_fields_max, ',') + "\nb\n");
    ASSERT_THAT(beyond, IsOk());
    EXPECT_THAT(beyond->front().bad, Optional(HasSubstr("more than 1000 fields")));
    EXPECT_THAT(beyond->back().fields, ElementsAre("b"));
}

TEST(CsvReader, ReadsOnAcrossReads) {
    // Quotes, line ends and a byte order mark around the border of each read.
    for (std::size_t shift = 0; shift < 6; ++shift) {
        const Bytes filler(csv_read_size - 6 + shift, 'x');
        EXPECT_THAT(
            fields_of(filler + "\r\n\"a\"\"\r\n,b\",c\r\nd,e\r\n"),
            ElementsAre(ElementsAre(filler), ElementsAre("a\"\r\n,b", "c"), ElementsAre("d", "e")));
    }
}

RC_GTEST_PROP(CsvReader, ReadsBackWhatWasFormatted, ()) {
    const auto field =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,\"\r\n ;")));
    const auto row_of_fields =
        rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(field));
    const auto rows = *rc::gen::resize(
        12, rc::gen::container<std::vector<std::vector<std::string>>>(row_of_fields));
    Bytes text;
    std::vector<std::vector<std::string>> expected;
    for (const auto& row : rows) {
        if (row.size() == 1 && row[0].empty()) continue;  // An empty line.
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) text += ',';
            text += format_csv_field(row[i]);
        }
        text += "\r\n";
        expected.push_back(row);
    }
    RC_ASSERT(fields_of(text) == expected);
}

RC_GTEST_PROP(CsvReader, NeitherCrashesNorLosesALineOfAnyText, ()) {
    const std::string text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a,\"\r\n\xEF")));
    const auto records = read_all(text);
    if (!records.ok()) {
        RC_ASSERT(records.error().code() == Code::invalid_argument);
        return;
    }
    std::uint64_t line = 0;
    for (const CsvRecord& record : *records) {
        RC_ASSERT(record.line > line);
        line = record.line;
        RC_ASSERT(record.bad.has_value() == record.fields.empty());
        RC_ASSERT(record.fields.size() == record.is_quoted.size());
    }
}

}  // namespace
}  // namespace highwater::stage
