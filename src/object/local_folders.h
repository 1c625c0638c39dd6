#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/mutex.h"
#include "object/file_system.h"
#include "object/store.h"

namespace highwater::object {

/// A path, cut before its last segment: "a/b/c" is {"a/b", "c"}, "c" is {"", "c"}.
struct PathParts {
    std::string folder;
    std::string leaf;
};
PathParts split_path(std::string_view path);

/// Finds and makes the directories of the local store, one segment at a time beneath a root that
/// was opened before, so that no link is followed whoever moves things meanwhile.
///
/// Thread-safety: every method, from any thread.
class LocalFolders {
public:
    static constexpr std::size_t durable_max_default = 65'536;

    /// Requires: durable_max > 0, how many folders are remembered to survive a crash; beyond it
    /// they are forgotten and made durable again, which costs time only.
    explicit LocalFolders(FileSystem& files, std::size_t durable_max = durable_max_default)
        : files_(files), durable_max_(durable_max) {}

    /// Opens the folder `path` beneath `root`; the root itself when `path` is empty.
    ///
    /// Errors: invalid_argument  the root is not "/" and a path of the form of an object's.
    ///         not_found         there is no such folder (but perhaps an object of that name).
    ///         denied            a link or another oddity is on the way, or no permission.
    ///         unavailable.
    Result<FileHandle> open(const std::string& root, const std::string& path);

    /// Makes the root's own directory if it is missing; its parent must be there. After success it
    /// survives a crash, whoever made it.
    ///
    /// Errors: invalid_argument, not_found (no parent), denied, exhausted, unavailable.
    Result<void> make_root(const std::string& root);

    /// As `open`, but makes what is missing beneath the root. After success the folder survives a
    /// crash, whoever made it.
    ///
    /// Errors: as `open`, but not_found only when the root is not there; denied also when an object
    ///         has the name of a folder on the way; invalid_argument also when a segment is too
    ///         long for the file system; exhausted. After failure some folders may have been made,
    ///         which no listing shows.
    Result<FileHandle> make(const std::string& root, const std::string& path);

private:
    Result<FileHandle> open_segment(const FileHandle& folder, const std::string& segment);
    Result<FileHandle> make_segment(const FileHandle& folder, const std::string& segment);

    bool is_durable(const std::string& where);
    void note_durable(const std::string& where);

    FileSystem& files_;
    const std::size_t durable_max_;
    Mutex mutex_;
    // Folders whose own name is known to be on disk. Not only those that this process made: another
    // thread or process may have made one and not have synced it yet.
    std::unordered_set<std::string> durable_ GUARDED_BY(mutex_);
};

}  // namespace highwater::object
