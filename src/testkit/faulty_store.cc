#include "testkit/faulty_store.h"

#include "base/try.h"

namespace highwater::testkit {

namespace {

class FaultyReader final : public object::Reader {
public:
    FaultyReader(std::unique_ptr<object::Reader> inner, Fault& fault)
        : inner_(std::move(inner)), fault_(fault) {}

    const object::Identity& identity() const override { return inner_->identity(); }

    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        return fault_.around_read([&] { return inner_->read_at(offset, size); });
    }

private:
    std::unique_ptr<object::Reader> inner_;
    Fault& fault_;
};

class FaultyUpload final : public object::Upload {
public:
    FaultyUpload(std::unique_ptr<object::Upload> inner, Fault& fault)
        : inner_(std::move(inner)), fault_(fault) {}

    Result<void> append(BytesView bytes) override {
        if (failure_) return *failure_;
        return noted(fault_.around_read([&] { return inner_->append(bytes); }));
    }

    Result<void> seal() override {
        if (failure_) return *failure_;
        return noted(fault_.around_read([&] { return inner_->seal(); }));
    }

    Result<object::Identity> finish() override {
        if (failure_) return *failure_;
        return noted(fault_.around([&] { return inner_->finish(); }));
    }

private:
    /// An upload that failed stays failed.
    template <typename T>
    Result<T> noted(Result<T> result) {
        if (!result.ok()) failure_ = result.error();
        return result;
    }

    std::unique_ptr<object::Upload> inner_;
    Fault& fault_;
    std::optional<Error> failure_;
};

}  // namespace

Result<std::unique_ptr<object::Upload>> FaultyStore::create(const object::Name& name) {
    auto upload = TRY(fault_.around_read([&] { return inner_.create(name); }));
    return std::unique_ptr<object::Upload>(
        std::make_unique<FaultyUpload>(std::move(upload), fault_));
}

Result<std::unique_ptr<object::Reader>> FaultyStore::open(const object::Name& name) {
    auto reader = TRY(fault_.around_read([&] { return inner_.open(name); }));
    return std::unique_ptr<object::Reader>(
        std::make_unique<FaultyReader>(std::move(reader), fault_));
}

Result<std::optional<object::Entry>> FaultyStore::head(const object::Name& name) {
    return fault_.around_read([&] { return inner_.head(name); });
}

Result<object::Page> FaultyStore::list_page(const std::string& root, const std::string& prefix,
                                            const std::string& token) {
    return fault_.around_read([&] { return inner_.list_page(root, prefix, token); });
}

Result<void> FaultyStore::remove(const object::Name& name) {
    return fault_.around([&] { return inner_.remove(name); });
}

}  // namespace highwater::testkit
