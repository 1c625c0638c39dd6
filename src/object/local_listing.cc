#include "object/local_listing.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/hex.h"
#include "base/try.h"
#include "model/object_path.h"
#include "object/local_upload.h"

namespace highwater::object {

namespace {

/// One name of a folder, and where it stands in the order of paths.
struct Candidate {
    std::string key;   // The path; of a folder, with the slash that all beneath it has.
    std::string name;  // As the file system spells it.
    bool is_folder = false;
    bool is_object_path = false;
};

/// Escapes what makes a name impossible for an object. Other names have no backslash, so no two
/// names look alike afterwards.
std::string escaped(std::string_view name) {
    std::string text;
    for (const char byte : name) {
        const bool plain = byte >= 0x20 && byte < 0x7F && byte != '\\';
        text += plain ? std::string(1, byte) : "\\x" + format_hex({&byte, 1});
    }
    return text;
}

class Lister {
public:
    Lister(FileSystem& files, std::string after, const LocalListingLimits& limits)
        : files_(files), after_(std::move(after)), limits_(limits) {}

    /// Adds what lies in `folder`, whose path with a slash at its end is `beneath` ("" for the
    /// root), until the page is full. The depth is bounded by the length of a path.
    Result<void> add_folder(const FileHandle& folder, const std::string& beneath) {
        for (const Candidate& candidate : TRY(find_candidates(folder, beneath))) {
            if (page_.entries.size() == limits_.page_size) {
                page_.next_token = page_.entries.back().path;
                return {};
            }
            if (!candidate.is_folder) {
                TRY(add_leaf(folder, candidate));
                continue;
            }
            const auto next = files_.open(folder, candidate.name, FileSystem::Access::directory);
            if (!next.ok() && next.error().code() == Code::not_found) continue;
            if (!next.ok()) return next.error();
            TRY(add_folder(*next, candidate.key));
        }
        return {};
    }

    Page take_page() { return std::move(page_); }

private:
    /// What `folder` has after `after_`, in path order.
    Result<std::vector<Candidate>> find_candidates(const FileHandle& folder,
                                                   const std::string& beneath) {
        std::vector<Candidate> candidates;
        auto entries = files_.list(folder, limits_.folder_entries_max);
        const bool vanished = !entries.ok() && entries.error().code() == Code::not_found;
        if (!entries.ok() && !vanished) return entries.error();
        if (vanished) return candidates;
        for (DirectoryEntry& entry : *entries) {
            if (beneath.empty() && entry.name == own_folder) continue;
            std::string path = beneath + entry.name;
            const bool is_object_path = model::verify_object_path(path).ok();
            // Nothing that could be named lies beneath a folder that cannot be.
            const bool is_folder = is_object_path && entry.type == FileType::directory;
            if (!is_object_path) path = beneath + escaped(entry.name);
            if (is_folder) path += '/';
            // Of a folder, what comes last begins with its key.
            if (path <= after_ && !(is_folder && after_.starts_with(path))) continue;
            candidates.push_back(
                {std::move(path), std::move(entry.name), is_folder, is_object_path});
        }
        std::ranges::sort(candidates, {}, &Candidate::key);
        return candidates;
    }

    Result<void> add_leaf(const FileHandle& folder, const Candidate& candidate) {
        const auto status = files_.stat(folder, candidate.name);
        if (!status.ok() && status.error().code() == Code::not_found) return {};
        if (!status.ok()) return status.error();
        if (candidate.is_object_path && status->type == FileType::directory) {
            return Error(Code::unavailable,
                         "'" + candidate.key + "' became a folder while it was listed");
        }
        const bool is_object = candidate.is_object_path && status->type == FileType::file;
        page_.entries.push_back({candidate.key, status->identity,
                                 is_object ? Entry::Kind::object : Entry::Kind::other});
        return {};
    }

    FileSystem& files_;
    const std::string after_;
    const LocalListingLimits limits_;
    Page page_;
};

}  // namespace

Result<Page> list_folder(FileSystem& files, const FileHandle& folder, const std::string& prefix,
                         const std::string& after, const LocalListingLimits& limits) {
    ASSERT(limits.page_size > 0);
    Lister lister(files, after, limits);
    TRY(lister.add_folder(folder, prefix.empty() ? "" : prefix + "/"));
    return lister.take_page();
}

}  // namespace highwater::object
