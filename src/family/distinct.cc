#include "family/distinct.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/assert.h"
#include "family/hash.h"

namespace highwater::family {
namespace {

constexpr std::uint8_t version = 1;
constexpr std::uint8_t hash_profile = 1;
constexpr std::uint8_t sparse_form = 0;
constexpr std::uint8_t dense_form = 1;
constexpr std::size_t sparse_in_memory_max = 4'096;  // Beyond, inserting in order gets slow.
constexpr double standard_errors = 2;

constexpr std::uint32_t register_of(std::uint32_t entry) {
    return entry >> 6;
}
constexpr std::uint8_t value_of(std::uint32_t entry) {
    return static_cast<std::uint8_t>(entry & 63);
}

/// The encoding is sparse while that is not longer than the dense one.
constexpr bool is_sparse_encoded(std::size_t used, std::size_t registers) {
    return used <= registers / 4;
}

std::uint64_t hash_typed(char tag, BytesView value) {
    Bytes typed;
    typed.reserve(value.size() + 1);
    typed += tag;
    typed += value;
    return hash64(typed);
}

std::uint64_t hash_number(char tag, std::uint64_t bits) {
    std::array<char, 9> typed{tag};
    for (unsigned i = 0; i < 8; ++i) typed[i + 1] = static_cast<char>(bits >> (8 * i));
    return hash64({typed.data(), typed.size()});
}

// Ertl's sigma and tau, each the limit of a series that is added up until it stands still. Square
// roots, products and sums round alike everywhere, so that estimates are equal on every machine.
double sigma(double x) {
    double power = 1;
    double sum = x;
    for (double before = -1; sum != before; power += power) {
        x *= x;
        before = sum;
        sum += x * power;
    }
    return sum;
}

double tau(double x) {
    if (x == 0 || x == 1) return 0;
    double power = 1;
    double sum = 1 - x;
    for (double before = -1; sum != before;) {
        x = std::sqrt(x);
        before = sum;
        power *= 0.5;
        sum -= (1 - x) * (1 - x) * power;
    }
    return sum / 3;
}

}  // namespace

Result<void> verify(const DistinctParameters& parameters) {
    if (parameters.lg_registers < lg_registers_min || parameters.lg_registers > lg_registers_max) {
        return Error(Code::invalid_argument, "distinct: lg_registers is from 4 to 18");
    }
    return {};
}

Distinct::Distinct(Parameters parameters) : parameters_(parameters) {
    ASSERT(verify(parameters).ok());
}

void Distinct::add_integer(std::int64_t value) {
    add_hash(hash_number('i', static_cast<std::uint64_t>(value)));
}

void Distinct::add_double(double value) {
    if (std::isnan(value)) value = one_nan;
    add_hash(hash_number('f', std::bit_cast<std::uint64_t>(value + 0.0)));  // -0 becomes 0.
}

void Distinct::add_bool(bool value) {
    add_hash(hash_typed('b', value ? "\1" : BytesView("\0", 1)));
}

void Distinct::add_text(std::string_view value) {
    add_hash(hash_typed('s', value));
}

void Distinct::add_bytes(BytesView value) {
    add_hash(hash_typed('x', value));
}

Result<void> Distinct::add(std::span<const Sample> samples) {
    for (const Sample& sample : samples) {
        if (!is_stale_marker(sample.value)) add_double(sample.value);
    }
    return {};
}

void Distinct::add_hash(std::uint64_t hash) {
    const int lg = parameters_.lg_registers;
    const auto at = static_cast<std::uint32_t>(hash >> (64 - lg));
    const int zeros = std::countl_zero(hash << lg);
    raise(at, static_cast<std::uint8_t>(std::min(zeros, 64 - lg) + 1));
}

void Distinct::raise(std::uint32_t at, std::uint8_t value) {
    if (!dense_.empty()) {
        dense_[at] = std::max(dense_[at], value);
        return;
    }
    const auto entry = std::lower_bound(sparse_.begin(), sparse_.end(), at << 6);
    if (entry != sparse_.end() && register_of(*entry) == at) {
        *entry = std::max(*entry, at << 6 | value);
        return;
    }
    sparse_.insert(entry, at << 6 | value);
    if (sparse_.size() > std::min(registers() / 4, sparse_in_memory_max)) become_dense();
}

void Distinct::become_dense() {
    dense_.assign(registers(), 0);
    for (const std::uint32_t entry : sparse_) dense_[register_of(entry)] = value_of(entry);
    sparse_ = {};
}

template <typename Visit>
void Distinct::for_each_used(Visit visit) const {
    for (const std::uint32_t entry : sparse_) visit(register_of(entry), value_of(entry));
    for (std::uint32_t at = 0; at < dense_.size(); ++at) {
        if (dense_[at] != 0) visit(at, dense_[at]);
    }
}

std::size_t Distinct::used() const {
    if (dense_.empty()) return sparse_.size();
    return dense_.size() - static_cast<std::size_t>(std::ranges::count(dense_, 0));
}

Result<void> Distinct::merge(const Distinct& other) {
    if (parameters_ != other.parameters_) return different_parameters(family);
    if (this == &other) return {};
    if (other.dense_.empty()) {
        for (const std::uint32_t entry : other.sparse_) raise(register_of(entry), value_of(entry));
        return {};
    }
    if (dense_.empty()) become_dense();
    for (std::size_t at = 0; at < dense_.size(); ++at) {
        dense_[at] = std::max(dense_[at], other.dense_[at]);
    }
    return {};
}

Readout Distinct::read_distinct() const {
    std::array<std::uint32_t, 64> multiplicity{};
    for (const std::uint8_t value : dense_) ++multiplicity[value];
    for (const std::uint32_t entry : sparse_) ++multiplicity[value_of(entry)];
    if (dense_.empty()) multiplicity[0] = static_cast<std::uint32_t>(registers() - sparse_.size());
    if (multiplicity[0] == registers()) return make_exact(0);

    const auto count = static_cast<double>(registers());
    const unsigned last = register_max();
    double sum = count * tau(1 - multiplicity[last] / count);
    for (unsigned value = last - 1; value >= 1; --value) sum = 0.5 * (sum + multiplicity[value]);
    sum += count * sigma(multiplicity[0] / count);
    constexpr double scale = 0.72134752044448170368;  // 1 / (2 ln 2)
    const double estimate = scale * count * count / sum;
    const double relative = standard_errors * 1.04 / std::sqrt(count);
    return Estimate{
        .value = estimate, .guarantee = guarantee(), .error = estimate * relative / (1 - relative)};
}

Bytes Distinct::encode() const {
    Bytes bytes;
    WireWriter to(bytes);
    put_header(to, family, version);
    to.put_u8(static_cast<std::uint8_t>(parameters_.lg_registers));
    to.put_u8(hash_profile);
    const std::size_t size = used();
    if (is_sparse_encoded(size, registers())) {
        to.put_u8(sparse_form);
        to.put_varint(size);
        std::uint32_t next = 0;
        for_each_used([&](std::uint32_t at, std::uint8_t value) {
            to.put_varint(at - next);
            to.put_u8(value);
            next = at + 1;
        });
        return bytes;
    }
    to.put_u8(dense_form);
    for (std::size_t at = 0; at < dense_.size(); at += 4) {  // Six bits each.
        const std::uint32_t four = dense_[at] | std::uint32_t{dense_[at + 1]} << 6 |
                                   std::uint32_t{dense_[at + 2]} << 12 |
                                   std::uint32_t{dense_[at + 3]} << 18;
        for (unsigned shift = 0; shift < 24; shift += 8) {
            to.put_u8(static_cast<std::uint8_t>(four >> shift));
        }
    }
    return bytes;
}

void Distinct::take_sparse(WireReader& from) {
    const std::uint64_t size = from.take_varint();
    if (!is_sparse_encoded(size, registers())) from.fail();
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < size && !from.failed(); ++i) {
        const std::uint64_t gap = from.take_varint();
        const std::uint8_t value = from.take_u8();
        if (gap >= registers() - next || value == 0 || value > register_max()) {
            from.fail();
            return;
        }
        raise(static_cast<std::uint32_t>(next + gap), value);
        next += gap + 1;
    }
}

