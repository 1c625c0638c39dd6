#include "family/state.h"

#include <array>
#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "base/try.h"

namespace highwater::family {
namespace {

constexpr std::uint8_t parameters_version = 1;

constexpr std::array<std::pair<Question, std::string_view>, 13> question_names = {{
    {Question::count, "count"},
    {Question::sum, "sum"},
    {Question::average, "average"},
    {Question::min, "min"},
    {Question::max, "max"},
    {Question::standard_deviation, "standard_deviation"},
    {Question::first, "first"},
    {Question::last, "last"},
    {Question::rate, "rate"},
    {Question::increase, "increase"},
    {Question::resets, "resets"},
    {Question::quantile, "quantile"},
    {Question::distinct, "distinct"},
}};

Error unsupported(Family family, std::string_view what) {
    return {Code::unsupported, std::string(to_text(family)) + ": no " + std::string(what)};
}

Error different_families(const State& left, const State& right) {
    return {Code::invalid_argument, "a state of " + std::string(to_text(family_of(left))) +
                                        " does not mix with one of " +
                                        std::string(to_text(family_of(right)))};
}

void put_fields(WireWriter& to, const MomentsParameters& parameters) {
    to.put_u8(parameters.has_squares ? 1 : 0);
}

void put_fields(WireWriter&, const CounterParameters&) {}

void put_fields(WireWriter& to, const ExponentialHistogramParameters& parameters) {
    to.put_signed_varint(parameters.max_scale);
    to.put_varint(static_cast<std::uint64_t>(parameters.max_buckets));
    to.put_double(parameters.zero_threshold);
}

void put_fields(WireWriter& to, const DistinctParameters& parameters) {
    to.put_varint(static_cast<std::uint64_t>(parameters.lg_registers));
    to.put_u8(1);  // The hash profile.
}

/// A number that a parameter can be; the reader fails for others.
int take_small(WireReader& from, std::int64_t value) {
    if (value < -max_buckets_max || value > max_buckets_max) from.fail();
    return static_cast<int>(value);
}

Parameters take_fields(WireReader& from, Family family) {
    switch (family) {
        case Family::moments: {
            const std::uint8_t flag = from.take_u8();
            if (flag > 1) from.fail();
            return MomentsParameters{.has_squares = flag == 1};
        }
        case Family::counter: return CounterParameters{};
        case Family::exponential_histogram: {
            ExponentialHistogramParameters parameters;
            parameters.max_scale = take_small(from, from.take_signed_varint());
            parameters.max_buckets =
                take_small(from, static_cast<std::int64_t>(from.take_varint()));
            parameters.zero_threshold = from.take_double();
            return parameters;
        }
        case Family::distinct: {
            const int lg = take_small(from, static_cast<std::int64_t>(from.take_varint()));
            if (from.take_u8() != 1) from.fail();
            return DistinctParameters{.lg_registers = lg};
        }
    }
    from.fail();
    return {};
}

}  // namespace

Family family_of(const Parameters& parameters) {
    constexpr std::array<Family, 4> families = {Family::moments, Family::counter,
                                                Family::exponential_histogram, Family::distinct};
    static_assert(std::variant_size_v<Parameters> == families.size());
    return families[parameters.index()];
}

Family family_of(const State& state) {
    return std::visit([]<typename Of>(const Of&) { return Of::family; }, state);
}

Parameters parameters_of(const State& state) {
    return std::visit([](const auto& of) -> Parameters { return of.parameters(); }, state);
}

Result<void> verify(const Parameters& parameters) {
    return std::visit(
        []<typename Of>(const Of& of) -> Result<void> {
            if constexpr (std::same_as<Of, ExponentialHistogramParameters> ||
                          std::same_as<Of, DistinctParameters>) {
                return verify(of);
            } else {
                return {};
            }
        },
        parameters);
}

Bytes encode_parameters(const Parameters& parameters) {
    Bytes bytes;
    WireWriter to(bytes);
    put_header(to, family_of(parameters), parameters_version);
    std::visit([&](const auto& of) { put_fields(to, of); }, parameters);
    return bytes;
}

Result<Parameters> decode_parameters(BytesView bytes) {
    WireReader from(bytes);
    const auto family = static_cast<Family>(from.take_u8());
    if (from.take_u8() != parameters_version) from.fail();
    const Parameters parameters = take_fields(from, family);
    if (!from.is_finished() || !verify(parameters).ok()) {
        return Error(Code::corrupt, "not the parameters of a family");
    }
    return parameters;
}

Result<State> make_state(const Parameters& parameters) {
    TRY(verify(parameters));
    return std::visit(
        []<typename Of>(const Of& of) -> State {
            if constexpr (std::same_as<Of, MomentsParameters>) return Moments(of);
            if constexpr (std::same_as<Of, CounterParameters>) return Counter(of);
            if constexpr (std::same_as<Of, ExponentialHistogramParameters>) {
                return ExponentialHistogram(of);
            }
            if constexpr (std::same_as<Of, DistinctParameters>) return Distinct(of);
        },
        parameters);
}

Result<void> add(State& state, std::span<const Sample> samples) {
    return std::visit([&](auto& of) { return of.add(samples); }, state);
}

Result<void> merge(State& state, const State& other) {
    if (state.index() != other.index()) return different_families(state, other);
    return std::visit([&]<typename Of>(Of& of) { return of.merge(*std::get_if<Of>(&other)); },
                      state);
}

Result<void> subtract(State& state, const State& part) {
    if (state.index() != part.index()) return different_families(state, part);
    return std::visit(
        [&]<typename Of>(Of& of) -> Result<void> {
            if constexpr (requires { of.subtract(of); }) {
                return of.subtract(*std::get_if<Of>(&part));
            } else {
                return unsupported(Of::family, "subtraction");
            }
        },
        state);
}

Bytes encode(const State& state) {
    return std::visit([](const auto& of) { return of.encode(); }, state);
}

namespace {

template <typename Of>
Result<State> decode_as(BytesView bytes) {
    auto state = Of::decode(bytes);
    if (!state.ok()) return state.error();
    return State(*std::move(state));
}

}  // namespace

Result<State> decode_state(BytesView bytes) {
    WireReader from(bytes);
    switch (static_cast<Family>(from.take_u8())) {
        case Family::moments: return decode_as<Moments>(bytes);
        case Family::counter: return decode_as<Counter>(bytes);
        case Family::exponential_histogram: return decode_as<ExponentialHistogram>(bytes);
        case Family::distinct: return decode_as<Distinct>(bytes);
    }
    return Error(Code::corrupt, "not the bytes of a state of any family");
}

std::string_view to_text(Question question) {
    for (const auto& [known, name] : question_names) {
        if (known == question) return name;
    }
    return "unknown";
}

std::optional<Question> parse_question(std::string_view name) {
    for (const auto& [question, known] : question_names) {
        if (known == name) return question;
    }
    return std::nullopt;
}

namespace {

// Each family's answers, in one place a family. Nothing for a question that it does not answer.

using Answer = std::optional<Result<Readout>>;

Answer answer(const Moments& state, const Reading& reading) {
    switch (reading.question) {
        case Question::count: return state.read_count();
        case Question::sum: return state.read_sum();
        case Question::average: return state.read_average();
        case Question::min: return state.read_min();
        case Question::max: return state.read_max();
        case Question::first: return state.read_first();
        case Question::last: return state.read_last();
        case Question::standard_deviation:
            if (!state.parameters().has_squares) return std::nullopt;
            return state.read_standard_deviation();
        default: return std::nullopt;
    }
}

Answer answer(const Counter& state, const Reading& reading) {
    switch (reading.question) {
        case Question::count: return state.read_count();
        case Question::first: return state.read_first();
        case Question::last: return state.read_last();
        case Question::resets: return state.read_resets();
        case Question::rate: return state.read_rate(reading.range);
        case Question::increase: return state.read_increase(reading.range);
        default: return std::nullopt;
    }
}

Answer answer(const ExponentialHistogram& state, const Reading& reading) {
    switch (reading.question) {
        case Question::count: return state.read_count();
        case Question::sum: return state.read_sum();
        case Question::average: return state.read_average();
        case Question::min: return state.read_min();
        case Question::max: return state.read_max();
        case Question::quantile: return state.read_quantile(reading.q);
        default: return std::nullopt;
    }
}

Answer answer(const Distinct& state, const Reading& reading) {
    if (reading.question == Question::distinct) return state.read_distinct();
    return std::nullopt;
}

}  // namespace

Guarantee guarantee_of(const Parameters& parameters, Question question) {
    // An empty state says which questions it knows, whatever it answers to them.
    const auto state = make_state(parameters);
    if (!state.ok()) return {};
    const Reading reading{.question = question, .q = 0.5, .range = {}};
    const bool answers =
        std::visit([&](const auto& of) { return answer(of, reading).has_value(); }, *state);
    if (!answers) return {};
    if (question == Question::quantile) return Guarantee::deterministic_bound();
    if (question == Question::distinct) return Distinct::guarantee();
    return Guarantee::exact();
}

Result<Readout> read(const State& state, const Reading& reading) {
    auto found = std::visit([&](const auto& of) { return answer(of, reading); }, state);
    if (!found) return unsupported(family_of(state), to_text(reading.question));
    return *std::move(found);
}

}  // namespace highwater::family
