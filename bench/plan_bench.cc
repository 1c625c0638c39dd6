// Plans, refreshes, memory and the cache file at 100,000 hours and 10^6 objects. The catalog and
// the store are made up on the fly, so that what is measured is the cache and the planner alone.

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/assert.h"
#include "cache/file.h"
#include "cache/local_disk.h"
#include "cache/refresh.h"
#include "catalog/catalog.h"
#include "env/clock.h"
#include "env/random.h"
#include "harness.h"
#include "object/store.h"
#include "read/decide.h"
#include "read/verify.h"

namespace highwater::bench {
namespace {

constexpr std::int64_t first_hour = 400'000;
constexpr std::int64_t hours_few = 47;
constexpr std::int64_t hours_many = 100'000;
constexpr int objects_in_hour = 10;
constexpr std::size_t plans = 4'000;

template <typename T>
T must(Result<T> result) {
    ASSERT(result.ok());
    return *std::move(result);
}

/// A table of many hours, each with ten objects, and the store where they lie.
class BigLake final : public catalog::Catalog, public object::Store {
public:
    explicit BigLake(std::int64_t hours) {
        table_.id.value = env::make_uuid(random_);
        table_.name = "metrics";
        table_.location = "/data/lake/objects/metrics";
        table_.created = table_.changed = 1;
        table_.schemas = {{1, {}, 1}};
        for (std::int64_t i = 0; i < hours; ++i) {
            partitions_.push_back(make_partition({first_hour + i}, 2));
        }
        number_ = 2;
    }

    const catalog::TableId& id() const { return table_.id; }

    /// Publishes one hour anew; returns its position.
    std::size_t correct(std::size_t position) {
        last_ = position;
        partitions_[position] = make_partition(partitions_[position]->key.hour, ++number_);
        return position;
    }

    std::uint64_t rows_loaded() const { return rows_; }

    Result<catalog::Generation> head() override { return generation(number_); }

    Result<catalog::View> load_view(const catalog::ViewRequest& request) override {
        catalog::View view{generation(number_), {table_}, {}};
        for (const catalog::Scope& scope : request.scopes) {
            const model::HourRange all{model::hour_min, model::next(model::hour_max)};
            const auto ranges = scope.hours.empty() ? std::vector{all} : scope.hours;
            for (const model::HourRange& range : ranges) {
                const auto hour_of = [](const auto& partition) { return partition->key.hour; };
                auto at = std::ranges::lower_bound(partitions_, range.from, {}, hour_of);
                for (; at != partitions_.end() && hour_of(*at) < range.to; ++at) {
                    view.partitions.push_back(*at);
                }
            }
        }
        rows_ += view.partitions.size();
        return view;
    }

    Result<catalog::Changes> load_changes(std::uint64_t since) override {
        catalog::Changes changes{generation(since), generation(number_), false, {}, {}};
        if (since == number_) return changes;
        changes.partitions.push_back({partitions_[last_]->key, since + 1, number_});
        ++rows_;
        return changes;
    }

    Result<catalog::CommitOutcome> commit(const catalog::Commit&) override { return never(); }
    Result<std::optional<catalog::GenerationRecord>> find(const By&) override { return never(); }
    Result<std::vector<catalog::GenerationRecord>> load_log(std::uint64_t, std::size_t) override {
        return never();
    }
    Result<std::vector<catalog::KnownName>> find_names(const catalog::TableId&,
                                                       const std::vector<std::string>&) override {
        return never();
    }

    Result<std::unique_ptr<object::Upload>> create(const object::Name&) override { return never(); }
    Result<std::unique_ptr<object::Reader>> open(const object::Name&) override { return never(); }
    Result<void> remove(const object::Name&) override { return never(); }

    Result<std::optional<object::Entry>> head(const object::Name& name) override {
        const auto* partition = find(name.path);
        for (const auto& object : partition->objects) {
            if (object.path == name.path) return std::optional(entry_of(object));
        }
        return std::optional<object::Entry>();
    }

    Result<object::Page> list_page(const std::string&, const std::string& prefix,
                                   const std::string&) override {
        object::Page page;
        for (const auto& object : find(prefix + "/")->objects) {
            page.entries.push_back(entry_of(object));
        }
        return page;
    }

private:
    static Error never() { return {Code::unsupported, "not in this benchmark"}; }

    static object::Entry entry_of(const catalog::RegisteredObject& object) {
        return {object.path, object.identity, object::Entry::Kind::object};
    }

