#pragma once

#include "base/digest.h"
#include "catalog/catalog.h"
#include "catalog/partition.h"
#include "catalog/table.h"

namespace highwater::catalog {

/// A digest over every field, that is stored beside the fields and recomputed when they are loaded.
///
/// Source: docs/formats/catalog-sqlite.md
Digest seal_of(const Table& table);
Digest seal_of(const Partition& partition);
Digest seal_of(const GenerationRecord& record);

}  // namespace highwater::catalog
