#include "family/state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "testkit/matchers.h"

namespace highwater::family {
namespace {

using testkit::FailsWith;
using testkit::IsOk;

const std::vector<Parameters>& all_parameters() {
    static const std::vector<Parameters> all = {
        MomentsParameters{.has_squares = true}, CounterParameters{},
        ExponentialHistogramParameters{}, DistinctParameters{}};
    return all;
}

const std::vector<Sample>& some_samples() {
    static const std::vector<Sample> samples = {{.time = time_from_ns(1'000), .value = 1},
                                                {.time = time_from_ns(2'000), .value = 4}};
    return samples;
}

TEST(State, NamesAreStable) {
    for (const Family family :
         {Family::moments, Family::counter, Family::exponential_histogram, Family::distinct}) {
        EXPECT_EQ(parse_family(to_text(family)), family);
    }
    EXPECT_EQ(to_text(Family::exponential_histogram), "exponential_histogram");
    EXPECT_EQ(parse_family("quantiles"), std::nullopt);
    for (int number = 0; number <= static_cast<int>(Question::distinct); ++number) {
        const auto question = static_cast<Question>(number);
        EXPECT_EQ(parse_question(to_text(question)), question);
    }
    EXPECT_EQ(parse_question("median"), std::nullopt);
}

TEST(State, ParametersAreBytesOneToOne) {
    std::set<Bytes> seen;
    std::vector<Parameters> different = all_parameters();
    different.emplace_back(MomentsParameters{});
    different.emplace_back(ExponentialHistogramParameters{.max_scale = 5});
    different.emplace_back(ExponentialHistogramParameters{.max_buckets = 5});
    different.emplace_back(ExponentialHistogramParameters{.zero_threshold = 5});
    different.emplace_back(DistinctParameters{.lg_registers = 5});
    for (const Parameters& parameters : different) {
        const Bytes bytes = encode_parameters(parameters);
        EXPECT_TRUE(seen.insert(bytes).second);
        const auto decoded = decode_parameters(bytes);
        ASSERT_THAT(decoded, IsOk());
        EXPECT_EQ(*decoded, parameters);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            EXPECT_THAT(decode_parameters(bytes.substr(0, size)), FailsWith(Code::corrupt));
        }
        EXPECT_THAT(decode_parameters(bytes + '\0'), FailsWith(Code::corrupt));
    }
    EXPECT_THAT(decode_parameters({"\x05\x01", 2}), FailsWith(Code::corrupt));  // No such family.
    EXPECT_THAT(decode_parameters({"\x02\x02", 2}), FailsWith(Code::corrupt));  // Another version.
    EXPECT_THAT(decode_parameters({"\x04\x01\x13\x01", 4}), FailsWith(Code::corrupt));  // lg 19.
    EXPECT_THAT(decode_parameters({"\x04\x01\x0C\x02", 4}), FailsWith(Code::corrupt));  // A hash.
}

TEST(State, IsOfTheFamilyOfItsParameters) {
    for (const Parameters& parameters : all_parameters()) {
        auto state = make_state(parameters);
        ASSERT_THAT(state, IsOk());
        EXPECT_EQ(family_of(*state), family_of(parameters));
        EXPECT_EQ(parameters_of(*state), parameters);
        ASSERT_THAT(add(*state, some_samples()), IsOk());
        const auto decoded = decode_state(encode(*state));
        ASSERT_THAT(decoded, IsOk());
        EXPECT_EQ(encode(*decoded), encode(*state));
        EXPECT_EQ(static_cast<Family>(encode(*state).front()), family_of(parameters));
    }
    EXPECT_THAT(make_state(DistinctParameters{.lg_registers = 3}),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(make_state(ExponentialHistogramParameters{.max_scale = 9}),
                FailsWith(Code::invalid_argument));
    EXPECT_THAT(decode_state(""), FailsWith(Code::corrupt));
    EXPECT_THAT(decode_state("\x05\x01"), FailsWith(Code::corrupt));
}

TEST(State, FamiliesDoNotMix) {
    for (const Parameters& mine : all_parameters()) {
        for (const Parameters& theirs : all_parameters()) {
            State state = *make_state(mine);
            const State other = *make_state(theirs);
            if (mine == theirs) {
                EXPECT_THAT(merge(state, other), IsOk());
            } else {
                EXPECT_THAT(merge(state, other), FailsWith(Code::invalid_argument));
                EXPECT_THAT(subtract(state, other), FailsWith(Code::invalid_argument));
            }
        }
    }
}

TEST(State, SubtractsIfItsFamilyDoes) {
    for (const Parameters& parameters : all_parameters()) {
        State state = *make_state(parameters);
        const State part = state;
        if (capability_of(family_of(parameters)).subtracts) {
            EXPECT_THAT(subtract(state, part), IsOk());
        } else {
            EXPECT_THAT(subtract(state, part), FailsWith(Code::unsupported));
        }
    }
}

TEST(State, AnswersWhatItsFamilyKnows) {
    const std::vector<std::set<std::string>> known = {
        {"count", "sum", "average", "min", "max", "standard_deviation", "first", "last"},
        {"count", "first", "last", "rate", "increase", "resets"},
        {"count", "sum", "average", "min", "max", "quantile"},
        {"distinct"}};
    for (std::size_t i = 0; i < known.size(); ++i) {
        State state = *make_state(all_parameters()[i]);
        ASSERT_THAT(add(state, some_samples()), IsOk());
        for (int number = 0; number <= static_cast<int>(Question::distinct); ++number) {
            const Reading reading{.question = static_cast<Question>(number),
                                  .q = 1,
                                  .range = {.start = {}, .end = time_from_ns(3'000)}};
            const auto readout = read(state, reading);
            const bool is_known = known[i].contains(std::string(to_text(reading.question)));
            const Guarantee promised = guarantee_of(all_parameters()[i], reading.question);
            if (is_known) {
                ASSERT_THAT(readout, IsOk());
                ASSERT_NE(find_estimate(*readout), nullptr);
                EXPECT_EQ(find_estimate(*readout)->guarantee, promised);
            } else {
                EXPECT_THAT(readout, FailsWith(Code::unsupported));
                EXPECT_EQ(promised, Guarantee());
            }
        }
    }
    State plain = *make_state(MomentsParameters{});
    EXPECT_THAT(read(plain, {.question = Question::standard_deviation, .q = 0, .range = {}}),
                FailsWith(Code::unsupported));
    State counter = *make_state(CounterParameters{});
    ASSERT_THAT(add(counter, some_samples()), IsOk());
    EXPECT_THAT(read(counter, {.question = Question::rate, .q = 0, .range = {}}),
                FailsWith(Code::invalid_argument));
}

TEST(Guarantee, IsSatisfiedByTheSameOrAStrongerOne) {
    const std::vector<Guarantee> ascending = {{},
                                              Guarantee::probabilistic_bound(0.9),
                                              Guarantee::probabilistic_bound(0.99),
                                              Guarantee::deterministic_bound(),
                                              Guarantee::exact()};
    for (std::size_t offered = 0; offered < ascending.size(); ++offered) {
        for (std::size_t required = 0; required < ascending.size(); ++required) {
            EXPECT_EQ(ascending[offered].satisfies(ascending[required]), offered >= required);
        }
    }
    EXPECT_EQ(to_text(GuaranteeKind::probabilistic_bound), "probabilistic_bound");
    EXPECT_EQ(to_text(GuaranteeKind::exact), "exact");
    EXPECT_EQ(to_text(GuaranteeKind::deterministic_bound), "deterministic_bound");
    EXPECT_EQ(to_text(GuaranteeKind::unknown), "unknown");
    EXPECT_EQ(to_text(Absence::not_kept), "not_kept");
}

}  // namespace
}  // namespace highwater::family
