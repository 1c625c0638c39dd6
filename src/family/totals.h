#pragma once

#include <limits>
#include <span>

#include "base/result.h"
#include "family/exact_sum.h"
#include "family/guarantee.h"
#include "family/sample.h"
#include "family/wire.h"

namespace highwater::family {

/// What several families keep of a set of samples: counts of each kind, the exact sum of the finite
/// values, and the smallest and the largest of them. -0 counts as 0 here.
///
/// Extremes cannot be subtracted: afterwards they are not kept, and readouts say so.
class Totals {
public:
    const SampleCounts& counts() const { return counts_; }
    std::uint64_t samples() const { return counts_.samples(); }
    const ExactSum& finite_sum() const { return sum_; }

    /// Whether the extremes are those of all samples.
    bool keeps_extremes() const { return !lost_extremes_; }
    /// The extremes of the finite samples. Requires: keeps_extremes(), counts().finite > 0.
    double finite_min() const { return min_; }
    double finite_max() const { return max_; }

    /// Errors: exhausted  more than count_max samples or stale markers. Nothing has changed.
    Result<void> verify_room_for(std::uint64_t samples) const;
    Result<void> verify_room_for(const SampleCounts& other) const;

    /// Requires: room for it.
    void add(double value) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
        if ((bits & infinity_bits) == infinity_bits) [[unlikely]]
            return add_special(value);
        add_finite(value);
    }

    /// As `add`. Requires: `value` is finite.
    void add_finite(double value) {
        ++counts_.finite;
        sum_.add(value);
        value += 0.0;  // -0 becomes 0.
        min_ = value < min_ ? value : min_;
        max_ = value > max_ ? value : max_;
    }

    /// Requires: `value` is not finite.
    void add_special(double value);

    /// Requires: room for other.counts().
    void merge(const Totals& other);

    /// Takes `part` away again; extremes are lost unless no sample is left.
    ///
    /// Errors: precondition_failed  `part` cannot be part of this. Nothing has changed.
    Result<void> subtract(const Totals& part);

    /// As `subtract`, of what is known to be part of this.
    void remove(const Totals& part);

    /// Gives extremes that were lost back. Requires: they are those of the finite samples; infinity
    /// and -infinity if there are none.
    void restore_extremes(double min, double max);

    Readout read_count() const;    // 0 for no samples: whoever has a state knows that it is whole.
    Readout read_sum() const;      // NaN for any NaN or both infinities, else rounded once.
    Readout read_average() const;  // Likewise; the exact sum over the count, rounded once.
    Readout read_min() const;  // Of all but NaN, as Prometheus; NaN where there is nothing else.
    Readout read_max() const;

    void encode(WireWriter& to) const;

    /// Becomes what was encoded; fails the reader for what `encode` would not write.
    void decode(WireReader& from);

    friend bool operator==(const Totals& left, const Totals& right);

private:
    static constexpr std::uint64_t infinity_bits = std::uint64_t{0x7FF} << 52;
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    /// The sum or mean of samples that are not all finite; nothing if they are.
    std::optional<double> find_special_sum() const;
    void forget_extremes();

    SampleCounts counts_;
    double min_ = infinity;
    double max_ = -infinity;
    bool lost_extremes_ = false;  // Only while there are samples.
    ExactSum sum_;
};

}  // namespace highwater::family
