#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "read/decide.h"

namespace highwater::read {

/// What one layer knows of an hour, for programs and for people.
struct LayerExplanation {
    std::string layer;  // "catalog", "cache", "registrations", "listings", "answer"
    Json values;
    std::string text;
};

/// What would be answered about one hour, and why.
struct Explanation {
    model::Hour hour;
    std::vector<LayerExplanation> layers;  // Registrations and listings once for each table.
    Decision next;                         // What a read of that hour would do next.
};

/// Explains the request narrowed to `hour`, as far as `facts` go; `decide` says what more could be
/// learnt. Pure.
///
/// Requires: hour_min <= hour <= hour_max.
Explanation explain(const Request& request, model::Hour hour, const Facts& facts);

/// One line for a step: "serve 3 files of generation ...", "refuse: stale: ...".
std::string format_step(const Step& step);

}  // namespace highwater::read
