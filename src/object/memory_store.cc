#include "object/memory_store.h"

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "base/try.h"
#include "model/object_path.h"

namespace highwater::object {

namespace {

Result<void> verify_root(const std::string& root) {
    if (root.empty()) return Error(Code::invalid_argument, "a root must not be empty");
    return {};
}

Result<void> verify_name(const Name& name) {
    TRY(verify_root(name.root));
    return model::verify_object_path(name.path);
}

Error not_regular(const Name& name) {
    return Error(Code::denied, "'" + name.path + "' is not a regular file");
}

}  // namespace

class MemoryStore::MemoryReader final : public Reader {
public:
    MemoryReader(std::shared_ptr<const Bytes> bytes, Identity identity)
        : bytes_(std::move(bytes)), identity_(identity) {}

    const Identity& identity() const override { return identity_; }

    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        if (offset >= bytes_->size()) return Bytes();
        return bytes_->substr(offset, size);
    }

private:
    std::shared_ptr<const Bytes> bytes_;
    Identity identity_;
};

class MemoryStore::MemoryUpload final : public Upload {
public:
    MemoryUpload(MemoryStore& store, Name name) : store_(store), name_(std::move(name)) {}

    Result<void> append(BytesView bytes) override {
        ASSERT(!sealed_);
        bytes_ += bytes;
        return {};
    }

    Result<void> seal() override {
        sealed_ = true;
        return {};
    }

    Result<Identity> finish() override {
        ASSERT(!finished_);
        if (failure_) return *failure_;
        sealed_ = true;
        auto identity = store_.insert(name_, std::make_shared<const Bytes>(std::move(bytes_)));
        finished_ = identity.ok();
        if (!finished_) failure_ = identity.error();
        return identity;
    }

private:
    MemoryStore& store_;
    Name name_;
    Bytes bytes_;
    std::optional<Error> failure_;
    bool sealed_ = false;
    bool finished_ = false;
};

MemoryStore::MemoryStore(std::size_t page_size) : page_size_(page_size) {
    ASSERT(page_size > 0);
}

Result<std::unique_ptr<Upload>> MemoryStore::create(const Name& name) {
    TRY(verify_name(name));
    return std::unique_ptr<Upload>(std::make_unique<MemoryUpload>(*this, name));
}

Result<Identity> MemoryStore::insert(const Name& name, std::shared_ptr<const Bytes> bytes) {
    const Lock lock(mutex_);
    Objects& objects = roots_[name.root];
    for (auto slash = name.path.find('/'); slash != std::string::npos;
         slash = name.path.find('/', slash + 1)) {
        const std::string_view folder = std::string_view(name.path).substr(0, slash);
        if (!objects.contains(folder)) continue;
        return Error(Code::denied, "'" + std::string(folder) + "' is an object, not a folder");
    }
    const std::string folder = name.path + "/";
    const auto beneath = objects.lower_bound(folder);
    const bool is_folder = beneath != objects.end() && beneath->first.starts_with(folder);
    if (is_folder || objects.contains(name.path)) {
        return Error(Code::already_exists, "object '" + name.path + "' is there already");
    }
    const Object object{.bytes = std::move(bytes), .version = ++versions_};
    return objects.emplace(name.path, object).first->second.identity();
}

void MemoryStore::plant(const Name& name, Bytes bytes, Entry::Kind kind) {
    const Lock lock(mutex_);
    roots_[name.root][name.path] = {.bytes = std::make_shared<const Bytes>(std::move(bytes)),
                                    .version = ++versions_,
                                    .kind = kind};
}

const MemoryStore::Object* MemoryStore::find(const Name& name) const {
    const auto objects = roots_.find(name.root);
    if (objects == roots_.end()) return nullptr;
    const auto found = objects->second.find(name.path);
    return found == objects->second.end() ? nullptr : &found->second;
}

Result<std::unique_ptr<Reader>> MemoryStore::open(const Name& name) {
    TRY(verify_name(name));
    const Lock lock(mutex_);
    const Object* object = find(name);
    if (!object) return Error(Code::not_found, "no object '" + name.path + "'");
    if (object->kind != Entry::Kind::object) return not_regular(name);
    return std::unique_ptr<Reader>(
        std::make_unique<MemoryReader>(object->bytes, object->identity()));
}

Result<std::optional<Entry>> MemoryStore::head(const Name& name) {
    TRY(verify_name(name));
    const Lock lock(mutex_);
    const Object* object = find(name);
    if (!object) return std::optional<Entry>();
    return std::optional(Entry{name.path, object->identity(), object->kind});
}

Result<Page> MemoryStore::list_page(const std::string& root, const std::string& prefix,
                                    const std::string& token) {
    TRY(verify_root(root));
    if (!prefix.empty()) TRY(model::verify_object_path(prefix));
    const std::string beneath = prefix.empty() ? "" : prefix + "/";

    const Lock lock(mutex_);
    Page page;
    const auto found = roots_.find(root);
    if (found == roots_.end()) return page;
    const Objects& objects = found->second;
    // The token is the last path of the page before.
    auto at = token.empty() ? objects.lower_bound(beneath)
                            : objects.upper_bound(std::max(token, beneath));
    for (; at != objects.end() && at->first.starts_with(beneath); ++at) {
        if (page.entries.size() == page_size_) {
            page.next_token = page.entries.back().path;
            break;
        }
        page.entries.push_back({at->first, at->second.identity(), at->second.kind});
    }
    return page;
}

Result<void> MemoryStore::remove(const Name& name) {
    TRY(verify_name(name));
    const Lock lock(mutex_);
    const Object* object = find(name);
    if (!object) return {};
    if (object->kind != Entry::Kind::object) return not_regular(name);
    roots_[name.root].erase(name.path);
    return {};
}

}  // namespace highwater::object
