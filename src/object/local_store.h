#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "env/random.h"
#include "object/file_system.h"
#include "object/local_folders.h"
#include "object/local_listing.h"
#include "object/store.h"

namespace highwater::object {

/// A Store in directories of a local file system: the default when embedded.
///
/// A root is an absolute directory in its one spelling (best its realpath: links on the way to it
/// are followed, none beneath it is). An object is a file of mode 0444, less what the umask takes;
/// what is being uploaded lies in ROOT/.highwater/staged, which no listing shows. Folders stay when
/// their last object goes.
///
/// Several processes may use one root, if its file system has hard links. Lifetime: `files` and
/// `random` outlive the store, its readers and its uploads.
class LocalStore final : public Store {
public:
    LocalStore(FileSystem& files, env::Random& random, const LocalListingLimits& limits = {})
        : files_(files), random_(random), limits_(limits), folders_(files) {}

    Result<std::unique_ptr<Upload>> create(const Name& name) override;
    Result<std::unique_ptr<Reader>> open(const Name& name) override;
    Result<std::optional<Entry>> head(const Name& name) override;
    Result<Page> list_page(const std::string& root, const std::string& prefix,
                           const std::string& token) override;
    Result<void> remove(const Name& name) override;

    /// Removes what crashed processes left in the staged folder of `root`: files of ours last
    /// written before `before`. An upload that goes on for longer may be among them and then fails
    /// as unavailable, so let `before` lie further back than any upload lasts. How many went.
    ///
    /// Errors: invalid_argument, denied, unavailable; what was removed stays removed.
    Result<std::size_t> sweep_staged(const std::string& root, Time before);

private:
    struct Place;

    Result<std::optional<Place>> find(const Name& name);

    FileSystem& files_;
    env::Random& random_;
    const LocalListingLimits limits_;
    LocalFolders folders_;
};

}  // namespace highwater::object
