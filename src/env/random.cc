#include "env/random.h"

#include <unistd.h>

#include "base/assert.h"

namespace highwater::env {

Uuid make_uuid(Random& random) {
    Uuid uuid;
    for (std::size_t i = 0; i < uuid.bytes.size(); i += 8) {
        const std::uint64_t bits = random.next();
        for (std::size_t j = 0; j < 8; ++j) {
            uuid.bytes[i + j] = static_cast<std::uint8_t>(bits >> (8 * j));
        }
    }
    uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0FU) | 0x40U);  // Version 4.
    uuid.bytes[8] =
        static_cast<std::uint8_t>((uuid.bytes[8] & 0x3FU) | 0x80U);  // Variant of RFC 9562.
    return uuid;
}

std::uint64_t SystemRandom::next() {
    std::uint64_t value = 0;
    // It fails only for more than 256 bytes, or where there is no such call: then nothing here is
    // safe, since ids would repeat.
    ASSERT(::getentropy(&value, sizeof value) == 0);
    return value;
}

std::uint64_t SeededRandom::next() {
    const Lock lock(mutex_);
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

}  // namespace highwater::env
