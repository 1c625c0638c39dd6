#include "catalog_backends.h"

#include <utility>

#include "base/assert.h"
#include "catalog/memory_catalog.h"
#include "catalog/sqlite_catalog.h"
#include "env/random.h"
#include "testkit/temporary_directory.h"

namespace highwater::catalog {

namespace {

class MemoryWorld final : public CatalogWorld {
public:
    explicit MemoryWorld(std::uint64_t seed) : random_(seed) {}

    Catalog& catalog() override { return catalog_; }
    Journal& journal() override { return catalog_; }
    void reopen() override {}
    Result<void> set_name_state(const TableId& table, const std::string& path,
                                KnownName::State state) override {
        return catalog_.set_name_state(table, path, state);
    }

private:
    env::SeededRandom random_;
    MemoryCatalog catalog_{random_};
};

std::unique_ptr<SqliteCatalog> get(Result<std::unique_ptr<SqliteCatalog>> catalog) {
    ASSERT(catalog.ok());
    return *std::move(catalog);
}

class SqliteWorld final : public CatalogWorld {
public:
    explicit SqliteWorld(std::uint64_t seed) : random_(seed) {}

    Catalog& catalog() override { return *catalog_; }
    Journal& journal() override { return *catalog_; }
    void reopen() override {
        catalog_.reset();
        catalog_ = get(SqliteCatalog::open(path_));
    }
    Result<void> set_name_state(const TableId& table, const std::string& path,
                                KnownName::State state) override {
        return catalog_->set_name_state(table, path, state);
    }

private:
    env::SeededRandom random_;
    testkit::TemporaryDirectory directory_;
    std::string path_ = directory_.path() + "/catalog.db";
    std::unique_ptr<SqliteCatalog> catalog_ = get(SqliteCatalog::create(path_, random_));
};

template <typename World>
CatalogBackend backend(std::string name) {
    return {std::move(name), [](std::uint64_t seed) { return std::make_unique<World>(seed); }};
}

}  // namespace

std::vector<CatalogBackend> backends() {
    return {backend<MemoryWorld>("Memory"), backend<SqliteWorld>("Sqlite")};
}

}  // namespace highwater::catalog
