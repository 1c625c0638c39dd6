#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"

namespace highwater::testkit {

/// A table of a time and a value, in its first schema version. The id follows from the name.
catalog::Table make_table(const std::string& name, const std::string& location);

/// `table` with one more column, as its next schema version.
catalog::Table with_column(catalog::Table table, const std::string& name);

/// An object as a gate would register it, were `content` its bytes: digests and sizes follow from
/// it.
catalog::RegisteredObject make_object(const std::string& path, std::string_view content);

/// The hour of `table` with one object for each of `contents`, named by its content; declared empty
/// when there are none.
catalog::Partition make_partition(const catalog::Table& table, model::Hour hour,
                                  const std::vector<std::string>& contents);

/// The same hour, unpublished.
catalog::Partition retired(catalog::Partition partition);

/// A commit of `tables` and `partitions` on the basis of what `catalog` holds now. The key is the
/// batch, the publication follows from both and from what is committed.
///
/// Errors: those of Catalog::load_view.
Result<catalog::Commit> make_commit(catalog::Catalog& catalog, catalog::Operation operation,
                                    const std::string& batch, std::vector<catalog::Table> tables,
                                    std::vector<catalog::Partition> partitions);

/// Makes the digests of `commit` again, after a test has changed what they are over.
void renew_digests(catalog::Commit& commit);

}  // namespace highwater::testkit
