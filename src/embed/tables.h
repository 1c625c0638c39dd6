#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "embed/record_keeper.h"
#include "env/clock.h"
#include "env/random.h"
#include "model/path_pattern.h"
#include "model/schema.h"

namespace highwater::embed {

/// What a new table is to be.
struct TableDefinition {
    std::string name;
    std::string location;  // Absolute, links resolved; made when it is not there.
    model::Schema schema;
    model::PathPattern pattern = model::PathPattern::make_default();
};

/// Creates and changes tables; each change is one generation.
///
/// Thread-safety: as the catalog's.
class Tables {
public:
    Tables(catalog::Catalog& catalog, env::Clock& clock, env::Random& random, RecordKeeper keeper)
        : catalog_(catalog), clock_(clock), random_(random), keeper_(std::move(keeper)) {}

    /// Errors: already_exists    the name is in use, or the location overlaps another table's.
    ///         invalid_argument  name, schema or location.
    ///         conflict          another change came first: try again.
    Result<catalog::GenerationRecord> create(const TableDefinition& definition);

    /// As `create`, for files that are there already; the objects are published separately.
    Result<catalog::GenerationRecord> adopt(const TableDefinition& definition);

    /// Adds one nullable column as the next schema version.
    ///
    /// Errors: not_found, invalid_argument, conflict.
    Result<catalog::GenerationRecord> add_column(const std::string& table,
                                                 const model::Column& column);

    Result<std::vector<catalog::Table>> list();

    /// Errors: not_found, with the names that there are.
    Result<catalog::Table> get(const std::string& name);

private:
    Result<catalog::GenerationRecord> create_as(catalog::Operation operation,
                                                const TableDefinition& definition);
    Result<catalog::GenerationRecord> commit(catalog::Operation operation, catalog::Table table,
                                             catalog::Basis basis);

    catalog::Catalog& catalog_;
    env::Clock& clock_;
    env::Random& random_;
    RecordKeeper keeper_;
};

/// The table `name` among `tables`. Errors: not_found, with the names that there are.
Result<catalog::Table> find_table(const std::vector<catalog::Table>& tables,
                                  const std::string& name);

}  // namespace highwater::embed
