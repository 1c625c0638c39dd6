#pragma once

#include <vector>

#include "base/time.h"
#include "catalog/catalog.h"
#include "publish/facts.h"
#include "publish/report.h"
#include "publish/submission.h"

namespace highwater::publish {

/// The commit that makes an accepted publication visible. Pure.
///
/// Requires: `report` is the verdict of `facts`, and accepted.
catalog::Commit make_commit(const Submission& submission, const Facts& facts,
                            const GateReport& report, Time now);

/// What a commit that found the world moved says as a problem of the gate, by what the catalog is
/// like now; `what` is the catalog's own sentence.
Findings find_move(const catalog::Basis& basis, const catalog::View& now, std::string_view what);

}  // namespace highwater::publish
