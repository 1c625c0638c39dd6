#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "base/json.h"
#include "base/text.h"

namespace highwater {

namespace {

/// Up to here the members of an object are compared one by one, beyond by a set of their names.
constexpr std::size_t scanned_members_max = 64;

/// The characters of a text, for the parser; `next` is what it will read next, wherever the
/// parser keeps its copy.
class TextIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    TextIterator(std::string_view text, std::size_t at, std::size_t& next)
        : text_(text), at_(at), next_(&next) {}

    reference operator*() const { return text_[at_]; }
    TextIterator& operator++() {
        *next_ = ++at_;
        return *this;
    }
    friend bool operator==(const TextIterator& a, const TextIterator& b) { return a.at_ == b.at_; }

private:
    std::string_view text_;
    std::size_t at_;
    std::size_t* next_;
};

std::string format_place(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, offset);
    const auto line_start = before.rfind('\n') + 1;  // 0 when there is none.
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = std::max<std::size_t>(1, before.size() - line_start);
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

/// Takes what the parser finds and builds the document. Each method says whether to go on; after
/// a refusal `error` holds the reason.
class JsonBuilder {
public:
    JsonBuilder(std::string_view text, const JsonLimits& limits, const std::size_t& next)
        : text_(text), limits_(limits), next_(next) {}

    bool null() { return add(Json()) != nullptr; }
    bool boolean(bool value) { return add(Json(value)) != nullptr; }
    bool number_integer(std::int64_t value) { return add(Json(value)) != nullptr; }
    bool number_unsigned(std::uint64_t value) { return add(Json(value)) != nullptr; }
    bool string(std::string& value) { return add(Json(std::move(value))) != nullptr; }
    bool binary(nlohmann::json::binary_t&) { return false; }  // No such thing in JSON text.

    bool number_float(double value, const std::string& written) {
        if (written.find_first_of(".eE") == written.npos) {
            return refuse("the integer " + format_quoted(written) + " does not fit 64 bits");
        }
        return add(Json(value)) != nullptr;
    }

    bool start_array(std::size_t) { return open(Json(Json::Array())); }
    bool start_object(std::size_t) { return open(Json(Json::Object())); }
    bool end_array() { return close(); }
    bool end_object() { return close(); }

    bool key(std::string& name) {
        Open& top = open_.back();
        auto& object = std::get<Json::Object>(top.container->value_);
        if (!is_new_name(top, object, name)) {
            return refuse("the member '" + format_quoted(name) + "' is there twice");
        }
        object.emplace_back(std::move(name), Json());
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& failure) {
        // "... while parsing value - unexpected ']'; expected ...; last read: '...'"
        const std::string_view said = failure.what();
        const auto reason = said.find(" - ");
        const auto token = said.rfind("; last read: ");
        if (reason == said.npos) return refuse("a number is out of the range of doubles");
        return refuse(format_quoted(said.substr(
            reason + 3, token == said.npos || token < reason ? said.npos : token - reason - 3)));
    }

    Json take_document() { return std::move(document_); }
    const std::optional<Error>& error() const { return error_; }

private:
    struct Open {
        Json* container;
        std::unordered_set<std::string> names;  // Filled once the object has many members.
    };

    bool refuse(const std::string& why) {
        error_ = Error(Code::invalid_argument, format_place(text_, next_) + ": " + why);
        return false;
    }

    bool exhaust(std::string_view limit, std::size_t max) {
        error_ = Error(Code::exhausted, "a JSON document has at most " + std::to_string(max) + " " +
                                            std::string(limit));
        return false;
    }

    /// Where `value` now is, or nullptr when there are too many. A container stays where it is
    /// until it is closed: only the innermost open one grows.
    Json* add(Json value) {
        if (++values_ > limits_.values_max) {
            exhaust("values", limits_.values_max);
            return nullptr;
        }
        Json* place = &document_;
        if (!open_.empty()) {
            auto& container = open_.back().container->value_;
            if (auto* const array = std::get_if<Json::Array>(&container)) {
                place = &array->emplace_back();
            } else {
                place = &std::get<Json::Object>(container).back().second;
            }
        }
        *place = std::move(value);
        return place;
    }

    bool open(Json container) {
        if (open_.size() >= limits_.depth_max) {
            return exhaust("levels of nesting", limits_.depth_max);
        }
        Json* const place = add(std::move(container));
        if (place == nullptr) return false;
        open_.push_back({place, {}});
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    static bool is_new_name(Open& top, const Json::Object& object, const std::string& name) {
        if (object.size() <= scanned_members_max) return top.container->find(name) == nullptr;
        if (top.names.empty()) {
            for (const auto& member : object) top.names.insert(member.first);
        }
        return top.names.insert(name).second;
    }

    std::string_view text_;
    const JsonLimits& limits_;
    const std::size_t& next_;
    Json document_;
    std::vector<Open> open_;
    std::size_t values_ = 0;
    std::optional<Error> error_;
};

Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.size_bytes_max) {
        return Error(Code::exhausted, "a JSON document has at most " +
                                          std::to_string(limits.size_bytes_max) + " bytes, not " +
                                          std::to_string(text.size()));
    }
    // The parser would take it for the end of the document, whatever follows.
    if (const auto nul = text.find('\0'); nul != text.npos) {
        return Error(Code::invalid_argument, format_place(text, nul + 1) + ": a NUL byte");
    }
    std::size_t next = 0;
    JsonBuilder builder(text, limits, next);
    const TextIterator begin(text, 0, next);
    const TextIterator end(text, text.size(), next);
    nlohmann::json::sax_parse(begin, end, &builder);
    if (builder.error()) return *builder.error();
    return builder.take_document();
}

}  // namespace highwater
