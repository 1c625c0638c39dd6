#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <iosfwd>
#include <string>

#include "base/json.h"
#include "env/random.h"
#include "model/hour.h"
#include "model/path_pattern.h"
#include "model/schema.h"

// Values of the model for properties: valid ones, of every kind, the edges of each range often
// among them. A property takes them as
//
//     const auto hour = *testkit::any_hour();
//
// and a simulation, from its own seed, as
//
//     const auto hour = testkit::sample(testkit::any_hour(), random);

namespace highwater::testkit {

/// In the whole range of Time.
rc::Gen<Time> any_time();

/// From hour_min to hour_max.
rc::Gen<model::Hour> any_hour();

/// UTF-8 of at most `characters_max` characters of one to four bytes, control characters too.
rc::Gen<std::string> any_text(std::size_t characters_max);

/// Any bytes at all.
rc::Gen<std::string> any_bytes(std::size_t size_max);

/// What verify_object_path takes.
rc::Gen<std::string> any_object_path();

/// What PathPattern::parse takes, with a fixed date and without.
rc::Gen<model::PathPattern> any_path_pattern();

/// A column without an id, as parse_column gives it.
rc::Gen<model::Column> any_column();

/// What verify_schema takes, of up to eight columns.
rc::Gen<model::Schema> any_schema();

/// A document of every kind of value, at most `depth_max` deep.
rc::Gen<Json> any_json(std::size_t depth_max = 4);

/// One value of `generator`, drawn with the next number of `random`: the same for the same seed.
template <typename T>
T sample(const rc::Gen<T>& generator, env::Random& random) {
    return generator(rc::Random(random.next())).value();
}

}  // namespace highwater::testkit

// How a failing property shows them.
namespace highwater {
void showValue(const Json& json, std::ostream& out);  // NOLINT(readability-identifier-naming)
}  // namespace highwater

namespace highwater::model {
// NOLINTBEGIN(readability-identifier-naming)
void showValue(const Hour& hour, std::ostream& out);
void showValue(const PathPattern& pattern, std::ostream& out);
void showValue(const Column& column, std::ostream& out);
void showValue(const Schema& schema, std::ostream& out);
// NOLINTEND(readability-identifier-naming)
}  // namespace highwater::model
