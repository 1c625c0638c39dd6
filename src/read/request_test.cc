#include "read/request.h"

#include <gtest/gtest.h>

#include "testkit/matchers.h"

namespace highwater::read {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

constexpr model::Hour hour{500'000};

Request make_request() {
    Request request;
    request.tables = {{"metrics", std::nullopt}};
    request.range = {model::start_of(hour), model::end_of(hour)};
    return request;
}

TEST(RequestTest, NamesTablesOnceEach) {
    Request request = make_request();
    EXPECT_THAT(verify_request(request), IsOk());
    request.tables.clear();
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.tables = {{"", std::nullopt}};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.tables = {{"no spaces", std::nullopt}};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.tables = {{"metrics", std::nullopt}, {"metrics", catalog::TableId{}}};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.tables = {{"a", catalog::TableId{}}, {"b", catalog::TableId{}}};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.tables = {{"", catalog::TableId{}}};
    EXPECT_THAT(verify_request(request), IsOk());
}

TEST(RequestTest, HasAtMostSoManyTables) {
    Request request = make_request();
    request.tables.clear();
    for (std::size_t i = 0; i < tables_max; ++i) {
        request.tables.push_back({"t" + std::to_string(i), std::nullopt});
    }
    EXPECT_THAT(verify_request(request), IsOk());
    request.tables.push_back({"one_more", std::nullopt});
    EXPECT_THAT(verify_request(request), FailsWith(Code::exhausted));
}

TEST(RequestTest, ARangeEndsAfterItBegins) {
    Request request = make_request();
    request.range.to = request.range.from;
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.range.to.reset();
    EXPECT_THAT(verify_request(request), IsOk());
    request.range = {std::nullopt, Time::min()};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.range = {Time::max(), std::nullopt};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.range = {std::nullopt, std::nullopt};
    EXPECT_THAT(verify_request(request), IsOk());
}

TEST(RequestTest, ARangeHasAtMostSoManyHours) {
    Request request = make_request();
    request.range.to = *request.range.from + std::chrono::hours(hours_max);
    EXPECT_THAT(verify_request(request), IsOk());
    *request.range.to += Duration(1);
    EXPECT_THAT(verify_request(request), FailsWith(Code::exhausted));
}

TEST(RequestTest, WishesThatExcludeEachOtherAreRefused) {
    const catalog::GenerationRef token = catalog::Token{{1, 2}, 3, "00000000"};
    Request request = make_request();
    request.at_generation = token;
    EXPECT_THAT(verify_request(request), IsOk());
    request.min_generation = token;
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.at_generation.reset();
    request.any = true;
    EXPECT_THAT(verify_request(request), IsOk());
    request.max_staleness = Duration(1);
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.any = false;
    EXPECT_THAT(verify_request(request), IsOk());
    request.max_staleness = Duration(-1);
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
    request.max_staleness.reset();
    request.min_generation = catalog::BatchRef{""};
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
}

TEST(RequestTest, AWaitHasALongest) {
    Request request = make_request();
    request.wait_max = wait_longest;
    EXPECT_THAT(verify_request(request), IsOk());
    request.wait_max += Duration(1);
    EXPECT_THAT(verify_request(request), FailsWith(Code::exhausted));
    request.wait_max = Duration(-1);
    EXPECT_THAT(verify_request(request), FailsWith(Code::invalid_argument));
}

TEST(RequestTest, HoursOfARangeAreThoseThatItTouches) {
    const Time start = model::start_of(hour);
    EXPECT_EQ(hours_of({start, start + Duration(1)}), (model::HourRange{hour, next(hour)}));
    EXPECT_EQ(hours_of({start - Duration(1), start}),
              (model::HourRange{{hour.since_epoch - 1}, hour}));
    EXPECT_EQ(hours_of({std::nullopt, start}), (model::HourRange{model::hour_min, hour}));
    EXPECT_EQ(hours_of({start, std::nullopt}), (model::HourRange{hour, next(model::hour_max)}));
    EXPECT_EQ(hours_of({Time::min(), Time::max()}),
              (model::HourRange{model::hour_min, next(model::hour_max)}));
}

TEST(RequestTest, OnStaleIsWrittenAndRead) {
    for (const OnStale value : {OnStale::refresh, OnStale::direct_listing, OnStale::fail}) {
        EXPECT_EQ(parse_on_stale(to_text(value)), value);
    }
    EXPECT_FALSE(parse_on_stale("retry").has_value());
}

}  // namespace
}  // namespace highwater::read
