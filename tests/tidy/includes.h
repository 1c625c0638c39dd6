#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "source.h"

namespace highwater::tidy {

/// Which rooms each room may use, as its line in CMakeLists.txt says.
using FloorPlan = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

/// Reads the lines "room: used used ..." that the configure step writes.
FloorPlan parse_floor_plan(std::string_view text);

/// A line of the plan lets one river use the other (stage, publish, retain | cache, read, engine).
Findings find_plan_errors(const FloorPlan& plan);

/// An #include of ours that the floor plan does not allow: upwards, to a room that the plan does
/// not name, across the rivers, to the test kit from what is no test, or from the public headers
/// inwards.
Findings find_upward_includes(const Source& source, const FloorPlan& plan);

/// An #include of a library of others outside the room that it belongs to, in a header, or of one
/// that tools/versions does not bring.
Findings find_foreign_includes(const Source& source);

/// A header without #pragma once, or with base/try.h, whose macro belongs in .cc files.
Findings find_header_errors(const Source& source);

}  // namespace highwater::tidy
