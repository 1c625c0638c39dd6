#include "testkit/temporary_directory.h"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "base/assert.h"

namespace highwater::testkit {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory()
    : path_((fs::canonical(::testing::TempDir()) / "highwater.XXXXXX").string()) {
    ASSERT(::mkdtemp(path_.data()) != nullptr);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace highwater::testkit
