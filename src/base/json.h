#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace highwater {

/// One JSON value. Integers keep all 64 bits; object members keep their order and are unique.
///
/// A value type: copies are deep. Two values are equal when they have the same type and content,
/// members in the same order; an integer and a double are never equal.
class Json {
public:
    using Array = std::vector<Json>;
    using Member = std::pair<std::string, Json>;
    using Object = std::vector<Member>;

    // Implicit, so that a report reads as the document that it becomes.
    // NOLINTBEGIN(google-explicit-constructor)
    Json() = default;  // null
    Json(std::nullptr_t) {}
    Json(bool value) : value_(value) {}
    Json(const void*) = delete;  // Or else a pointer would be taken for true.
    Json(int value) : value_(std::int64_t{value}) {}
    Json(unsigned value) : value_(std::int64_t{value}) {}
    Json(std::int64_t value) : value_(value) {}
    Json(std::uint64_t value);
    Json(double value) : value_(value) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(Array value) : value_(std::move(value)) {}
    Json(Object value) : value_(std::move(value)) {}
    // NOLINTEND(google-explicit-constructor)

    static Json object(std::initializer_list<Member> members) { return Json(Object(members)); }
    static Json array() { return Json(Array{}); }

    bool is_null() const { return std::holds_alternative<std::monostate>(value_); }

    /// The value as that type, or nullptr.
    const bool* find_bool() const { return std::get_if<bool>(&value_); }
    const double* find_double() const { return std::get_if<double>(&value_); }
    const std::string* find_string() const { return std::get_if<std::string>(&value_); }
    const Array* find_array() const { return std::get_if<Array>(&value_); }
    const Object* find_object() const { return std::get_if<Object>(&value_); }
    /// An integer that fits. Most non-negative ones fit both.
    bool has_int64() const;
    bool has_uint64() const;
    /// Requires: has_int64() / has_uint64().
    std::int64_t as_int64() const;
    std::uint64_t as_uint64() const;
    /// Any number as a double. Requires: a number.
    double as_double() const;

    /// The member `name` of an object, or nullptr (also when this is no object). Cost: linear.
    const Json* find(std::string_view name) const;

    /// Adds a member at the end and returns this object. Requires: an object (or null, which
    /// becomes one) without `name`, which is checked in objects of up to 64 members. Cost: O(1)
    /// amortized.
    Json& set(std::string name, Json value);

    /// Adds an element at the end. Requires: an array (or null, which becomes one).
    void push_back(Json value);

    friend bool operator==(const Json&, const Json&) = default;

private:
    friend class JsonBuilder;
    // Integers up to the largest int64 are held as int64, so that equal ones compare equal.
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object>
        value_;
};

/// What a JSON text may be made of.
struct JsonLimits {
    std::size_t size_bytes_max = std::size_t{1} << 30U;
    std::size_t depth_max = 64;
    std::size_t values_max = 50'000'000;
};

/// Reads one JSON document (RFC 8259): UTF-8, no duplicate members, nothing after it. A number
/// without fraction and exponent is an integer and fits 64 bits; every other one is the nearest
/// double and finite. A byte order mark before the document is passed over.
///
/// Errors: invalid_argument  not such a document; the message names line and column (in bytes).
///         exhausted         a limit; the message names it.
/// Cost: about 100 MB/s; a Json takes 40 bytes a value and 72 a member, and what its text takes.
Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

/// `json` as text: members in their order; `indent` spaces a level, or one line when 0. Doubles get
/// the fewest digits that read back as the same double, and always a point or an exponent.
/// A NaN or an infinity becomes null. Not UTF-8 bytes become U+FFFD.
std::string format_json(const Json& json, int indent = 0);

}  // namespace highwater
