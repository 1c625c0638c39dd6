#pragma once

#include <string>

namespace highwater::testkit {

/// A new, empty directory that goes, with all that is in it, when this does.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    /// Absolute, without symbolic links.
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace highwater::testkit
