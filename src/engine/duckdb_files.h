#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace highwater::engine {

/// Paths as DuckDB has to be given them, so that each means one file.
///
/// DuckDB takes a path with one of * ? [ for a pattern once no file has that very name. Such a file
/// is opened through a link with a plain name.
class DuckDbFiles {
public:
    /// Links are made in `directory`, which must outlive what reads through them.
    ///
    /// Errors: unavailable.
    static Result<DuckDbFiles> make(const std::vector<std::string>& paths,
                                    const std::string& directory);

    /// What to open, in the order of the paths.
    const std::vector<std::string>& opened() const { return opened_; }

    /// The path that was given for what DuckDB opened.
    std::string_view path_of(std::string_view opened) const;

private:
    std::vector<std::string> opened_;
    std::map<std::string, std::string, std::less<>> linked_;  // Link to path.
};

/// Those of `paths` that are no regular files. DuckDB must not be asked for them: it would look for
/// a folder of that name, or for files that the name fits as a pattern.
std::vector<std::string> find_absent(const std::vector<std::string>& paths);

/// What is to be said of a planned file that is not there.
Error absent_file(const std::string& path);

/// `path` as a pattern that fits itself alone.
std::string escape_pattern(std::string_view path);

}  // namespace highwater::engine
