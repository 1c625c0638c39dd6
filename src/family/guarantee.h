#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace highwater::family {

/// How far an answer can be trusted, the weakest first.
enum class GuaranteeKind : std::uint8_t {
    unknown,              // Nothing is promised.
    probabilistic_bound,  // The error keeps the bound with the stated confidence.
    deterministic_bound,  // The error keeps the bound, always.
    exact,  // The function of all samples, evaluated without approximation and rounded to a double.
};

/// The stable name: "exact", "deterministic_bound", ...
std::string_view to_text(GuaranteeKind kind);

/// What an answer promises about its error. Unknown until said otherwise.
class Guarantee {
public:
    constexpr Guarantee() = default;
    static constexpr Guarantee exact() { return {GuaranteeKind::exact, 1}; }
    static constexpr Guarantee deterministic_bound() {
        return {GuaranteeKind::deterministic_bound, 1};
    }
    /// Requires: 0 < confidence < 1.
    static constexpr Guarantee probabilistic_bound(double confidence) {
        return {GuaranteeKind::probabilistic_bound, confidence};
    }

    constexpr GuaranteeKind kind() const { return kind_; }
    /// The probability that the bound holds: 0 for unknown, 1 for exact and deterministic bounds.
    constexpr double confidence() const { return confidence_; }

    /// Says whether whoever asks for `required` may be given this: an equal or stronger kind, and
    /// at least the confidence.
    constexpr bool satisfies(Guarantee required) const {
        return kind_ >= required.kind_ && confidence_ >= required.confidence_;
    }

    friend bool operator==(const Guarantee&, const Guarantee&) = default;

private:
    constexpr Guarantee(GuaranteeKind kind, double confidence)
        : kind_(kind), confidence_(confidence) {}

    GuaranteeKind kind_ = GuaranteeKind::unknown;
    double confidence_ = 0;
};

/// A number, what is promised of it, and the bound that the promise speaks of: the true value lies
/// within `error` of `value`. `error` is 0 for exact answers.
struct Estimate {
    double value = 0;
    Guarantee guarantee;
    double error = 0;
};

/// Why a readout has no value. Never shown as zero or NaN.
enum class Absence : std::uint8_t {
    no_samples,       // Nothing was measured.
    too_few_samples,  // The function needs more samples than there are.
    not_kept,         // The state does not have it, for instance a minimum after a subtraction.
};

/// The stable name: "no_samples", "too_few_samples", "not_kept".
std::string_view to_text(Absence absence);

/// What a state says when it is asked: an estimate, or why there is none.
using Readout = std::variant<Estimate, Absence>;

/// An exact answer.
Readout make_exact(double value);

/// The estimate, or nullptr.
inline const Estimate* find_estimate(const Readout& readout) {
    return std::get_if<Estimate>(&readout);
}

}  // namespace highwater::family
