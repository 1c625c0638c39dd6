#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "highwater/error.h"

namespace highwater {

namespace detail {

/// Ends the program: a Result was read as what it is not, which is a bug in this program.
[[noreturn]] inline void die_of(const char* what) {
    std::fprintf(stderr, "highwater: must not happen: %s\n", what);
    std::abort();
}

}  // namespace detail

/// Either a value or the reason there is none. Dropping one unread is a compile-time warning.
///
/// Requires: `*` and `->` only on a result that holds a value, `error()` only on one that does not;
/// both are checked in every build.
template <typename T>
class [[nodiscard]] Result {
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

public:
    Result()
        requires std::is_void_v<T>
        : state_(Value{}) {}
    // Implicit, so that `return value;` and `return Error(...);` both read as what they mean.
    // NOLINTBEGIN(google-explicit-constructor)
    Result(Value value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}
    // NOLINTEND(google-explicit-constructor)

    bool ok() const { return std::holds_alternative<Value>(state_); }
    explicit operator bool() const { return ok(); }

    Value& operator*() & { return value_of(*this); }
    const Value& operator*() const& { return value_of(*this); }
    /// Moves the value out: `auto manifest = *std::move(result);`.
    Value&& operator*() && { return std::move(value_of(*this)); }
    Value* operator->() { return &value_of(*this); }
    const Value* operator->() const { return &value_of(*this); }

    const Error& error() const {
        if (ok()) detail::die_of("error() of a Result that holds a value");
        return *std::get_if<Error>(&state_);
    }

    /// Names the step that failed; costs nothing when none did.
    Result within(std::string_view step) && {
        if (ok()) return std::move(*this);
        return std::move(*std::get_if<Error>(&state_)).within(step);
    }

private:
    template <typename Self>
    static auto& value_of(Self& self) {
        if (!self.ok()) detail::die_of("value of a Result that holds an error");
        return *std::get_if<Value>(&self.state_);
    }

    std::variant<Value, Error> state_;
};

}  // namespace highwater
