// What the gate costs: its decision alone, by sizes, for up to a million entries; and its reading
// of large objects against a program that does nothing but read and hash the same bytes.

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <thread>

#include "catalog/memory_catalog.h"
#include "env/clock.h"
#include "env/random.h"
#include "harness.h"
#include "object/memory_store.h"
#include "parquet/write.h"
#include "publish/decide.h"
#include "publish/examine.h"

namespace {

/// Bytes on the heap now, and the most since the last reset.
std::atomic<std::int64_t> heap_now = 0;
std::atomic<std::int64_t> heap_peak = 0;

void note_heap(std::int64_t change) {
    const std::int64_t now = heap_now += change;
    std::int64_t peak = heap_peak;
    while (now > peak && !heap_peak.compare_exchange_weak(peak, now)) {
    }
}

}  // namespace

void* operator new(std::size_t size) {
    void* const memory = std::malloc(size);
    if (!memory) throw std::bad_alloc();
    note_heap(static_cast<std::int64_t>(malloc_usable_size(memory)));
    return memory;
}

void operator delete(void* memory) noexcept {
    if (memory) note_heap(-static_cast<std::int64_t>(malloc_usable_size(memory)));
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace highwater::bench {
namespace {

using publish::Facts;
using publish::Submission;

constexpr model::Hour first_hour{497'577};  // 2026-10-06T09
constexpr std::size_t objects_per_hour = 1'000;
constexpr std::size_t large_size = std::size_t{16} << 20U;
constexpr std::size_t large_count = 8;

catalog::Table make_table() {
    catalog::Table table;
    table.name = "telemetry";
    table.location = "/lake/telemetry";
    model::Schema schema;
    schema.columns = {
        {.id = 1, .name = "time", .type = model::ColumnType::timestamp, .nullable = false},
        {.id = 2, .name = "value", .type = model::ColumnType::float64}};
    schema.time_column = "time";
    table.schemas = {{1, schema, 0}};
    return table;
}

/// `count` small objects in a store, and a publication of them all.
struct Inventory {
    explicit Inventory(std::size_t count) {
        const catalog::Table table = make_table();
        manifest::Manifest manifest;
        manifest.table = table.name;
        manifest.batch_generation = "b1";
        for (std::size_t i = 0; i < count; ++i) {
            const model::Hour hour{first_hour.since_epoch +
                                   static_cast<std::int64_t>(i / objects_per_hour)};
            if (i % objects_per_hour == 0) manifest.partitions.push_back({hour, {}, {}, {}});
            std::string number = std::to_string(i);
            number.insert(0, 8 - number.size(), '0');
            manifest::ObjectClaim claim;
            claim.path = *table.pattern.render(hour) + "/telemetry-" + number + ".parquet";
            claim.size_bytes = 1;
            claim.record_count = 1;
            if (!object::put_new(store, {table.location, claim.path}, "x").ok()) std::abort();
            manifest.partitions.back().objects.push_back(std::move(claim));
        }
        // Nobody promised an order.
        std::mt19937_64 random(count);
        std::ranges::shuffle(manifest.partitions, random);
        for (auto& partition : manifest.partitions) {
            std::ranges::shuffle(partition.objects, random);
        }
        submission.publication.manifests.push_back(std::move(manifest));
        view.tables.push_back(table);
    }

    /// All that the gate gathers when sizes are all it looks at.
    Facts gather() {
        Facts facts;
        facts.tables = view;
        facts.key.emplace();
        facts.basis = publish::BasisFacts{view, {std::nullopt}};
        facts.inventory.emplace();
        facts.inventory->names.resize(1);
        facts.inventory->hours = publish::make_named_hours(submission.publication, view);
        for (const publish::NamedHour& hour : facts.inventory->hours) {
            auto entries = object::list_all(store, hour.root, hour.prefix);
            if (!entries.ok()) std::abort();
            facts.inventory->listings.push_back({*std::move(entries), std::nullopt});
        }
        facts.objects.emplace();
        facts.relisting = publish::RelistingFacts{facts.inventory->listings, {}};
        return facts;
    }

    /// Everything that the gate works out of those facts.
    void decide(Facts& facts) const {
        publish::InventoryFacts& inventory = *facts.inventory;
        inventory.hours = publish::make_named_hours(submission.publication, view);
        inventory.matches.clear();
        for (std::size_t i = 0; i < inventory.hours.size(); ++i) {
            const publish::NamedHour& hour = inventory.hours[i];
            inventory.matches.push_back(
                publish::match_hour(hour, publish::claim_of(submission.publication, hour),
                                    inventory.listings[i], submission.options));
        }
        const auto report = publish::decide(submission, facts);
        if (report.verdict != publish::Verdict::accepted) std::abort();
        keep(report);
    }

    object::MemoryStore store;
    Submission submission;
    catalog::View view;
};

struct DecisionCost {
    double seconds = 0;
    double peak_bytes = 0;
};

DecisionCost measure_decision(Report& report, std::size_t count) {
    Inventory inventory(count);
    Facts facts;
    const Samples listing = measure({0, 1}, [&] { facts = inventory.gather(); });
    const std::int64_t before = heap_now;
    heap_peak = before;
    inventory.decide(facts);
    const auto peak = static_cast<double>(heap_peak - before);
    // The quickest of several: what else the machine does is no property of the gate.
    const double decision = measure({1, 5}, [&] { inventory.decide(facts); }).percentile(1);

    const std::string name = "decide/" + std::to_string(count);
    report.add_fact(name + "/listing", listing.median() * 1e3, "ms");
    report.add_fact(name + "/decision", decision * 1e3, "ms");
    report.add_fact(name + "/memory", peak / 1e6, "MB");
    report.add_at_least(name + "/rate", static_cast<double>(count) / decision, "entries/s",
                        500'000);
    return {decision, peak};
}

/// Objects of our own writer with values that do not compress.
std::vector<publish::ObjectWork> put_large_objects(object::Store& store,
                                                   const catalog::Table& table) {
    std::mt19937_64 random(1);
    std::vector<publish::ObjectWork> work;
    const model::Schema& schema = table.current().schema;
    for (std::size_t i = 0; i < large_count; ++i) {
        const object::Name name{table.location, "large-" + std::to_string(i)};
        auto upload = store.create(name);
        if (!upload.ok()) std::abort();
        parquet::ObjectWriter writer(**upload, schema, {.table_id = "bench"});
        parquet::RowBatch batch = parquet::make_batch(schema);
        const auto start_us = to_ns(model::start_of(first_hour)) / 1'000;
        for (std::size_t row = 0; row < large_size / sizeof(double); ++row) {
            batch.columns[0].append_integer(start_us + static_cast<std::int64_t>(row));
            batch.columns[1].append_floating(static_cast<double>(random()));
        }
        if (!writer.append(batch, 0, batch.rows()).ok() || !writer.close().ok()) std::abort();
        const auto identity = (*upload)->finish();
        if (!identity.ok() || identity->size_bytes < large_size) std::abort();
        work.push_back(
            {.hour = 0, .match = 0, .name = name, .identity = *identity, .schema = &schema});
    }
    return work;
}

/// Reads and hashes every object, and does nothing else.
void read_and_hash(object::Store& store, const std::vector<publish::ObjectWork>& work,
                   unsigned threads) {
    constexpr std::uint64_t piece_size = std::uint64_t{1} << 20U;
    std::atomic<std::size_t> next = 0;
    const auto run = [&] {
        for (std::size_t i = next++; i < work.size(); i = next++) {
            const auto reader = store.open(work[i].name);
            if (!reader.ok()) std::abort();
            Sha256 hash;
            for (std::uint64_t at = 0; at < work[i].identity.size_bytes; at += piece_size) {
                const auto piece = (*reader)->read_at(at, piece_size);
                if (!piece.ok()) std::abort();
                hash.update(*piece);
            }
            keep(hash.finish());
        }
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(run);
    run();
}

void measure_reading(Report& report) {
    object::MemoryStore store;
    const catalog::Table table = make_table();
    std::vector<publish::ObjectWork> work = put_large_objects(store, table);
    double bytes = 0;
    for (const auto& object : work) bytes += static_cast<double>(object.identity.size_bytes);
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    const auto examine = [&] {
        const auto facts = publish::examine_all(store, work, {.threads = threads}, {});
        if (!facts.ok() || facts->front().verdict != parquet::Verdict::readable) std::abort();
        keep(facts);
    };
    // In turns, so that both meet the machine in the same mood.
    for (auto& object : work) object.is_decoded = false;
    std::vector<double> plain;
    std::vector<double> digested;
    for (int round = 0; round < 7; ++round) {
        plain.push_back(measure({round == 0 ? 1U : 0U, 1}, [&] {
                            read_and_hash(store, work, threads);
                        }).median());
        digested.push_back(measure({round == 0 ? 1U : 0U, 1}, examine).median());
    }
    for (auto& object : work) object.is_decoded = true;
    const double decoded = measure({0, 3}, examine).median();

    const double plain_median = Samples(plain).median();
    const double digested_median = Samples(digested).median();
    report.add_fact("read/plain", bytes / plain_median / 1e6, "MB/s");
    report.add_fact("read/digests", bytes / digested_median / 1e6, "MB/s");
    report.add_fact("read/digests_and_fingerprints", bytes / decoded / 1e6, "MB/s");
    report.add_at_least("read/digests/of_plain", plain_median / digested_median, "ratio", 0.8);
    report.add_fact("read/digests_and_fingerprints/of_plain", plain_median / decoded, "ratio");
}

}  // namespace

void run(Report& report) {
    measure_decision(report, 10'000);
    const DecisionCost small = measure_decision(report, 100'000);
    const DecisionCost large = measure_decision(report, 1'000'000);
    report.add_at_most("decide/time/of_10_times_fewer", large.seconds / small.seconds, "ratio", 13);
    report.add_at_most("decide/memory/of_10_times_fewer", large.peak_bytes / small.peak_bytes,
                       "ratio", 13);
    measure_reading(report);
}

}  // namespace highwater::bench
