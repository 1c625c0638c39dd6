#include "family/moments.h"

#include <cmath>
#include <utility>

#include "base/try.h"

namespace highwater::family {
namespace {

constexpr std::uint8_t version = 1;

/// The total order of samples that makes "first" and "last" the same in any order of arrival.
std::pair<Time, std::uint64_t> place_of(const Sample& sample) {
    return {sample.time, std::bit_cast<std::uint64_t>(sample.value)};
}

bool is_before(const Sample& left, const Sample& right) {
    return place_of(left) < place_of(right);
}

}  // namespace

Moments::Moments(Parameters parameters) : parameters_(parameters) {
    if (parameters_.has_squares) squares_.emplace();
}

Result<void> Moments::add(std::span<const Sample> samples) {
    TRY(totals_.verify_room_for(samples.size()));
    for (Sample sample : samples) {
        const bool had_samples = totals_.samples() > 0;
        totals_.add(sample.value);
        if (is_stale_marker(sample.value)) continue;
        if (squares_ && std::isfinite(sample.value)) squares_->add_square(sample.value);
        if (std::isnan(sample.value)) sample.value = one_nan;
        if (!had_samples || is_before(sample, first_)) first_ = sample;
        if (!had_samples || is_before(last_, sample)) last_ = sample;
    }
    return {};
}

Result<void> Moments::merge(const Moments& other) {
    if (parameters_ != other.parameters_) return different_parameters(family);
    TRY(totals_.verify_room_for(other.totals_.counts()));
    if (other.totals_.samples() > 0) {
        const bool had_samples = totals_.samples() > 0;
        if (!had_samples || is_before(other.first_, first_)) first_ = other.first_;
        if (!had_samples || is_before(last_, other.last_)) last_ = other.last_;
    }
    totals_.merge(other.totals_);
    if (squares_) squares_->merge(*other.squares_);
    return {};
}

bool Moments::is_possible() const {
    if (!squares_) return true;
    const std::uint64_t finite = totals_.counts().finite;
    if (finite == 0) return squares_->is_zero();
    return find_variance(totals_.finite_sum(), *squares_, finite).has_value();
}

Result<void> Moments::subtract(const Moments& part) {
    if (parameters_ != part.parameters_) return different_parameters(family);
    Moments left = *this;
    TRY(left.totals_.subtract(part.totals_));
    if (left.squares_) left.squares_->subtract(*part.squares_);
    if (!left.is_possible()) {
        return Error(Code::precondition_failed, "subtract: what is left cannot have these sums");
    }
    *this = left;
    return {};
}

Readout Moments::read_first() const {
    if (totals_.samples() == 0) return Absence::no_samples;
    return has_ends() ? make_exact(first_.value) : Readout(Absence::not_kept);
}

Readout Moments::read_last() const {
    if (totals_.samples() == 0) return Absence::no_samples;
    return has_ends() ? make_exact(last_.value) : Readout(Absence::not_kept);
}

Readout Moments::read_standard_deviation() const {
    if (!squares_) return Absence::not_kept;
    if (totals_.samples() == 0) return Absence::no_samples;
    const std::uint64_t finite = totals_.counts().finite;
    if (finite != totals_.samples()) return make_exact(one_nan);
    const auto variance = find_variance(totals_.finite_sum(), *squares_, finite);
    ASSERT(variance.has_value());
    return make_exact(square_root_to_double(variance->numerator, variance->exponent, finite));
}

Bytes Moments::encode() const {
    Bytes bytes;
    WireWriter to(bytes);
    put_header(to, family, version);
    to.put_u8(parameters_.has_squares ? 1 : 0);
    totals_.encode(to);
    if (has_ends()) {
        to.put_sample(first_);
        to.put_sample(last_);
    }
    if (squares_ && totals_.counts().finite > 0) squares_->encode(to);
    return bytes;
}

void Moments::take_body(WireReader& from) {
    totals_.decode(from);
    if (has_ends()) {
        first_ = from.take_sample();
        last_ = from.take_sample();
        const bool are_one = first_ == last_;
        if (is_before(last_, first_) || (totals_.samples() == 1 && !are_one)) from.fail();
    }
    if (squares_ && totals_.counts().finite > 0) squares_->decode(from);
    if (from.failed() || !is_possible()) from.fail();
}

Result<Moments> Moments::decode(BytesView bytes) {
    WireReader from(bytes);
    take_header(from, family, version);
    const std::uint8_t has_squares = from.take_u8();
    if (has_squares > 1) from.fail();
    Moments state(Parameters{.has_squares = has_squares == 1});
    state.take_body(from);
    if (!from.is_finished()) return corrupt_state(family);
    return state;
}

bool operator==(const Moments& left, const Moments& right) {
    if (left.parameters_ != right.parameters_ || !(left.totals_ == right.totals_)) return false;
    if (left.has_ends() && !(left.first_ == right.first_ && left.last_ == right.last_)) {
        return false;
    }
    return !left.squares_ || *left.squares_ == *right.squares_;
}

}  // namespace highwater::family
