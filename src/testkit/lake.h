#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/memory_catalog.h"
#include "env/random.h"
#include "env/simulated_clock.h"
#include "testkit/tampered_store.h"

namespace highwater::testkit {

/// A catalog and a store in memory in which hours become published without a gate: what readers are
/// tested on. Whatever cannot be done ends the test program.
class Lake {
public:
    Lake();

    env::SimulatedClock clock{time_from_ns(1'790'000'000'000'000'000)};
    env::SeededRandom random{1};
    catalog::MemoryCatalog catalog{random};
    TamperedStore store;

    /// At "/lake/<name>" unless `location` says otherwise.
    catalog::TableId create_table(const std::string& name,
                                  const std::optional<std::string>& location = std::nullopt);

    /// Each hour gets `files` new objects of ten records; what it had is restated.
    catalog::Generation publish(const catalog::TableId& table,
                                const std::vector<std::int64_t>& hours, std::size_t files = 3);
    catalog::Generation publish(const catalog::TableId& table, std::int64_t hour,
                                std::size_t files = 3);

    /// The hour's first object is replaced by one under a new name; the others are kept.
    catalog::Generation correct(const catalog::TableId& table, std::int64_t hour);
    catalog::Generation declare_empty(const catalog::TableId& table, std::int64_t hour,
                                      const std::string& reason);
    catalog::Generation unpublish(const catalog::TableId& table, std::int64_t hour);

    /// Copies the hour's objects to `root` and registers it there; the old place is left as it is.
    catalog::Generation relocate_hour(const catalog::TableId& table, std::int64_t hour,
                                      const std::string& root);
    /// The same with a table and all its hours.
    catalog::Generation relocate_table(const catalog::TableId& table, const std::string& location);
    catalog::Generation add_column(const catalog::TableId& table, const std::string& name);
    catalog::Generation drop_table(const catalog::TableId& table);

    catalog::Generation commit(catalog::Operation operation, std::vector<catalog::Table> tables,
                               std::vector<catalog::Partition> partitions);

    /// As of the head.
    catalog::Table table(const catalog::TableId& id);
    std::optional<catalog::Partition> find_partition(const catalog::TableId& table,
                                                     std::int64_t hour);
    /// Requires: the hour was published at some time.
    catalog::Partition partition(const catalog::TableId& table, std::int64_t hour);
    catalog::Generation head();

    /// The batch generation that the commit of `generation` had.
    static std::string batch_of(const catalog::Generation& generation);

private:
    catalog::RegisteredObject put_object(const std::string& root, model::Hour hour,
                                         const std::string& prefix);
    catalog::Partition next_state(const catalog::TableId& table, std::int64_t hour);
    void copy(catalog::Partition& partition, const std::string& root);

    std::uint64_t objects_ = 0;
};

}  // namespace highwater::testkit
