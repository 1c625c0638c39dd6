#pragma once

#include <string>

#include "base/result.h"

namespace highwater::embed {

/// Where everything is in one data directory. All paths are absolute.
struct Layout {
    std::string directory;
    std::string objects;  // Default place of tables: objects/<table>.
    std::string catalog;  // SQLite
    std::string cache;    // The persisted metadata cache.
    std::string records;  // Accepted manifests and generation records: a root of our own.
    std::string spill;    // Private temporary files of long work.
    std::string metrics;  // Prometheus text format.
    std::string log;      // One JSON document a line.
};

/// Requires: an absolute directory.
Layout layout_of(const std::string& directory);

/// Makes the folders of a new data directory and returns its layout, links resolved.
///
/// Errors: already_exists  a catalog is there; unavailable, denied  the folders cannot be made.
Result<Layout> make_layout(const std::string& directory);

/// The layout of an existing data directory, links resolved.
///
/// Errors: not_found  no catalog is there; the message names the command that makes one.
Result<Layout> find_layout(const std::string& directory);

/// The layout of a directory whose catalog may be gone; its records are there.
///
/// Errors: not_found.
Result<Layout> find_records(const std::string& directory);

}  // namespace highwater::embed