void Distinct::take_dense(WireReader& from) {
    if (from.bytes_left() != registers() / 4 * 3) {
        from.fail();
        return;
    }
    dense_.assign(registers(), 0);
    for (std::size_t at = 0; at < dense_.size(); at += 4) {
        std::uint32_t four = 0;
        for (unsigned shift = 0; shift < 24; shift += 8) {
            four |= std::uint32_t{from.take_u8()} << shift;
        }
        for (std::size_t i = 0; i < 4; ++i, four >>= 6) {
            dense_[at + i] = static_cast<std::uint8_t>(four & 63);
            if (dense_[at + i] > register_max()) from.fail();
        }
    }
    if (is_sparse_encoded(used(), registers())) from.fail();
}

Result<Distinct> Distinct::decode(BytesView bytes) {
    WireReader from(bytes);
    take_header(from, family, version);
    const Parameters parameters{.lg_registers = from.take_u8()};
    if (from.take_u8() != hash_profile || !verify(parameters).ok()) return corrupt_state(family);
    Distinct state(parameters);
    const std::uint8_t form = from.take_u8();
    if (from.failed() || form > dense_form) return corrupt_state(family);
    if (form == sparse_form) {
        state.take_sparse(from);
    } else {
        state.take_dense(from);
    }
    if (!from.is_finished()) return corrupt_state(family);
    return state;
}

bool operator==(const Distinct& left, const Distinct& right) {
    if (left.parameters_ != right.parameters_) return false;
    std::vector<std::uint32_t> entries;
    left.for_each_used(
        [&](std::uint32_t at, std::uint8_t value) { entries.push_back(at << 6 | value); });
    std::size_t next = 0;
    bool are_equal = true;
    right.for_each_used([&](std::uint32_t at, std::uint8_t value) {
        are_equal = are_equal && next < entries.size() && entries[next] == (at << 6 | value);
        ++next;
    });
    return are_equal && next == entries.size();
}

}  // namespace highwater::family
