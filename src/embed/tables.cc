#include "embed/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "base/try.h"
#include "catalog/table_json.h"

namespace highwater::embed {

namespace {

Result<std::string> make_location(const std::string& location) {
    std::error_code reason;
    std::filesystem::create_directories(location, reason);
    if (reason) return Error(Code::denied, "make " + location + ": " + reason.message());
    const auto resolved = std::filesystem::canonical(location, reason);
    if (reason) return Error(Code::denied, location + ": " + reason.message());
    return resolved.string();
}

}  // namespace

Result<catalog::Table> find_table(const std::vector<catalog::Table>& tables,
                                  const std::string& name) {
    const auto found = std::ranges::find(tables, name, &catalog::Table::name);
    if (found != tables.end() && !found->dropped) return *found;
    std::string names;
    for (const auto& table : tables) names += (names.empty() ? "" : ", ") + table.name;
    return Error(Code::not_found,
                 fmt::format("no table {}; there {}", format_quoted(name),
                             names.empty() ? "are none: 'highwater table create'" : "is " + names));
}

Result<catalog::GenerationRecord> Tables::commit(catalog::Operation operation, catalog::Table table,
                                                 catalog::Basis basis) {
    catalog::Commit commit;
    commit.operation = operation;
    commit.batch = fmt::format("{}:{}:{}", catalog::to_text(operation), table.name,
                               format_uuid(env::make_uuid(random_)));
    commit.idempotency_key = commit.batch;
    commit.publication = catalog::digest_of_change(operation, table);
    commit.locations = catalog::locations_of({table}, {});
    commit.basis = std::move(basis);
    commit.tables = {std::move(table)};
    commit.time = clock_.now();
    auto outcome = catalog_.commit(commit);
    if (!outcome.ok() && outcome.error().code() == Code::outcome_unknown) {
        outcome = catalog_.commit(commit);  // Idempotent: the first outcome, or a first try.
    }
    if (!outcome.ok()) return outcome.error();
    using Kind = catalog::CommitOutcome::Kind;
    if (outcome->kind == Kind::committed || outcome->kind == Kind::repeated) {
        // The change is made, whether or not it could be recorded; the next one records both.
        static_cast<void>(keeper_.keep().ok());
        return *outcome->record;
    }
    return Error(Code::conflict, "the catalog changed meanwhile: " + outcome->what);
}

Result<catalog::GenerationRecord> Tables::create_as(catalog::Operation operation,
                                                    const TableDefinition& definition) {
    TRY(catalog::verify_table_name(definition.name));
    TRY(model::verify_schema(definition.schema));
    const auto view = TRY(catalog_.load_view({}));
    catalog::Table table;
    table.name = definition.name;
    table.location = TRY(make_location(definition.location));
    for (const auto& other : view.tables) {
        if (other.name == table.name) {
            return Error(Code::already_exists, "a table " + table.name + " is there already");
        }
        if (catalog::is_overlapping(other.location, table.location)) {
            return Error(Code::already_exists, "location_overlap: " + table.location +
                                                   " overlaps the place of table " + other.name +
                                                   ", " + other.location);
        }
    }
    table.id = {env::make_uuid(random_)};
    table.pattern = definition.pattern;
    table.schemas = {{.version = 1, .schema = definition.schema}};
    catalog::Basis basis;
    basis.epoch = view.generation.epoch;
    return commit(operation, std::move(table), std::move(basis));
}

Result<catalog::GenerationRecord> Tables::create(const TableDefinition& definition) {
    return create_as(catalog::Operation::create_table, definition);
}

Result<catalog::GenerationRecord> Tables::adopt(const TableDefinition& definition) {
    return create_as(catalog::Operation::adopt_table, definition);
}

Result<catalog::GenerationRecord> Tables::add_column(const std::string& name,
                                                     const model::Column& column) {
    const auto view = TRY(catalog_.load_view({}));
    catalog::Table table = TRY(find_table(view.tables, name));
    const catalog::SchemaVersion current = table.current();
    const model::Schema next = TRY(model::add_column(current.schema, column));
    catalog::Basis basis;
    basis.epoch = view.generation.epoch;
    basis.tables = {{table.id, table.incarnation, current.version}};
    table.schemas.push_back({.version = current.version + 1, .schema = next});
    return commit(catalog::Operation::add_column, std::move(table), std::move(basis));
}

Result<std::vector<catalog::Table>> Tables::list() {
    return TRY(catalog_.load_view({})).tables;
}

Result<catalog::Table> Tables::get(const std::string& name) {
    return find_table(TRY(list()), name);
}

}  // namespace highwater::embed
