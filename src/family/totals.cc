#include "family/totals.h"

#include <cmath>

#include "base/try.h"

namespace highwater::family {
namespace {

// What the first byte of encoded totals says.
constexpr std::uint8_t lost_extremes_flag = 1;
constexpr std::uint8_t special_counts_flag = 2;

bool is_part(const SampleCounts& part, const SampleCounts& whole) {
    return part.finite <= whole.finite && part.nan <= whole.nan &&
           part.positive_infinity <= whole.positive_infinity &&
           part.negative_infinity <= whole.negative_infinity && part.stale <= whole.stale;
}

bool has_special(const SampleCounts& counts) {
    return counts.nan != 0 || counts.positive_infinity != 0 || counts.negative_infinity != 0 ||
           counts.stale != 0;
}

bool are_within_limits(const SampleCounts& counts) {
    std::uint64_t left = count_max;
    for (const std::uint64_t count :
         {counts.finite, counts.nan, counts.positive_infinity, counts.negative_infinity}) {
        if (count > left) return false;
        left -= count;
    }
    return counts.stale <= count_max;
}

}  // namespace

Result<void> Totals::verify_room_for(std::uint64_t samples) const {
    if (samples > count_max - this->samples() || samples > count_max - counts_.stale) {
        return Error(Code::exhausted, "a state has at most 2^63 - 1 samples");
    }
    return {};
}

Result<void> Totals::verify_room_for(const SampleCounts& other) const {
    if (other.samples() > count_max - samples() || other.stale > count_max - counts_.stale) {
        return Error(Code::exhausted, "a state has at most 2^63 - 1 samples");
    }
    return {};
}

void Totals::add_special(double value) {
    if (is_stale_marker(value)) {
        ++counts_.stale;
    } else if (std::isnan(value)) {
        ++counts_.nan;
    } else if (value > 0) {
        ++counts_.positive_infinity;
    } else {
        ++counts_.negative_infinity;
    }
}

void Totals::merge(const Totals& other) {
    counts_.finite += other.counts_.finite;
    counts_.nan += other.counts_.nan;
    counts_.positive_infinity += other.counts_.positive_infinity;
    counts_.negative_infinity += other.counts_.negative_infinity;
    counts_.stale += other.counts_.stale;
    sum_.merge(other.sum_);
    min_ = other.min_ < min_ ? other.min_ : min_;
    max_ = other.max_ > max_ ? other.max_ : max_;
    if (lost_extremes_ || other.lost_extremes_) forget_extremes();
}

void Totals::forget_extremes() {
    lost_extremes_ = samples() > 0;
    min_ = infinity;
    max_ = -infinity;
}

Result<void> Totals::subtract(const Totals& part) {
    if (!is_part(part.counts_, counts_)) {
        return Error(Code::precondition_failed, "subtract: more samples than there are");
    }
    ExactSum sum = sum_;
    sum.subtract(part.sum_);
    if (!sum.is_sum_of(counts_.finite - part.counts_.finite)) {
        return Error(Code::precondition_failed, "subtract: what is left cannot have this sum");
    }
    remove(part);
    return {};
}

void Totals::remove(const Totals& part) {
    sum_.subtract(part.sum_);
    counts_.finite -= part.counts_.finite;
    counts_.nan -= part.counts_.nan;
    counts_.positive_infinity -= part.counts_.positive_infinity;
    counts_.negative_infinity -= part.counts_.negative_infinity;
    counts_.stale -= part.counts_.stale;
    forget_extremes();
}

void Totals::restore_extremes(double min, double max) {
    lost_extremes_ = false;
    min_ = min;
    max_ = max;
}

std::optional<double> Totals::find_special_sum() const {
    const bool has_both = counts_.positive_infinity > 0 && counts_.negative_infinity > 0;
    if (counts_.nan > 0 || has_both) return one_nan;
    if (counts_.positive_infinity > 0) return infinity;
    if (counts_.negative_infinity > 0) return -infinity;
    return std::nullopt;
}

Readout Totals::read_count() const {
    return make_exact(static_cast<double>(samples()));
}

Readout Totals::read_sum() const {
    if (samples() == 0) return Absence::no_samples;
    if (const auto special = find_special_sum()) return make_exact(*special);
    return make_exact(sum_.rounded());
}

Readout Totals::read_average() const {
    if (samples() == 0) return Absence::no_samples;
    if (const auto special = find_special_sum()) return make_exact(*special);
    return make_exact(sum_.rounded_mean(counts_.finite));
}

Readout Totals::read_min() const {
    if (samples() == 0) return Absence::no_samples;
    if (counts_.negative_infinity > 0) return make_exact(-infinity);
    if (counts_.finite > 0) {
        return lost_extremes_ ? Readout(Absence::not_kept) : make_exact(min_);
    }
    return make_exact(counts_.positive_infinity > 0 ? infinity : one_nan);
}

Readout Totals::read_max() const {
    if (samples() == 0) return Absence::no_samples;
    if (counts_.positive_infinity > 0) return make_exact(infinity);
    if (counts_.finite > 0) {
        return lost_extremes_ ? Readout(Absence::not_kept) : make_exact(max_);
    }
    return make_exact(counts_.negative_infinity > 0 ? -infinity : one_nan);
}

void Totals::encode(WireWriter& to) const {
    const bool special = has_special(counts_);
    to.put_u8(static_cast<std::uint8_t>((lost_extremes_ ? lost_extremes_flag : 0) |
                                        (special ? special_counts_flag : 0)));
    to.put_varint(counts_.finite);
    if (special) {
        to.put_varint(counts_.nan);
        to.put_varint(counts_.positive_infinity);
        to.put_varint(counts_.negative_infinity);
        to.put_varint(counts_.stale);
    }
    if (counts_.finite == 0) return;
    sum_.encode(to);
    if (lost_extremes_) return;
    to.put_double(min_);
    to.put_double(max_);
}

void Totals::decode(WireReader& from) {
    *this = Totals();
    const std::uint8_t flags = from.take_u8();
    if (flags > (lost_extremes_flag | special_counts_flag)) from.fail();
    counts_.finite = from.take_varint();
    if ((flags & special_counts_flag) != 0) {
        counts_.nan = from.take_varint();
        counts_.positive_infinity = from.take_varint();
        counts_.negative_infinity = from.take_varint();
        counts_.stale = from.take_varint();
        if (!has_special(counts_)) from.fail();
    }
    lost_extremes_ = (flags & lost_extremes_flag) != 0;
    if (!are_within_limits(counts_) || (lost_extremes_ && samples() == 0)) from.fail();
    if (counts_.finite == 0 || from.failed()) return;
    sum_.decode(from);
    if (!sum_.is_sum_of(counts_.finite)) from.fail();
    if (lost_extremes_) return;
    min_ = from.take_double();
    max_ = from.take_double();
    const bool are_finite = std::isfinite(min_) && std::isfinite(max_);
    const bool have_minus_zero = has_same_bits(min_, -0.0) || has_same_bits(max_, -0.0);
    if (!are_finite || have_minus_zero || min_ > max_) from.fail();
}

bool operator==(const Totals& left, const Totals& right) {
    return left.counts_ == right.counts_ && left.lost_extremes_ == right.lost_extremes_ &&
           left.min_ == right.min_ && left.max_ == right.max_ && left.sum_ == right.sum_;
}

}  // namespace highwater::family
