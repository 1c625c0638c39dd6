#include "object/store.h"

#include <unordered_set>

#include "base/try.h"

namespace highwater::object {

namespace {

/// A listing whose pages contradict each other may hide objects, so it is as good as no answer.
Error broken(const std::string& prefix, const std::string& what) {
    return Error(Code::unavailable, "listing of '" + prefix + "' is broken: " + what);
}

/// Checks that `page` goes on where `entries` ends, and that all of it lies beneath `prefix`.
Result<void> verify_continues(const std::vector<Entry>& entries, const Page& page,
                              const std::string& prefix) {
    const std::string* previous = entries.empty() ? nullptr : &entries.back().path;
    for (const Entry& entry : page.entries) {
        if (previous && entry.path <= *previous) {
            return broken(prefix, "'" + entry.path + "' does not come after '" + *previous + "'");
        }
        const bool beneath =
            prefix.empty() || (entry.path.size() > prefix.size() + 1 &&
                               entry.path.starts_with(prefix) && entry.path[prefix.size()] == '/');
        if (!beneath) return broken(prefix, "'" + entry.path + "' does not lie beneath it");
        previous = &entry.path;
    }
    return {};
}

}  // namespace

Result<Identity> put_new(Store& store, const Name& name, BytesView bytes) {
    const auto upload = TRY(store.create(name));
    TRY(upload->append(bytes));
    return upload->finish();
}

Result<Bytes> get(Store& store, const Name& name, std::uint64_t size_max) {
    const auto reader = TRY(store.open(name));
    const std::uint64_t size_bytes = reader->identity().size_bytes;
    if (size_bytes > size_max) {
        return Error(Code::exhausted, "object '" + name.path + "' has " +
                                          std::to_string(size_bytes) + " bytes, more than " +
                                          std::to_string(size_max));
    }
    return reader->read_at(0, size_bytes);
}

Result<std::vector<Entry>> list_all(Store& store, const std::string& root,
                                    const std::string& prefix, const ListLimits& limits) {
    std::vector<Entry> entries;
    std::string token;
    std::unordered_set<std::string> used_tokens{token};
    for (std::size_t pages = 0; pages < limits.pages_max; ++pages) {
        Page page = TRY(store.list_page(root, prefix, token));
        TRY(verify_continues(entries, page, prefix));
        if (page.entries.size() > limits.entries_max - entries.size()) {
            return Error(Code::exhausted, "listing of '" + prefix + "' has more than " +
                                              std::to_string(limits.entries_max) + " entries");
        }
        entries.insert(entries.end(), std::make_move_iterator(page.entries.begin()),
                       std::make_move_iterator(page.entries.end()));
        if (!page.next_token) return entries;
        token = *std::move(page.next_token);
        if (!used_tokens.insert(token).second) return broken(prefix, "a token repeats");
    }
    return broken(prefix, "no end after " + std::to_string(limits.pages_max) + " pages");
}

}  // namespace highwater::object
