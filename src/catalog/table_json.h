#pragma once

#include "base/json.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "catalog/table.h"

namespace highwater::catalog {

/// A table as the command line shows it and as records keep it.
///
/// Source: docs/formats/table-record.md
Json to_json(const Table& table);

/// The inverse of `to_json`. Errors: corrupt, naming the member.
Result<Table> parse_table(const Json& json);

/// What a change of a table submits, as one digest: the publication digest of its generation. Not
/// over the generation numbers, which the commit assigns.
Digest digest_of_change(Operation operation, const Table& table);

}  // namespace highwater::catalog
