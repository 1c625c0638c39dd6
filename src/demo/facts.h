#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace highwater::demo {

/// The value at a dotted path ("answer.files", "report.problems.0.code").
///
/// Errors: corrupt  nothing is there: the story tells only what a command answered.
Result<Json> find_fact(const Json& answer, std::string_view path);

/// The same as text or number. Errors: corrupt  also when it is of another type.
Result<std::string> text_at(const Json& answer, std::string_view path);
Result<std::uint64_t> number_at(const Json& answer, std::string_view path);
Result<double> real_at(const Json& answer, std::string_view path);

/// "33,200".
std::string format_count(std::uint64_t count);

}  // namespace highwater::demo
