#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "family/family.h"
#include "family/guarantee.h"
#include "family/sample.h"

namespace highwater::family {

constexpr int lg_registers_min = 4;
constexpr int lg_registers_max = 18;

struct DistinctParameters {
    int lg_registers = 12;  // 4,096 registers: 1.6 % standard error.

    friend bool operator==(const DistinctParameters&, const DistinctParameters&) = default;
};

/// Errors: invalid_argument  lg_registers outside lg_registers_min to lg_registers_max.
Result<void> verify(const DistinctParameters& parameters);

/// Estimates how many different values there were.
///
/// Values are typed: the integer 1, the double 1 and the text "1" are three. All NaN are one value,
/// -0 is 0, a stale marker is none. Adding a value again changes nothing, so does merging a state
/// again; any order gives the same bytes. Reading changes nothing. There is no subtraction.
/// Cost: 10 ns to add a number; one byte a register once a quarter of them are used, 4 bytes for
/// each used one before; an estimate costs 1 ns a register.
/// Source: Flajolet et al., "HyperLogLog", 2007; the estimator of Ertl, "New cardinality estimation
/// algorithms for HyperLogLog sketches", 2017; docs/formats/family-states.md.
class Distinct {
public:
    using Parameters = DistinctParameters;
    static constexpr Family family = Family::distinct;

    /// Requires: verify(parameters).
    explicit Distinct(Parameters parameters = {});

    const Parameters& parameters() const { return parameters_; }

    /// Of every estimate: two standard errors.
    static constexpr Guarantee guarantee() { return Guarantee::probabilistic_bound(0.954); }

    void add_integer(std::int64_t value);
    void add_double(double value);
    void add_bool(bool value);
    void add_text(std::string_view value);
    void add_bytes(BytesView value);

    /// As add_double, of each value but stale markers. Never fails.
    Result<void> add(std::span<const Sample> samples);

    /// Errors: invalid_argument  another number of registers. Nothing has changed.
    Result<void> merge(const Distinct& other);

    /// 0, exactly, before any value; else an estimate that `guarantee()` speaks of.
    Readout read_distinct() const;

    Bytes encode() const;

    /// Errors: corrupt  anything but what `encode` writes.
    static Result<Distinct> decode(BytesView bytes);

    friend bool operator==(const Distinct& left, const Distinct& right);

private:
    std::size_t registers() const { return std::size_t{1} << parameters_.lg_registers; }
    std::uint8_t register_max() const {
        return static_cast<std::uint8_t>(65 - parameters_.lg_registers);
    }
    std::size_t used() const;

    void add_hash(std::uint64_t hash);
    void raise(std::uint32_t at, std::uint8_t value);
    void become_dense();
    /// Calls visit(register, value) for each used register, in ascending order.
    template <typename Visit>
    void for_each_used(Visit visit) const;
    void take_sparse(WireReader& from);
    void take_dense(WireReader& from);

    Parameters parameters_;
    // Which of the two forms is used is no part of the value.
    std::vector<std::uint32_t> sparse_;  // register << 6 | value, ascending.
    std::vector<std::uint8_t> dense_;    // Empty while sparse.
};

}  // namespace highwater::family
