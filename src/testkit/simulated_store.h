#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "env/simulated_clock.h"
#include "object/store.h"

namespace highwater::testkit {

/// What can go wrong between a caller and a store that is a service somewhere else.
enum class Mishap : std::uint8_t {
    denied,                 // 403; for append and seal as `unavailable`.
    unavailable,            // 500: nothing happened.
    timeout_before_effect,  // The request was lost: outcome_unknown where it could change
                            // something.
    timeout_after_effect,   // The reply was lost: likewise.
    truncated,              // Of a listing, from here on: the reply ends early, which is an error.
    empty_page,             // An empty page that is not the last.
    repeated_token,         // The token for the next page is the one for this page.
    backwards,              // The page is the first one again.
};

/// How often mishaps happen by themselves, how long calls take and how small pages are.
struct Weather {
    std::uint64_t seed = 1;
    std::size_t page_size = 0;  // The most entries in one page; 0: the pages of the inner store.
    Duration latency_min{0};    // Of each call, on the simulated clock.
    Duration latency_max{0};
    Duration timeout = std::chrono::seconds(30);
    // Out of a thousand calls. Those of listings are counted after those of all calls.
    std::uint32_t denied_per_mille = 0;
    std::uint32_t unavailable_per_mille = 0;
    std::uint32_t timeout_per_mille = 0;  // Half of them before the effect, half after it.
    std::uint32_t truncated_per_mille = 0;
    std::uint32_t empty_page_per_mille = 0;
    std::uint32_t repeated_token_per_mille = 0;
    std::uint32_t backwards_per_mille = 0;
};

/// A Store behind a simulated network: what passes through it is late, lost or odd where it was
/// scheduled to be, or by seed; otherwise it is the store that it wraps.
///
/// Thread-safety: every method, from any thread; one thread alone gives the same run for one seed.
/// Lifetime: `inner` and `clock` outlive the store, its uploads and its readers.
class SimulatedStore final : public object::Store {
public:
    enum class Call : std::uint8_t { create, append, seal, finish, open, read, head, list, remove };

    /// Requires: latency_min <= latency_max; at most 1,000 mishaps out of 1,000 calls.
    SimulatedStore(object::Store& inner, env::SimulatedClock& clock, const Weather& weather = {});
    ~SimulatedStore() override;

    /// Lets `times` calls of the kind `call` meet `mishap`, after the next `calls_before` ones.
    /// What was scheduled first comes first; a mishap that is none for this call is not noticed.
    void schedule(Call call, Mishap mishap, int calls_before = 0, int times = 1);

    Result<std::unique_ptr<object::Upload>> create(const object::Name& name) override;
    Result<std::unique_ptr<object::Reader>> open(const object::Name& name) override;
    Result<std::optional<object::Entry>> head(const object::Name& name) override;
    Result<object::Page> list_page(const std::string& root, const std::string& prefix,
                                   const std::string& token) override;
    Result<void> remove(const object::Name& name) override;

private:
    class Network;
    class SimulatedReader;
    class SimulatedUpload;

    object::Store& inner_;
    std::unique_ptr<Network> network_;
};

}  // namespace highwater::testkit
