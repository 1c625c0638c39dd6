#pragma once

#include <memory>
#include <optional>
#include <string>

#include "object/store.h"
#include "testkit/fault.h"

namespace highwater::testkit {

/// A Store that fails where its Fault says, and otherwise is the one it wraps. Every call counts as
/// one: those of the store, `append`, `seal` and `finish` of its uploads, `read_at` of its readers.
///
/// Lifetime: `inner` and `fault` outlive the store, its uploads and its readers.
class FaultyStore final : public object::Store {
public:
    FaultyStore(object::Store& inner, Fault& fault) : inner_(inner), fault_(fault) {}

    Result<std::unique_ptr<object::Upload>> create(const object::Name& name) override;
    Result<std::unique_ptr<object::Reader>> open(const object::Name& name) override;
    Result<std::optional<object::Entry>> head(const object::Name& name) override;
    Result<object::Page> list_page(const std::string& root, const std::string& prefix,
                                   const std::string& token) override;
    Result<void> remove(const object::Name& name) override;

private:
    object::Store& inner_;
    Fault& fault_;
};

}  // namespace highwater::testkit
