#pragma once

#include <map>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace highwater::testkit {

/// The named byte strings of a file under tests/golden: lines of a name, a space and hexadecimal
/// digits. Lines that begin with '#' are comments.
///
/// `path` is absolute: HIGHWATER_SOURCE_DIR "/tests/golden/...".
///
/// Errors: not_found  no such file, or it cannot be read. corrupt  a line of another form.
Result<std::map<std::string, Bytes>> read_golden_bytes(const std::string& path);

}  // namespace highwater::testkit
