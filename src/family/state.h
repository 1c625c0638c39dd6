#pragma once

#include <optional>
#include <span>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "family/counter.h"
#include "family/distinct.h"
#include "family/exponential_histogram.h"
#include "family/moments.h"

namespace highwater::family {

// For those who keep states without caring of which family they are. Inside a family, its own type
// says more.

/// The family, and what its states were made with. Two states mix only if these are equal.
using Parameters = std::variant<MomentsParameters, CounterParameters,
                                ExponentialHistogramParameters, DistinctParameters>;

/// A state of any family. Alternatives have the order of those of Parameters.
using State = std::variant<Moments, Counter, ExponentialHistogram, Distinct>;

Family family_of(const Parameters& parameters);
Family family_of(const State& state);
Parameters parameters_of(const State& state);

/// Errors: invalid_argument  a parameter outside its limits.
Result<void> verify(const Parameters& parameters);

/// Equal parameters, equal bytes; different ones, different bytes. What a definition is
/// fingerprinted over. Source: docs/formats/family-states.md
Bytes encode_parameters(const Parameters& parameters);

/// Errors: corrupt  anything but what `encode_parameters` writes.
Result<Parameters> decode_parameters(BytesView bytes);

/// A state of no samples. Errors: invalid_argument  a parameter outside its limits.
Result<State> make_state(const Parameters& parameters);

/// Errors: those of the family's add. Nothing has changed then.
Result<void> add(State& state, std::span<const Sample> samples);

/// Errors: invalid_argument  another family or other parameters, and those of the family's merge.
/// After failure: nothing has changed.
Result<void> merge(State& state, const State& other);

/// Errors: unsupported  a family that cannot subtract. invalid_argument  another family or other
/// parameters, and those of the family's subtract.
/// After failure: nothing has changed.
Result<void> subtract(State& state, const State& part);

Bytes encode(const State& state);

/// The family is the first byte. Errors: corrupt  no state of any family.
Result<State> decode_state(BytesView bytes);

/// What a state may be asked.
enum class Question : std::uint8_t {
    count,
    sum,
    average,
    min,
    max,
    standard_deviation,
    first,
    last,
    rate,
    increase,
    resets,
    quantile,
    distinct,
};

/// The stable name: "count", "standard_deviation", ...
std::string_view to_text(Question question);
/// The inverse of `to_text`; nothing for any other text.
std::optional<Question> parse_question(std::string_view name);

/// A question with what it needs: q for quantiles, the range for rates and increases.
struct Reading {
    Question question = Question::count;
    double q = 0;
    RateRange range;
};

/// The strongest guarantee that states of these parameters give for an answer; unknown for a
/// question that they cannot answer. What a plan is held against before anything is read.
Guarantee guarantee_of(const Parameters& parameters, Question question);

/// Errors: unsupported  the family has no answer to it, or not with these parameters.
/// invalid_argument  a range that does not hold the samples.
Result<Readout> read(const State& state, const Reading& reading);

}  // namespace highwater::family
