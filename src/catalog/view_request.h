#pragma once

#include <cstdint>
#include <vector>

#include "catalog/catalog.h"

namespace highwater::catalog {

/// The ranges of hours that `scope` names: every hour there can be, when it names none.
std::vector<model::HourRange> hours_of(const Scope& scope);

/// What is said about a generation number that does not exist yet: not_found.
Error above_head(std::uint64_t number, const Generation& head);

}  // namespace highwater::catalog
