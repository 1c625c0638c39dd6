#include "family/counter.h"

#include <cmath>

#include "base/try.h"

namespace highwater::family {
namespace {

constexpr std::uint8_t version = 1;

/// A comparison with NaN is no reset, as in Prometheus.
bool is_reset(double before, double after) {
    return after < before;
}

double seconds_between(Time from, Time to) {
    // The difference of two times may not fit in their own 64 bits, but does without a sign.
    const auto ns = static_cast<std::uint64_t>(to_ns(to)) - static_cast<std::uint64_t>(to_ns(from));
    return static_cast<double>(ns) / 1e9;
}

}  // namespace

Result<void> Counter::add(std::span<const Sample> samples) {
    if (samples.size() > count_max - samples_ || samples.size() > count_max - stale_) {
        return Error(Code::exhausted, "a state has at most 2^63 - 1 samples");
    }
    bool has_time = samples_ > 0;
    Time newest = last_.time;
    for (const Sample& sample : samples) {
        if (is_stale_marker(sample.value)) continue;
        if (has_time && sample.time <= newest) {
            return Error(Code::precondition_failed,
                         "counter: a sample is not later than the one before it");
        }
        has_time = true;
        newest = sample.time;
    }
    for (const Sample& sample : samples) {
        if (is_stale_marker(sample.value)) {
            ++stale_;
        } else {
            append(sample);
        }
    }
    return {};
}

void Counter::append(const Sample& sample) {
    Sample added = sample;
    if (std::isnan(added.value)) added.value = one_nan;
    if (samples_ == 0) {
        first_ = added;
    } else if (is_reset(last_.value, added.value)) {
        append_reset(last_.value);
    }
    previous_ = last_;
    last_ = added;
    ++samples_;
}

void Counter::append_reset(double value_before) {
    ++resets_;
    if (std::isinf(value_before)) {
        ++infinite_resets_;
    } else {
        before_resets_.add(value_before);
    }
}

Result<void> Counter::merge(const Counter& other) {
    if (other.samples_ > count_max - samples_ || other.stale_ > count_max - stale_) {
        return Error(Code::exhausted, "a state has at most 2^63 - 1 samples");
    }
    const bool are_both_filled = samples_ > 0 && other.samples_ > 0;
    if (are_both_filled && other.last_.time < first_.time) {
        Counter earlier = other;
        TRY(earlier.merge(*this));
        *this = earlier;
        return {};
    }
    if (are_both_filled && other.first_.time <= last_.time) {
        return Error(Code::precondition_failed, "counter: the times of two states overlap");
    }
    stale_ += other.stale_;
    if (other.samples_ == 0) return {};
    if (samples_ == 0) {
        first_ = other.first_;
    } else if (is_reset(last_.value, other.first_.value)) {
        append_reset(last_.value);
    }
    previous_ = other.samples_ > 1 ? other.previous_ : last_;
    last_ = other.last_;
    samples_ += other.samples_;
    resets_ += other.resets_;
    infinite_resets_ += other.infinite_resets_;
    before_resets_.merge(other.before_resets_);
    return {};
}

Readout Counter::read_count() const {
    return make_exact(static_cast<double>(samples_));
}

Readout Counter::read_first() const {
    return samples_ == 0 ? Readout(Absence::no_samples) : make_exact(first_.value);
}

Readout Counter::read_last() const {
    return samples_ == 0 ? Readout(Absence::no_samples) : make_exact(last_.value);
}

Readout Counter::read_resets() const {
    if (samples_ == 0) return Absence::no_samples;
    return make_exact(static_cast<double>(resets_));
}

double Counter::raw_increase() const {
    if (!std::isfinite(first_.value) || !std::isfinite(last_.value) || infinite_resets_ > 0) {
        const double resets = infinite_resets_ > 0 ? std::numeric_limits<double>::infinity()
                                                   : before_resets_.rounded();
        const double increase = last_.value - first_.value + resets;
        return std::isnan(increase) ? one_nan : increase;
    }
    ExactSum sum = before_resets_;
    sum.add(last_.value);
    sum.add(-first_.value);
    return sum.rounded();
}

Result<double> Counter::extrapolate(RateRange range) const {
    if (range.start >= range.end || first_.time < range.start || last_.time > range.end) {
        return Error(Code::invalid_argument, "counter: the range does not hold all samples");
    }
    const double increase = raw_increase();
    const double sampled = seconds_between(first_.time, last_.time);
    const double average_gap = sampled / static_cast<double>(samples_ - 1);
    // A gap at an end that is hardly longer than the others is taken as covered; beyond that the
    // series is thought to begin or end half a gap outside its samples.
    const double threshold = average_gap * 1.1;
    double to_start = seconds_between(range.start, first_.time);
    double to_end = seconds_between(last_.time, range.end);
    if (to_start >= threshold) to_start = average_gap / 2;
    if (increase > 0 && first_.value >= 0) {
        // A counter is never below zero: no further back than where it would have been zero.
        const double to_zero = sampled * (first_.value / increase);
        if (to_zero < to_start) to_start = to_zero;
    }
    if (to_end >= threshold) to_end = average_gap / 2;
    return (sampled + to_start + to_end) / sampled;
}

Result<Readout> Counter::read_increase(RateRange range) const {
    if (samples_ == 0) return Readout(Absence::no_samples);
    if (samples_ < 2) return Readout(Absence::too_few_samples);
    const double factor = TRY(extrapolate(range));
    return make_exact(raw_increase() * factor);
}

Result<Readout> Counter::read_rate(RateRange range) const {
    if (samples_ == 0) return Readout(Absence::no_samples);
    if (samples_ < 2) return Readout(Absence::too_few_samples);
    const double factor = TRY(extrapolate(range)) / seconds_between(range.start, range.end);
    return make_exact(raw_increase() * factor);
}

Readout Counter::read_instant_rate() const {
    if (samples_ == 0) return Absence::no_samples;
    if (samples_ < 2) return Absence::too_few_samples;
    const bool reset = is_reset(previous_.value, last_.value);
    const double growth = reset ? last_.value : last_.value - previous_.value;
    return make_exact(growth / seconds_between(previous_.time, last_.time));
}

Bytes Counter::encode() const {
    Bytes bytes;
    WireWriter to(bytes);
    put_header(to, family, version);
    to.put_varint(samples_);
    to.put_varint(stale_);
    if (samples_ > 0) to.put_sample(first_);
    if (samples_ < 2) return bytes;
    to.put_sample(last_);
    if (samples_ > 2) to.put_sample(previous_);
    to.put_varint(resets_);
    if (resets_ == 0) return bytes;
    to.put_varint(infinite_resets_);
    before_resets_.encode(to);
    return bytes;
}

void Counter::take_body(WireReader& from) {
    samples_ = from.take_varint();
    stale_ = from.take_varint();
    if (samples_ > count_max || stale_ > count_max) from.fail();
    if (samples_ == 0 || from.failed()) return;
    first_ = last_ = from.take_sample();
    if (samples_ == 1) return;
    last_ = from.take_sample();
    previous_ = samples_ > 2 ? from.take_sample() : first_;
    resets_ = from.take_varint();
    if (resets_ > 0) {
        infinite_resets_ = from.take_varint();
        before_resets_.decode(from);
    }
    if (from.failed() || !is_possible()) from.fail();
}

bool Counter::is_possible() const {
    const bool ascends = first_.time <= previous_.time && previous_.time < last_.time &&
                         (samples_ == 2 || first_.time < previous_.time);
    const bool ends_with_reset = is_reset(previous_.value, last_.value);
    if (!ascends || resets_ >= samples_ || infinite_resets_ > resets_) return false;
    if (resets_ < (ends_with_reset ? 1U : 0U)) return false;
    if (samples_ == 2) {
        Counter both;
        both.append(first_);
        both.append(last_);
        return resets_ == both.resets_ && infinite_resets_ == both.infinite_resets_ &&
               before_resets_ == both.before_resets_;
    }
    return before_resets_.is_sum_of(resets_ - infinite_resets_);
}

Result<Counter> Counter::decode(BytesView bytes) {
    WireReader from(bytes);
    take_header(from, family, version);
    Counter state;
    state.take_body(from);
    if (!from.is_finished()) return corrupt_state(family);
    return state;
}

bool operator==(const Counter& left, const Counter& right) {
    return left.samples_ == right.samples_ && left.stale_ == right.stale_ &&
           left.resets_ == right.resets_ && left.infinite_resets_ == right.infinite_resets_ &&
           (left.samples_ < 1 || (left.first_ == right.first_ && left.last_ == right.last_)) &&
           (left.samples_ < 2 || left.previous_ == right.previous_) &&
           left.before_resets_ == right.before_resets_;
}

}  // namespace highwater::family
