#pragma once

#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "family/family.h"
#include "family/totals.h"

namespace highwater::family {

struct MomentsParameters {
    bool has_squares = false;  // The sum of squares, which the standard deviation needs.

    friend bool operator==(const MomentsParameters&, const MomentsParameters&) = default;
};

/// Counts, exact sums, extremes, and the first and last of a set of samples.
///
/// Any order and grouping of additions and merges gives the same bytes. First and last are those by
/// (time, value bits); a NaN is one NaN, a stale marker is only counted.
/// Cost: about 1.8 KiB; 5 ns to add a sample, twice that with squares.
/// Source: docs/formats/family-states.md
class Moments {
public:
    using Parameters = MomentsParameters;
    static constexpr Family family = Family::moments;

    explicit Moments(Parameters parameters = {});

    const Parameters& parameters() const { return parameters_; }
    const Totals& totals() const { return totals_; }

    /// Errors: exhausted  more than count_max samples. Nothing has changed.
    Result<void> add(std::span<const Sample> samples);

    /// Errors: invalid_argument  other parameters. exhausted  more than count_max samples.
    /// After failure: nothing has changed.
    Result<void> merge(const Moments& other);

    /// Takes `part` away again. Minimum, maximum, first and last are lost unless nothing is left.
    ///
    /// Errors: invalid_argument  other parameters. precondition_failed  `part` cannot be part of
    /// this.
    /// After failure: nothing has changed.
    Result<void> subtract(const Moments& part);

    Readout read_count() const { return totals_.read_count(); }
    Readout read_sum() const { return totals_.read_sum(); }
    Readout read_average() const { return totals_.read_average(); }
    Readout read_min() const { return totals_.read_min(); }
    Readout read_max() const { return totals_.read_max(); }
    Readout read_first() const;
    Readout read_last() const;
    /// The population standard deviation, rounded once; NaN if not all samples are finite.
    Readout read_standard_deviation() const;

    Bytes encode() const;

    /// Errors: corrupt  anything but what `encode` writes.
    static Result<Moments> decode(BytesView bytes);

    friend bool operator==(const Moments& left, const Moments& right);

private:
    bool has_ends() const { return totals_.keeps_extremes() && totals_.samples() > 0; }
    bool is_possible() const;
    void take_body(WireReader& from);

    Parameters parameters_;
    Sample first_;  // Meaningful only while has_ends().
    Sample last_;
    Totals totals_;
    std::optional<ExactSumOfSquares> squares_;  // Exactly if parameters_.has_squares.
};

}  // namespace highwater::family
