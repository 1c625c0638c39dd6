#include "engine/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace highwater::engine {

namespace {

Error error_of(const std::string& what, int reason) {
    const bool is_full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    return Error(is_full ? Code::exhausted : Code::unavailable,
                 what + ": " + std::generic_category().message(reason));
}

}  // namespace

Result<SpillFile> SpillFile::create(const std::string& directory) {
    int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return SpillFile(descriptor);
    // Not every file system knows files without a name: make one and take its name away.
    std::string name = directory + "/spill-XXXXXX";
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) return error_of("a temporary file in " + directory, errno);
    ::unlink(name.c_str());
    return SpillFile(descriptor);
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_bytes_(other.size_bytes_) {}

SpillFile& SpillFile::operator=(SpillFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
}

SpillFile::~SpillFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> SpillFile::append(BytesView bytes) {
    std::uint64_t at = size_bytes_;
    while (!bytes.empty()) {
        const auto written =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return error_of("write a temporary file", errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
        at += static_cast<std::uint64_t>(written);
    }
    size_bytes_ = at;
    return {};
}

Result<Bytes> SpillFile::read_at(std::uint64_t offset, std::uint64_t size) const {
    if (offset > size_bytes_ || size > size_bytes_ - offset) {
        return Error(Code::corrupt, "a temporary file is shorter than what was written to it");
    }
    Bytes bytes(size, '\0');
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const auto count = ::pread(descriptor_, bytes.data() + filled, bytes.size() - filled,
                                   static_cast<off_t>(offset + filled));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return error_of("read a temporary file", errno);
        if (count == 0) return Error(Code::corrupt, "a temporary file was cut short");
        filled += static_cast<std::size_t>(count);
    }
    return bytes;
}

Result<PrivateDirectory> PrivateDirectory::create(const std::string& parent) {
    std::string path = parent + "/engine-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
        return Error(Code::unavailable, "a temporary directory in " + parent + ": " +
                                            std::generic_category().message(errno));
    }
    return PrivateDirectory(std::move(path));
}

PrivateDirectory::PrivateDirectory(PrivateDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

PrivateDirectory& PrivateDirectory::operator=(PrivateDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

PrivateDirectory::~PrivateDirectory() {
    if (path_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace highwater::engine
