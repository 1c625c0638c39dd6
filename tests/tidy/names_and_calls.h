#pragma once

#include "source.h"

namespace highwater::tidy {

/// A call (or type) that belongs to another place: clocks, randomness and sleep outside env, the
/// environment outside app (and the test kit, which finds test data by it), the terminal outside
/// app. Clocks and the terminal are free in tests/ and bench/; sleep is not.
Findings find_misplaced_calls(const Source& source);

/// A Result<bool>: whether "no" is an answer or a failure would be anybody's guess.
Findings find_boolean_results(const Source& source);

/// A file, folder, namespace or type whose name says nothing: util, common, helper, manager,
/// context, core.
Findings find_empty_names(const Source& source);

/// Words that say unfinished, and tests that are switched off.
Findings find_unfinished_work(const Source& source);

}  // namespace highwater::tidy
