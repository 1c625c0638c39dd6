#include "engine/facts.h"

#include <algorithm>
#include <set>

#include "base/try.h"

namespace highwater::engine {

Result<PlannedPaths> PlannedPaths::make(const read::PlannedTable& table) {
    PlannedPaths planned;
    std::set<std::string> roots = {table.table.location};
    for (const read::PlannedFile& file : table.files) {
        std::string path = TRY(path_of(file.name));
        planned.names_.emplace(path, file.name);
        planned.paths_.push_back(std::move(path));
        roots.insert(file.name.root);
    }
    planned.roots_.assign(roots.begin(), roots.end());
    std::ranges::sort(planned.roots_, std::ranges::greater(), &std::string::size);
    return planned;
}

object::Name PlannedPaths::name_of(std::string_view path) const {
    const auto found = names_.find(path);
    if (found != names_.end()) return found->second;
    for (const std::string& root : roots_) {
        const std::string folder = root.ends_with('/') ? root : root + "/";
        if (path.starts_with(folder)) return {root, std::string(path.substr(folder.size()))};
    }
    return {{}, std::string(path)};
}

std::vector<FileFacts> make_file_facts(const FoundFacts& found, const PlannedPaths& planned,
                                       const std::vector<std::string>& paths) {
    std::set<std::string> all(paths.begin(), paths.end());
    for (const auto& [path, sum] : found.sums) all.insert(path);

    std::vector<FileFacts> facts;
    for (const std::string& path : all) {
        FileFacts& file = facts.emplace_back();
        file.name = planned.name_of(path);
        if (const auto sum = found.sums.find(path); sum != found.sums.end()) {
            file.rows = sum->second.rows();
            file.row_fingerprint = to_digest(sum->second.sum());
        }
        if (const auto rows = found.footer_rows.find(path); rows != found.footer_rows.end()) {
            file.footer_rows = rows->second;
        }
        if (const auto failure = found.failures.find(path); failure != found.failures.end()) {
            file.failure = failure->second;
        }
    }
    std::ranges::sort(facts, {}, &FileFacts::name);
    return facts;
}

}  // namespace highwater::engine
