#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "base/text.h"

namespace highwater {

namespace {

/// Beyond so many members `set` trusts its caller, so that a large object is not built in
/// quadratic time.
constexpr std::size_t checked_members_max = 64;

const Json* find_member(const Json::Object& object, std::string_view name) {
    const auto found = std::find_if(object.begin(), object.end(), [&](const Json::Member& member) {
        return member.first == name;
    });
    return found == object.end() ? nullptr : &found->second;
}

}  // namespace

Json::Json(std::uint64_t value) {
    if (value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        value_ = static_cast<std::int64_t>(value);
    } else {
        value_ = value;
    }
}

bool Json::has_int64() const {
    return std::holds_alternative<std::int64_t>(value_);
}

bool Json::has_uint64() const {
    const auto* const integer = std::get_if<std::int64_t>(&value_);
    return std::holds_alternative<std::uint64_t>(value_) || (integer != nullptr && *integer >= 0);
}

std::int64_t Json::as_int64() const {
    ASSERT(has_int64());
    return *std::get_if<std::int64_t>(&value_);
}

std::uint64_t Json::as_uint64() const {
    ASSERT(has_uint64());
    if (const auto* const large = std::get_if<std::uint64_t>(&value_)) return *large;
    return static_cast<std::uint64_t>(as_int64());
}

double Json::as_double() const {
    if (const double* const value = find_double()) return *value;
    if (has_int64()) return static_cast<double>(as_int64());
    return static_cast<double>(as_uint64());
}

const Json* Json::find(std::string_view name) const {
    const Object* const object = find_object();
    return object == nullptr ? nullptr : find_member(*object, name);
}

Json& Json::set(std::string name, Json value) {
    if (is_null()) value_ = Object();
    auto* const object = std::get_if<Object>(&value_);
    ASSERT(object != nullptr);
    ASSERT(object->size() > checked_members_max || find_member(*object, name) == nullptr);
    object->emplace_back(std::move(name), std::move(value));
    return *this;
}

void Json::push_back(Json value) {
    if (is_null()) value_ = Array();
    auto* const array = std::get_if<Array>(&value_);
    ASSERT(array != nullptr);
    array->push_back(std::move(value));
}

namespace {

/// Writes JSON text at the end of a string.
class JsonPrinter {
public:
    explicit JsonPrinter(int indent) : indent_(indent) {}

    void add(const Json& json) {
        if (const auto* const array = json.find_array()) {
            add_members('[', ']', *array, [this](const Json& element) { add(element); });
        } else if (const auto* const object = json.find_object()) {
            add_members('{', '}', *object, [this](const Json::Member& member) {
                add_string(member.first);
                out_ += indent_ > 0 ? ": " : ":";
                add(member.second);
            });
        } else if (const auto* const string = json.find_string()) {
            add_string(*string);
        } else if (const auto* const flag = json.find_bool()) {
            out_ += *flag ? "true" : "false";
        } else if (const auto* const number = json.find_double()) {
            add_double(*number);
        } else if (json.has_int64()) {
            out_ += std::to_string(json.as_int64());
        } else {
            out_ += json.is_null() ? "null" : std::to_string(json.as_uint64());
        }
    }

    std::string take() { return std::move(out_); }

private:
    template <typename Members, typename Add>
    void add_members(char begin, char end, const Members& members, Add add_member) {
        out_ += begin;
        ++depth_;
        bool first = true;
        for (const auto& member : members) {
            if (!first) out_ += ',';
            first = false;
            add_line_break();
            add_member(member);
        }
        --depth_;
        if (!members.empty()) add_line_break();
        out_ += end;
    }

    void add_line_break() {
        if (indent_ <= 0) return;
        out_ += '\n';
        out_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
    }

    void add_double(double value) {
        if (!std::isfinite(value)) {
            out_ += "null";
            return;
        }
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
        const std::string_view written(digits.data(),
                                       static_cast<std::size_t>(end - digits.data()));
        out_ += written;
        if (written.find_first_of(".e") == written.npos) out_ += ".0";
    }

    void add_string(std::string_view text) {
        out_ += '"';
        while (!text.empty()) {
            const auto size = utf8_size_at_start(text);
            if (size > 1) {
                out_ += text.substr(0, size);
            } else if (size == 1) {
                add_ascii(text.front());
            } else {
                out_ += "\xEF\xBF\xBD";  // U+FFFD
            }
            text.remove_prefix(std::max<std::size_t>(size, 1));
        }
        out_ += '"';
    }

    void add_ascii(char character) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto value = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            out_ += '\\';
            out_ += character;
        } else if (character == '\n') {
            out_ += "\\n";
        } else if (character == '\t') {
            out_ += "\\t";
        } else if (value < 0x20 || value == 0x7F) {
            out_ += "\\u00";
            out_ += digits[value >> 4U];
            out_ += digits[value & 15U];
        } else {
            out_ += character;
        }
    }

    int indent_;
    std::size_t depth_ = 0;
    std::string out_;
};

}  // namespace

std::string format_json(const Json& json, int indent) {
    JsonPrinter printer(indent);
    printer.add(json);
    return printer.take();
}

}  // namespace highwater
