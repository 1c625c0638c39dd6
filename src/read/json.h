#pragma once

#include <vector>

#include "base/json.h"
#include "read/decide.h"
#include "read/explain.h"
#include "read/outcome.h"
#include "read/plan.h"
#include "read/refusal.h"
#include "read/request.h"

namespace highwater::read {

// Values as the command line and evidence show them: generations as tokens, digests in hexadecimal,
// times as RFC 3339, hours as "2026-10-06T09", durations in nanoseconds, ranges as {from, to}.

Json to_json(const Request& request);
Json to_json(const Plan& plan);
Json to_json(const Refusal& refusal);
/// {"refused": the deciding one's name, "class", "text", "refusals": [...]}. Requires: not empty.
Json to_json(const std::vector<Refusal>& refusals);
Json to_json(const Outcome& outcome);
Json to_json(const std::vector<Why>& why);
Json to_json(const Provenance& provenance);
Json to_json(const Step& step);
Json to_json(const Decision& decision);
Json to_json(const Explanation& explanation);

}  // namespace highwater::read
