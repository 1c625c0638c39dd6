#pragma once

#include <cstdint>
#include <memory>

#include "object/store.h"

namespace highwater::object {

/// What requests cost, in US dollars each. The default is a common public price for object stores.
struct Prices {
    double put_or_list = 5e-6;
    double get_or_head = 4e-7;
};

/// What an operation cost: requests by kind, what they returned, and catalog round trips.
struct Ledger {
    std::uint64_t lists = 0;  // Pages, since each is a request.
    std::uint64_t heads = 0;
    std::uint64_t gets = 0;
    std::uint64_t puts = 0;
    std::uint64_t removes = 0;
    std::uint64_t listed_objects = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t catalog_round_trips = 0;

    double estimated_usd(const Prices& prices = {}) const;

    Ledger& operator+=(const Ledger& other);
    /// What was spent between two readings. Requires: `earlier` was read earlier on the same meter.
    Ledger since(const Ledger& earlier) const;

    friend bool operator==(const Ledger&, const Ledger&) = default;
};

/// A Store that counts what passes through it and is otherwise the one it wraps.
///
/// A request is counted when it is sent, whether or not it succeeds; listed objects and bytes when
/// they have passed. `finish` is the put of an upload; opening is a head and each `read_at` a get.
class MeteredStore final : public Store {
public:
    explicit MeteredStore(Store& inner);

    Result<std::unique_ptr<Upload>> create(const Name& name) override;
    Result<std::unique_ptr<Reader>> open(const Name& name) override;
    Result<std::optional<Entry>> head(const Name& name) override;
    Result<Page> list_page(const std::string& root, const std::string& prefix,
                           const std::string& token) override;
    Result<void> remove(const Name& name) override;

    Ledger ledger() const;

    /// Counts `count` catalog round trips beside the requests.
    void add_catalog_round_trips(std::uint64_t count);

private:
    class Meter;
    class MeteredReader;
    class MeteredUpload;

    Store& inner_;
    // Shared with the readers and uploads that outlive a call.
    std::shared_ptr<Meter> meter_;
};

}  // namespace highwater::object
