#include "family/hash.h"

#include <array>
#include <bit>
#include <cstddef>

namespace highwater::family {
namespace {

constexpr std::uint64_t prime_1 = 0x9E37'79B1'85EB'CA87;
constexpr std::uint64_t prime_2 = 0xC2B2'AE3D'27D4'EB4F;
constexpr std::uint64_t prime_3 = 0x1656'67B1'9E37'79F9;
constexpr std::uint64_t prime_4 = 0x85EB'CA77'C2B2'AE63;
constexpr std::uint64_t prime_5 = 0x27D4'EB2F'1656'67C5;

/// The first `size` bytes as a little-endian number.
std::uint64_t read_number(BytesView bytes, std::size_t size) {
    std::uint64_t number = 0;
    for (std::size_t i = size; i > 0; --i) {
        number = number << 8 | static_cast<std::uint8_t>(bytes[i - 1]);
    }
    return number;
}

std::uint64_t mix(std::uint64_t lane, std::uint64_t input) {
    return std::rotl(lane + input * prime_2, 31) * prime_1;
}

std::uint64_t join(std::uint64_t hash, std::uint64_t lane) {
    return (hash ^ mix(0, lane)) * prime_1 + prime_4;
}

/// Takes all whole stripes of 32 bytes off `bytes`.
std::uint64_t hash_stripes(BytesView& bytes) {
    std::array<std::uint64_t, 4> lanes = {prime_1 + prime_2, prime_2, 0, 0 - prime_1};
    while (bytes.size() >= 32) {
        for (std::uint64_t& lane : lanes) {
            lane = mix(lane, read_number(bytes, 8));
            bytes.remove_prefix(8);
        }
    }
    std::uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                         std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = join(hash, lane);
    return hash;
}

}  // namespace

std::uint64_t hash64(BytesView bytes) {
    const std::size_t size = bytes.size();
    std::uint64_t hash = size >= 32 ? hash_stripes(bytes) : prime_5;
    hash += size;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        hash ^= mix(0, read_number(bytes, 8));
        hash = std::rotl(hash, 27) * prime_1 + prime_4;
    }
    if (bytes.size() >= 4) {
        hash ^= read_number(bytes, 4) * prime_1;
        hash = std::rotl(hash, 23) * prime_2 + prime_3;
        bytes.remove_prefix(4);
    }
    for (; !bytes.empty(); bytes.remove_prefix(1)) {
        hash ^= read_number(bytes, 1) * prime_5;
        hash = std::rotl(hash, 11) * prime_1;
    }
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}

}  // namespace highwater::family
