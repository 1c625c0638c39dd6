#include "family/count_blocks.h"

#if defined(__x86_64__)
#    include <immintrin.h>
#endif

// Plain loops for every machine, and the same with AVX2, which take half the time, for processors
// that have it: they are asked when the program runs, so that one program serves all.

namespace highwater::family {
namespace {

void add_plainly(CountBlock* to, const CountBlock* from, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < 8; ++j) to[i].counts[j] += from[i].counts[j];
    }
}

// A negative difference of counts below 2^63 has its highest bit set.
bool subtract_plainly(CountBlock* to, const CountBlock* from, std::size_t size) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            to[i].counts[j] -= from[i].counts[j];
            seen |= to[i].counts[j];
        }
    }
    return seen >> 63 == 0;
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] void add_avx2(CountBlock* to, const CountBlock* from, std::size_t size) {
    auto* sums = reinterpret_cast<__m256i*>(to);
    const auto* addends = reinterpret_cast<const __m256i*>(from);
    for (std::size_t i = 0; i < 2 * size; i += 2) {
        sums[i] = _mm256_add_epi64(sums[i], addends[i]);
        sums[i + 1] = _mm256_add_epi64(sums[i + 1], addends[i + 1]);
    }
}

[[gnu::target("avx2")]] bool subtract_avx2(CountBlock* to, const CountBlock* from,
                                           std::size_t size) {
    auto* differences = reinterpret_cast<__m256i*>(to);
    const auto* parts = reinterpret_cast<const __m256i*>(from);
    __m256i seen = _mm256_setzero_si256();
    for (std::size_t i = 0; i < 2 * size; i += 2) {
        const __m256i low = _mm256_sub_epi64(differences[i], parts[i]);
        const __m256i high = _mm256_sub_epi64(differences[i + 1], parts[i + 1]);
        differences[i] = low;
        differences[i + 1] = high;
        seen = _mm256_or_si256(seen, _mm256_or_si256(low, high));
    }
    return _mm256_movemask_pd(_mm256_castsi256_pd(seen)) == 0;
}

bool has_avx2() {
    static const bool answer = __builtin_cpu_supports("avx2") != 0;
    return answer;
}

#endif

}  // namespace

void add_counts(CountBlock* to, const CountBlock* from, std::size_t size) {
#if defined(__x86_64__)
    if (has_avx2()) return add_avx2(to, from, size);
#endif
    add_plainly(to, from, size);
}

bool subtract_counts(CountBlock* to, const CountBlock* from, std::size_t size) {
#if defined(__x86_64__)
    if (has_avx2()) return subtract_avx2(to, from, size);
#endif
    return subtract_plainly(to, from, size);
}

}  // namespace highwater::family
