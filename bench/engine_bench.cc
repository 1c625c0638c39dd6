// How long it takes to find the files of one hour, and to read them: our plan against what engines
// do without one. 47 hours, one of them with 23 objects, the others with 3: 161 objects.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "cache/refresh.h"
#include "catalog/memory_catalog.h"
#include "engine/arrow_engine.h"
#include "engine/duckdb_engine.h"
#include "engine/planning.h"
#include "engine/query.h"
#include "engine/sample_table.h"
#include "env/clock.h"
#include "env/random.h"
#include "harness.h"
#include "object/file_system.h"
#include "object/local_store.h"
#include "read/planner.h"

namespace highwater::bench {

namespace {

namespace fs = std::filesystem;

constexpr model::Hour first{497'530};
constexpr std::int64_t hours = 47;
constexpr std::int64_t busy = 20;
constexpr std::size_t rows_per_object = 2'000;

template <typename T>
T must(Result<T> result) {
    ASSERT(result.ok());
    return *std::move(result);
}

/// A directory that goes when the measurement ends.
class Directory {
public:
    Directory() : path_((fs::temp_directory_path() / "highwater-bench.XXXXXX").string()) {
        ASSERT(::mkdtemp(path_.data()) != nullptr);
        fs::create_directory(lake());
        fs::create_directory(spill());
    }
    ~Directory() { fs::remove_all(path_); }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    std::string lake() const { return path_ + "/lake"; }
    std::string spill() const { return path_ + "/spill"; }

private:
    std::string path_;
};

/// The published hours, registered as a gate would have registered them.
class World {
public:
    World() : table_(directory_.lake(), engine::measurements(), "cpu") {
        std::vector<catalog::Partition> partitions;
        for (std::int64_t i = 0; i < hours; ++i) {
            partitions.push_back(write_hour({first.since_epoch + i}, i == busy ? 23 : 3));
        }
        catalog::Table table = table_.planned().table;
        table.id = {env::make_uuid(random_)};
        for (catalog::Partition& partition : partitions) partition.key.table = table.id;
        commit({table}, {});
        commit({}, std::move(partitions));
        snapshot_ = must(cache::refresh({catalog_, store_, clock_}, nullptr, {})).snapshot;
    }

    env::Clock& clock() { return clock_; }
    const Directory& directory() const { return directory_; }

    /// From the freshness probe to the list of files of one hour.
    read::Plan plan_hour(model::Hour hour) {
        const catalog::Generation head = must(catalog_.head());
        read::Request request;
        request.tables = {{"cpu", std::nullopt}};
        request.range = {model::start_of(hour), model::end_of(hour)};
        auto outcome = read::plan(request, *snapshot_, head);
        ASSERT(std::holds_alternative<read::Planned>(outcome));
        return std::get<read::Planned>(std::move(outcome)).plan;
    }

private:
    catalog::Partition write_hour(model::Hour hour, std::size_t objects) {
        catalog::Partition partition;
        partition.key.hour = hour;
        partition.root = directory_.lake();
        for (std::size_t i = 0; i < objects; ++i) {
            const auto file =
                table_.write(hour, "part-" + std::to_string(i) + ".parquet",
                             engine::sample_rows(table_.schema(), hour, rows_per_object, i));
            catalog::RegisteredObject object;
            object.path = file.name.path;
            object.size_bytes = file.identity.size_bytes;
            object.record_count = file.record_count;
            object.sha256 = file.sha256;
            object.row_fingerprint = file.row_fingerprint;
            object.min_time = model::start_of(hour);
            object.max_time = model::end_of(hour) - Duration(1'000);
            object.identity = file.identity;
            partition.objects.push_back(std::move(object));
        }
        std::ranges::sort(partition.objects, {}, &catalog::RegisteredObject::path);
        partition.inventory = catalog::inventory_of(partition);
        return partition;
    }

    void commit(std::vector<catalog::Table> tables, std::vector<catalog::Partition> partitions) {
        const auto view = must(catalog_.load_view({}));
        catalog::Commit commit;
        commit.operation =
            tables.empty() ? catalog::Operation::publish : catalog::Operation::create_table;
        commit.batch = "batch-" + std::to_string(view.generation.number + 1);
        commit.idempotency_key = commit.batch;
        commit.basis.epoch = view.generation.epoch;
        commit.time = clock_.now();
        for (const catalog::Table& table : view.tables) {
            commit.basis.tables.push_back({table.id, table.incarnation, table.current().version});
        }
        for (const catalog::Partition& partition : partitions) {
            commit.basis.partitions.push_back({partition.key, "", 0, 0});
        }
        commit.locations = catalog::locations_of(tables, partitions);
        commit.tables = std::move(tables);
        commit.partitions = std::move(partitions);
        const auto outcome = must(catalog_.commit(commit));
        ASSERT(outcome.kind == catalog::CommitOutcome::Kind::committed);
    }

    Directory directory_;
    env::SystemClock clock_;
    env::SystemRandom random_;
    object::SystemFileSystem files_;
    object::LocalStore store_{files_, random_};
    catalog::MemoryCatalog catalog_{random_};
    engine::SampleTable table_;
    std::shared_ptr<const cache::Snapshot> snapshot_;
};

Samples to_samples(const std::vector<Duration>& durations) {
    std::vector<double> seconds;
    for (const Duration duration : durations) {
        seconds.push_back(std::chrono::duration<double>(duration).count());
    }
    return Samples(std::move(seconds));
}

void add_percentiles(Report& report, const std::string& name, const Samples& samples) {
    report.add_fact(name + "/p50", samples.median() * 1e6, "us");
    report.add_fact(name + "/p95", samples.percentile(95) * 1e6, "us");
}

void measure_methods(World& world, model::Hour hour, Report& report) {
    const read::Plan plan = world.plan_hour(hour);
    const Samples own =
        measure({.warmups = 20, .measured = 500}, [&] { keep(world.plan_hour(hour)); });
    add_percentiles(report, "plan/own", own);
    for (const auto method :
         {engine::PlanningMethod::duckdb_pattern, engine::PlanningMethod::duckdb_list,
          engine::PlanningMethod::arrow_discovery}) {
        const auto cost = must(engine::measure_planning(
            method, plan.tables[0],
            {.directory = world.directory().spill(), .warmups = 3, .repeats = 60, .limits = {}},
            world.clock(), {}));
        ASSERT(cost.rows == plan.rows_in_scope);
        ASSERT(cost.files == plan.tables[0].files.size());
        const std::string name = "plan/" + std::string(to_text(method));
        const Samples samples = to_samples(cost.samples);
        add_percentiles(report, name, samples);
        report.add_fact(name + "/listed", static_cast<double>(cost.listed_files), "objects");
        const double ratio = samples.percentile(95) / own.percentile(95);
        if (method == engine::PlanningMethod::duckdb_pattern) {
            report.add_at_least("plan/own_against_pattern/p95", ratio, "x", 20);
        }
    }
}

void measure_reading(World& world, model::Hour hour, Report& report) {
    const read::Plan plan = world.plan_hour(hour);
    engine::DuckDb duckdb(world.clock(), world.directory().spill());
    engine::ArrowDataset arrow(world.directory().spill());
    const auto rows = static_cast<double>(plan.rows_in_scope);
    for (engine::Engine* const engine :
         {static_cast<engine::Engine*>(&duckdb), static_cast<engine::Engine*>(&arrow)}) {
        const Samples samples = measure({.warmups = 1, .measured = 10}, [&] {
            keep(must(engine->gather_facts(plan.tables[0], {})));
        });
        report.add_fact("facts/" + std::string(engine->name()), rows / samples.median(), "rows/s");
    }
    const engine::QueryOptions options{.directory = world.directory().spill(), .limits = {}};
    const Samples query = measure({.warmups = 1, .measured = 20}, [&] {
        keep(
            must(engine::run_query(plan, "SELECT host, count(*), avg(value) FROM cpu GROUP BY host",
                                   options, world.clock(), {})));
    });
    add_percentiles(report, "query/one_hour", query);
}

}  // namespace

void run(Report& report) {
    World world;
    const model::Hour hour{first.since_epoch + busy};
    measure_methods(world, hour, report);
    measure_reading(world, hour, report);
}

}  // namespace highwater::bench
