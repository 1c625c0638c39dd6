#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace highwater::engine {

/// A file without a name: it goes with its owner, also when the process is killed.
///
/// Thread-safety: `read_at`, from any thread, for what was appended before.
class SpillFile {
public:
    /// Errors: unavailable (no such directory, or nobody may write there), exhausted (no space).
    static Result<SpillFile> create(const std::string& directory);

    SpillFile(SpillFile&& other) noexcept;
    SpillFile& operator=(SpillFile&& other) noexcept;
    ~SpillFile();

    /// Errors: exhausted (no space), unavailable. After any, what was appended last is not there.
    Result<void> append(BytesView bytes);

    /// Errors: unavailable, corrupt (the file is shorter).
    Result<Bytes> read_at(std::uint64_t offset, std::uint64_t size) const;

    std::uint64_t size_bytes() const { return size_bytes_; }

private:
    explicit SpillFile(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
};

/// A directory of our own beneath another one, readable by nobody else, which goes with all that is
/// in it when its owner does. One that a killed process left behind is named "engine-" and six
/// more characters.
class PrivateDirectory {
public:
    /// Errors: unavailable.
    static Result<PrivateDirectory> create(const std::string& parent);

    PrivateDirectory(PrivateDirectory&& other) noexcept;
    PrivateDirectory& operator=(PrivateDirectory&& other) noexcept;
    ~PrivateDirectory();

    const std::string& path() const { return path_; }

private:
    explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}

    std::string path_;
};

}  // namespace highwater::engine
