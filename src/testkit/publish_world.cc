#include "testkit/publish_world.h"

#include <algorithm>

#include "base/assert.h"
#include "testkit/commits.h"
#include "testkit/handmade_parquet.h"

namespace highwater::testkit {

namespace {

template <typename T>
T must(Result<T> result) {
    ASSERT(result.ok());
    return *std::move(result);
}

}  // namespace

PublishWorld::PublishWorld() = default;

catalog::Table PublishWorld::add_table(const std::string& name) {
    const catalog::Table table = make_table(name, "/lake/" + name);
    commit(catalog::Operation::create_table, {table}, {});
    return this->table(name);
}

void PublishWorld::add_column(const std::string& name, const std::string& column) {
    commit(catalog::Operation::add_column, {with_column(table(name), column)}, {});
}

catalog::Table PublishWorld::table(const std::string& name) {
    const catalog::View view = must(catalog.load_view({}));
    const auto found = std::ranges::find(view.tables, name, &catalog::Table::name);
    ASSERT(found != view.tables.end());
    return *found;
}

Bytes PublishWorld::make_file(model::Hour hour, std::size_t rows, double value) {
    HandmadeColumn time{.name = "time", .field_id = 1, .logical_type = timestamp_type(true, 2)};
    HandmadeColumn measured{.name = "value",
                            .physical = parquet_physical::float64,
                            .repetition = 1,
                            .field_id = 2,
                            .logical_type = std::nullopt};
    const auto start_us = to_ns(model::start_of(hour)) / 1'000;
    constexpr std::int64_t hour_us = 3'600'000'000;
    for (std::size_t i = 0; i < rows; ++i) {
        const auto offset =
            static_cast<std::int64_t>(i) * hour_us / static_cast<std::int64_t>(rows);
        time.values.emplace_back(plain_i64(start_us + offset));
        measured.values.emplace_back(plain_double(value + static_cast<double>(i)));
    }
    return make_handmade_parquet({.columns = {time, measured}});
}

std::string PublishWorld::path_of(model::Hour hour, const std::string& file) {
    return "hour=" + model::format_hour(hour) + "/" + file + ".parquet";
}

manifest::ObjectClaim PublishWorld::claim(model::Hour hour, const std::string& file,
                                          std::size_t rows, double value) {
    manifest::ObjectClaim claim;
    claim.path = path_of(hour, file);
    claim.size_bytes = make_file(hour, rows, value).size();
    claim.record_count = rows;
    return claim;
}

manifest::ObjectClaim PublishWorld::put(const std::string& root, model::Hour hour,
                                        const std::string& file, std::size_t rows, double value) {
    must(object::put_new(store, {root, path_of(hour, file)}, make_file(hour, rows, value)));
    return claim(hour, file, rows, value);
}

manifest::Manifest PublishWorld::make_manifest(const std::string& table, const std::string& batch,
                                               model::Hour hour,
                                               std::vector<manifest::ObjectClaim> objects) {
    manifest::Manifest manifest;
    manifest.table = table;
    manifest.batch_generation = batch;
    manifest.partitions.push_back({hour, std::nullopt, std::move(objects), std::nullopt});
    return manifest;
}

PublishWorld::Visible PublishWorld::visible() {
    catalog::ViewRequest request{.scopes = {}, .at = std::nullopt, .with_dropped = true};
    for (const catalog::Table& table : must(catalog.load_view(request)).tables) {
        request.scopes.push_back({table.id, {}});
    }
    const catalog::View view = must(catalog.load_view(request));
    Visible visible{view.generation, view.tables, {}, catalog::inventory_of(view.partitions)};
    for (const auto& partition : view.partitions) visible.partitions.push_back(*partition);
    return visible;
}

std::optional<catalog::Partition> PublishWorld::find_partition(const std::string& name,
                                                               model::Hour hour) {
    const model::HourRange range{hour, model::next(hour)};
    const auto view = must(catalog.load_view({{{table(name).id, {range}}}, std::nullopt, false}));
    if (view.partitions.empty()) return std::nullopt;
    return *view.partitions.front();
}

catalog::GenerationRef PublishWorld::base() {
    return catalog::token_of(must(catalog.head()));
}

catalog::GenerationRecord PublishWorld::commit(catalog::Operation operation,
                                               std::vector<catalog::Table> tables,
                                               std::vector<catalog::Partition> partitions) {
    for (catalog::Partition& partition : partitions) {
        partition.inventory = catalog::inventory_of(partition);
    }
    const auto commit =
        must(make_commit(catalog, operation, "past the gate " + std::to_string(++commits_),
                         std::move(tables), std::move(partitions)));
    const auto outcome = must(catalog.commit(commit));
    ASSERT(outcome.kind == catalog::CommitOutcome::Kind::committed);
    return *outcome.record;
}

}  // namespace highwater::testkit
