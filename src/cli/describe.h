#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cache/refresh.h"
#include "catalog/catalog.h"
#include "embed/metrics.h"
#include "object/ledger.h"

namespace highwater::cli {

/// The values that several verbs show, as JSON and as text for people.
Json to_json(const catalog::Partition& partition);
Json to_json(const catalog::GenerationRecord& record);
Json to_json(const object::Ledger& ledger);
Json to_json(const cache::RefreshReport& report);

std::string describe(const catalog::Table& table);
std::string describe(const cache::RefreshReport& report);

/// What the metrics say of a refresh that completed.
void add_refresh(embed::MetricsFile::Change& change, const cache::RefreshReport& report);

/// Columns aligned with two spaces between them; the first row is the heading.
std::string format_columns(const std::vector<std::vector<std::string>>& rows);

}  // namespace highwater::cli
