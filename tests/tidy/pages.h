#pragma once

#include <functional>
#include <string>

#include "source.h"

namespace highwater::tidy {

/// Says whether a path relative to the root is a file or folder of the tree.
using Exists = std::function<bool(const std::string&)>;

constexpr std::size_t door_sign_lines_max = 20;

/// A room's README.md that is longer than 20 lines or lacks one of *For:* *In:* *Out:* *May touch:*
/// *Never:*.
Findings find_door_sign_errors(const Source& page);

/// A page of docs/formats that names no file under tests/golden, or one that is not there.
Findings find_format_page_errors(const Source& page, const Exists& exists);

/// A relative link of a Markdown page to what is not there.
Findings find_broken_links(const Source& page, const Exists& exists);

/// A note in changes/ that says nothing under its heading.
Findings find_empty_notes(const Source& page);

}  // namespace highwater::tidy
