#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "env/random.h"
#include "object/file_system.h"
#include "object/local_folders.h"
#include "object/store.h"

namespace highwater::object {

/// Where uploads are written before anybody sees them: beneath each root, on its own file system.
inline constexpr const char* own_folder = ".highwater";
inline constexpr const char* staged_folder = ".highwater/staged";

/// An upload to a file in the staged folder, named after the process and a random number, which a
/// hard link then makes visible: the one step that both publishes an object and refuses a taken
/// name.
class LocalUpload final : public Upload {
public:
    /// Makes the root's directory and its staged folder if they are missing.
    ///
    /// Errors: those of Store::create.
    static Result<std::unique_ptr<Upload>> begin(FileSystem& files, LocalFolders& folders,
                                                 env::Random& random, const Name& name);
    ~LocalUpload() override;

    Result<void> append(BytesView bytes) override;
    Result<void> seal() override;
    Result<Identity> finish() override;

private:
    struct Staged {
        FileHandle folder;
        std::string name;
        FileHandle file;
    };

    LocalUpload(FileSystem& files, LocalFolders& folders, Name name, Staged staged);

    Result<void> write_all(BytesView bytes);
    Result<Identity> publish();
    Result<void> verify_linked(const FileHandle& folder, const std::string& leaf,
                               const Error& refusal);
    void forget_staged();

    FileSystem& files_;
    LocalFolders& folders_;
    const Name name_;
    Staged staged_;
    std::optional<Error> failure_;
    bool sealed_ = false;
    bool finished_ = false;
};

/// LocalStore::sweep_staged.
Result<std::size_t> sweep_staged(FileSystem& files, LocalFolders& folders, const std::string& root,
                                 Time before);

}  // namespace highwater::object
