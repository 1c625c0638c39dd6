#pragma once

#include "cache/packed.h"
#include "catalog/generation.h"
#include "catalog/table.h"

namespace highwater::cache {

void add_generation(PackedWriter& out, const catalog::Generation& generation);
catalog::Generation read_generation(PackedReader& in);

void add_table_id(PackedWriter& out, const catalog::TableId& id);
catalog::TableId read_table_id(PackedReader& in);

/// All of a table but its id.
void add_table(PackedWriter& out, const catalog::Table& table);
/// The inverse; fails the reader on what is no table.
catalog::Table read_table(PackedReader& in, const catalog::TableId& id);

}  // namespace highwater::cache
