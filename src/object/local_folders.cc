#include "object/local_folders.h"

#include "base/text.h"
#include "base/try.h"
#include "model/object_path.h"

namespace highwater::object {

namespace {

/// A root has one spelling, as a path has: "/", and then the rules of paths.
Result<void> verify_root(const std::string& root) {
    if (root.starts_with('/') && model::verify_object_path(std::string_view(root).substr(1)).ok()) {
        return {};
    }
    return Error(Code::invalid_argument, "'" + format_quoted(root) +
                                             "' is not an absolute directory without . or .. or a "
                                             "slash at its end");
}

/// The first segment of `path`, which it is cut from.
std::string take_segment(std::string_view& path) {
    const auto slash = path.find('/');
    const std::string segment(path.substr(0, slash));
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
    return segment;
}

}  // namespace

PathParts split_path(std::string_view path) {
    const auto slash = path.rfind('/');
    if (slash == path.npos) return {"", std::string(path)};
    return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

Result<FileHandle> LocalFolders::open(const std::string& root, const std::string& path) {
    TRY(verify_root(root));
    FileHandle folder = TRY(files_.open({}, root, FileSystem::Access::root));
    for (std::string_view rest = path; !rest.empty();) {
        folder = TRY(open_segment(folder, take_segment(rest)));
    }
    return folder;
}

Result<FileHandle> LocalFolders::make(const std::string& root, const std::string& path) {
    FileHandle folder = TRY(open(root, ""));
    std::string where = root;
    for (std::string_view rest = path; !rest.empty();) {
        const std::string segment = take_segment(rest);
        where += "/" + segment;
        FileHandle next = TRY(make_segment(folder, segment));
        if (!is_durable(where)) {
            TRY(files_.sync(folder));
            note_durable(where);
        }
        folder = std::move(next);
    }
    return folder;
}

Result<void> LocalFolders::make_root(const std::string& root) {
    auto folder = open(root, "");
    const bool absent = !folder.ok() && folder.error().code() == Code::not_found;
    if (!folder.ok() && !absent) return folder.error();
    if (absent) {
        const auto made = files_.make_directory({}, root);
        if (!made.ok() && made.error().code() != Code::already_exists) return made.error();
    }
    if (is_durable(root)) return {};

    const std::string parent_path = split_path(root).folder;
    const auto parent =
        files_.open({}, parent_path.empty() ? "/" : parent_path, FileSystem::Access::root);
    if (parent.ok()) {
        TRY(files_.sync(*parent));
    } else if (absent || parent.error().code() != Code::denied) {
        return parent.error();
    }
    // A root that was there before, in a directory that we may not read, is its maker's to sync.
    note_durable(root);
    return {};
}

Result<FileHandle> LocalFolders::open_segment(const FileHandle& folder,
                                              const std::string& segment) {
    auto next = files_.open(folder, segment, FileSystem::Access::directory);
    if (next.ok()) return next;
    // No folder has a name that the file system cannot hold.
    if (next.error().code() == Code::invalid_argument) {
        return Error(Code::not_found, next.error().message());
    }
    if (next.error().code() != Code::denied) return next;
    // The machine refuses a link and an object alike; beneath an object there is nothing to deny.
    const auto status = TRY(files_.stat(folder, segment));
    if (status.type != FileType::file) return next;
    return Error(Code::not_found, "'" + segment + "' is an object, not a folder");
}

Result<FileHandle> LocalFolders::make_segment(const FileHandle& folder,
                                              const std::string& segment) {
    auto next = files_.open(folder, segment, FileSystem::Access::directory);
    if (next.ok() || next.error().code() != Code::not_found) return next;
    const auto made = files_.make_directory(folder, segment);
    if (!made.ok() && made.error().code() != Code::already_exists) return made.error();
    return files_.open(folder, segment, FileSystem::Access::directory);
}

bool LocalFolders::is_durable(const std::string& where) {
    const Lock lock(mutex_);
    return durable_.contains(where);
}

void LocalFolders::note_durable(const std::string& where) {
    const Lock lock(mutex_);
    if (durable_.size() >= durable_max_) durable_.clear();
    durable_.insert(where);
}

}  // namespace highwater::object
