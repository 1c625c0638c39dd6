#include "testkit/simulated_store.h"

#include <algorithm>
#include <list>
#include <utility>

#include "base/assert.h"
#include "base/mutex.h"
#include "base/try.h"
#include "env/random.h"

namespace highwater::testkit {

namespace {

/// Whether a caller that hears nothing must fear that something changed.
enum class Effect : std::uint8_t { none_that_is_seen, visible };

/// Where our listing is within that of the inner store. The number makes each token new.
struct Position {
    std::string after;        // The last path that we gave; what comes before it is left out.
    std::string inner_token;  // The page of the inner store to go on with.
};

std::string format_token(std::uint64_t number, const Position& position) {
    return std::to_string(number) + "\n" + position.after + "\n" + position.inner_token;
}

Result<Position> parse_token(const std::string& token) {
    if (token.empty()) return Position();
    const auto first = token.find('\n');
    const auto second = token.find('\n', first + 1);
    if (first == token.npos || second == token.npos) {
        return Error(Code::invalid_argument, "not a token of this store");
    }
    return Position{token.substr(first + 1, second - first - 1), token.substr(second + 1)};
}

/// A call that cannot be denied says instead that nothing happened.
template <typename T>
Result<T> without_denied(Result<T> result) {
    if (result.ok() || result.error().code() != Code::denied) return result;
    return Error(Code::unavailable, result.error().message());
}

}  // namespace

/// Decides what befalls each call, and lets time pass.
class SimulatedStore::Network {
public:
    Network(env::SimulatedClock& clock, const Weather& weather)
        : clock_(clock), weather_(weather), random_(weather.seed) {
        ASSERT(weather.latency_min <= weather.latency_max);
        ASSERT(weather.denied_per_mille + weather.unavailable_per_mille +
                   weather.timeout_per_mille + weather.truncated_per_mille +
                   weather.empty_page_per_mille + weather.repeated_token_per_mille +
                   weather.backwards_per_mille <=
               1'000);
    }

    void schedule(Call call, Mishap mishap, int calls_before, int times) {
        ASSERT(calls_before >= 0 && times > 0);
        const Lock lock(mutex_);
        scheduled_.push_back({call, mishap, calls_before, times});
    }

    /// Lets the latency of one call pass. Nothing: no mishap.
    std::optional<Mishap> meet(Call call) {
        const auto spread = (weather_.latency_max - weather_.latency_min).count();
        const auto extra = spread == 0 ? 0 : random_.next() % static_cast<std::uint64_t>(spread);
        clock_.advance(weather_.latency_min + Duration(extra));
        if (auto mishap = take_scheduled(call)) return mishap;
        return draw(call);
    }

    /// Runs `request` as a call of the kind `call`, unless a mishap befalls it.
    template <typename Request>
    auto send(Call call, Effect effect, Request request) -> decltype(request()) {
        return send(meet(call), effect, request);
    }

    template <typename Request>
    auto send(std::optional<Mishap> mishap, Effect effect, Request request) -> decltype(request()) {
        const Code unheard = effect == Effect::visible ? Code::outcome_unknown : Code::unavailable;
        if (mishap == Mishap::denied) return Error(Code::denied, "403 Forbidden");
        if (mishap == Mishap::unavailable) return Error(Code::unavailable, "500 Internal Error");
        if (mishap == Mishap::timeout_after_effect) static_cast<void>(request());
        if (mishap == Mishap::timeout_before_effect || mishap == Mishap::timeout_after_effect) {
            clock_.advance(weather_.timeout);
            return Error(unheard, "the request timed out");
        }
        return request();
    }

    std::string make_token(const Position& position) {
        const Lock lock(mutex_);
        return format_token(++tokens_, position);
    }

    std::size_t page_size() const { return weather_.page_size; }

private:
    struct Scheduled {
        Call call;
        Mishap mishap;
        int calls_before;
        int times;
    };

    std::optional<Mishap> take_scheduled(Call call) {
        const Lock lock(mutex_);
        const auto next =
            std::ranges::find_if(scheduled_, [&](const auto& one) { return one.call == call; });
        if (next == scheduled_.end()) return {};
        if (next->calls_before > 0) {
            --next->calls_before;
            return {};
        }
        const Mishap mishap = next->mishap;
        if (--next->times == 0) scheduled_.erase(next);
        return mishap;
    }

    std::optional<Mishap> draw(Call call) {
        const auto number = static_cast<std::uint32_t>(random_.next() % 1'000);
        std::uint32_t below = 0;
        const auto hits = [&](std::uint32_t per_mille) { return number < (below += per_mille); };
        if (hits(weather_.denied_per_mille)) return Mishap::denied;
        if (hits(weather_.unavailable_per_mille)) return Mishap::unavailable;
        if (hits(weather_.timeout_per_mille / 2)) return Mishap::timeout_before_effect;
        if (hits(weather_.timeout_per_mille - weather_.timeout_per_mille / 2)) {
            return Mishap::timeout_after_effect;
        }
        if (call != Call::list) return {};
        if (hits(weather_.truncated_per_mille)) return Mishap::truncated;
        if (hits(weather_.empty_page_per_mille)) return Mishap::empty_page;
        if (hits(weather_.repeated_token_per_mille)) return Mishap::repeated_token;
        if (hits(weather_.backwards_per_mille)) return Mishap::backwards;
        return {};
    }

    env::SimulatedClock& clock_;
    const Weather weather_;
    env::SeededRandom random_;
    Mutex mutex_;
    std::list<Scheduled> scheduled_ GUARDED_BY(mutex_);
    std::uint64_t tokens_ GUARDED_BY(mutex_) = 0;
};

class SimulatedStore::SimulatedReader final : public object::Reader {
public:
    SimulatedReader(std::unique_ptr<object::Reader> inner, Network& network)
        : inner_(std::move(inner)), network_(network) {}

    const object::Identity& identity() const override { return inner_->identity(); }

    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        auto bytes = network_.send(Call::read, Effect::none_that_is_seen,
                                   [&] { return inner_->read_at(offset, size); });
        return without_denied(std::move(bytes));
    }

private:
    std::unique_ptr<object::Reader> inner_;
    Network& network_;
};

class SimulatedStore::SimulatedUpload final : public object::Upload {
public:
    SimulatedUpload(std::unique_ptr<object::Upload> inner, Network& network)
        : inner_(std::move(inner)), network_(network) {}

