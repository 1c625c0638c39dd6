#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/uuid.h"

namespace highwater::env {

/// Randomness, as a port: ids, epochs, jitter and temporary names come from here alone.
///
/// Thread-safety: every method, from any thread.
class Random {
public:
    virtual ~Random() = default;

    virtual std::uint64_t next() = 0;
};

/// A version 4 UUID. Source: RFC 9562.
Uuid make_uuid(Random& random);

/// The machine's source of randomness.
class SystemRandom final : public Random {
public:
    std::uint64_t next() override;
};

/// The same numbers for the same seed, on every machine. Source: splitmix64 (Steele et al. 2014).
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() override;

private:
    Mutex mutex_;
    std::uint64_t state_ GUARDED_BY(mutex_);
};

}  // namespace highwater::env
