#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catalog/memory_catalog.h"
#include "env/random.h"
#include "env/simulated_clock.h"
#include "manifest/manifest.h"
#include "testkit/tampered_store.h"

namespace highwater::testkit {

/// What a publisher has at hand: tables, a store, a catalog with its journal and a clock, all in
/// memory, and small Parquet objects of a time and a value that no Parquet library made. Nothing is
/// published but what a test publishes. Whatever cannot be done ends the test program.
class PublishWorld {
public:
    PublishWorld();

    static constexpr model::Hour nine{497'577};  // 2026-10-06T09

    env::SimulatedClock clock{model::start_of(nine) + std::chrono::hours(2)};
    env::SeededRandom random{1};
    catalog::MemoryCatalog catalog{random};
    TamperedStore store{2};  // Small pages, so that every listing has several.

    /// Registers a table of a time and a value at "/lake/<name>".
    catalog::Table add_table(const std::string& name);
    /// Gives `name` one more nullable column.
    void add_column(const std::string& name, const std::string& column);
    /// The table as of the head.
    catalog::Table table(const std::string& name);

    /// A Parquet file of `rows` rows spread over the hour, the first value `value`, then one more
    /// for each row.
    static Bytes make_file(model::Hour hour, std::size_t rows, double value = 0);
    /// "hour=2026-10-06T09/<file>.parquet"
    static std::string path_of(model::Hour hour, const std::string& file);

    /// What a manifest says of such a file at least: its path, size and count.
    static manifest::ObjectClaim claim(model::Hour hour, const std::string& file, std::size_t rows,
                                       double value = 0);
    /// The same, with the file in the store at `root`.
    manifest::ObjectClaim put(const std::string& root, model::Hour hour, const std::string& file,
                              std::size_t rows, double value = 0);

    /// One hour of one table, to be published as `batch`.
    static manifest::Manifest make_manifest(const std::string& table, const std::string& batch,
                                            model::Hour hour,
                                            std::vector<manifest::ObjectClaim> objects);

    /// All that readers and other publishers can see.
    struct Visible {
        catalog::Generation head;
        std::vector<catalog::Table> tables;
        std::vector<catalog::Partition> partitions;
        Digest inventory;

        friend bool operator==(const Visible&, const Visible&) = default;
    };
    Visible visible();
    std::optional<catalog::Partition> find_partition(const std::string& table, model::Hour hour);
    /// The head as a manifest's base.
    catalog::GenerationRef base();

    /// Commits past the gate, as other operations do.
    catalog::GenerationRecord commit(catalog::Operation operation,
                                     std::vector<catalog::Table> tables,
                                     std::vector<catalog::Partition> partitions);

private:
    std::size_t commits_ = 0;
};

}  // namespace highwater::testkit
