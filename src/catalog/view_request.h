#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace highwater::catalog {

/// The ranges of hours that `scope` names: every hour there can be, when it names none.
std::vector<model::HourRange> hours_of(const Scope& scope);

/// Sorts `partitions` by key and keeps one of each.
void put_in_key_order(std::vector<std::shared_ptr<const Partition>>& partitions);

/// What is said about a name that no generation registered: not_found.
Error unknown_name(const std::string& path);

/// What is said about a generation number that does not exist yet: not_found.
Error above_head(std::uint64_t number, const Generation& head);

}  // namespace highwater::catalog
