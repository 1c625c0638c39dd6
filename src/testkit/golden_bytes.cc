#include "testkit/golden_bytes.h"

#include <fstream>

#include "base/hex.h"

namespace highwater::testkit {

Result<std::map<std::string, Bytes>> read_golden_bytes(const std::string& path) {
    std::ifstream file(path);
    if (!file) return Error(Code::not_found, "no golden file " + path);
    std::map<std::string, Bytes> named;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') continue;
        const auto space = line.find(' ');
        const auto bytes =
            parse_hex(std::string_view(line).substr(space == line.npos ? line.size() : space + 1));
        if (space == line.npos || !bytes || !named.emplace(line.substr(0, space), *bytes).second) {
            return Error(Code::corrupt, path + ": not a name and its bytes: " + line);
        }
    }
    return named;
}

}  // namespace highwater::testkit
