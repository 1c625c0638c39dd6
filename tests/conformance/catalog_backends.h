#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/journal.h"

namespace highwater::catalog {

/// An empty catalog of some backend, and its journal.
class CatalogWorld {
public:
    virtual ~CatalogWorld() = default;
    virtual Catalog& catalog() = 0;
    virtual Journal& journal() = 0;

    /// Lets go of the catalog and takes it up again, where that is possible.
    virtual void reopen() = 0;

    virtual Result<void> set_name_state(const TableId& table, const std::string& path,
                                        KnownName::State state) = 0;
};

/// A new backend adds one line to `backends`; no test knows which one it runs on.
struct CatalogBackend {
    std::string name;
    std::function<std::unique_ptr<CatalogWorld>(std::uint64_t seed)> make_world;

    friend std::ostream& operator<<(std::ostream& out, const CatalogBackend& backend) {
        return out << backend.name;
    }
};

std::vector<CatalogBackend> backends();

}  // namespace highwater::catalog
