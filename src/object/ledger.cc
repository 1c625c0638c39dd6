#include "object/ledger.h"

#include "base/assert.h"
#include "base/mutex.h"
#include "base/try.h"

namespace highwater::object {

namespace {

/// Applies `change` to each pair of counts of two ledgers.
template <typename Change>
void for_each_count(Ledger& to, const Ledger& from, Change change) {
    change(to.lists, from.lists);
    change(to.heads, from.heads);
    change(to.gets, from.gets);
    change(to.puts, from.puts);
    change(to.removes, from.removes);
    change(to.listed_objects, from.listed_objects);
    change(to.bytes_read, from.bytes_read);
    change(to.bytes_written, from.bytes_written);
    change(to.catalog_round_trips, from.catalog_round_trips);
}

}  // namespace

double Ledger::estimated_usd(const Prices& prices) const {
    return static_cast<double>(lists + puts) * prices.put_or_list +
           static_cast<double>(gets + heads) * prices.get_or_head;
}

Ledger& Ledger::operator+=(const Ledger& other) {
    for_each_count(*this, other, [](std::uint64_t& to, std::uint64_t from) { to += from; });
    return *this;
}

Ledger Ledger::since(const Ledger& earlier) const {
    Ledger spent = *this;
    for_each_count(spent, earlier, [](std::uint64_t& to, std::uint64_t from) {
        ASSERT(from <= to);
        to -= from;
    });
    return spent;
}

class MeteredStore::Meter {
public:
    void add(const Ledger& spent) {
        const Lock lock(mutex_);
        ledger_ += spent;
    }

    Ledger ledger() {
        const Lock lock(mutex_);
        return ledger_;
    }

private:
    Mutex mutex_;
    Ledger ledger_ GUARDED_BY(mutex_);
};

class MeteredStore::MeteredReader final : public Reader {
public:
    MeteredReader(std::unique_ptr<Reader> inner, std::shared_ptr<Meter> meter)
        : inner_(std::move(inner)), meter_(std::move(meter)) {}

    const Identity& identity() const override { return inner_->identity(); }

    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        meter_->add({.gets = 1});
        auto bytes = inner_->read_at(offset, size);
        if (bytes.ok()) meter_->add({.bytes_read = bytes->size()});
        return bytes;
    }

private:
    std::unique_ptr<Reader> inner_;
    std::shared_ptr<Meter> meter_;
};

class MeteredStore::MeteredUpload final : public Upload {
public:
    MeteredUpload(std::unique_ptr<Upload> inner, std::shared_ptr<Meter> meter)
        : inner_(std::move(inner)), meter_(std::move(meter)) {}

    Result<void> append(BytesView bytes) override {
        auto appended = inner_->append(bytes);
        if (appended.ok()) meter_->add({.bytes_written = bytes.size()});
        return appended;
    }

    Result<void> seal() override { return inner_->seal(); }

    Result<Identity> finish() override {
        meter_->add({.puts = 1});
        return inner_->finish();
    }

private:
    std::unique_ptr<Upload> inner_;
    std::shared_ptr<Meter> meter_;
};

MeteredStore::MeteredStore(Store& inner) : inner_(inner), meter_(std::make_shared<Meter>()) {}

Result<std::unique_ptr<Upload>> MeteredStore::create(const Name& name) {
    auto upload = TRY(inner_.create(name));
    return std::unique_ptr<Upload>(std::make_unique<MeteredUpload>(std::move(upload), meter_));
}

Result<std::unique_ptr<Reader>> MeteredStore::open(const Name& name) {
    meter_->add({.heads = 1});
    auto reader = TRY(inner_.open(name));
    return std::unique_ptr<Reader>(std::make_unique<MeteredReader>(std::move(reader), meter_));
}

Result<std::optional<Entry>> MeteredStore::head(const Name& name) {
    meter_->add({.heads = 1});
    return inner_.head(name);
}

Result<Page> MeteredStore::list_page(const std::string& root, const std::string& prefix,
                                     const std::string& token) {
    meter_->add({.lists = 1});
    auto page = inner_.list_page(root, prefix, token);
    if (page.ok()) meter_->add({.listed_objects = page->entries.size()});
    return page;
}

Result<void> MeteredStore::remove(const Name& name) {
    meter_->add({.removes = 1});
    return inner_.remove(name);
}

Ledger MeteredStore::ledger() const {
    return meter_->ledger();
}

void MeteredStore::add_catalog_round_trips(std::uint64_t count) {
    meter_->add({.catalog_round_trips = count});
}

}  // namespace highwater::object
