#pragma once

#include <cstddef>
#include <string>

#include "object/file_system.h"
#include "object/store.h"

namespace highwater::object {

struct LocalListingLimits {
    std::size_t page_size = 8'192;
    /// How many names one folder may have, since a folder is sorted in memory.
    std::size_t folder_entries_max = list_entries_max;
};

/// One page of the entries beneath the open folder `prefix` ("" for the root) whose paths come
/// after `after`, in the order of whole paths as bytes ("a.b" comes before "a/b").
///
/// Requires: limits.page_size > 0.
/// Errors: those of the file system and exhausted; what vanishes during the listing is no error.
/// Cost: names of each folder on the way and sorting those after `after`; a `stat` per entry.
Result<Page> list_folder(FileSystem& files, const FileHandle& folder, const std::string& prefix,
                         const std::string& after, const LocalListingLimits& limits);

}  // namespace highwater::object
