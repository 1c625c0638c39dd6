#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/assert.h"
#include "model/object_path.h"
#include "model/path_pattern.h"

namespace {

std::string_view take_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

}  // namespace

// Three lines: a pattern, a fixed date or nothing, a path. An hour that is found renders to where
// it was found, and every prefix leaves room for an object.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace highwater;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const auto text = take_line(rest);
    const auto date = take_line(rest);
    const auto path = rest;
    const auto pattern = model::PathPattern::parse(
        text, date.empty() ? std::nullopt : std::optional<std::string_view>(date));
    const bool is_path = model::verify_object_path(path).ok();
    ASSERT(!is_path || !model::verify_object_path(std::string(path) + "/").ok());
    if (!pattern.ok()) return 0;
    if (const auto hour = pattern->find_hour(path)) {
        const auto prefix = pattern->render(*hour);
        ASSERT(prefix.has_value());
        ASSERT(path.starts_with(*prefix + "/"));
        ASSERT(model::verify_object_path(*prefix + "/x").ok());
    }
    return 0;
}
