#include "object/local_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "model/object_path.h"
#include "object/local_upload.h"

namespace highwater::object {

namespace {

constexpr std::size_t segment_size_max = 255;  // What Linux file systems hold.

bool has_long_segment(std::string_view path) {
    while (path.size() > segment_size_max) {
        const auto slash = path.find('/');
        if (std::min(slash, path.size()) > segment_size_max) return true;
        path.remove_prefix(slash + 1);
    }
    return false;
}

Error no_object(const Name& name) {
    return {Code::not_found, "no object '" + name.path + "'"};
}

Error not_regular(const Name& name) {
    return {Code::denied, "'" + name.path + "' is not a regular file"};
}

class LocalReader final : public Reader {
public:
    LocalReader(FileSystem& files, FileHandle file, Identity identity)
        : files_(files), file_(std::move(file)), identity_(identity) {}

    const Identity& identity() const override { return identity_; }

    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const override {
        Bytes bytes;
        if (offset >= identity_.size_bytes) return bytes;
        bytes.resize(std::min(size, identity_.size_bytes - offset));
        for (std::size_t done = 0; done < bytes.size();) {
            const auto count =
                files_.read(file_, offset + done, bytes.data() + done, bytes.size() - done);
            if (!count.ok()) return Error(Code::unavailable, count.error().message());
            if (*count == 0) return Error(Code::corrupt, "the object was cut short while open");
            done += *count;
        }
        return bytes;
    }

private:
    FileSystem& files_;
    FileHandle file_;
    Identity identity_;
};

}  // namespace

/// A name in an open folder, with what it stands for just now.
struct LocalStore::Place {
    FileHandle folder;
    std::string leaf;
    std::optional<FileStatus> status;  // Nothing: no such name, or a folder.
};

/// Nothing when even the folder is not there.
Result<std::optional<LocalStore::Place>> LocalStore::find(const Name& name) {
    TRY(model::verify_object_path(name.path));
    PathParts parts = split_path(name.path);
    auto folder = folders_.open(name.root, parts.folder);
    if (!folder.ok() && folder.error().code() == Code::not_found) return std::optional<Place>();
    if (!folder.ok()) return folder.error();

    Place place{.folder = *std::move(folder), .leaf = std::move(parts.leaf), .status = {}};
    const auto status = files_.stat(place.folder, place.leaf);
    // A name that the file system cannot hold is not there.
    const bool absent = !status.ok() && (status.error().code() == Code::not_found ||
                                         status.error().code() == Code::invalid_argument);
    if (!status.ok() && !absent) return status.error();
    if (status.ok() && status->type != FileType::directory) place.status = *status;
    return std::optional(std::move(place));
}

Result<std::unique_ptr<Upload>> LocalStore::create(const Name& name) {
    TRY(model::verify_object_path(name.path));
    if (has_long_segment(name.path)) {
        return Error(Code::invalid_argument, "'" + name.path + "' has a segment of more than " +
                                                 std::to_string(segment_size_max) + " bytes");
    }
    return LocalUpload::begin(files_, folders_, random_, name);
}

Result<std::unique_ptr<Reader>> LocalStore::open(const Name& name) {
    const auto place = TRY(find(name));
    if (!place || !place->status) return no_object(name);
    // Looked at before it is opened: opening a device can have effects.
    if (place->status->type != FileType::file) return not_regular(name);
    auto file = files_.open(place->folder, place->leaf, FileSystem::Access::file);
    if (!file.ok() && file.error().code() == Code::not_found) return no_object(name);
    if (!file.ok()) return file.error();
    const auto status = TRY(files_.stat(*file, ""));
    if (status.type != FileType::file) return not_regular(name);
    return std::unique_ptr<Reader>(
        std::make_unique<LocalReader>(files_, *std::move(file), status.identity));
}

Result<std::optional<Entry>> LocalStore::head(const Name& name) {
    const auto place = TRY(find(name));
    if (!place || !place->status) return std::optional<Entry>();
    const bool is_object = place->status->type == FileType::file;
    return std::optional(Entry{name.path, place->status->identity,
                               is_object ? Entry::Kind::object : Entry::Kind::other});
}

Result<Page> LocalStore::list_page(const std::string& root, const std::string& prefix,
                                   const std::string& token) {
    if (!prefix.empty()) TRY(model::verify_object_path(prefix));
    const auto folder = folders_.open(root, prefix);
    if (!folder.ok() && folder.error().code() == Code::not_found) return Page();
    if (!folder.ok()) return folder.error();
    // The token is the last path of the page before.
    return list_folder(files_, *folder, prefix, token, limits_);
}

Result<void> LocalStore::remove(const Name& name) {
    const auto place = TRY(find(name));
    if (!place) return {};
    if (place->status) {
        if (place->status->type != FileType::file) return not_regular(name);
        const auto unlinked = files_.unlink(place->folder, place->leaf);
        if (!unlinked.ok() && unlinked.error().code() != Code::not_found) {
            // The machine refused, which need not mean that it did nothing.
            const auto status = files_.stat(place->folder, place->leaf);
            if (status.ok() && unlinked.error().code() == Code::denied) return unlinked.error();
            if (status.ok()) return Error(Code::unavailable, unlinked.error().message());
            if (status.error().code() != Code::not_found) {
                return Error(Code::outcome_unknown, unlinked.error().message());
            }
        }
    }
    // Also for an absent object: whoever removed it may not have made that durable.
    const auto synced = files_.sync(place->folder);
    if (!synced.ok()) return Error(Code::outcome_unknown, synced.error().message());
    return {};
}

Result<std::size_t> LocalStore::sweep_staged(const std::string& root, Time before) {
    return object::sweep_staged(files_, folders_, root, before);
}

}  // namespace highwater::object
