#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "object/store.h"

namespace highwater::object {

/// A Store in memory, with any number of roots: the reference for the conformance suite, and the
/// test double of choice. A root is any text that is not empty.
///
/// Cost: a lookup is logarithmic; a reader shares the bytes and copies only what it returns.
class MemoryStore : public Store {
public:
    static constexpr std::size_t page_size_default = 1'000;

    /// Requires: page_size > 0, the most entries in one page of a listing.
    explicit MemoryStore(std::size_t page_size = page_size_default);

    Result<std::unique_ptr<Upload>> create(const Name& name) override;
    Result<std::unique_ptr<Reader>> open(const Name& name) override;
    Result<std::optional<Entry>> head(const Name& name) override;
    Result<Page> list_page(const std::string& root, const std::string& prefix,
                           const std::string& token) override;
    Result<void> remove(const Name& name) override;

protected:
    /// Puts `bytes` under `name` whatever is there, which no caller of the port can do: for doubles
    /// that stand for someone who writes past us.
    void plant(const Name& name, Bytes bytes, Entry::Kind kind);

private:
    class MemoryUpload;
    class MemoryReader;

    struct Object {
        std::shared_ptr<const Bytes> bytes;
        std::uint64_t version = 0;
        Entry::Kind kind = Entry::Kind::object;

        Identity identity() const { return {.size_bytes = bytes->size(), .version = version}; }
    };
    using Objects = std::map<std::string, Object, std::less<>>;

    Result<Identity> insert(const Name& name, std::shared_ptr<const Bytes> bytes);

    /// Nothing when there is no such root or object.
    const Object* find(const Name& name) const REQUIRES_LOCK(mutex_);

    const std::size_t page_size_;
    mutable Mutex mutex_;
    std::map<std::string, Objects> roots_ GUARDED_BY(mutex_);
    std::uint64_t versions_ GUARDED_BY(mutex_) = 0;
};

}  // namespace highwater::object
