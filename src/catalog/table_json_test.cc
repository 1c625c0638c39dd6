#include "catalog/table_json.h"

#include <gtest/gtest.h>

#include "testkit/matchers.h"

namespace highwater::catalog {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

Table make_table() {
    Table table;
    table.id = {*parse_uuid("00112233-4455-4677-8899-aabbccddeeff")};
    table.name = "cpu";
    table.location = "/lake/cpu";
    table.created = 1;
    table.changed = 7;
    model::Schema schema;
    schema.time_column = "ts";
    schema.columns = {
        {.id = 1, .name = "ts", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2, .name = "load", .type = model::ColumnType::float64}};
    table.schemas = {{.version = 1, .schema = schema, .since = 1}};
    auto next = model::add_column(schema, {.name = "zone", .type = model::ColumnType::string});
    table.schemas.push_back({.version = 2, .schema = *next, .since = 7});
    return table;
}

TEST(TableJsonTest, ATableComesBackAsItWas) {
    Table table = make_table();
    ASSERT_THAT(parse_table(to_json(table)), IsOk());
    EXPECT_EQ(*parse_table(to_json(table)), table);

    table.pattern = *model::PathPattern::parse("hour={HH}", "2026-10-06");
    table.dropped = true;
    EXPECT_EQ(*parse_table(to_json(table)), table);
}

TEST(TableJsonTest, EveryMemberIsNeeded) {
    const Json whole = to_json(make_table());
    for (const auto& [name, value] : *whole.find_object()) {
        Json cut(Json::Object{});
        for (const auto& [other, kept] : *whole.find_object()) {
            if (other != name) cut.set(other, kept);
        }
        EXPECT_THAT(parse_table(cut), FailsWith(Code::corrupt)) << name;
    }
}

TEST(TableJsonTest, TheDigestOfAChangeCoversWhatWasSubmittedAndNotWhatIsAssigned) {
    const Table table = make_table();
    const Digest digest = digest_of_change(Operation::add_column, table);
    Table assigned = table;
    assigned.created = 40;
    assigned.changed = 47;
    EXPECT_EQ(digest_of_change(Operation::add_column, assigned), digest);

    Table moved = table;
    moved.location = "/lake/other";
    EXPECT_NE(digest_of_change(Operation::add_column, moved), digest);
    Table narrower = table;
    narrower.schemas.pop_back();
    EXPECT_NE(digest_of_change(Operation::add_column, narrower), digest);
    EXPECT_NE(digest_of_change(Operation::create_table, table), digest);
}

}  // namespace
}  // namespace highwater::catalog
