#include "read/refusal.h"

#include <gmock/gmock.h>

#include "read/json.h"

namespace highwater::read {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const catalog::Token token{{1, 7}, 46, "0011aabb"};

/// One of each, in the order of the contract.
std::vector<Refusal> one_of_each() {
    return {Stale{token, token},
            CatalogBehind{token, catalog::BatchRef{"telemetry-47"},
                          CatalogBehind::Reason::unknown_batch},
            LocationChanged{"metrics", model::Hour{1}, "/a", "/b", 1, 2},
            NoSingleGeneration{48, 47},
            MissingHours{"metrics", {{{1}, {3}}}, 2},
            MissingObjects{"metrics", {{{1}, {"/a", "p"}}}, 1, {{1}}},
            GenerationExpired{token, 40},
            HourRetired{"metrics", {{{1}, {2}}}, 1},
            LeaseLost{token},
            InventoryDrift{{"/a", "p"}, {1}, {object::Identity{.size_bytes = 1}, {}, false}, {}},
            IdentityChanged{"metrics", {}, {Uuid{{9}}}},
            Unavailable{Unavailable::Where::store, {Code::unavailable, "timed out"}}};
}

TEST(RefusalTest, TheOrderOfTheContractDecides) {
    std::vector<Refusal> refusals = one_of_each();
    const std::vector<Refusal> in_order = refusals;
    std::ranges::reverse(refusals);
    sort(refusals);
    EXPECT_EQ(refusals, in_order);
}

TEST(RefusalTest, EachHasItsNameAndClass) {
    using enum model::Completeness;
    std::vector<std::string> names;
    std::vector<std::optional<model::Completeness>> classes;
    for (const Refusal& refusal : one_of_each()) {
        names.emplace_back(name_of(refusal));
        classes.push_back(class_of(refusal));
        EXPECT_THAT(format_refusal(refusal), HasSubstr(names.back()));
    }
    EXPECT_THAT(
        names, ElementsAre("stale", "catalog_behind", "location_changed", "no_single_generation",
                           "missing_hours", "missing_objects", "generation_expired", "hour_retired",
                           "lease_lost", "inventory_drift", "identity_changed", "unavailable"));
    EXPECT_THAT(classes, ElementsAre(stale, stale, stale, stale, missing, missing, missing, missing,
                                     missing, incompatible, incompatible, std::nullopt));
}

TEST(RefusalTest, SaysWhatAProgramNeedsToAct) {
    EXPECT_EQ(format_json(to_json(Refusal(Stale{token, catalog::BatchRef{"telemetry-47"}}))),
              R"({"refusal":"stale","class":"Stale",)"
              R"("text":"stale: have 1.0000000000000007-46-0011aabb, need batch:telemetry-47",)"
              R"("have":"1.0000000000000007-46-0011aabb","need":"batch:telemetry-47"})");
    EXPECT_EQ(format_json(to_json(Refusal(MissingHours{"metrics", {{{0}, {2}}}, 2}))),
              R"({"refusal":"missing_hours","class":"Missing",)"
              R"("text":"missing_hours: 2 hours of table metrics were never published: )"
              R"(1970-01-01T00 to 1970-01-01T01","table":"metrics","count":2,)"
              R"("hours":[{"from":"1970-01-01T00","to":"1970-01-01T02"}]})");
}

TEST(RefusalTest, EachIsJsonWithItsNameFirst) {
    const std::vector<Refusal> refusals = one_of_each();
    for (const Refusal& refusal : refusals) {
        const Json json = to_json(refusal);
        EXPECT_EQ(*json.find("refusal")->find_string(), name_of(refusal));
        EXPECT_EQ(json.find("class")->is_null(), !class_of(refusal).has_value());
        EXPECT_GT(json.find_object()->size(), 3u) << name_of(refusal);
    }
    const Json all = to_json(refusals);
    EXPECT_EQ(*all.find("refused")->find_string(), "stale");
    EXPECT_EQ(all.find("refusals")->find_array()->size(), refusals.size());
}

TEST(RefusalTest, NothingFromOutsideReachesATerminalUnescaped) {
    const std::string text =
        format_refusal(LocationChanged{"metrics", std::nullopt, "/a\x1B[2J", "/b", 1, 2});
    EXPECT_EQ(text.find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace highwater::read