    Result<void> append(BytesView bytes) override {
        if (failure_) return *failure_;
        return noted(without_denied(network_.send(Call::append, Effect::none_that_is_seen,
                                                  [&] { return inner_->append(bytes); })));
    }

    Result<void> seal() override {
        if (failure_) return *failure_;
        return noted(without_denied(
            network_.send(Call::seal, Effect::none_that_is_seen, [&] { return inner_->seal(); })));
    }

    Result<object::Identity> finish() override {
        if (failure_) return *failure_;
        return noted(
            network_.send(Call::finish, Effect::visible, [&] { return inner_->finish(); }));
    }

private:
    /// An upload that failed stays failed.
    template <typename T>
    Result<T> noted(Result<T> result) {
        if (!result.ok()) failure_ = result.error();
        return result;
    }

    std::unique_ptr<object::Upload> inner_;
    Network& network_;
    std::optional<Error> failure_;
};

SimulatedStore::SimulatedStore(object::Store& inner, env::SimulatedClock& clock,
                               const Weather& weather)
    : inner_(inner), network_(std::make_unique<Network>(clock, weather)) {}

SimulatedStore::~SimulatedStore() = default;

void SimulatedStore::schedule(Call call, Mishap mishap, int calls_before, int times) {
    network_->schedule(call, mishap, calls_before, times);
}

Result<std::unique_ptr<object::Upload>> SimulatedStore::create(const object::Name& name) {
    auto upload = TRY(network_->send(Call::create, Effect::none_that_is_seen,
                                     [&] { return inner_.create(name); }));
    return std::unique_ptr<object::Upload>(
        std::make_unique<SimulatedUpload>(std::move(upload), *network_));
}

Result<std::unique_ptr<object::Reader>> SimulatedStore::open(const object::Name& name) {
    auto reader = TRY(
        network_->send(Call::open, Effect::none_that_is_seen, [&] { return inner_.open(name); }));
    return std::unique_ptr<object::Reader>(
        std::make_unique<SimulatedReader>(std::move(reader), *network_));
}

Result<std::optional<object::Entry>> SimulatedStore::head(const object::Name& name) {
    return network_->send(Call::head, Effect::none_that_is_seen, [&] { return inner_.head(name); });
}

Result<object::Page> SimulatedStore::list_page(const std::string& root, const std::string& prefix,
                                               const std::string& token) {
    Position position = TRY(parse_token(token));
    const auto mishap = network_->meet(Call::list);
    if (mishap == Mishap::truncated) return Error(Code::unavailable, "the reply ended early");
    if (mishap == Mishap::empty_page) {
        return object::Page{.entries = {}, .next_token = network_->make_token(position)};
    }
    if (mishap == Mishap::backwards) position = {};
    object::Page page = TRY(network_->send(mishap, Effect::none_that_is_seen, [&] {
        return inner_.list_page(root, prefix, position.inner_token);
    }));
    if (!position.after.empty()) {
        std::erase_if(page.entries,
                      [&](const auto& entry) { return entry.path <= position.after; });
    }
    const std::size_t size = network_->page_size();
    const bool cut = size > 0 && page.entries.size() > size;
    if (cut) page.entries.resize(size);
    if (cut || page.next_token) {
        if (!page.entries.empty()) position.after = page.entries.back().path;
        if (!cut) position.inner_token = *page.next_token;
        page.next_token = mishap == Mishap::repeated_token ? token : network_->make_token(position);
    }
    return page;
}

Result<void> SimulatedStore::remove(const object::Name& name) {
    return network_->send(Call::remove, Effect::visible, [&] { return inner_.remove(name); });
}

}  // namespace highwater::testkit