    catalog::Generation generation(std::uint64_t number) const {
        return {{1, 7}, number, digest_of(std::to_string(number))};
    }

    const catalog::Partition* find(const std::string& path) const {
        const auto hour = table_.pattern.find_hour(path);
        ASSERT(hour.has_value());
        return partitions_[static_cast<std::size_t>(hour->since_epoch - first_hour)].get();
    }

    Digest any_digest() {
        Digest digest;
        for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
            digest.bytes[i] = static_cast<std::uint8_t>(random_.next());
        }
        return digest;
    }

    std::shared_ptr<const catalog::Partition> make_partition(model::Hour hour,
                                                             std::uint64_t changed) {
        auto partition = std::make_shared<catalog::Partition>();
        partition->key = {table_.id, hour};
        partition->root = table_.location;
        partition->changed = changed;
        const std::string prefix = *table_.pattern.render(hour);
        for (int i = 0; i < objects_in_hour; ++i) {
            catalog::RegisteredObject object;
            object.path = prefix + "/" + std::to_string(10 + i) + "-" +
                          format_digest_prefix(any_digest(), 12) + ".parquet";
            object.size_bytes = object.identity.size_bytes = 1'000'000 + random_.next() % 1'000'000;
            object.record_count = 10'000 + random_.next() % 10'000;
            object.sha256 = any_digest();
            object.row_fingerprint = any_digest();
            object.min_time = model::start_of(hour) + Duration(random_.next() % 1'000'000'000);
            object.max_time = model::end_of(hour) - Duration(random_.next() % 1'000'000'000 + 1);
            object.identity.mtime_ns = static_cast<std::int64_t>(1'700'000'000'000'000'000 +
                                                                 random_.next() % (1ULL << 45U));
            object.identity.ctime_ns =
                object.identity.mtime_ns + static_cast<std::int64_t>(random_.next() % 10'000'000);
            object.identity.inode = 1'000'000 + random_.next() % 100'000'000;
            partition->objects.push_back(std::move(object));
        }
        partition->inventory = catalog::inventory_of(*partition);
        return partition;
    }

    env::SeededRandom random_{47};
    catalog::Table table_;
    std::vector<std::shared_ptr<const catalog::Partition>> partitions_;
    std::uint64_t number_ = 0;
    std::size_t last_ = 0;
    std::uint64_t rows_ = 0;
};

double heap_bytes() {
    const auto info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

double seconds_of(const Samples& samples) {
    return samples.median();
}

/// A lake and all that a reader knows of it.
struct World {
    explicit World(std::int64_t hours) : lake(hours), hour_count(hours) {
        const double before = heap_bytes();
        reload();
        snapshot_bytes = heap_bytes() - before;
    }

    void reload() { refresh({.kind = {}, .scopes = {}, .reload = true}); }

    cache::RefreshReport refresh(const cache::RefreshRequest& request) {
        auto done = must(cache::refresh({lake, lake, clock}, facts.snapshot, request));
        facts.snapshot = std::move(done.snapshot);
        facts.now = clock.now();
        facts.probe = read::Probe();
        facts.probe->head = facts.snapshot->seen();
        return done.report;
    }

    /// From the answered probe to the file list.
    read::Plan plan(std::uint64_t dice) {
        read::Request request;
        request.tables = {{"metrics", std::nullopt}};
        const model::Hour hour{
            first_hour + static_cast<std::int64_t>(dice % static_cast<std::uint64_t>(hour_count))};
        request.range = {model::start_of(hour), model::end_of(hour)};
        auto decision = read::decide(request, facts);
        auto* served = std::get_if<read::Serve>(&decision.step);
        ASSERT(served && served->plan.tables[0].files.size() == objects_in_hour);
        return std::move(served->plan);
    }

    BigLake lake;
    std::int64_t hour_count;
    env::SystemClock clock;
    read::Facts facts;
    double snapshot_bytes = 0;
};

void measure_plans(World& few, World& many, Report& report) {
    env::SeededRandom random(1);
    // In turns, so that the mood of the machine is that of both.
    std::vector<double> few_seconds;
    std::vector<double> many_seconds;
    for (std::size_t i = 0; i < plans; ++i) {
        const std::uint64_t dice = random.next();
        const Samples one = measure({0, 1}, [&] { keep(few.plan(dice)); });
        few_seconds.push_back(one.total());
        const Samples other = measure({0, 1}, [&] { keep(many.plan(dice)); });
        many_seconds.push_back(other.total());
    }
    const Samples among_few(few_seconds);
    const Samples among_many(many_seconds);
    report.add_fact("plan/47_hours/p50", among_few.percentile(50) * 1e6, "us");
    report.add_fact("plan/47_hours/p95", among_few.percentile(95) * 1e6, "us");
    report.add_fact("plan/100000_hours/p50", among_many.percentile(50) * 1e6, "us");
    report.add_at_most("plan/100000_hours/p95", among_many.percentile(95) * 1e6, "us", 100);
    report.add_at_most("plan/p95_ratio", among_many.percentile(95) / among_few.percentile(95), "x",
                       1.5);
    const Samples checked = measure({10, plans}, [&] {
        const read::Plan plan = many.plan(random.next());
        keep(read::verify_before(many.lake, plan, many.clock));
    });
    report.add_fact("plan_and_identity_checks/100000_hours/p95", checked.percentile(95) * 1e6,
                    "us");
}

void measure_refreshes(World& world, Report& report) {
    env::SeededRandom random(2);
    const Samples full = measure({0, 3}, [&] { world.reload(); });
    std::uint64_t round_trips = 0;
    std::uint64_t rows = 0;
    std::vector<double> seconds;
    for (int i = 0; i < 50; ++i) {
        const auto position = world.lake.correct(random.next() % hours_many);
        const model::Hour hour{first_hour + static_cast<std::int64_t>(position)};
        const std::uint64_t before = world.lake.rows_loaded();
        cache::RefreshReport done;
        const Samples prefix = measure({0, 1}, [&] {
            done = world.refresh({.kind = cache::RefreshRequest::Kind::prefixes,
                                  .scopes = {{world.lake.id(), {{hour, model::next(hour)}}}},
                                  .reload = false});
        });
        seconds.push_back(prefix.total());
        round_trips = std::max(round_trips, done.ledger.catalog_round_trips);
        rows = std::max(rows, world.lake.rows_loaded() - before);
        ASSERT(done.ledger.lists == 1 && done.completed == done.to.number);
    }
    const Samples prefixes(seconds);
    report.add_at_most("refresh/prefix/round_trips", static_cast<double>(round_trips), "", 3);
    report.add_at_most("refresh/prefix/rows", static_cast<double>(rows), "", 2);
    report.add_fact("refresh/prefix/p95", prefixes.percentile(95) * 1e3, "ms");
    report.add_fact("refresh/full/median", seconds_of(full) * 1e3, "ms");
    report.add_at_most("refresh/prefix_to_full", prefixes.percentile(95) / seconds_of(full), "x",
                       0.01);
}

void measure_file(World& world, Report& report) {
    const auto folder = std::filesystem::temp_directory_path() / "highwater-plan-bench";
    std::filesystem::create_directories(folder);
    const std::string path = (folder / "cache").string();
    std::filesystem::remove(path);
    cache::LocalDisk disk;
    cache::File file(disk, world.clock, path);
    const Samples first = measure({0, 1}, [&] { must(file.store(world.facts.snapshot)); });
    const Samples open = measure({1, 5}, [&] {
        cache::File warm(disk, world.clock, path);
        ASSERT(must(warm.load())->object_count() == hours_many * objects_in_hour);
    });
    const auto size = static_cast<double>(std::filesystem::file_size(path));
    std::vector<double> seconds;
    env::SeededRandom random(3);
    for (int i = 0; i < 20; ++i) {
        const auto position = world.lake.correct(random.next() % hours_many);
        const model::Hour hour{first_hour + static_cast<std::int64_t>(position)};
        world.refresh({.kind = cache::RefreshRequest::Kind::prefixes,
                       .scopes = {{world.lake.id(), {{hour, model::next(hour)}}}},
                       .reload = false});
        seconds.push_back(measure({0, 1}, [&] { must(file.store(world.facts.snapshot)); }).total());
    }
    std::filesystem::remove_all(folder);
    report.add_fact("file/size", size / 1e6, "MB");
    report.add_fact("file/first_store", first.total() * 1e3, "ms");
    report.add_fact("file/store_one_hour/p95", Samples(seconds).percentile(95) * 1e3, "ms");
    report.add_at_most("file/warm_open/max", open.percentile(100), "s", 2);
}

}  // namespace

void run(Report& report) {
    World few(hours_few);
    World many(hours_many);
    report.add_at_most("snapshot/memory", many.snapshot_bytes / 1e6, "MB", 250);
    measure_plans(few, many, report);
    measure_refreshes(many, report);
    measure_file(many, report);
}

}  // namespace highwater::bench
