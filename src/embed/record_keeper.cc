#include "embed/record_keeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "catalog/table_json.h"

namespace highwater::embed {

std::string RecordKeeper::table_path(const catalog::TableId& table, std::uint64_t number) {
    return fmt::format("tables/{}/{:020}.json", format_uuid(table.value), number);
}

Result<void> RecordKeeper::keep_manifests(const manifest::Publication& publication) {
    stage::Records records(store_, root_);
    for (const auto& manifest : publication.manifests) TRY(records.put_manifest(manifest));
    return {};
}

Result<void> RecordKeeper::keep_table(const catalog::TableId& table, std::uint64_t number) {
    const auto view = TRY(catalog_.load_view({.scopes = {}, .at = number, .with_dropped = true}));
    const auto found = std::ranges::find(view.tables, table, &catalog::Table::id);
    if (found == view.tables.end()) return Error(Code::corrupt, "a generation changed no table");
    const object::Name name{root_, table_path(table, number)};
    const std::string text = format_json(catalog::to_json(*found), 2) + "\n";
    const auto put = object::put_new(store_, name, text);
    if (put.ok()) return {};
    if (put.error().code() != Code::already_exists) return put.error();
    if (TRY(object::get(store_, name, stage::record_size_max)) == text) return {};
    return Error(Code::corrupt, "another table record is at " + name.path);
}

Result<void> RecordKeeper::keep_record(const catalog::GenerationRecord& record) {
    for (const auto& table : record.tables) TRY(keep_table(table, record.generation.number));
    return stage::Records(store_, root_).put_record(record);
}

Result<std::optional<catalog::Generation>> RecordKeeper::find_ahead() {
    const auto head = TRY(catalog_.head());
    const auto newest = TRY(stage::Records(store_, root_).find_newest(head.epoch));
    if (!newest || newest->generation.number <= head.number) {
        return std::optional<catalog::Generation>();
    }
    return std::optional(newest->generation);
}

Result<std::uint64_t> RecordKeeper::keep() {
    stage::Records records(store_, root_);
    const auto head = TRY(catalog_.head());
    std::uint64_t first = head.number;  // Everything after `first` is missing.
    std::vector<catalog::GenerationRecord> missing;
    for (catalog::Generation at = head; first > 0; --first) {
        if (TRY(records.find_record(at))) break;
        if (missing.size() == records_kept_max) break;
        const auto record = TRY(catalog_.find(
            {.kind = catalog::Catalog::By::Kind::number, .text = {}, .number = first}));
        if (!record) break;  // Its history is gone.
        at = {at.epoch, first - 1, record->parent_chain};
        missing.push_back(*record);
    }
    // The oldest first, so that a record that is there vouches for all before it.
    for (auto record = missing.rbegin(); record != missing.rend(); ++record) {
        TRY(keep_record(*record));
    }
    return std::uint64_t{missing.size()};
}

}  // namespace highwater::embed
