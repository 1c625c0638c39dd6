#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "model/row_fingerprint.h"
#include "model/schema.h"
#include "parquet/rows.h"
#include "read/plan.h"

namespace highwater::engine {

/// Knows the planned files of one table by the path that an engine reads them at.
class PlannedPaths {
public:
    /// Errors: unsupported (path_of).
    static Result<PlannedPaths> make(const read::PlannedTable& table);

    /// In the order of the plan's files.
    const std::vector<std::string>& paths() const { return paths_; }

    bool is_planned(std::string_view path) const { return names_.contains(path); }

    /// The name of what lies at `path`: the planned one, else one beneath the root of the table or
    /// of a planned file, else with an empty root.
    object::Name name_of(std::string_view path) const;

private:
    std::vector<std::string> paths_;
    std::map<std::string, object::Name, std::less<>> names_;
    std::vector<std::string> roots_;  // The longest first.
};

/// What an engine found out about one table, by path.
struct FoundFacts {
    std::map<std::string, model::RowFingerprint, std::less<>> sums;  // Of the rows that came.
    std::map<std::string, std::uint64_t, std::less<>> footer_rows;   // Of the files opened.
    std::map<std::string, Error, std::less<>> failures;

    /// Adds all rows of a batch of the columns of `schema`; `path_of_row(row)` says where each was
    /// read.
    ///
    /// Errors: corrupt  a time outside the range of Time.
    template <typename PathOfRow>
    Result<void> add(const parquet::RowBatch& batch, const model::Schema& schema,
                     PathOfRow path_of_row) {
        auto current = sums.end();
        for (std::size_t row = 0; row < batch.rows(); ++row) {
            const std::string_view path = path_of_row(row);
            if (current == sums.end() || current->first != path) {
                current = sums.try_emplace(std::string(path)).first;
            }
            if (!parquet::add_row(current->second, schema, batch, row)) {
                return Error(Code::corrupt, std::string(path) + ": a time out of range");
            }
        }
        return {};
    }
};

/// The same by name: of `paths`, and of every other file that rows came from.
std::vector<FileFacts> make_file_facts(const FoundFacts& found, const PlannedPaths& planned,
                                       const std::vector<std::string>& paths);

}  // namespace highwater::engine
