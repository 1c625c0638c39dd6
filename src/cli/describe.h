#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "catalog/catalog.h"
#include "object/ledger.h"

namespace highwater::cli {

/// The values that several verbs show, as JSON and as text for people.
Json to_json(const catalog::Table& table);
Json to_json(const catalog::Partition& partition);
Json to_json(const catalog::GenerationRecord& record);
Json to_json(const object::Ledger& ledger);

std::string describe(const catalog::Table& table);

/// Columns aligned with two spaces between them; the first row is the heading.
std::string format_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace highwater::cli
