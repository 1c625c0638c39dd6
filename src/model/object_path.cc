#include "model/object_path.h"

#include "base/text.h"

namespace highwater::model {

namespace {

constexpr std::string_view own_folder = ".highwater";

Error bad_path(std::string_view path, const std::string& why) {
    return {Code::invalid_argument, "not an object path: " + format_quoted(path) + ": " + why};
}

std::string at(std::size_t offset) {
    return " at byte " + std::to_string(offset);
}

/// The first byte of a backslash or a control character (also U+0080 to U+009F), or npos.
std::size_t find_forbidden(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto byte = static_cast<unsigned char>(path[i]);
        if (byte < 0x20 || byte == 0x7F || byte == '\\') return i;
        if (byte == 0xC2 && static_cast<unsigned char>(path[i + 1]) < 0xA0) return i;
    }
    return path.npos;
}

}  // namespace

Result<void> verify_object_path(std::string_view path) {
    if (path.empty()) return bad_path(path, "it is empty");
    if (path.size() > object_path_size_max) {
        return bad_path(path, std::to_string(path.size()) + " bytes, more than " +
                                  std::to_string(object_path_size_max));
    }
    if (!is_utf8(path)) return bad_path(path, "not UTF-8");
    const auto forbidden = find_forbidden(path);
    if (forbidden != path.npos) {
        return bad_path(path, "a backslash or control character" + at(forbidden));
    }
    std::size_t start = 0;
    while (start <= path.size()) {
        const auto end = std::min(path.find('/', start), path.size());
        const auto segment = path.substr(start, end - start);
        if (segment.empty()) return bad_path(path, "an empty segment" + at(start));
        if (segment == "." || segment == "..") {
            return bad_path(path, "the segment " + std::string(segment) + at(start));
        }
        if (start == 0 && segment == own_folder) {
            return bad_path(path, "the folder .highwater is the store's own");
        }
        start = end + 1;
    }
    return {};
}

}  // namespace highwater::model
