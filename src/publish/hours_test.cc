#include "publish/hours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/commits.h"

namespace highwater::publish {
namespace {

using manifest::ObjectClaim;
using testing::ElementsAre;

constexpr model::Hour nine{497'577};  // 2026-10-06T09
constexpr model::Hour ten = model::next(nine);

/// One registered hour of two objects, its listing, and a claim that says the same.
class MatchHourTest : public ::testing::Test {
protected:
    MatchHourTest() {
        current_ = testkit::make_partition(table_, nine, {"a", "b"});
        for (const catalog::RegisteredObject& object : current_.objects) {
            listing_.entries.push_back({object.path, object.identity, object::Entry::Kind::object});
            claim_.objects.push_back(
                {object.path, object.size_bytes, object.record_count, {}, {}, {}, {}});
        }
        claim_.hour = nine;
    }

    HourMatch match(const Options& options = {}) const {
        catalog::View view;
        view.tables = {table_};
        view.partitions = {std::make_shared<const catalog::Partition>(current_)};
        manifest::Manifest manifest;
        manifest.table = "logs";
        manifest.partitions = {claim_};
        const manifest::Publication publication{{manifest}};
        const auto hours = make_named_hours(publication, view);
        return match_hour(hours[0], claim_, listing_, options);
    }
    bool is_first_kept(const Options& options = {}) const {
        return match(options).claims[0].is_kept;
    }

    catalog::Table table_ = testkit::make_table("logs", "/lake/logs");
    catalog::Partition current_;
    Listing listing_;
    manifest::PartitionClaim claim_;
};

TEST_F(MatchHourTest, PairsWhatBelongsTogether) {
    std::swap(claim_.objects[0], claim_.objects[1]);
    const std::string prefix = "hour=2026-10-06T09/";
    claim_.objects.push_back({prefix + "c", 1, 1, {}, {}, {}, {}});
    const auto add_extra = [&](std::size_t at, const std::string& path) {
        listing_.entries.insert(listing_.entries.begin() + static_cast<std::ptrdiff_t>(at),
                                {path, {}, object::Entry::Kind::object});
    };
    add_extra(0, prefix + "0");
    add_extra(2, prefix + "ab");
    add_extra(4, prefix + "z");

    const HourMatch match = this->match();
    ASSERT_EQ(match.claims.size(), 3U);
    EXPECT_EQ(match.claims[0].claim, 1U);
    EXPECT_EQ(match.claims[0].entry, 1U);
    EXPECT_EQ(match.claims[0].registered, 0U);
    EXPECT_TRUE(match.claims[0].is_kept);
    EXPECT_EQ(match.claims[1].claim, 0U);
    EXPECT_EQ(match.claims[1].entry, 3U);
    EXPECT_EQ(match.claims[2].entry, no_index);
    EXPECT_EQ(match.claims[2].registered, no_index);
    EXPECT_FALSE(match.claims[2].is_kept);
    EXPECT_THAT(match.extras, ElementsAre(0U, 2U, 4U));
}

TEST_F(MatchHourTest, KeepsOnlyWhatIsKnownToBeUnchanged) {
    EXPECT_TRUE(is_first_kept());
    EXPECT_FALSE(is_first_kept({.rehash = true}));

    const auto with = [&](auto change) {
        auto copy_current = current_;
        auto copy_listing = listing_;
        auto copy_claim = claim_;
        change();
        const bool is_kept = is_first_kept();
        current_ = copy_current;
        listing_ = copy_listing;
        claim_ = copy_claim;
        return is_kept;
    };
    EXPECT_FALSE(with([&] { ++claim_.objects[0].size_bytes; }));
    EXPECT_FALSE(with([&] { ++claim_.objects[0].record_count; }));
    EXPECT_FALSE(with([&] { claim_.objects[0].sha256 = digest_of("other"); }));
    EXPECT_TRUE(with([&] { claim_.objects[0].sha256 = current_.objects[0].sha256; }));
    EXPECT_FALSE(with([&] { claim_.objects[0].row_fingerprint = digest_of("other"); }));
    EXPECT_FALSE(with([&] { claim_.objects[0].min_time = Time(); }));
    EXPECT_FALSE(with([&] { claim_.objects[0].max_time = Time(); }));
    EXPECT_FALSE(with([&] { ++listing_.entries[0].identity.inode; }));
    EXPECT_FALSE(with([&] { ++listing_.entries[0].identity.ctime_ns; }));
    EXPECT_FALSE(with([&] { ++listing_.entries[0].identity.size_bytes; }));
    EXPECT_FALSE(with([&] { listing_.entries[0].kind = object::Entry::Kind::other; }));
    EXPECT_FALSE(with([&] { listing_.entries.erase(listing_.entries.begin()); }));
    EXPECT_FALSE(with([&] { current_.objects.erase(current_.objects.begin()); }));
    EXPECT_FALSE(with([&] { current_.retired = true; }));
}

TEST_F(MatchHourTest, WhatWasNeverVerifiedIsKeptOnlyByThoseWhoDoNotVerify) {
    current_.digest_policy = catalog::DigestPolicy::never;
    EXPECT_FALSE(is_first_kept());
    EXPECT_TRUE(is_first_kept({.digest_policy = catalog::DigestPolicy::never}));
}

TEST(NamedHoursTest, AreInKeyOrderWithTheirPlaces) {
    catalog::View view;
    view.tables = {testkit::make_table("logs", "/lake/logs"),
                   testkit::make_table("spans", "/lake/spans")};
    std::ranges::sort(view.tables, {}, &catalog::Table::id);
    manifest::Publication publication;
    for (const std::string table : {"logs", "spans"}) {
        manifest::Manifest manifest;
        manifest.table = table;
        manifest.partitions = {{ten, "/own/" + table, {}, "nothing"}, {nine, {}, {}, "nothing"}};
        publication.manifests.push_back(manifest);
    }
    publication.manifests[1].schema_version = 7;
    const auto hours = make_named_hours(publication, view);
    ASSERT_EQ(hours.size(), 4U);
    EXPECT_TRUE(std::ranges::is_sorted(hours, {}, &NamedHour::key));
    for (const NamedHour& hour : hours) {
        const auto& manifest = publication.manifests[hour.manifest];
        EXPECT_EQ(claim_of(publication, hour).hour, hour.key.hour);
        const bool has_own = hour.key.hour == ten;
        EXPECT_EQ(hour.root, (has_own ? "/own/" : "/lake/") + manifest.table);
        EXPECT_EQ(hour.prefix, has_own ? "hour=2026-10-06T10" : "hour=2026-10-06T09");
        EXPECT_EQ(hour.schema_version, manifest.table == "spans" ? 7U : 1U);
        EXPECT_FALSE(hour.current);
    }
}

TEST(PathCursorTest, FindsAscendingPathsAndNothingElse) {
    const std::vector<object::Entry> entries = {{"a", {}, {}}, {"c", {}, {}}, {"e", {}, {}}};
    PathCursor cursor(entries, "b");
    EXPECT_EQ(cursor.find("b"), no_index);
    EXPECT_EQ(cursor.find("c"), 1U);
    EXPECT_EQ(cursor.find("c"), 1U);
    EXPECT_EQ(cursor.find("d"), no_index);
    EXPECT_EQ(cursor.find("e"), 2U);
    EXPECT_EQ(cursor.find("f"), no_index);
}

}  // namespace
}  // namespace highwater::publish
