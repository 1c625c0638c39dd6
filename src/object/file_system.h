#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "object/store.h"

namespace highwater::object {

/// An open file or directory, closed when this goes. The empty one stands for no directory.
class FileHandle {
public:
    FileHandle() = default;
    /// Takes over `descriptor`.
    explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
    ~FileHandle();
    FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, none)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;

    /// Negative for the empty handle.
    int descriptor() const { return descriptor_; }

private:
    static constexpr int none = -1;

    int descriptor_ = none;
};

/// What a name in a directory stands for. A link is `other`: it is never followed.
enum class FileType : std::uint8_t { file, directory, other };

struct FileStatus {
    FileType type = FileType::other;
    Identity identity;
};

struct DirectoryEntry {
    std::string name;
    FileType type = FileType::other;
};

/// The calls through which the local store sees and changes the machine's files: nothing else in
/// this room does. A port so that tests can fail each call before and after its effect.
///
/// A name is one segment beneath an open directory, or an absolute path where `directory` is empty.
/// Each call is the POSIX one, restarted when a signal cuts it short.
///
/// Errors, of every call, by what the machine said: not_found, already_exists, exhausted (no space
/// or quota), invalid_argument (the name is too long for this file system), denied (no permission,
/// read-only, a link, or not the type that was asked for), unavailable (all else).
/// Thread-safety: every method, from any thread.
class FileSystem {
public:
    enum class Access : std::uint8_t {
        root,       // A directory; links on the way to it are followed.
        directory,  // A directory that is not a link.
        file,       // A file that is not a link, to be read.
        new_file,   // A file that this call makes, to be written; it is read-only to all others.
    };

    virtual ~FileSystem() = default;

    virtual Result<FileHandle> open(const FileHandle& directory, const std::string& name,
                                    Access access) = 0;

    /// Of `name`, or of the open file or directory itself when `name` is empty.
    virtual Result<FileStatus> stat(const FileHandle& directory, const std::string& name) = 0;

    /// Every name in the directory, in no order.
    ///
    /// Errors: also exhausted, beyond `entries_max`.
    virtual Result<std::vector<DirectoryEntry>> list(const FileHandle& directory,
                                                     std::size_t entries_max) = 0;

    /// Reads at most `size` bytes to `to`; 0 at the end of the file.
    virtual Result<std::size_t> read(const FileHandle& file, std::uint64_t offset, char* to,
                                     std::size_t size) = 0;

    /// Writes at most all of `bytes` after what was written before, and says how many.
    virtual Result<std::size_t> write(const FileHandle& file, BytesView bytes) = 0;

    /// Makes what was written to a file, or the names in a directory, survive a crash.
    virtual Result<void> sync(const FileHandle& file) = 0;

    virtual Result<void> make_directory(const FileHandle& directory, const std::string& name) = 0;

    /// Gives the file `name` a second name, if that is free.
    virtual Result<void> link(const FileHandle& directory, const std::string& name,
                              const FileHandle& new_directory, const std::string& new_name) = 0;

    virtual Result<void> unlink(const FileHandle& directory, const std::string& name) = 0;
};

/// The machine's own files. Not final, so that a test can exchange a call or two.
class SystemFileSystem : public FileSystem {
public:
    Result<FileHandle> open(const FileHandle& directory, const std::string& name,
                            Access access) override;
    Result<FileStatus> stat(const FileHandle& directory, const std::string& name) override;
    Result<std::vector<DirectoryEntry>> list(const FileHandle& directory,
                                             std::size_t entries_max) override;
    Result<std::size_t> read(const FileHandle& file, std::uint64_t offset, char* to,
                             std::size_t size) override;
    Result<std::size_t> write(const FileHandle& file, BytesView bytes) override;
    Result<void> sync(const FileHandle& file) override;
    Result<void> make_directory(const FileHandle& directory, const std::string& name) override;
    Result<void> link(const FileHandle& directory, const std::string& name,
                      const FileHandle& new_directory, const std::string& new_name) override;
    Result<void> unlink(const FileHandle& directory, const std::string& name) override;
};

}  // namespace highwater::object
