#include "demo/facts.h"

#include <charconv>

#include "base/try.h"

namespace highwater::demo {

namespace {

const Json* find_step(const Json& json, std::string_view step) {
    const auto* array = json.find_array();
    if (array == nullptr) return json.find(step);
    std::size_t index = 0;
    const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
    return parsed.ec == std::errc() && index < array->size() ? &(*array)[index] : nullptr;
}

Error missing(std::string_view path, const char* kind) {
    return Error(Code::corrupt,
                 "the answer has no " + std::string(kind) + " at '" + std::string(path) + "'");
}

}  // namespace

Result<Json> find_fact(const Json& answer, std::string_view path) {
    const Json* at = &answer;
    for (std::string_view rest = path; !rest.empty();) {
        const auto dot = rest.find('.');
        at = find_step(*at, rest.substr(0, dot));
        if (at == nullptr) return missing(path, "value");
        rest = dot == rest.npos ? std::string_view() : rest.substr(dot + 1);
    }
    return *at;
}

Result<std::string> text_at(const Json& answer, std::string_view path) {
    const Json fact = TRY(find_fact(answer, path));
    if (fact.find_string() == nullptr) return missing(path, "text");
    return *fact.find_string();
}

Result<std::uint64_t> number_at(const Json& answer, std::string_view path) {
    const Json fact = TRY(find_fact(answer, path));
    if (!fact.has_uint64()) return missing(path, "count");
    return fact.as_uint64();
}

Result<double> real_at(const Json& answer, std::string_view path) {
    const Json fact = TRY(find_fact(answer, path));
    if (fact.find_double() == nullptr && !fact.has_int64()) return missing(path, "number");
    return fact.as_double();
}

std::string format_count(std::uint64_t count) {
    std::string text = std::to_string(count);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

}  // namespace highwater::demo
